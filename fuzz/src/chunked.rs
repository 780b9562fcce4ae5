//! The chunk decoder. Invariants:
//!
//! - it never panics, and what it says does not depend on how the bytes come in;
//! - data lies within what is consumed, and what is consumed within the input;
//! - it takes as a whole body just what a second, naive decoder takes, with the same bytes.

use alula_http::{
    Head, Limits, ProtocolError,
    h1::{Progress, Server},
};

use super::{Choices, cut};

const HEAD: &[u8] = b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";

/// Runs the target.
pub fn run(data: &[u8]) {
    let mut choices = Choices(data);
    let (size, bounds) = (choices.byte(), choices.byte());
    let input = choices.0;
    let limits = Limits {
        body_bytes: (bounds & 1 == 1).then_some(u64::from(bounds)),
        ..Limits::default()
    };
    let whole = receive(std::iter::once(input), &limits);
    for size in [1, size] {
        assert_eq!(
            receive(cut(input, size), &limits),
            whole,
            "pieces of {size}"
        );
    }
    // The naive one knows no bounds.
    let is_bounded = matches!(
        whole,
        Err(ProtocolError::BodyTooLarge
            | ProtocolError::ChunkExtensionTooLong
            | ProtocolError::TrailersTooLarge)
    );
    if !is_bounded {
        assert_eq!(
            whole.unwrap_or_default(),
            naive(input),
            "{}",
            input.escape_ascii()
        );
    }
}

/// The body and how many bytes it took, if it is whole.
type Whole = Option<(Vec<u8>, usize)>;

fn receive<'a>(
    pieces: impl Iterator<Item = &'a [u8]>,
    limits: &Limits,
) -> Result<Whole, ProtocolError> {
    let mut server = Server::new();
    let progress = server.receive_head(HEAD, &mut Head::default(), limits);
    assert_eq!(
        progress,
        Ok(Progress::Complete {
            consumed: HEAD.len()
        })
    );
    let (mut unread, mut body, mut total) = (Vec::new(), Vec::new(), 0);
    for piece in pieces {
        unread.extend_from_slice(piece);
        loop {
            let step = server.receive_body(&unread, limits)?;
            assert!(step.consumed <= unread.len() && step.data.end <= step.consumed);
            body.extend_from_slice(&unread[step.data]);
            unread.drain(..step.consumed);
            total += step.consumed;
            if step.end {
                return Ok(Some((body, total)));
            }
            if step.consumed == 0 {
                break;
            }
        }
    }
    Ok(None)
}

/// RFC 9112 section 7.1, from the front to the back of a whole input. `None` for what is wrong and
/// for what is not whole.
fn naive(input: &[u8]) -> Whole {
    let (mut rest, mut body) = (input, Vec::new());
    loop {
        let line = line(&mut rest)?;
        let digits = line
            .iter()
            .take_while(|byte| byte.is_ascii_hexdigit())
            .count();
        if digits == 0 || digits > 16 || !is_extensions(&line[digits..]) {
            return None;
        }
        let size = u64::from_str_radix(str::from_utf8(&line[..digits]).ok()?, 16).ok()?;
        if size == 0 {
            break;
        }
        let size = usize::try_from(size).ok()?;
        body.extend_from_slice(rest.split_off(..size)?);
        if rest.split_off(..2)? != b"\r\n" {
            return None;
        }
    }
    loop {
        let line = line(&mut rest)?;
        if line.is_empty() {
            return Some((body, input.len() - rest.len()));
        }
        let colon = line.iter().position(|&byte| byte == b':')?;
        let (name, value) = line.split_at(colon);
        let is_framing = name.eq_ignore_ascii_case(b"content-length")
            || name.eq_ignore_ascii_case(b"transfer-encoding");
        if name.is_empty() || !name.iter().all(|&b| is_token(b)) || is_framing || !is_text(value) {
            return None;
        }
    }
}

/// Up to the first CR or LF, which must be both.
fn line<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let end = rest.iter().position(|byte| b"\r\n".contains(byte))?;
    let line = rest.split_off(..end)?;
    (rest.split_off(..2)? == b"\r\n").then_some(line)
}

fn is_text(bytes: &[u8]) -> bool {
    bytes
        .iter()
        .all(|&byte| byte == b'\t' || !byte.is_ascii_control())
}

fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

/// `*( ";" token [ "=" ( token / quoted-string ) ] )`
fn is_extensions(mut rest: &[u8]) -> bool {
    fn token(rest: &mut &[u8]) -> bool {
        let length = rest.iter().take_while(|&&byte| is_token(byte)).count();
        *rest = &rest[length..];
        length > 0
    }
    fn quoted(rest: &mut &[u8]) -> bool {
        while let Some((&byte, behind)) = rest.split_first() {
            *rest = behind;
            match byte {
                b'"' => return true,
                b'\\' if rest.is_empty() => return false,
                b'\\' => *rest = &rest[1..],
                _ => {}
            }
        }
        false
    }
    if !is_text(rest) {
        return false;
    }
    while let Some(behind) = rest.strip_prefix(b";") {
        rest = behind;
        if !token(&mut rest) {
            return false;
        }
        if let Some(behind) = rest.strip_prefix(b"=") {
            rest = behind;
            let is_value = match rest.strip_prefix(b"\"") {
                Some(behind) => {
                    rest = behind;
                    quoted(&mut rest)
                }
                None => token(&mut rest),
            };
            if !is_value {
                return false;
            }
        }
    }
    rest.is_empty()
}
