//! The rows of the request table that concern chunks, their extensions and trailers.

use alula_http::{Limits, ProtocolError};
use alula_testkit::pattern::pattern;

use crate::{
    outcome::{accepted, body_refused, get, outcome},
    transcript::play,
};

const HEAD: &[u8] = b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";

fn body_of(chunks: &str) -> Vec<u8> {
    accepted(&[HEAD, chunks.as_bytes()].concat()).body
}

fn refuses(chunks: &str, error: ProtocolError) {
    body_refused(HEAD, chunks.as_bytes(), error);
}

#[test]
fn decodes_chunks_in_order() {
    assert_eq!(
        body_of("3\r\nabc\r\n3\r\ndef\r\n1\r\ng\r\n0\r\n\r\n"),
        b"abcdefg"
    );
    assert_eq!(body_of("0\r\n\r\n"), b"");
    assert_eq!(body_of("000\r\n\r\n"), b"");
    assert_eq!(
        body_of("A\r\nabcdefghij\r\n00a\r\nklmnopqrst\r\n0\r\n\r\n"),
        b"abcdefghijklmnopqrst"
    );
}

#[test]
fn decodes_a_large_body_whatever_its_chunks() {
    let body = pattern(70_000);
    for size in [1_000, 65_536, 70_000] {
        let mut bytes = HEAD.to_vec();
        for chunk in body.chunks(size) {
            bytes.extend_from_slice(format!("{:x}\r\n", chunk.len()).as_bytes());
            bytes.extend_from_slice(chunk);
            bytes.extend_from_slice(b"\r\n");
        }
        bytes.extend_from_slice(b"0\r\n\r\n");
        for piece in [1, 7, 4096, bytes.len()] {
            let transcript = play(bytes.chunks(piece), &Limits::default(), false);
            assert!(
                transcript.only().body == body,
                "chunks of {size}, pieces of {piece}"
            );
        }
    }
}

#[test]
fn what_follows_the_last_chunk_is_the_next_request() {
    let bytes = [HEAD, b"1\r\na\r\n0\r\n\r\n", &get("")].concat();
    let bodies: Vec<Vec<u8>> = outcome(&bytes)
        .requests
        .into_iter()
        .map(|seen| seen.body)
        .collect();
    assert_eq!(bodies, [&b"a"[..], b""]);
}

#[test]
fn a_chunk_size_is_1_to_16_hexadecimal_digits() {
    for size in [
        "\r\n",
        ";a\r\n",
        "0x5\r\n",
        "-1\r\n",
        "+1\r\n",
        "g\r\n",
        " 5\r\n",
        "5 \r\n",
        "5\t\r\n",
        "5 ;a\r\n",
        "_5\r\n",
        "5_0\r\n",
        "5,5\r\n",
        "\u{665}\r\n",
        "00000000000000005",
        "5h\r\n",
        "\0\r\n",
    ] {
        refuses(size, ProtocolError::InvalidChunkSize);
    }
    assert_eq!(
        body_of("0000000000000003\r\nabc\r\n0000000000000000\r\n\r\n"),
        b"abc"
    );
}

#[test]
fn chunk_sizes_must_not_overflow() {
    // The largest size there is may begin; its end will not be seen.
    let bytes = [HEAD, b"ffffffffffffffff\r\nabc"].concat();
    assert_eq!(outcome(&bytes).requests[0].body, b"abc");
    refuses(
        "1\r\na\r\nffffffffffffffff\r\nabc",
        ProtocolError::ChunkOverflow,
    );
    refuses("fffffffffffffffff\r\nabc", ProtocolError::InvalidChunkSize);
}

#[test]
fn chunk_data_is_followed_by_crlf() {
    for chunks in [
        "3\r\nabcd\r\n0\r\n\r\n",
        "3\r\nabcd\n0\r\n\r\n",
        "3\r\nabc\r\r\n0\r\n\r\n",
        "3\r\nabc0\r\n\r\n",
        "3\r\nabc\n0\r\n\r\n",
        "3\r\nabc\r0\r\n\r\n",
    ] {
        refuses(chunks, ProtocolError::InvalidChunkEnd);
    }
}

#[test]
fn bare_line_ends_in_chunk_framing_are_400() {
    refuses("5\nhello\r\n0\r\n\r\n", ProtocolError::BareLf);
    refuses("5;a\nhello\r\n0\r\n\r\n", ProtocolError::BareLf);
    refuses("5;a=\"\n\"\r\nhello", ProtocolError::BareLf);
    refuses("5;a=\"\\\n\"\r\nhello", ProtocolError::BareLf);
    refuses("5\r5hello", ProtocolError::BareCr);
    refuses("5;a\rb\r\nhello", ProtocolError::BareCr);
    refuses("0\r\n\n", ProtocolError::BareLf);
    refuses("0\r\nA: 1\n\r\n", ProtocolError::BareLf);
    refuses("0\r\n\rA", ProtocolError::BareCr);
    refuses("0\r\nA: 1\r\r\n", ProtocolError::BareCr);
}

#[test]
fn extensions_are_ignored() {
    for extension in [
        ";a",
        ";a=b",
        ";a;b=c;d",
        ";a=\"\"",
        ";a=\"b;c\\\"\\\\ \t\u{e9}\"",
        ";a=\"b\";c",
        ";chunk-signature=ad80c730",
    ] {
        let chunks = format!("3{extension}\r\nabc\r\n0{extension}\r\n\r\n");
        assert_eq!(body_of(&chunks), b"abc", "{extension}");
    }
}

#[test]
fn malformed_extensions_are_400() {
    for extension in [
        ";",
        ";;",
        ";a;",
        "; a",
        ";a b",
        ";a =b",
        ";a= b",
        ";a=",
        ";=b",
        ";a=b=c",
        ";a=b\"c\"",
        ";a=\"b\"c",
        ";a=\"b",
        ";a\0",
        ";a=\"\x01\"",
        ";a=\"\\\x7f\"",
        ";a=\u{e9}",
    ] {
        let error = ProtocolError::InvalidChunkExtension;
        refuses(&format!("3{extension}\r\nabc\r\n0\r\n\r\n"), error);
    }
}

#[test]
fn trailers_are_vetted_and_never_merged_into_the_headers() {
    let seen = accepted(&[HEAD, b"3\r\nabc\r\n0\r\nX-A: 1\r\nHost: evil\r\n\r\n"].concat());
    assert_eq!(seen.body, b"abc");
    let names: Vec<&[u8]> = seen.headers.iter().map(|(name, _)| &name[..]).collect();
    assert_eq!(names, [&b"Host"[..], b"Transfer-Encoding"]);
}

#[test]
fn malformed_trailers_are_400() {
    for (trailers, error) in [
        ("nonsense\r\n\r\n", ProtocolError::MissingColon),
        ("A : 1\r\n\r\n", ProtocolError::SpaceBeforeColon),
        (": 1\r\n\r\n", ProtocolError::InvalidHeaderName),
        ("A@: 1\r\n\r\n", ProtocolError::InvalidHeaderName),
        ("A: 1\r\n b\r\n\r\n", ProtocolError::FoldedLine),
        ("A: \0\r\n\r\n", ProtocolError::InvalidHeaderValue),
    ] {
        refuses(&format!("0\r\n{trailers}"), error);
    }
}

#[test]
fn a_framing_header_among_the_trailers_is_400() {
    for name in [
        "Content-Length",
        "content-length",
        "Transfer-Encoding",
        "TRANSFER-ENCODING",
    ] {
        let error = ProtocolError::FramingInTrailers;
        refuses(&format!("0\r\n{name}: 1\r\n\r\n"), error);
        refuses(&format!("0\r\nX-A: 1\r\n{name}: 1\r\n\r\n"), error);
    }
    for name in [
        "Content-Length2",
        "Content-Lengt",
        "XContent-Length",
        "C",
        "Cransfer-Encoding",
        "Tontent-Length",
        "Transfer-Encodin",
    ] {
        body_of(&format!("0\r\n{name}: Content-Length: 1\r\n\r\n"));
    }
}
