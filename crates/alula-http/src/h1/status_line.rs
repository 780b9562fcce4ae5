//! The resumable scan of a response's head.

use super::{fields::FieldScan, grammar};
use crate::{Limits, ProtocolError, Version};

/// `HTTP/1.1 200`, behind which a space or the line's end comes.
const FRONT_LENGTH: usize = 12;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Phase {
    /// Version and status.
    #[default]
    Front,
    Reason,
    LineEnd,
    Fields,
}

/// How far the scan of one head has come. Positions count from the first unread byte.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct StatusScan {
    phase: Phase,
    fields: FieldScan,
    /// The next byte to look at.
    at: u32,
    line_end: u32,
}

impl StatusScan {
    /// A byte of the head has been seen.
    pub(crate) fn has_begun(&self) -> bool {
        self.at > 0
    }

    pub(crate) fn version(input: &[u8]) -> Version {
        if input[7] == b'0' {
            Version::Http10
        } else {
            Version::Http11
        }
    }

    pub(crate) fn status(input: &[u8]) -> u16 {
        input[9..FRONT_LENGTH]
            .iter()
            .fold(0, |number, &b| number * 10 + u16::from(b - b'0'))
    }

    /// The reason phrase, without the space before it.
    pub(crate) fn reason<'a>(&self, input: &'a [u8]) -> &'a [u8] {
        input
            .get(FRONT_LENGTH + 1..self.line_end as usize)
            .unwrap_or_default()
    }

    /// Where the header lines are, the empty line included.
    pub(crate) fn field_block<'a>(&self, input: &'a [u8]) -> &'a [u8] {
        &input[self.line_end as usize + 2..self.at as usize]
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
        let bound = limits.head_bytes.min(1 << 30);
        let window = input.get(..bound).unwrap_or(input);
        if self.phase == Phase::Fields || self.line(window)? {
            self.at = self
                .fields
                .advance(window, self.at as usize, limits.headers)? as u32;
        }
        if !self.fields.is_complete() && input.len() > bound {
            return Err(ProtocolError::HeadTooLarge);
        }
        Ok(self.fields.is_complete())
    }

    /// The status line; true behind its end.
    fn line(&mut self, input: &[u8]) -> Result<bool, ProtocolError> {
        while self.phase == Phase::Front {
            let Some(&byte) = input.get(self.at as usize) else {
                return Ok(false);
            };
            match self.at {
                index @ (0..7 | 8) if byte == b"HTTP/1.x "[index as usize] => {}
                7 | 10 | 11 if byte.is_ascii_digit() => {}
                9 if matches!(byte, b'1'..=b'9') => {}
                12 if byte == b' ' => self.phase = Phase::Reason,
                // The space before an absent reason is often absent too.
                12 if byte == b'\r' => break,
                _ => return Err(ProtocolError::InvalidStatusLine),
            }
            self.at += 1;
        }
        if self.phase != Phase::LineEnd {
            self.at += grammar::value_run(&input[self.at as usize..]) as u32;
            match input.get(self.at as usize) {
                None => return Ok(false),
                Some(b'\r') => {}
                Some(b'\n') => return Err(ProtocolError::BareLf),
                Some(_) => return Err(ProtocolError::InvalidStatusLine),
            }
            self.line_end = self.at;
            self.at += 1;
            self.phase = Phase::LineEnd;
        }
        match input.get(self.at as usize) {
            None => Ok(false),
            Some(b'\n') => {
                self.at += 1;
                self.phase = Phase::Fields;
                Ok(true)
            }
            Some(_) => Err(ProtocolError::BareCr),
        }
    }
}
