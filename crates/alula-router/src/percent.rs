//! Percent-decoding (RFC 3986 section 2.1).

use core::fmt;
use std::borrow::Cow;

/// The text with its percent-encodings decoded, borrowed where it has none. `+` stays as it is.
///
/// # Errors
///
/// A `%` without two hexadecimal digits, or bytes that are not UTF-8.
pub fn decode(text: &str) -> Result<Cow<'_, str>, DecodeError> {
    if !text.contains('%') {
        return Ok(Cow::Borrowed(text));
    }
    let mut bytes = Vec::with_capacity(text.len());
    decode_into(text, &mut bytes)?;
    match String::from_utf8(bytes) {
        Ok(decoded) => Ok(Cow::Owned(decoded)),
        Err(_) => Err(DecodeError::NotUtf8),
    }
}

/// Appends the decoded bytes, of whatever encoding they are.
///
/// # Errors
///
/// A `%` without two hexadecimal digits.
pub(crate) fn decode_into(text: &str, out: &mut Vec<u8>) -> Result<(), DecodeError> {
    let mut rest = text.as_bytes();
    while let Some(run) = rest.iter().position(|&byte| byte == b'%') {
        let digit = |at: usize| char::from(*rest.get(run + at)?).to_digit(16);
        let (Some(high), Some(low)) = (digit(1), digit(2)) else {
            return Err(DecodeError::InvalidEscape {
                offset: text.len() - rest.len() + run,
            });
        };
        out.extend_from_slice(&rest[..run]);
        out.push((high << 4 | low) as u8);
        rest = &rest[run + 3..];
    }
    out.extend_from_slice(rest);
    Ok(())
}

/// Why a text can't be decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecodeError {
    /// A `%` that two hexadecimal digits do not follow.
    InvalidEscape {
        /// Bytes before the `%`.
        offset: usize,
    },
    /// The decoded bytes are not UTF-8.
    NotUtf8,
}

impl fmt::Display for DecodeError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InvalidEscape { offset } => write!(
                formatter,
                "the % at byte {offset} is not followed by two hexadecimal digits"
            ),
            Self::NotUtf8 => formatter.write_str("the decoded bytes are not UTF-8"),
        }
    }
}

impl core::error::Error for DecodeError {}
