//! The resumable scan of header and trailer lines: each byte is looked at once, and refused as
//! soon as it has come.

use super::grammar;
use crate::ProtocolError;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    /// At the first byte of a line.
    #[default]
    Start,
    /// In a name, which has at least one byte.
    Name,
    /// Behind the colon.
    Value,
    /// Behind the CR of a line.
    LineEnd,
    /// Behind the CR of the empty line.
    BlockEnd,
    /// Behind the empty line.
    Complete,
}

/// A scan over a block of header lines up to the empty line behind them.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FieldScan {
    state: State,
    count: u16,
}

impl FieldScan {
    /// Header lines begun.
    pub(crate) fn count(self) -> usize {
        usize::from(self.count)
    }

    /// The empty line has been seen.
    pub(crate) fn is_complete(self) -> bool {
        self.state == State::Complete
    }

    /// Goes on at `at`, which is where the last call ended, and returns where it got to: the end
    /// of the input, or just behind the empty line.
    pub(crate) fn advance(
        &mut self,
        input: &[u8],
        mut at: usize,
        most: usize,
    ) -> Result<usize, ProtocolError> {
        loop {
            if self.state == State::Start {
                at += self.line(&input[at..], most)?;
            }
            if self.state == State::Name {
                at += grammar::name_run(&input[at..]);
                if !self.step(input.get(at), b':', State::Value)? {
                    return Ok(at);
                }
                at += 1;
            }
            if self.state == State::Value {
                at += grammar::value_run(&input[at..]);
                if !self.step(input.get(at), b'\r', State::LineEnd)? {
                    return Ok(at);
                }
                at += 1;
            }
            if self.state != State::LineEnd {
                break;
            }
            if !self.step(input.get(at), b'\n', State::Start)? {
                return Ok(at);
            }
            at += 1;
        }
        if self.state == State::BlockEnd && self.step(input.get(at), b'\n', State::Complete)? {
            at += 1;
        }
        Ok(at)
    }

    /// A line from its first byte on, as much of it as there is. Its end is looked for first, so
    /// that the next line need not wait for what is found in this one.
    #[inline]
    fn line(&mut self, rest: &[u8], most: usize) -> Result<usize, ProtocolError> {
        let end = grammar::value_run(rest);
        let name = grammar::name_run(&rest[..end]);
        if name > 0 {
            if self.count() >= most || self.count == u16::MAX {
                return Err(ProtocolError::TooManyHeaders);
            }
            self.count += 1;
            self.state = State::Name;
        }
        match rest.get(name) {
            Some(b':') if name > 0 => {
                let is_whole = rest.get(end) == Some(&b'\r');
                self.state = if is_whole {
                    State::LineEnd
                } else {
                    State::Value
                };
                Ok(end + usize::from(is_whole))
            }
            Some(b'\r') if name == 0 => {
                self.state = State::BlockEnd;
                Ok(1)
            }
            Some(&byte) => Err(refusal(self.state, byte)),
            None => Ok(end),
        }
    }

    /// Goes to the next state if the byte is the one that leads there; false without a byte.
    #[inline]
    fn step(
        &mut self,
        byte: Option<&u8>,
        expected: u8,
        next: State,
    ) -> Result<bool, ProtocolError> {
        match byte {
            None => Ok(false),
            Some(&byte) if byte == expected => {
                self.state = next;
                Ok(true)
            }
            Some(&byte) => Err(refusal(self.state, byte)),
        }
    }
}

/// Why `byte` cannot stand there.
#[cold]
fn refusal(state: State, byte: u8) -> ProtocolError {
    match (state, byte) {
        (State::LineEnd | State::BlockEnd, _) => ProtocolError::BareCr,
        (_, b'\n') => ProtocolError::BareLf,
        (State::Start, b' ' | b'\t') => ProtocolError::FoldedLine,
        (State::Name, b' ' | b'\t') => ProtocolError::SpaceBeforeColon,
        (State::Name, b'\r') => ProtocolError::MissingColon,
        (State::Value, _) => ProtocolError::InvalidHeaderValue,
        _ => ProtocolError::InvalidHeaderName,
    }
}
