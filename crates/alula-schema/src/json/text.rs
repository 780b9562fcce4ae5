//! Strings: the quick way over what needs no attention, and the escapes.

use super::error::{ErrorKind, Fault};

/// Reads the string whose opening quote is just before `at`; returns it and where it ends, behind
/// the closing quote.
pub(super) fn read(input: &[u8], mut at: usize) -> Result<(String, usize), Fault> {
    let start = at;
    at += plain(&input[at..]);
    if input.get(at) == Some(&b'"') {
        return Ok((checked(&input[start..at], start)?.to_owned(), at + 1));
    }
    let mut text = checked(&input[start..at], start)?.to_owned();
    loop {
        match input.get(at) {
            Some(b'"') => return Ok((text, at + 1)),
            Some(b'\\') => {
                let (character, end) = escape(input, at)?;
                text.push(character);
                at = end;
            }
            Some(_) => {
                return Err(Fault::new(ErrorKind::ControlCharacter, at));
            }
            None => {
                return Err(Fault::new(ErrorKind::StringEnd, at));
            }
        }
        let start = at;
        at += plain(&input[at..]);
        text.push_str(checked(&input[start..at], start)?);
    }
}

/// Appends the text as a JSON string.
pub(super) fn write(text: &str, out: &mut Vec<u8>) {
    let mut rest = text.as_bytes();
    out.reserve(rest.len() + 2);
    out.push(b'"');
    loop {
        let run = plain(rest);
        out.extend_from_slice(&rest[..run]);
        let Some(&special) = rest.get(run) else { break };
        rest = &rest[run + 1..];
        let short = match special {
            b'"' | b'\\' => special,
            0x08 => b'b',
            0x0c => b'f',
            b'\n' => b'n',
            b'\r' => b'r',
            b'\t' => b't',
            _ => {
                let digit = |nibble: u8| b"0123456789abcdef"[usize::from(nibble)];
                out.extend_from_slice(b"\\u00");
                out.extend_from_slice(&[digit(special >> 4), digit(special & 0xf)]);
                continue;
            }
        };
        out.extend_from_slice(&[b'\\', short]);
    }
    out.push(b'"');
}

/// How many bytes at the front are neither quote, backslash nor control character.
fn plain(bytes: &[u8]) -> usize {
    const ONES: u64 = u64::MAX / 255;
    const HIGHS: u64 = ONES * 0x80;
    /// High bits where a byte is below `bound`. A carry may set a bit above a true one, never
    /// below it, and only the lowest counts.
    const fn below(word: u64, bound: u8) -> u64 {
        word.wrapping_sub(ONES * bound as u64) & !word & HIGHS
    }
    let mut length = 0;
    // Eight bytes at a time: no unsafe, and quicker than a table.
    while let Some(chunk) = bytes[length..].first_chunk::<8>() {
        let word = u64::from_le_bytes(*chunk);
        let special = below(word, 0x20)
            | below(word ^ (ONES * u64::from(b'"')), 1)
            | below(word ^ (ONES * u64::from(b'\\')), 1);
        if special != 0 {
            return length + special.trailing_zeros() as usize / 8;
        }
        length += 8;
    }
    let is_special = |&byte: &u8| byte < 0x20 || byte == b'"' || byte == b'\\';
    let rest = &bytes[length..];
    length + rest.iter().position(is_special).unwrap_or(rest.len())
}

/// The bytes, which stand at `offset`, as text.
fn checked(bytes: &[u8], offset: usize) -> Result<&str, Fault> {
    str::from_utf8(bytes).map_err(|error| Fault::new(ErrorKind::Utf8, offset + error.valid_up_to()))
}

/// The character of the escape whose backslash is at `at`, and where it ends.
fn escape(input: &[u8], at: usize) -> Result<(char, usize), Fault> {
    let character = match input.get(at + 1) {
        Some(&byte @ (b'"' | b'\\' | b'/')) => char::from(byte),
        Some(b'b') => '\u{8}',
        Some(b'f') => '\u{c}',
        Some(b'n') => '\n',
        Some(b'r') => '\r',
        Some(b't') => '\t',
        Some(b'u') => return unicode(input, at),
        Some(_) => {
            return Err(Fault::new(ErrorKind::Escape, at + 1));
        }
        None => {
            return Err(Fault::new(ErrorKind::StringEnd, at + 1));
        }
    };
    Ok((character, at + 2))
}

/// The character of the `\u` at `at`, or of the pair of them, and where it ends.
fn unicode(input: &[u8], at: usize) -> Result<(char, usize), Fault> {
    let lone = Fault::new(ErrorKind::LoneSurrogate, at);
    let first = hex(input, at + 2)?;
    if let Some(character) = char::from_u32(first) {
        return Ok((character, at + 6));
    }
    if first >= 0xdc00 || input.get(at + 6..at + 8) != Some(b"\\u") {
        return Err(lone);
    }
    let second = hex(input, at + 8)?;
    if !(0xdc00..0xe000).contains(&second) {
        return Err(lone);
    }
    let character = 0x1_0000 + ((first - 0xd800) << 10) + (second - 0xdc00);
    Ok((char::from_u32(character).ok_or(lone)?, at + 12))
}

/// Four hexadecimal digits.
fn hex(input: &[u8], at: usize) -> Result<u32, Fault> {
    (at..at + 4).try_fold(0, |number, at| {
        let kind = match input.get(at) {
            Some(&byte) => match char::from(byte).to_digit(16) {
                Some(digit) => return Ok(number << 4 | digit),
                None => ErrorKind::HexDigit,
            },
            None => ErrorKind::StringEnd,
        };
        Err(Fault::new(kind, at))
    })
}
