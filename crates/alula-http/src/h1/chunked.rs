//! The chunk decoder (RFC 9112 section 7.1): sizes, extensions, data, trailers.

use super::{
    fields::FieldScan,
    grammar::{self, QUOTED, TOKEN},
};
use crate::{BodyStep, Limits, ProtocolError};

/// Digits of a chunk size: as many as 64 bits need.
const MAX_SIZE_DIGITS: u32 = 16;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    /// In a chunk's size.
    #[default]
    Size,
    /// Behind the semicolon of an extension.
    ExtensionStart,
    ExtensionName,
    /// Behind the equals sign.
    ValueStart,
    ValueToken,
    ValueQuoted,
    /// Behind a backslash.
    ValueEscaped,
    /// Behind the closing quote.
    ValueEnd,
    /// Behind the CR of a size line.
    SizeLineEnd,
    Data,
    /// Behind the last byte of data.
    DataEnd,
    /// Behind the CR after data.
    DataLineEnd,
    Trailers,
}

/// Where in a chunked body the next byte stands.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Decoder {
    /// The chunk's size so far, then what of its data is still to come.
    remaining: u64,
    /// Data of all chunks that have begun.
    total: u64,
    /// Digits of the size, bytes of its extensions, or bytes of trailers.
    counter: u32,
    state: State,
    trailers: FieldScan,
    name: FramingName,
}

impl Decoder {
    /// Takes one piece of data and the framing around it. Where the framing behind the piece is
    /// wrong, the piece is handed out first and the next call fails.
    pub(crate) fn receive(
        &mut self,
        input: &[u8],
        limits: &Limits,
    ) -> Result<BodyStep, ProtocolError> {
        let mut consumed = self.framing(input, 0, limits)?;
        let mut data = consumed..consumed;
        if self.state == State::Data && consumed < input.len() {
            let available = input.len() - consumed;
            let take = usize::try_from(self.remaining).map_or(available, |n| n.min(available));
            self.remaining -= take as u64;
            consumed += take;
            data.end = consumed;
            if self.remaining == 0 {
                self.state = State::DataEnd;
                let mut ahead = *self;
                if let Ok(behind) = ahead.framing(input, consumed, limits) {
                    *self = ahead;
                    consumed = behind;
                }
            }
        }
        Ok(BodyStep {
            consumed,
            data,
            end: self.trailers.is_complete(),
        })
    }

    /// Goes on at `at` up to the next data, the end of the body or the end of the input; returns
    /// where it got to.
    fn framing(
        &mut self,
        input: &[u8],
        mut at: usize,
        limits: &Limits,
    ) -> Result<usize, ProtocolError> {
        while self.state != State::Data {
            if self.state == State::Trailers {
                return self.trailer_lines(input, at, limits);
            }
            let Some(&byte) = input.get(at) else {
                break;
            };
            match self.state {
                State::Size => self.size(byte, limits)?,
                State::SizeLineEnd if byte == b'\n' => self.begin_chunk(),
                State::DataEnd if byte == b'\r' => self.state = State::DataLineEnd,
                State::DataLineEnd if byte == b'\n' => {
                    *self = Self {
                        total: self.total,
                        ..Self::default()
                    };
                }
                State::SizeLineEnd => return Err(ProtocolError::BareCr),
                State::DataEnd | State::DataLineEnd => return Err(ProtocolError::InvalidChunkEnd),
                _ => self.extension(byte, limits)?,
            }
            at += 1;
        }
        Ok(at)
    }

    fn size(&mut self, byte: u8, limits: &Limits) -> Result<(), ProtocolError> {
        if let Some(digit) = grammar::hex_digit(byte) {
            if self.counter == MAX_SIZE_DIGITS {
                return Err(ProtocolError::InvalidChunkSize);
            }
            self.counter += 1;
            self.remaining = self.remaining << 4 | u64::from(digit);
            return Ok(());
        }
        match byte {
            b'\r' | b';' if self.counter > 0 => {}
            b'\n' => return Err(ProtocolError::BareLf),
            _ => return Err(ProtocolError::InvalidChunkSize),
        }
        self.total = self
            .total
            .checked_add(self.remaining)
            .ok_or(ProtocolError::ChunkOverflow)?;
        if limits.body_bytes.is_some_and(|most| self.total > most) {
            return Err(ProtocolError::BodyTooLarge);
        }
        self.counter = 0;
        if byte == b'\r' {
            self.state = State::SizeLineEnd;
            Ok(())
        } else {
            self.count_extension_byte(limits)?;
            self.state = State::ExtensionStart;
            Ok(())
        }
    }

    /// `;name`, `;name=token` or `;name="quoted"`, without white space, any number of times.
    fn extension(&mut self, byte: u8, limits: &Limits) -> Result<(), ProtocolError> {
        let is_token = grammar::is(TOKEN, byte);
        self.state = match (self.state, byte) {
            (State::ExtensionStart | State::ExtensionName, _) if is_token => State::ExtensionName,
            (State::ExtensionName, b'=') => State::ValueStart,
            (State::ValueStart, b'"') => State::ValueQuoted,
            (State::ValueStart | State::ValueToken, _) if is_token => State::ValueToken,
            (State::ValueQuoted, b'"') => State::ValueEnd,
            (State::ValueQuoted, b'\\') => State::ValueEscaped,
            (State::ValueQuoted, _) if grammar::is(QUOTED, byte) => State::ValueQuoted,
            (State::ValueEscaped, _) if grammar::is(grammar::VALUE, byte) => State::ValueQuoted,
            (State::ExtensionName | State::ValueToken | State::ValueEnd, b';') => {
                State::ExtensionStart
            }
            (State::ExtensionName | State::ValueToken | State::ValueEnd, b'\r') => {
                self.counter = 0;
                self.state = State::SizeLineEnd;
                return Ok(());
            }
            (_, b'\n') => return Err(ProtocolError::BareLf),
            _ => return Err(ProtocolError::InvalidChunkExtension),
        };
        self.count_extension_byte(limits)
    }

    fn count_extension_byte(&mut self, limits: &Limits) -> Result<(), ProtocolError> {
        if self.counter as usize >= limits.chunk_extension_bytes {
            return Err(ProtocolError::ChunkExtensionTooLong);
        }
        self.counter += 1;
        Ok(())
    }

    /// Behind the size line: an empty chunk is the last.
    fn begin_chunk(&mut self) {
        self.state = if self.remaining == 0 {
            State::Trailers
        } else {
            State::Data
        };
    }

    /// Trailers are vetted like headers, and dropped (RFC 9110 section 6.5.1).
    fn trailer_lines(
        &mut self,
        input: &[u8],
        mut at: usize,
        limits: &Limits,
    ) -> Result<usize, ProtocolError> {
        // The empty line behind them does not count.
        let most = limits.trailer_bytes.min(1 << 30) + 2;
        while let Some(byte) = input.get(at)
            && !self.trailers.is_complete()
        {
            if self.counter as usize == most {
                return Err(ProtocolError::TrailersTooLarge);
            }
            self.trailers
                .advance(core::slice::from_ref(byte), 0, usize::MAX)?;
            self.name.note(*byte)?;
            self.counter += 1;
            at += 1;
        }
        Ok(at)
    }
}

/// Whether the name of a trailer is one that says where a message ends. As a header it would
/// contradict the framing at hand, and some take trailers for headers.
#[derive(Clone, Copy, Debug, Default)]
enum FramingName {
    /// At the first byte of a line.
    #[default]
    Start,
    /// So many bytes of `content-length` have come.
    ContentLength(u8),
    /// So many bytes of `transfer-encoding` have come.
    TransferEncoding(u8),
    /// Another name, or behind it.
    Other,
}

impl FramingName {
    /// Takes in the next byte of the trailers, which has been vetted.
    fn note(&mut self, byte: u8) -> Result<(), ProtocolError> {
        if byte == b'\n' {
            *self = Self::Start;
            return Ok(());
        }
        let byte = byte.to_ascii_lowercase();
        let (known, at): (&[u8], u8) = match *self {
            Self::Start if byte == b'c' => (b"content-length", 0),
            Self::Start => (b"transfer-encoding", 0),
            Self::ContentLength(at) => (b"content-length", at),
            Self::TransferEncoding(at) => (b"transfer-encoding", at),
            Self::Other => return Ok(()),
        };
        let next = known.get(usize::from(at));
        if next.is_none() && byte == b':' {
            return Err(ProtocolError::FramingInTrailers);
        }
        *self = match (next == Some(&byte), known[0]) {
            (true, b'c') => Self::ContentLength(at + 1),
            (true, _) => Self::TransferEncoding(at + 1),
            (false, _) => Self::Other,
        };
        Ok(())
    }
}
