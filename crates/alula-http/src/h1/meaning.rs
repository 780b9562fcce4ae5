//! What the headers of a message say about its body and its connection.

use super::{
    grammar::{self, TOKEN},
    upgrade::Handshake,
};
use crate::{ProtocolError, Version};

/// The headers that concern the protocol, gathered line by line.
#[derive(Debug, Default)]
pub(crate) struct Meaning<'a> {
    pub(crate) handshake: Handshake,
    /// Position and value of the last Host line.
    host: Option<(usize, &'a [u8])>,
    repeats_host: bool,
    length: Option<&'a [u8]>,
    codings: Codings,
    options: ConnectionOptions,
    expects_continue: bool,
    expects_unknown: bool,
}

/// How the headers alone say that the body ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Declared {
    Nothing,
    Length(u64),
    Chunked,
}

impl<'a> Meaning<'a> {
    /// Takes in the line at `position`. Names are told apart by length first.
    #[inline]
    pub(crate) fn note(
        &mut self,
        position: usize,
        name: &[u8],
        value: &'a [u8],
    ) -> Result<(), ProtocolError> {
        let is = |known: &str| name.eq_ignore_ascii_case(known.as_bytes());
        match name.len() {
            4 if is("host") => {
                self.repeats_host |= self.host.replace((position, value)).is_some();
                Ok(())
            }
            6 if is("expect") => {
                self.note_expectations(value);
                Ok(())
            }
            7 if is("upgrade") => {
                self.handshake.note_upgrade(value);
                Ok(())
            }
            10 if is("connection") => {
                self.options.note(value);
                Ok(())
            }
            14 if is("content-length") => self.note_length(value),
            17 if is("transfer-encoding") => {
                self.codings.note(value);
                Ok(())
            }
            17 if is("sec-websocket-key") => {
                self.handshake.note_key(value);
                Ok(())
            }
            21 if is("sec-websocket-version") => {
                self.handshake.note_version(value);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Lines that repeat the same digits are one; a list is not even a number.
    fn note_length(&mut self, value: &'a [u8]) -> Result<(), ProtocolError> {
        if grammar::decimal(value).is_none() {
            return Err(ProtocolError::InvalidContentLength);
        }
        if self
            .length
            .replace(value)
            .is_some_and(|earlier| earlier != value)
        {
            return Err(ProtocolError::ConflictingContentLength);
        }
        Ok(())
    }

    fn note_expectations(&mut self, value: &[u8]) {
        for expectation in grammar::list(value) {
            if expectation.eq_ignore_ascii_case(b"100-continue") {
                self.expects_continue = true;
            } else if !expectation.is_empty() {
                self.expects_unknown = true;
            }
        }
    }

    /// The position of a request's Host line (RFC 9112 section 3.2).
    pub(crate) fn host(&self, version: Version) -> Result<Option<usize>, ProtocolError> {
        match self.host {
            _ if self.repeats_host => Err(ProtocolError::RepeatedHost),
            None if version == Version::Http11 => Err(ProtocolError::MissingHost),
            Some((_, value)) if !grammar::is_authority(value) => Err(ProtocolError::InvalidHost),
            host => Ok(host.map(|(position, _)| position)),
        }
    }

    /// What the headers say about the body (RFC 9112 section 6.3).
    pub(crate) fn declared(&self, version: Version) -> Result<Declared, ProtocolError> {
        let length = self.length.and_then(grammar::decimal);
        if self.codings.total == 0 {
            return Ok(length.map_or(Declared::Nothing, Declared::Length));
        }
        if length.is_some() {
            return Err(ProtocolError::LengthAndCoding);
        }
        if version == Version::Http10 {
            return Err(ProtocolError::CodingOnHttp10);
        }
        self.codings.verdict().map(|()| Declared::Chunked)
    }

    /// Whether the sender lets the connection stay (RFC 9112 section 9.3).
    pub(crate) fn keep_alive(&self, version: Version) -> bool {
        !self.options.close && (version == Version::Http11 || self.options.keep_alive)
    }

    /// Whether Connection names the upgrade.
    pub(crate) fn names_upgrade(&self) -> bool {
        self.options.upgrade
    }

    /// Whether a 100 is waited for (RFC 9110 section 10.1.1); HTTP/1.0 has no expectations.
    pub(crate) fn expects_continue(&self, version: Version) -> Result<bool, ProtocolError> {
        match version {
            Version::Http10 => Ok(false),
            Version::Http11 if self.expects_unknown => Err(ProtocolError::UnknownExpectation),
            Version::Http11 => Ok(self.expects_continue),
        }
    }
}

/// The transfer codings of all lines together.
#[derive(Clone, Copy, Debug, Default)]
struct Codings {
    total: u16,
    chunked: u16,
    ends_in_chunked: bool,
    malformed: bool,
}

impl Codings {
    fn note(&mut self, value: &[u8]) {
        for coding in grammar::list(value) {
            self.total = self.total.saturating_add(1);
            self.ends_in_chunked = coding.eq_ignore_ascii_case(b"chunked");
            self.chunked = self.chunked.saturating_add(u16::from(self.ends_in_chunked));
            let (name, rest) = coding.split_at(grammar::run(TOKEN, coding));
            let ends_well = matches!(grammar::trim(rest), [] | [b';', ..]);
            self.malformed |= name.is_empty() || !ends_well;
        }
    }

    fn verdict(self) -> Result<(), ProtocolError> {
        match (
            self.ends_in_chunked && self.chunked == 1 && !self.malformed,
            self.total,
        ) {
            (true, 1) => Ok(()),
            (true, _) => Err(ProtocolError::UnknownTransferCoding),
            (false, _) => Err(ProtocolError::InvalidTransferEncoding),
        }
    }
}

/// The options of all Connection lines that mean something here.
#[derive(Clone, Copy, Debug, Default)]
struct ConnectionOptions {
    close: bool,
    keep_alive: bool,
    upgrade: bool,
}

impl ConnectionOptions {
    fn note(&mut self, value: &[u8]) {
        for option in grammar::list(value) {
            match option.len() {
                5 => self.close |= option.eq_ignore_ascii_case(b"close"),
                7 => self.upgrade |= option.eq_ignore_ascii_case(b"upgrade"),
                10 => self.keep_alive |= option.eq_ignore_ascii_case(b"keep-alive"),
                _ => {}
            }
        }
    }
}
