//! The four forms of a request target (RFC 9112 section 3.2).

use super::grammar;
use crate::ProtocolError;

/// A target taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target<'a> {
    /// The path, percent-encoded as sent; empty where an absolute form has none; `*` for the
    /// asterisk form.
    pub path: &'a [u8],
    /// What follows the first `?`.
    pub query: &'a [u8],
    /// Host and port of an absolute form.
    pub authority: Option<&'a [u8]>,
}

impl<'a> Target<'a> {
    /// Takes a target apart as far as `method` allows its form.
    ///
    /// # Errors
    ///
    /// A form that the method does not go with, an absolute form whose scheme is not http or
    /// https or whose authority is not valid, and CONNECT whatever its target.
    pub fn parse(method: &[u8], target: &'a [u8]) -> Result<Self, ProtocolError> {
        match target {
            _ if method == b"CONNECT" => Err(connect(target)),
            [b'/', ..] => Ok(Self::split(target, None)),
            b"*" if method == b"OPTIONS" => Ok(Self {
                path: target,
                query: b"",
                authority: None,
            }),
            _ => Self::absolute(target).ok_or(ProtocolError::InvalidTargetForm),
        }
    }

    fn split(rest: &'a [u8], authority: Option<&'a [u8]>) -> Self {
        match memchr::memchr(b'?', rest) {
            Some(mark) => Self {
                path: &rest[..mark],
                query: &rest[mark + 1..],
                authority,
            },
            None => Self {
                path: rest,
                query: b"",
                authority,
            },
        }
    }

    /// `http://authority[/path][?query]`. No user name, no empty host (RFC 9110 section 4.2).
    fn absolute(target: &'a [u8]) -> Option<Self> {
        let rest = [&b"http://"[..], b"https://"].iter().find_map(|scheme| {
            let (front, rest) = target.split_at_checked(scheme.len())?;
            front.eq_ignore_ascii_case(scheme).then_some(rest)
        })?;
        let end = memchr::memchr2(b'/', b'?', rest).unwrap_or(rest.len());
        let (authority, rest) = rest.split_at(end);
        let host_is_empty = matches!(authority, [] | [b':', ..]);
        (!host_is_empty && grammar::is_authority(authority))
            .then(|| Self::split(rest, Some(authority)))
    }
}

/// CONNECT takes `host:port` and nothing else; it is not supported then either.
fn connect(target: &[u8]) -> ProtocolError {
    let has_port = matches!(target, [.., b'0'..=b'9']) && target.contains(&b':');
    if has_port && target[0] != b':' && grammar::is_authority(target) {
        ProtocolError::ConnectUnsupported
    } else {
        ProtocolError::InvalidTargetForm
    }
}
