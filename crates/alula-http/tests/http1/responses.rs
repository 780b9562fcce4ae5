//! The rows of the response table: what goes out, byte by byte.

use alula_http::{
    Head, Limits, UsageError,
    h1::{Defaults, Frame, Progress, Server, status},
};
use alula_testkit::{BodyFraming, Response, pattern::pattern, read_response};

pub(crate) type Line<'a> = (&'a str, &'a [u8]);

/// A server that has taken in a request with these lines and no body.
pub(crate) fn asked(request_line: &str, lines: &str) -> Server {
    let (mut server, mut head) = (Server::new(), Head::default());
    let bytes = format!("{request_line}\r\nHost: a\r\n{lines}\r\n");
    let progress = server.receive_head(bytes.as_bytes(), &mut head, &Limits::default());
    assert_eq!(
        progress,
        Ok(Progress::Complete {
            consumed: bytes.len()
        })
    );
    server
}

pub(crate) fn asked_by_get() -> Server {
    asked("GET / HTTP/1.1", "")
}

pub(crate) fn start(
    server: &mut Server,
    out: &mut Vec<u8>,
    status: u16,
    lines: &[Line<'_>],
) -> Result<(), UsageError> {
    let lines = lines.iter().map(|(name, value)| (name.as_bytes(), *value));
    server.respond(out, status, lines, &Defaults::default())
}

/// The bytes of a response whose body goes out in these pieces.
fn sent(server: &mut Server, status: u16, lines: &[Line<'_>], pieces: &[&[u8]]) -> Vec<u8> {
    let mut out = Vec::new();
    start(server, &mut out, status, lines).expect("in order");
    assert!(server.head_open() && server.response_started());
    for (index, piece) in pieces.iter().enumerate() {
        server
            .send_body(&mut out, piece, index + 1 < pieces.len())
            .expect("in order");
    }
    assert!(!server.head_open() && server.response_complete());
    out
}

/// The same as a strict reader has it; it must be all that was sent.
fn read(out: &[u8], method: &str) -> Response {
    let (response, length) = read_response(out, method, true)
        .expect("in order")
        .expect("whole");
    assert_eq!(length, out.len(), "{}", out.escape_ascii());
    response
}

#[test]
fn a_single_body_gets_a_content_length() {
    let mut server = asked_by_get();
    let out = sent(&mut server, 200, &[("a", b"1"), ("b", b"")], &[b"abc"]);
    assert_eq!(
        out,
        b"HTTP/1.1 200 OK\r\na: 1\r\nb: \r\ncontent-length: 3\r\n\r\nabc"
    );
    assert!(server.keep_alive());
    assert_eq!(
        sent(&mut asked_by_get(), 200, &[], &[b""]),
        b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n"
    );
}

#[test]
fn a_declared_length_is_kept_and_not_repeated() {
    let mut server = asked_by_get();
    let lines: [Line; 3] = [
        ("Content-Length", b"6"),
        ("a", b"1"),
        ("content-length", b"6"),
    ];
    let out = sent(&mut server, 200, &lines, &[b"abc", b"", b"def"]);
    assert_eq!(
        out,
        b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\na: 1\r\n\r\nabcdef"
    );
    assert!(server.keep_alive());
}

#[test]
fn a_streamed_body_is_chunked() {
    let mut server = asked_by_get();
    let out = sent(&mut server, 200, &[], &[b"abc", b"", &pattern(26), b""]);
    let expected: &[u8] = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n\
        3\r\nabc\r\n1a\r\nabcdefghijklmnopqrstuvwxyz\r\n0\r\n\r\n";
    assert_eq!(out, expected);
    assert!(server.keep_alive());
    let response = read(&sent(&mut asked_by_get(), 200, &[], &[b"ab", b"c"]), "GET");
    assert_eq!(
        (&response.chunks[..], response.text()),
        (&[2, 1][..], "abc")
    );
}

#[test]
fn a_streamed_body_ends_with_the_connection_on_http_1_0() {
    let mut server = asked("GET / HTTP/1.0", "Connection: keep-alive\r\n");
    let out = sent(&mut server, 200, &[], &[b"abc", b"def"]);
    assert_eq!(out, b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\nabcdef");
    assert!(!server.keep_alive());
}

#[test]
fn http_1_0_is_told_whether_it_is_kept() {
    let mut server = asked("GET / HTTP/1.0", "Connection: keep-alive\r\n");
    let out = sent(&mut server, 200, &[], &[b"abc"]);
    let expected: &[u8] =
        b"HTTP/1.1 200 OK\r\ncontent-length: 3\r\nconnection: keep-alive\r\n\r\nabc";
    assert_eq!(out, expected);
    assert!(server.keep_alive());

    let mut server = asked("GET / HTTP/1.0", "");
    let out = sent(&mut server, 200, &[], &[b"abc"]);
    assert_eq!(read(&out, "GET").header("connection"), Some("close"));
    assert!(!server.keep_alive());
}

#[test]
fn http_1_1_is_told_of_a_close_alone() {
    let mut server = asked("GET / HTTP/1.1", "Connection: close\r\n");
    assert!(!server.keep_alive());
    let out = sent(&mut server, 200, &[], &[b"a"]);
    assert_eq!(read(&out, "GET").header("connection"), Some("close"));

    let mut server = asked_by_get();
    server.force_close();
    let out = sent(&mut server, 200, &[], &[b"a"]);
    assert_eq!(read(&out, "GET").header("connection"), Some("close"));
    assert!(!server.keep_alive());

    let out = sent(&mut asked_by_get(), 200, &[], &[b"a"]);
    assert_eq!(read(&out, "GET").header("connection"), None);
}

#[test]
fn the_connection_header_of_the_app_closes_and_does_no_more() {
    let mut server = asked_by_get();
    let out = sent(&mut server, 200, &[("Connection", b"x-a, CLOSE")], &[b"a"]);
    assert_eq!(
        read(&out, "GET").header_values("connection"),
        ["x-a", "close"]
    );
    assert!(!server.keep_alive());

    let mut server = asked("GET / HTTP/1.0", "");
    let out = sent(&mut server, 200, &[("connection", b"keep-alive")], &[b"a"]);
    assert_eq!(read(&out, "GET").header_values("connection"), ["close"]);

    let lines: [Line; 2] = [("connection", b"keep-alive, Upgrade"), ("upgrade", b"foo")];
    let out = sent(&mut asked_by_get(), 426, &lines, &[b"a"]);
    assert_eq!(read(&out, "GET").header_values("connection"), ["Upgrade"]);
}

#[test]
fn a_body_longer_than_declared_is_cut_and_closes() {
    let mut server = asked_by_get();
    let mut out = Vec::new();
    start(&mut server, &mut out, 200, &[("content-length", b"4")]).expect("in order");
    let frame = server.send_body(&mut out, b"abc", true).expect("in order");
    assert_eq!(
        frame,
        Frame {
            take: 3,
            ..Frame::default()
        }
    );
    assert!(server.keep_alive());
    let frame = server.send_body(&mut out, b"def", true).expect("in order");
    assert_eq!(
        frame,
        Frame {
            take: 1,
            overflow: true,
            ..Frame::default()
        }
    );
    let frame = server.send_body(&mut out, b"g", false).expect("in order");
    assert_eq!(
        frame,
        Frame {
            take: 0,
            overflow: true,
            ..Frame::default()
        }
    );
    assert_eq!(read(&out, "GET").body, b"abcd");
    assert!(!server.keep_alive() && server.response_complete());
}

#[test]
fn a_body_shorter_than_declared_closes() {
    let mut server = asked_by_get();
    let mut out = Vec::new();
    start(&mut server, &mut out, 200, &[("content-length", b"4")]).expect("in order");
    let frame = server.send_body(&mut out, b"abc", false).expect("in order");
    assert_eq!(
        frame,
        Frame {
            take: 3,
            short: true,
            ..Frame::default()
        }
    );
    assert!(out.ends_with(b"\r\n\r\nabc"));
    assert!(!server.keep_alive() && server.response_complete());
}

#[test]
fn head_has_no_body_and_keeps_the_declared_length() {
    for pieces in [
        &[&b"abc"[..]][..],
        &[b"", b""],
        &[b"abcdef", b"ghi"],
        &[b""],
    ] {
        let mut server = asked("HEAD / HTTP/1.1", "");
        let out = sent(&mut server, 200, &[("content-length", b"6")], pieces);
        assert_eq!(out, b"HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\n");
        assert!(server.keep_alive());
        let mut server = asked("HEAD / HTTP/1.1", "");
        let out = sent(&mut server, 200, &[], pieces);
        assert_eq!(out, b"HTTP/1.1 200 OK\r\n\r\n");
        assert!(server.keep_alive());
    }
    let mut server = asked("HEAD / HTTP/1.1", "");
    let mut out = Vec::new();
    start(&mut server, &mut out, 200, &[("content-length", b"1")]).expect("in order");
    assert_eq!(server.frame_body(&mut out, 9, false), Ok(Frame::default()));
}

#[test]
fn status_204_has_neither_body_nor_framing() {
    let lines: [Line; 2] = [("content-length", b"3"), ("transfer-encoding", b"chunked")];
    for pieces in [&[&b"abc"[..]][..], &[b"abc", b"def"]] {
        let mut server = asked_by_get();
        assert_eq!(
            sent(&mut server, 204, &lines, pieces),
            b"HTTP/1.1 204 No Content\r\n\r\n"
        );
        assert!(server.keep_alive());
    }
}

#[test]
fn status_205_is_empty_and_says_so() {
    let lines: [Line; 2] = [("content-length", b"3"), ("transfer-encoding", b"chunked")];
    for (declared, pieces) in [
        (&lines[..], &[&b"abc"[..]][..]),
        (&[], &[b"abc", b"def"]),
        (&[], &[b""]),
    ] {
        let mut server = asked_by_get();
        assert_eq!(
            sent(&mut server, 205, declared, pieces),
            b"HTTP/1.1 205 Reset Content\r\ncontent-length: 0\r\n\r\n"
        );
        assert!(server.keep_alive());
    }
}

#[test]
fn status_304_has_no_body_and_keeps_the_declared_length() {
    let mut server = asked_by_get();
    let out = sent(&mut server, 304, &[("content-length", b"3")], &[b"abc"]);
    assert_eq!(
        out,
        b"HTTP/1.1 304 Not Modified\r\ncontent-length: 3\r\n\r\n"
    );
    let out = sent(&mut asked_by_get(), 304, &[], &[b"abc", b""]);
    assert_eq!(out, b"HTTP/1.1 304 Not Modified\r\n\r\n");
    assert!(server.keep_alive());
}

#[test]
fn interim_responses_carry_no_framing() {
    let mut server = asked_by_get();
    let mut out = Vec::new();
    let lines: [(&[u8], &[u8]); 3] = [
        (b"link", b"</a>"),
        (b"content-length", b"3"),
        (b"transfer-encoding", b"chunked"),
    ];
    server
        .respond_informational(&mut out, 103, lines.into_iter())
        .expect("in order");
    assert_eq!(out, b"HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n");
    assert!(!server.response_started());
    for status in [99, 101, 200] {
        let error = server.respond_informational(&mut out, status, [].into_iter());
        assert_eq!(error, Err(UsageError::InvalidInterimStatus(status)));
    }
    let lines: [(&[u8], &[u8]); 1] = [(b"a", b"\n")];
    let error = server.respond_informational(&mut out, 103, lines.into_iter());
    assert_eq!(error, Err(UsageError::InvalidHeaderValue));
    out.clear();
    start(&mut server, &mut out, 200, &[]).expect("in order");
    let error = server.respond_informational(&mut out, 103, [].into_iter());
    assert_eq!(error, Err(UsageError::AlreadyStarted));

    let mut old = asked("GET / HTTP/1.0", "");
    out.clear();
    old.respond_informational(&mut out, 103, [].into_iter())
        .expect("in order");
    assert!(out.is_empty(), "HTTP/1.0 has no interim responses");
}

#[test]
fn the_apps_own_transfer_encoding_does_not_chunk_twice() {
    for value in [&b"chunked"[..], b"gzip, chunked", b"identity"] {
        let lines = [("Transfer-Encoding", value)];
        let out = sent(&mut asked_by_get(), 200, &lines, &[b"abc", b"d"]);
        let response = read(&out, "GET");
        assert_eq!(response.framing, BodyFraming::Chunked);
        assert_eq!(response.body, b"abcd");
        let out = sent(&mut asked_by_get(), 200, &lines, &[b"abc"]);
        assert_eq!(read(&out, "GET").framing, BodyFraming::Length);
    }
}

#[test]
fn what_must_not_go_out_is_refused_and_leaves_no_trace() {
    for (status, lines, error) in [
        (
            200,
            [("a", &b"1\r\nb: 2"[..])],
            UsageError::InvalidHeaderValue,
        ),
        (200, [("a", b"1\n")], UsageError::InvalidHeaderValue),
        (200, [("a", b"\r")], UsageError::InvalidHeaderValue),
        (200, [("a", b"\0")], UsageError::InvalidHeaderValue),
        (
            200,
            [("a", b"0123456789abcdef\x7f")],
            UsageError::InvalidHeaderValue,
        ),
        (
            200,
            [("transfer-encoding", b"\r\n")],
            UsageError::InvalidHeaderValue,
        ),
        (
            200,
            [("connection", b"x\r\n")],
            UsageError::InvalidHeaderValue,
        ),
        (200, [("date", b"\r\n")], UsageError::InvalidHeaderValue),
        (200, [("server", b"\r\n")], UsageError::InvalidHeaderValue),
        (200, [("", b"1")], UsageError::InvalidHeaderName),
        (200, [("a b", b"1")], UsageError::InvalidHeaderName),
        (200, [("a:", b"1")], UsageError::InvalidHeaderName),
        (200, [("a\r\nb", b"1")], UsageError::InvalidHeaderName),
        (200, [("\u{e9}", b"1")], UsageError::InvalidHeaderName),
        (
            200,
            [("content-length", b"")],
            UsageError::InvalidContentLength,
        ),
        (
            200,
            [("content-length", b"-1")],
            UsageError::InvalidContentLength,
        ),
        (
            200,
            [("content-length", b"1, 1")],
            UsageError::InvalidContentLength,
        ),
        (
            204,
            [("content-length", b"x")],
            UsageError::InvalidContentLength,
        ),
        (199, [("a", b"1")], UsageError::InvalidStatus(199)),
        (600, [("a", b"1")], UsageError::InvalidStatus(600)),
        (101, [("a", b"1")], UsageError::InvalidStatus(101)),
    ] {
        let mut server = asked_by_get();
        let mut out = b"before".to_vec();
        let lines = [("x", &b"y"[..]), ("connection", b"close"), lines[0]];
        assert_eq!(
            start(&mut server, &mut out, status, &lines),
            Err(error),
            "{lines:?}"
        );
        assert_eq!(out, b"before");
        assert!(!server.response_started() && server.keep_alive());
        // Another answer can still be given.
        start(&mut server, &mut out, 500, &[]).expect("in order");
    }
    let lines: [Line; 2] = [("content-length", b"3"), ("Content-Length", b"4")];
    let error = start(&mut asked_by_get(), &mut Vec::new(), 200, &lines);
    assert_eq!(error, Err(UsageError::InvalidContentLength));
}

#[test]
fn tabs_and_bytes_above_0x7f_may_go_out_in_a_value() {
    let out = sent(&mut asked_by_get(), 200, &[("a", b"x\ty\xE9")], &[b""]);
    assert!(out.starts_with(b"HTTP/1.1 200 OK\r\na: x\ty\xE9\r\n"));
}

#[test]
fn date_and_server_are_added_unless_the_app_sent_its_own() {
    let defaults = Defaults {
        date: Some(b"Sun, 06 Nov 1994 08:49:37 GMT"),
        server: Some(b"alula"),
        extra: b"x-extra: 1\r\n",
    };
    let sent = |lines: &[(&'static [u8], &'static [u8])]| {
        let mut out = Vec::new();
        let mut server = asked_by_get();
        server
            .respond(&mut out, 200, lines.iter().copied(), &defaults)
            .expect("in order");
        server.send_body(&mut out, b"", false).expect("in order");
        let response = read(&out, "GET");
        ["date", "server", "x-extra"].map(|name| response.header(name).map(str::to_owned))
    };
    let values = |values: [&str; 3]| values.map(|value| Some(value.to_owned()));
    let date = "Sun, 06 Nov 1994 08:49:37 GMT";
    assert_eq!(sent(&[]), values([date, "alula", "1"]));
    assert_eq!(
        sent(&[(b"Date", b"now"), (b"SERVER", b"mine")]),
        values(["now", "mine", "1"])
    );
    assert_eq!(
        read(&self::sent(&mut asked_by_get(), 200, &[], &[b""]), "GET")
            .headers
            .len(),
        1
    );
}

#[test]
fn the_reason_phrase_is_the_standard_one() {
    for (code, reason) in [
        (200, "OK"),
        (404, "Not Found"),
        (413, "Content Too Large"),
        (418, "I'm a Teapot"),
        (431, "Request Header Fields Too Large"),
        (503, "Service Unavailable"),
        (299, ""),
        (599, ""),
    ] {
        assert_eq!(status::reason(code), reason);
        let out = sent(&mut asked_by_get(), code, &[], &[b""]);
        let line = format!("HTTP/1.1 {code} {reason}\r\n");
        assert!(out.starts_with(line.as_bytes()), "{}", out.escape_ascii());
    }
}

#[test]
fn every_final_status_can_go_out() {
    for code in 200..=599 {
        let response = read(&sent(&mut asked_by_get(), code, &[], &[b""]), "GET");
        assert_eq!(
            (response.status, &response.reason[..]),
            (code, status::reason(code))
        );
    }
}

#[test]
fn chunk_sizes_are_in_hexadecimal() {
    for size in [1, 9, 10, 15, 16, 255, 256, 65_536, 1_000_000] {
        let body = pattern(size);
        let response = read(&sent(&mut asked_by_get(), 200, &[], &[&body, b""]), "GET");
        assert_eq!(response.chunks, [size]);
        assert!(response.body == body);
        let response = read(&sent(&mut asked_by_get(), 200, &[], &[&body]), "GET");
        assert!(response.body == body);
    }
}
