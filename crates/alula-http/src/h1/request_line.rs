//! The resumable scan of a request's head: where it begins and ends, and that every byte of it
//! may stand where it stands.

use super::{
    fields::FieldScan,
    grammar::{self, TARGET, TOKEN},
    target::Target,
};
use crate::{Limits, ProtocolError, Version};

/// `HTTP/1.1`, CR and LF.
const VERSION_LENGTH: usize = 10;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Phase {
    /// Before the first byte that is no empty line.
    #[default]
    Start,
    Method,
    Target,
    Version,
    Fields,
}

/// How far the scan of one head has come. Positions count from the first unread byte.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RequestScan {
    phase: Phase,
    minor: u8,
    fields: FieldScan,
    /// The next byte to look at.
    at: u32,
    /// The first byte of the method.
    start: u32,
    method_end: u32,
    target_end: u32,
}

impl RequestScan {
    /// A byte of the head itself has been seen.
    pub(crate) fn has_begun(&self) -> bool {
        self.phase != Phase::Start
    }

    pub(crate) fn method<'a>(&self, input: &'a [u8]) -> &'a [u8] {
        &input[self.start as usize..self.method_end as usize]
    }

    pub(crate) fn target<'a>(&self, input: &'a [u8]) -> &'a [u8] {
        &input[self.method_end as usize + 1..self.target_end as usize]
    }

    pub(crate) fn version(&self) -> Version {
        if self.minor == b'0' {
            Version::Http10
        } else {
            Version::Http11
        }
    }

    /// Where the header lines are, the empty line included.
    pub(crate) fn field_block<'a>(&self, input: &'a [u8]) -> &'a [u8] {
        &input[self.target_end as usize + 1 + VERSION_LENGTH..self.at as usize]
    }

    pub(crate) fn field_count(&self) -> usize {
        self.fields.count()
    }

    /// Bytes up to the end of the head, once it is complete.
    pub(crate) fn consumed(&self) -> usize {
        self.at as usize
    }

    /// Goes on where the last call ended; true once the head is complete.
    pub(crate) fn advance(&mut self, input: &[u8], limits: &Limits) -> Result<bool, ProtocolError> {
        if self.phase == Phase::Start && !self.skip_empty_lines(input, limits)? {
            return Ok(false);
        }
        // Positions are 32 bits wide; a head has no business to be that long.
        let bound = self.start as usize + limits.head_bytes.min(1 << 30);
        let window = input.get(..bound).unwrap_or(input);
        if self.phase != Phase::Fields && !self.line(window)? {
            return if input.len() > bound {
                Err(self.too_long())
            } else {
                Ok(false)
            };
        }
        self.at = self
            .fields
            .advance(window, self.at as usize, limits.headers)? as u32;
        if !self.fields.is_complete() && input.len() > bound {
            return Err(ProtocolError::HeadTooLarge);
        }
        Ok(self.fields.is_complete())
    }

    /// True at the first byte of a method.
    fn skip_empty_lines(&mut self, input: &[u8], limits: &Limits) -> Result<bool, ProtocolError> {
        while let Some(&byte) = input.get(self.at as usize) {
            let in_line = self.at % 2 == 1;
            match byte {
                b'\n' if in_line => {}
                _ if in_line => return Err(ProtocolError::BareCr),
                b'\r' if self.at / 2 >= u32::from(limits.leading_empty_lines) => {
                    return Err(ProtocolError::TooManyEmptyLines);
                }
                b'\r' => {}
                _ if grammar::is(TOKEN, byte) => {
                    self.start = self.at;
                    self.phase = Phase::Method;
                    return Ok(true);
                }
                b'\n' => return Err(ProtocolError::BareLf),
                // The content type of a TLS handshake record.
                0x16 => return Err(ProtocolError::TlsOnPlainPort),
                _ => return Err(ProtocolError::InvalidMethod),
            }
            self.at += 1;
        }
        Ok(false)
    }

    /// The request line; true behind its end.
    fn line(&mut self, input: &[u8]) -> Result<bool, ProtocolError> {
        if self.phase == Phase::Method {
            self.at += grammar::run(TOKEN, &input[self.at as usize..]) as u32;
            match input.get(self.at as usize) {
                None => return Ok(false),
                Some(b' ') => {}
                Some(b'\r' | b'\t') => return Err(ProtocolError::InvalidRequestLine),
                Some(b'\n') => return Err(ProtocolError::BareLf),
                Some(_) => return Err(ProtocolError::InvalidMethod),
            }
            self.method_end = self.at;
            self.at += 1;
            self.phase = Phase::Target;
        }
        if self.phase == Phase::Target {
            self.at += grammar::run(TARGET, &input[self.at as usize..]) as u32;
            let Some(&byte) = input.get(self.at as usize) else {
                return Ok(false);
            };
            self.target_end = self.at;
            self.check_target(input, byte)?;
            self.at += 1;
            self.phase = Phase::Version;
        }
        self.version_line(input)
    }

    /// The target has ended with `byte`.
    fn check_target(&self, input: &[u8], byte: u8) -> Result<(), ProtocolError> {
        let target = self.target(input);
        match byte {
            b'\n' => return Err(ProtocolError::BareLf),
            b'\r' | b'\t' => return Err(ProtocolError::InvalidRequestLine),
            b' ' if target.is_empty() => return Err(ProtocolError::InvalidRequestLine),
            b' ' => {}
            _ => return Err(ProtocolError::InvalidTarget),
        }
        let method = self.method(input);
        // The HTTP/2 preface, so far; the version decides.
        if target == b"*" && method == b"PRI" {
            return Ok(());
        }
        Target::parse(method, target).map(|_| ())
    }

    /// `HTTP/1.x` CR LF; true behind it.
    fn version_line(&mut self, input: &[u8]) -> Result<bool, ProtocolError> {
        let begin = self.target_end as usize + 1;
        // The usual line as a whole.
        if self.at as usize == begin && input[begin..].starts_with(b"HTTP/1.1\r\n") {
            self.minor = b'1';
            self.check_major(input, b'1')?;
            self.at += VERSION_LENGTH as u32;
            self.phase = Phase::Fields;
            return Ok(true);
        }
        while let Some(&byte) = input.get(self.at as usize) {
            let index = self.at as usize - begin;
            match index {
                0..5 if byte == b"HTTP/"[index] => {}
                5 if byte.is_ascii_digit() => {}
                6 if byte == b'.' => {}
                7 if byte.is_ascii_digit() => {
                    self.minor = byte;
                    self.check_major(input, input[begin + 5])?;
                }
                8 if byte == b'\r' => {}
                9 if byte == b'\n' => {
                    self.at += 1;
                    self.phase = Phase::Fields;
                    return Ok(true);
                }
                9 => return Err(ProtocolError::BareCr),
                _ if byte == b'\n' => return Err(ProtocolError::BareLf),
                _ => return Err(ProtocolError::InvalidVersion),
            }
            self.at += 1;
        }
        Ok(false)
    }

    fn check_major(&self, input: &[u8], major: u8) -> Result<(), ProtocolError> {
        let is_preface = self.method(input) == b"PRI" && self.target(input) == b"*";
        match major {
            b'2' if is_preface && self.minor == b'0' => Err(ProtocolError::Http2Preface),
            b'1' if is_preface => Err(ProtocolError::InvalidTargetForm),
            b'1' => Ok(()),
            _ => Err(ProtocolError::UnsupportedVersion),
        }
    }

    /// The limit of the head lies within the request line.
    fn too_long(&self) -> ProtocolError {
        if self.phase == Phase::Method {
            ProtocolError::HeadTooLarge
        } else {
            ProtocolError::TargetTooLong
        }
    }
}
