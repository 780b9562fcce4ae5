//! A head that the scan has vetted, into positions and meaning.

use httparse::{EMPTY_HEADER, Header};

use super::{
    meaning::{Declared, Meaning},
    request_line::RequestScan,
    status_line::StatusScan,
    target::Target,
};
use crate::{
    Framing, Head, Limits, ProtocolError, ResponseHead, Version,
    body::Incoming,
    head::{Index, Span},
};

/// Fills `head` from the input that `scan` has found whole.
pub(crate) fn request(
    input: &[u8],
    scan: &RequestScan,
    head: &mut Head,
    limits: &Limits,
) -> Result<(), ProtocolError> {
    let base = input.as_ptr().addr();
    let method = scan.method(input);
    let target = scan.target(input);
    let parts = Target::parse(method, target)?;
    head.version = scan.version();
    head.method = Span::of(method, base);
    head.target = Span::of(target, base);
    head.path = (!parts.path.is_empty()).then(|| Span::of(parts.path, base));
    head.query = Span::of(parts.query, base);

    let meaning = lines(
        scan.field_block(input),
        scan.field_count(),
        base,
        &mut head.fields,
    )?;
    let host = meaning.host(head.version)?;
    if let (Some(position), Some(authority)) = (host, parts.authority) {
        head.fields.set_value(position, Span::of(authority, base));
    }
    head.framing = match meaning.declared(head.version)? {
        Declared::Nothing | Declared::Length(0) => Framing::None,
        Declared::Length(length) if limits.body_bytes.is_some_and(|most| length > most) => {
            return Err(ProtocolError::BodyTooLarge);
        }
        Declared::Length(length) => Framing::Length(length),
        Declared::Chunked => Framing::Chunked,
    };
    head.keep_alive = meaning.keep_alive(head.version);
    head.expects_continue = meaning.expects_continue(head.version)?;
    head.upgrade = meaning.handshake.verdict(
        meaning.names_upgrade() && head.version == Version::Http11,
        method == b"GET" && head.framing == Framing::None,
    );
    Ok(())
}

/// Fills `head` from the input that `scan` has found whole, and says how the body ends.
pub(crate) fn response(
    input: &[u8],
    scan: &StatusScan,
    head: &mut ResponseHead,
    answers_head: bool,
) -> Result<Incoming, ProtocolError> {
    let base = input.as_ptr().addr();
    head.version = StatusScan::version(input);
    head.status = StatusScan::status(input);
    head.reason = Span::of(scan.reason(input), base);
    let meaning = lines(
        scan.field_block(input),
        scan.field_count(),
        base,
        &mut head.fields,
    )?;
    head.keep_alive = meaning.keep_alive(head.version);
    // RFC 9112 section 6.3: these have no body whatever their headers say.
    if answers_head || matches!(head.status, 100..=199 | 204 | 304) {
        return Ok(Incoming::Complete);
    }
    Ok(match meaning.declared(head.version)? {
        Declared::Length(length) => Incoming::length(length),
        Declared::Chunked => Incoming::chunked(),
        Declared::Nothing => {
            head.keep_alive = false;
            Incoming::UntilClose
        }
    })
}

/// Splits the header lines. The scan has counted them, so that the usual head needs but a few
/// slots to be cleared. Of httparse only this part is used: it knows no version above 1.1, both
/// roles need just this, and the first line has been taken apart by the scan already.
fn lines<'a>(
    block: &'a [u8],
    count: usize,
    base: usize,
    index: &mut Index,
) -> Result<Meaning<'a>, ProtocolError> {
    match count {
        0..=16 => within::<16>(block, base, index),
        17..=32 => within::<32>(block, base, index),
        33..=128 => within::<128>(block, base, index),
        _ => split(block, &mut vec![EMPTY_HEADER; count], base, index),
    }
}

fn within<'a, const N: usize>(
    block: &'a [u8],
    base: usize,
    index: &mut Index,
) -> Result<Meaning<'a>, ProtocolError> {
    split(block, &mut [EMPTY_HEADER; N], base, index)
}

fn split<'a>(
    block: &'a [u8],
    slots: &mut [Header<'a>],
    base: usize,
    index: &mut Index,
) -> Result<Meaning<'a>, ProtocolError> {
    let mut meaning = Meaning::default();
    index.clear();
    let Ok(httparse::Status::Complete((_, headers))) = httparse::parse_headers(block, slots) else {
        // Two parsers read it differently.
        return Err(ProtocolError::InvalidHeaderValue);
    };
    for (position, header) in headers.iter().enumerate() {
        let name = header.name.as_bytes();
        meaning.note(position, name, header.value)?;
        index.push(Span::of(name, base), Span::of(header.value, base));
    }
    Ok(meaning)
}
