//! Every bound on both sides.

use alula_http::{Limits, ProtocolError};

use crate::transcript::{End, Transcript, play};

/// Whole and a byte at a time.
fn outcome(bytes: &[u8], limits: &Limits) -> Transcript {
    let whole = play([bytes], limits, false);
    assert!(
        whole == play(bytes.chunks(1), limits, false),
        "a byte at a time it differs"
    );
    whole
}

fn accepts(bytes: &[u8], limits: &Limits) {
    let transcript = outcome(bytes, limits);
    assert_eq!(transcript.end, End::Idle);
    assert!(transcript.requests[0].whole);
}

fn refuses(bytes: &[u8], limits: &Limits, error: ProtocolError) {
    assert_eq!(outcome(bytes, limits).end, End::Refused(error));
}

/// The bytes, which are a whole message, fit a limit of exactly their length and none smaller.
fn is_as_long_as(bytes: &[u8], length: usize, error: ProtocolError) {
    assert_eq!(bytes.len(), length);
    let limits = |head_bytes| Limits {
        head_bytes,
        ..Limits::default()
    };
    accepts(bytes, &limits(length));
    refuses(bytes, &limits(length - 1), error);
}

fn head(target: usize, value: usize) -> String {
    format!(
        "GET /{} HTTP/1.1\r\nHost: a\r\nA: {}\r\n\r\n",
        "t".repeat(target),
        "v".repeat(value)
    )
}

#[test]
fn a_head_is_bounded_with_431() {
    assert_eq!(ProtocolError::HeadTooLarge.status(), Some(431));
    let overhead = head(0, 0).len();
    is_as_long_as(
        head(0, 100).as_bytes(),
        overhead + 100,
        ProtocolError::HeadTooLarge,
    );
    is_as_long_as(head(0, 0).as_bytes(), overhead, ProtocolError::HeadTooLarge);
    let most = Limits::default().head_bytes;
    is_as_long_as(
        head(0, most - overhead).as_bytes(),
        65_536,
        ProtocolError::HeadTooLarge,
    );
    refuses(
        head(0, most - overhead + 1).as_bytes(),
        &Limits::default(),
        ProtocolError::HeadTooLarge,
    );
    // A long target that fits is no reason for 414.
    let both = head(60_000, most - overhead - 60_000 + 1);
    refuses(
        both.as_bytes(),
        &Limits::default(),
        ProtocolError::HeadTooLarge,
    );
}

#[test]
fn a_head_beyond_its_bound_is_refused_before_it_ends() {
    let most = Limits::default().head_bytes;
    let endless = head(0, most);
    let mut bytes = endless.as_bytes()[..most].to_vec();
    assert_eq!(outcome(&bytes, &Limits::default()).end, End::InHead);
    bytes.push(b'v');
    refuses(&bytes, &Limits::default(), ProtocolError::HeadTooLarge);
}

#[test]
fn a_target_longer_than_the_head_allows_is_414() {
    assert_eq!(ProtocolError::TargetTooLong.status(), Some(414));
    let bytes = format!("GET /{}", "t".repeat(100));
    let limits = |head_bytes| Limits {
        head_bytes,
        ..Limits::default()
    };
    assert_eq!(outcome(bytes.as_bytes(), &limits(105)).end, End::InHead);
    refuses(bytes.as_bytes(), &limits(104), ProtocolError::TargetTooLong);
    // The request line as a whole does not fit.
    let line = "GET / HTTP/1.1\r\n";
    assert_eq!(outcome(line.as_bytes(), &limits(16)).end, End::InHead);
    refuses(line.as_bytes(), &limits(15), ProtocolError::TargetTooLong);
    refuses(line.as_bytes(), &limits(5), ProtocolError::TargetTooLong);
    refuses(b"GETGETGET", &limits(8), ProtocolError::HeadTooLarge);
}

#[test]
fn the_bound_of_a_head_does_not_count_empty_lines_before_it() {
    let bytes = head(3, 4);
    let limits = Limits {
        head_bytes: bytes.len(),
        ..Limits::default()
    };
    accepts(format!("\r\n\r\n{bytes}").as_bytes(), &limits);
}

#[test]
fn header_lines_are_bounded_with_431() {
    assert_eq!(ProtocolError::TooManyHeaders.status(), Some(431));
    let lines = |count: usize| {
        let lines: Vec<String> = (1..count)
            .map(|number| format!("A{number}: {number}\r\n"))
            .collect();
        let lines = lines.concat();
        format!("GET / HTTP/1.1\r\nHost: a\r\n{lines}\r\n")
    };
    for most in [1, 2, 15, 16, 17, 32, 33, 127, 128, 129, 200] {
        let limits = Limits {
            headers: most,
            ..Limits::default()
        };
        let transcript = outcome(lines(most).as_bytes(), &limits);
        let headers = &transcript.requests[0].headers;
        assert_eq!(headers.len(), most);
        let last = if most == 1 {
            "a".to_owned()
        } else {
            (most - 1).to_string()
        };
        assert_eq!(headers[most - 1].1, last.as_bytes());
        refuses(
            lines(most + 1).as_bytes(),
            &limits,
            ProtocolError::TooManyHeaders,
        );
    }
    assert_eq!(Limits::default().headers, 128);
}

#[test]
fn empty_lines_are_bounded() {
    for most in [0, 1, 4, 7] {
        let limits = Limits {
            leading_empty_lines: most,
            ..Limits::default()
        };
        let bytes = |count: u8| "\r\n".repeat(usize::from(count)) + &head(0, 0);
        accepts(bytes(most).as_bytes(), &limits);
        refuses(
            bytes(most + 1).as_bytes(),
            &limits,
            ProtocolError::TooManyEmptyLines,
        );
    }
}

const CHUNKED: &str = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";

#[test]
fn chunk_extensions_are_bounded() {
    let bytes = |length: usize| {
        let extension = format!(";{}", "x".repeat(length - 1));
        format!("{CHUNKED}1{extension}\r\na\r\n1{extension}\r\nb\r\n0{extension}\r\n\r\n")
    };
    let quoted = |length: usize| {
        format!(
            "{CHUNKED}1;a=\"{}\"\r\na\r\n0\r\n\r\n",
            "x".repeat(length - 5)
        )
    };
    let limits = Limits::default();
    assert_eq!(limits.chunk_extension_bytes, 256);
    for make in [&bytes as &dyn Fn(usize) -> String, &quoted] {
        accepts(make(256).as_bytes(), &limits);
        refuses(
            make(257).as_bytes(),
            &limits,
            ProtocolError::ChunkExtensionTooLong,
        );
    }
    let none = Limits {
        chunk_extension_bytes: 0,
        ..limits
    };
    refuses(
        bytes(2).as_bytes(),
        &none,
        ProtocolError::ChunkExtensionTooLong,
    );
}

#[test]
fn trailers_are_bounded_with_431() {
    assert_eq!(ProtocolError::TrailersTooLarge.status(), Some(431));
    let bytes = |length: usize| {
        let line = "A: b\r\n".repeat((length - 100) / 6);
        let last = format!("B: {}\r\n", "c".repeat(length - line.len() - 5));
        format!("{CHUNKED}0\r\n{line}{last}\r\n")
    };
    let limits = Limits::default();
    assert_eq!(limits.trailer_bytes, 8192);
    accepts(bytes(8192).as_bytes(), &limits);
    refuses(
        bytes(8193).as_bytes(),
        &limits,
        ProtocolError::TrailersTooLarge,
    );
    let none = Limits {
        trailer_bytes: 0,
        ..limits
    };
    accepts(format!("{CHUNKED}0\r\n\r\n").as_bytes(), &none);
    refuses(
        format!("{CHUNKED}0\r\nA:\r\n\r\n").as_bytes(),
        &none,
        ProtocolError::TrailersTooLarge,
    );
}

#[test]
fn a_body_too_large_is_413_at_its_head_when_content_length_says_so() {
    assert_eq!(ProtocolError::BodyTooLarge.status(), Some(413));
    let limits = Limits {
        body_bytes: Some(3),
        ..Limits::default()
    };
    let bytes = |length: usize| {
        let expect = "Expect: 100-continue\r\n";
        format!("POST / HTTP/1.1\r\nHost: a\r\n{expect}Content-Length: {length}\r\n\r\n")
    };
    accepts((bytes(3) + "abc").as_bytes(), &limits);
    refuses(bytes(4).as_bytes(), &limits, ProtocolError::BodyTooLarge);
    let transcript = outcome(bytes(4).as_bytes(), &limits);
    assert!(transcript.requests.is_empty());
    assert!(
        transcript.out.starts_with(b"HTTP/1.1 413 "),
        "no 100 before it"
    );
}

#[test]
fn a_chunked_body_too_large_is_413_as_soon_as_it_is_passed() {
    let limits = Limits {
        body_bytes: Some(3),
        ..Limits::default()
    };
    accepts(
        format!("{CHUNKED}1\r\na\r\n2\r\nbc\r\n0\r\n\r\n").as_bytes(),
        &limits,
    );
    refuses(
        format!("{CHUNKED}1\r\na\r\n3\r").as_bytes(),
        &limits,
        ProtocolError::BodyTooLarge,
    );
    refuses(
        format!("{CHUNKED}4;").as_bytes(),
        &limits,
        ProtocolError::BodyTooLarge,
    );
    let transcript = outcome(format!("{CHUNKED}3\r\nabc\r\n1\r\nd").as_bytes(), &limits);
    assert_eq!(transcript.requests[0].body, b"abc");
    assert!(!transcript.requests[0].whole);
}
