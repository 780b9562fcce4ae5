//! Heads into bytes. What an application gives is vetted here, before any of it goes out.

use super::{
    grammar::{self, TOKEN},
    status,
};
use crate::UsageError;

/// What is added to every response unless the application sent its own.
#[derive(Clone, Copy, Debug, Default)]
pub struct Defaults<'a> {
    /// The value of `date`, an IMF-fixdate of 29 bytes.
    pub date: Option<&'a [u8]>,
    /// The value of `server`.
    pub server: Option<&'a [u8]>,
    /// Whole lines, `name: value\r\n` each, that are always added.
    pub extra: &'a [u8],
}

impl Defaults<'_> {
    fn append(&self, out: &mut Vec<u8>, seen: &Summary) {
        if let Some(date) = self.date
            && !seen.date
        {
            line(out, b"date", date);
        }
        if let Some(server) = self.server
            && !seen.server
        {
            line(out, b"server", server);
        }
        out.extend_from_slice(self.extra);
    }
}

/// What an application's headers say about the framing and the connection.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Summary {
    pub(crate) content_length: Option<u64>,
    pub(crate) close: bool,
    date: bool,
    server: bool,
}

/// Status line, headers and defaults; the head stays open. Leaves `out` as it was on an error.
pub(crate) fn response<'h>(
    out: &mut Vec<u8>,
    status: u16,
    headers: impl Iterator<Item = (&'h [u8], &'h [u8])>,
    defaults: &Defaults<'_>,
) -> Result<Summary, UsageError> {
    let start = out.len();
    // A head is seldom larger, and growing in steps costs.
    out.reserve(512);
    status_line(out, status);
    let seen = fields(out, start, headers, !matches!(status, 204 | 205))?;
    if status == 205 {
        line(out, b"content-length", b"0");
    }
    defaults.append(out, &seen);
    Ok(seen)
}

/// Status line and headers of an interim response, with its end. Leaves `out` as it was on an
/// error.
pub(crate) fn interim<'h>(
    out: &mut Vec<u8>,
    status: u16,
    headers: impl Iterator<Item = (&'h [u8], &'h [u8])>,
) -> Result<(), UsageError> {
    let start = out.len();
    status_line(out, status);
    fields(out, start, headers, false)?;
    out.extend_from_slice(b"\r\n");
    Ok(())
}

/// Request line and headers; the head stays open. Leaves `out` as it was on an error.
pub(crate) fn request<'h>(
    out: &mut Vec<u8>,
    method: &str,
    target: &[u8],
    headers: impl Iterator<Item = (&'h [u8], &'h [u8])>,
) -> Result<Summary, UsageError> {
    if !grammar::is_token(method.as_bytes()) {
        return Err(UsageError::InvalidMethod);
    }
    if !grammar::all(grammar::TARGET, target) {
        return Err(UsageError::InvalidTarget);
    }
    let start = out.len();
    for part in [method.as_bytes(), b" ", target, b" HTTP/1.1\r\n"] {
        out.extend_from_slice(part);
    }
    let mut hosts = 0;
    let headers = headers.inspect(|(name, _)| {
        hosts += u8::from(name.eq_ignore_ascii_case(b"host"));
    });
    let seen = fields(out, start, headers, true)?;
    if hosts != 1 {
        out.truncate(start);
        return Err(UsageError::MissingHost);
    }
    Ok(seen)
}

/// The head's last lines: what becomes of the connection, where it is not understood, and the
/// empty line.
pub(crate) fn close_head(out: &mut Vec<u8>, connection: Option<&'static [u8]>) {
    if let Some(connection) = connection {
        line(out, b"connection", connection);
    }
    out.extend_from_slice(b"\r\n");
}

fn status_line(out: &mut Vec<u8>, status: u16) {
    if let Some(whole) = status::line(status) {
        out.extend_from_slice(whole);
    } else {
        out.extend_from_slice(b"HTTP/1.1 ");
        decimal(out, u64::from(status));
        out.extend_from_slice(b" \r\n");
    }
}

#[inline]
fn line(out: &mut Vec<u8>, name: &[u8], value: &[u8]) {
    out.extend_from_slice(name);
    out.extend_from_slice(b": ");
    out.extend_from_slice(value);
    out.extend_from_slice(b"\r\n");
}

/// The application's headers. Framing and connection are ours to say: Transfer-Encoding is
/// swallowed, Content-Length checked and kept where the message may carry one, and of Connection
/// only what concerns neither closing nor keeping is let through.
fn fields<'h>(
    out: &mut Vec<u8>,
    start: usize,
    headers: impl Iterator<Item = (&'h [u8], &'h [u8])>,
    keeps_length: bool,
) -> Result<Summary, UsageError> {
    let mut seen = Summary::default();
    for (name, value) in headers {
        let verdict = match kind(name) {
            Kind::Other => check(name, value),
            Kind::Date => {
                seen.date = true;
                check(name, value)
            }
            Kind::Server => {
                seen.server = true;
                check(name, value)
            }
            Kind::TransferEncoding => check(name, value).map(|_| false),
            Kind::Connection => check(name, value).map(|_| {
                seen.close |= connection(out, value);
                false
            }),
            Kind::ContentLength => {
                content_length(value, &mut seen).map(|is_first| is_first && keeps_length)
            }
        };
        match verdict {
            Ok(true) => line(out, name, value),
            Ok(false) => {}
            Err(error) => {
                out.truncate(start);
                return Err(error);
            }
        }
    }
    Ok(seen)
}

/// A header with a part in the protocol.
enum Kind {
    Other,
    Date,
    Server,
    Connection,
    ContentLength,
    TransferEncoding,
}

#[inline]
fn kind(name: &[u8]) -> Kind {
    let is = |known: &str| name.eq_ignore_ascii_case(known.as_bytes());
    match name.len() {
        4 if is("date") => Kind::Date,
        6 if is("server") => Kind::Server,
        10 if is("connection") => Kind::Connection,
        14 if is("content-length") => Kind::ContentLength,
        17 if is("transfer-encoding") => Kind::TransferEncoding,
        _ => Kind::Other,
    }
}

/// True for a line that may go out.
#[inline]
fn check(name: &[u8], value: &[u8]) -> Result<bool, UsageError> {
    if !grammar::all(TOKEN, name) {
        Err(UsageError::InvalidHeaderName)
    } else if !grammar::is_value(value) {
        Err(UsageError::InvalidHeaderValue)
    } else {
        Ok(true)
    }
}

/// True for the first line; one that repeats it says nothing new.
fn content_length(value: &[u8], seen: &mut Summary) -> Result<bool, UsageError> {
    let length = grammar::decimal(value).ok_or(UsageError::InvalidContentLength)?;
    match seen.content_length.replace(length) {
        None => Ok(true),
        Some(earlier) if earlier == length => Ok(false),
        Some(_) => Err(UsageError::InvalidContentLength),
    }
}

/// Appends the options that are not ours to say, if any; true if `close` is among them.
fn connection(out: &mut Vec<u8>, value: &[u8]) -> bool {
    let mut close = false;
    let mut begun = false;
    for option in grammar::list(value) {
        if option.eq_ignore_ascii_case(b"close") {
            close = true;
        } else if !option.is_empty() && !option.eq_ignore_ascii_case(b"keep-alive") {
            out.extend_from_slice(if begun { b", " } else { b"connection: " });
            out.extend_from_slice(option);
            begun = true;
        }
    }
    if begun {
        out.extend_from_slice(b"\r\n");
    }
    close
}

/// Appends a number in decimal.
#[inline]
pub(crate) fn decimal(out: &mut Vec<u8>, number: u64) {
    digits::<10>(out, number);
}

/// Appends a number in hexadecimal.
#[inline]
pub(crate) fn hexadecimal(out: &mut Vec<u8>, number: u64) {
    digits::<16>(out, number);
}

fn digits<const BASE: u64>(out: &mut Vec<u8>, mut number: u64) {
    // 64 bits are at most twenty digits.
    let mut buffer = [0; 20];
    let mut at = buffer.len();
    loop {
        at -= 1;
        buffer[at] = b"0123456789abcdef"[(number % BASE) as usize];
        number /= BASE;
        if number == 0 {
            break;
        }
    }
    out.extend_from_slice(&buffer[at..]);
}
