//! The WebSocket handshake as a request carries it (RFC 6455 section 4.2.1).

use super::grammar;
use crate::Upgrade;

/// The headers of a handshake, gathered line by line.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Handshake {
    asks_for_websocket: bool,
    keys: Lines,
    versions: Lines,
}

/// Lines of one header of which exactly one may come.
#[derive(Clone, Copy, Debug, Default)]
struct Lines {
    any: bool,
    wrong: bool,
}

impl Lines {
    fn note(&mut self, is_valid: bool) {
        self.wrong |= self.any || !is_valid;
        self.any = true;
    }

    fn is_valid(self) -> bool {
        self.any && !self.wrong
    }
}

impl Handshake {
    pub(crate) fn note_upgrade(&mut self, value: &[u8]) {
        self.asks_for_websocket |=
            grammar::list(value).any(|protocol| protocol.eq_ignore_ascii_case(b"websocket"));
    }

    pub(crate) fn note_key(&mut self, value: &[u8]) {
        self.keys.note(is_key(value));
    }

    pub(crate) fn note_version(&mut self, value: &[u8]) {
        self.versions.note(value == b"13");
    }

    /// What is asked for. `applies`: the message is HTTP/1.1 and its Connection header names the
    /// upgrade, without which it is to be ignored (RFC 9110 section 7.8). `is_plain_get`: the
    /// method is GET and there is no body.
    pub(crate) fn verdict(self, applies: bool, is_plain_get: bool) -> Upgrade {
        if !(applies && self.asks_for_websocket) {
            Upgrade::None
        } else if is_plain_get && self.keys.is_valid() && self.versions.is_valid() {
            Upgrade::WebSocket
        } else {
            Upgrade::InvalidWebSocket
        }
    }
}

/// Sixteen bytes in base64.
fn is_key(value: &[u8]) -> bool {
    let is_digit = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    value.len() == 24 && value.ends_with(b"==") && value[..22].iter().all(is_digit)
}
