//! The client's role: against bytes, and against the server's role.

use alula_http::{
    Head, Limits, ProtocolError, ResponseHead, UsageError, Version,
    h1::{Client, Defaults, Progress, Server},
};
use alula_testkit::{
    pattern::pattern,
    split::{Split, pieces},
};

type Line<'a> = (&'a [u8], &'a [u8]);

const HOST: Line<'static> = (b"host", b"a.test");

fn asking(method: &str) -> Client {
    let mut client = Client::new();
    let mut out = Vec::new();
    client
        .request(&mut out, method, b"/", [HOST].into_iter())
        .expect("in order");
    client.send_body(&mut out, b"", false).expect("in order");
    client
}

/// A response as the client saw it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Seen {
    interim: Vec<u16>,
    status: u16,
    reason: Vec<u8>,
    headers: Vec<(Vec<u8>, Vec<u8>)>,
    body: Vec<u8>,
    whole: bool,
    keep_alive: bool,
    unread: Vec<u8>,
}

/// Reads until the bytes are used up or the response is whole; then a FIN comes if `fin`.
fn play<'a>(
    mut client: Client,
    pieces: impl Iterator<Item = &'a [u8]>,
    fin: bool,
) -> Result<Seen, ProtocolError> {
    let (mut head, limits, mut seen) =
        (ResponseHead::default(), Limits::default(), Seen::default());
    for piece in pieces {
        seen.unread.extend_from_slice(piece);
        while seen.status == 0 {
            let progress = client.receive_head(&seen.unread, &mut head, &limits)?;
            let Progress::Complete { consumed } = progress else {
                break;
            };
            let response = head.view(&seen.unread);
            if response.is_interim() {
                seen.interim.push(response.status());
            } else {
                seen.status = response.status();
                seen.reason = response.reason().to_vec();
                let headers = response.headers();
                seen.headers = headers
                    .map(|(name, value)| (name.to_vec(), value.to_vec()))
                    .collect();
            }
            seen.unread.drain(..consumed);
        }
        while seen.status != 0 && !client.response_complete() {
            let step = client.receive_body(&seen.unread, &limits)?;
            seen.body.extend_from_slice(&seen.unread[step.data]);
            seen.unread.drain(..step.consumed);
            if step.consumed == 0 {
                break;
            }
        }
    }
    if fin {
        client.input_closed()?;
    }
    seen.whole = client.response_complete();
    seen.keep_alive = client.keep_alive();
    Ok(seen)
}

/// The same however the bytes are cut.
fn seen(method: &str, bytes: &[u8], fin: bool) -> Result<Seen, ProtocolError> {
    let whole = play(asking(method), [bytes].into_iter(), fin);
    for split in Split::all(bytes.len()) {
        let cut = play(asking(method), pieces(bytes, split), fin);
        assert_eq!(cut, whole, "{split} of {}", bytes.escape_ascii());
    }
    whole
}

fn body(method: &str, bytes: &str) -> (Vec<u8>, bool, bool) {
    let seen = seen(method, bytes.as_bytes(), false).expect("in order");
    (seen.body, seen.whole, seen.keep_alive)
}

#[test]
fn encodes_requests() {
    let request = |method: &str, lines: &[Line<'_>], pieces: &[&[u8]]| {
        let (mut client, mut out) = (Client::new(), Vec::new());
        let lines = std::iter::once(HOST).chain(lines.iter().copied());
        client
            .request(&mut out, method, b"/p?q", lines)
            .expect("in order");
        for (index, piece) in pieces.iter().enumerate() {
            client
                .send_body(&mut out, piece, index + 1 < pieces.len())
                .expect("in order");
        }
        assert!(client.request_complete());
        String::from_utf8(out).expect("text")
    };
    assert_eq!(
        request("GET", &[], &[b""]),
        "GET /p?q HTTP/1.1\r\nhost: a.test\r\n\r\n"
    );
    assert_eq!(
        request("POST", &[], &[b""]),
        "POST /p?q HTTP/1.1\r\nhost: a.test\r\ncontent-length: 0\r\n\r\n"
    );
    assert_eq!(
        request("GET", &[(b"connection", b"close")], &[b"abc"]),
        "GET /p?q HTTP/1.1\r\nhost: a.test\r\ncontent-length: 3\r\nconnection: close\r\n\r\nabc"
    );
    assert_eq!(
        request("PUT", &[(b"content-length", b"6")], &[b"abc", b"def"]),
        "PUT /p?q HTTP/1.1\r\nhost: a.test\r\ncontent-length: 6\r\n\r\nabcdef"
    );
    assert_eq!(
        request("POST", &[], &[b"abc", b"d", b""]),
        "POST /p?q HTTP/1.1\r\nhost: a.test\r\ntransfer-encoding: chunked\r\n\r\n\
         3\r\nabc\r\n1\r\nd\r\n0\r\n\r\n"
    );
}

#[test]
fn refuses_requests_that_must_not_go_out() {
    let error = |method: &str, target: &[u8], lines: &[Line<'_>]| {
        let mut out = b"before".to_vec();
        let error = Client::new().request(&mut out, method, target, lines.iter().copied());
        assert_eq!(out, b"before");
        error.expect_err("it must not go out")
    };
    assert_eq!(error("G T", b"/", &[HOST]), UsageError::InvalidMethod);
    assert_eq!(error("GET", b"", &[HOST]), UsageError::InvalidTarget);
    assert_eq!(
        error("GET", b"/ HTTP/1.1\r\n", &[HOST]),
        UsageError::InvalidTarget
    );
    assert_eq!(error("GET", b"/", &[]), UsageError::MissingHost);
    assert_eq!(error("GET", b"/", &[HOST, HOST]), UsageError::MissingHost);
    assert_eq!(
        error("GET", b"/", &[HOST, (b"a", b"\n")]),
        UsageError::InvalidHeaderValue
    );
}

#[test]
fn reads_bodies_of_every_framing() {
    let head = "HTTP/1.1 200 OK\r\n";
    let abc = b"abc".to_vec();
    assert_eq!(
        body("GET", &format!("{head}Content-Length: 3\r\n\r\nabc")),
        (abc.clone(), true, true)
    );
    let chunked = format!("{head}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n");
    assert_eq!(body("GET", &chunked), (abc.clone(), true, true));
    assert_eq!(
        body("GET", &format!("{head}\r\nabc")),
        (abc.clone(), false, false)
    );
    let until_close = seen("GET", format!("{head}\r\nabc").as_bytes(), true).expect("in order");
    assert_eq!((until_close.body, until_close.whole), (abc, true));
}

#[test]
fn reads_no_body_where_there_is_none() {
    let framed = "Content-Length: 3\r\n\r\n";
    for (method, line) in [
        ("HEAD", "HTTP/1.1 200 OK"),
        ("GET", "HTTP/1.1 204 No Content"),
        ("GET", "HTTP/1.1 304 Not Modified"),
    ] {
        let (body, whole, keep_alive) = body(method, &format!("{line}\r\n{framed}"));
        assert_eq!(
            (&body[..], whole, keep_alive),
            (&b""[..], true, true),
            "{method} {line}"
        );
    }
    let switched = seen(
        "GET",
        b"HTTP/1.1 101 Switching Protocols\r\n\r\n\x81",
        false,
    );
    let switched = switched.expect("in order");
    assert_eq!(
        (switched.status, switched.whole, switched.keep_alive),
        (101, true, false)
    );
    assert_eq!(switched.unread, b"\x81");
}

#[test]
fn passes_over_interim_responses() {
    let bytes = b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\n\
        HTTP/1.1 201 Made It\r\nA: 1\r\nContent-Length: 1\r\n\r\nx";
    let seen = seen("POST", bytes, false).expect("in order");
    assert_eq!(
        (&seen.interim[..], seen.status, &seen.reason[..]),
        (&[100, 103][..], 201, &b"Made It"[..])
    );
    let expected: [(Vec<u8>, Vec<u8>); 2] = [
        (b"A".to_vec(), b"1".to_vec()),
        (b"Content-Length".to_vec(), b"1".to_vec()),
    ];
    assert_eq!(
        (seen.headers, seen.body),
        (expected.to_vec(), b"x".to_vec())
    );
}

#[test]
fn the_connection_stays_as_both_sides_wish() {
    let keeps = |lines: &str| body("GET", &format!("{lines}Content-Length: 0\r\n\r\n")).2;
    assert!(keeps("HTTP/1.1 200 OK\r\n"));
    assert!(!keeps("HTTP/1.1 200 OK\r\nConnection: close\r\n"));
    assert!(!keeps("HTTP/1.0 200 OK\r\n"));
    assert!(keeps("HTTP/1.0 200 OK\r\nConnection: keep-alive\r\n"));
    let mut client = Client::new();
    let lines = [HOST, (b"Connection", b"close")];
    client
        .request(&mut Vec::new(), "GET", b"/", lines.into_iter())
        .expect("in order");
    assert!(!client.keep_alive());
}

#[test]
fn status_lines_are_vetted() {
    for line in [
        "HTTP/1.1 200\r\n",
        "HTTP/1.1 200 \r\n",
        "HTTP/1.0 299 a\t\u{e9}\r\n",
        "HTTP/1.7 999 x\r\n",
    ] {
        let bytes = format!("{line}Content-Length: 0\r\n\r\n");
        assert!(
            seen("GET", bytes.as_bytes(), false)
                .expect("in order")
                .whole
        );
    }
    for line in [
        "HTTP/2.0 200 OK",
        "http/1.1 200 OK",
        "HTTP/1.1  200 OK",
        "HTTP/1.1 20 OK",
        "HTTP/1.1 2000 OK",
        "HTTP/1.1 099 OK",
        "HTTP/1.1 2x0 OK",
        "HTTP/1.1 200\tOK",
        "HTTP/1.1 200 O\0K",
        "HTTP/1. 200 OK",
    ] {
        let error = seen("GET", format!("{line}\r\n\r\n").as_bytes(), false);
        assert_eq!(error, Err(ProtocolError::InvalidStatusLine), "{line}");
    }
    let error = seen("GET", b"HTTP/1.1 200 OK\n\n", false);
    assert_eq!(error, Err(ProtocolError::BareLf));
    let error = seen("GET", b"HTTP/1.1 200 OK\r\r", false);
    assert_eq!(error, Err(ProtocolError::BareCr));
}

#[test]
fn request_headers_in_a_response_mean_nothing() {
    let lines =
        "Host: \"\r\nHost: b\r\nExpect: x\r\nUpgrade: websocket\r\nContent-Length: 1\r\n\r\na";
    let (body, whole, keep_alive) = body("GET", &format!("HTTP/1.1 200 OK\r\n{lines}"));
    assert_eq!((&body[..], whole, keep_alive), (&b"a"[..], true, true));
}

#[test]
fn contradictions_and_early_ends_are_errors() {
    let error = |bytes: &str, fin: bool| seen("GET", bytes.as_bytes(), fin).expect_err("wrong");
    let head = "HTTP/1.1 200 OK\r\n";
    let both = format!("{head}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n");
    assert_eq!(error(&both, false), ProtocolError::LengthAndCoding);
    let two = format!("{head}Content-Length: 1\r\nContent-Length: 2\r\n\r\n");
    assert_eq!(error(&two, false), ProtocolError::ConflictingContentLength);
    let gzip = format!("{head}Transfer-Encoding: gzip\r\n\r\n");
    assert_eq!(error(&gzip, false), ProtocolError::InvalidTransferEncoding);
    assert_eq!(
        error(&format!("{head}Content-Length: 3\r\n\r\nab"), true),
        ProtocolError::Incomplete
    );
    assert_eq!(error("HTTP/1.1 2", true), ProtocolError::Incomplete);
    assert_eq!(error("", true), ProtocolError::Incomplete);
    assert_eq!(
        error("HTTP/1.1 100 Continue\r\n\r\n", true),
        ProtocolError::Incomplete
    );
}

#[test]
fn bytes_that_answer_nothing_are_an_error() {
    let (mut client, mut head) = (Client::new(), ResponseHead::default());
    let limits = Limits::default();
    assert_eq!(
        client.receive_head(b"", &mut head, &limits),
        Ok(Progress::Partial)
    );
    assert!(client.keep_alive());
    let error = client.receive_head(b"H", &mut head, &limits);
    assert_eq!(error, Err(ProtocolError::UnexpectedBytes));
    assert!(!client.keep_alive());
}

/// One side's bytes, and what is to be sent and received on a connection that is used again.
#[test]
fn both_roles_understand_each_other_request_after_request() {
    let (mut client, mut server, limits) = (Client::new(), Server::new(), Limits::default());
    let (mut head, mut response_head) = (Head::default(), ResponseHead::default());
    for round in 0..20 {
        let body = pattern(round * 97);
        let half = body.len() / 2;
        let mut wire = Vec::new();
        client
            .request(&mut wire, "POST", b"/echo", [HOST].into_iter())
            .expect("in order");
        if round % 2 == 0 {
            client
                .send_body(&mut wire, &body[..half], true)
                .expect("in order");
            client
                .send_body(&mut wire, &body[half..], false)
                .expect("in order");
        } else {
            client.send_body(&mut wire, &body, false).expect("in order");
        }

        let progress = server.receive_head(&wire, &mut head, &limits);
        let Ok(Progress::Complete { consumed: mut at }) = progress else {
            panic!("{progress:?}")
        };
        assert_eq!(head.view(&wire).version(), Version::Http11);
        let mut received = Vec::new();
        while !server.body_complete() {
            let step = server.receive_body(&wire[at..], &limits).expect("in order");
            received.extend_from_slice(&wire[at..][step.data]);
            at += step.consumed;
        }
        assert!(received == body && at == wire.len());

        wire.clear();
        server
            .respond(&mut wire, 200, [].into_iter(), &Defaults::default())
            .expect("in order");
        for piece in body.chunks(31 + round) {
            server.send_body(&mut wire, piece, true).expect("in order");
        }
        server.send_body(&mut wire, b"", false).expect("in order");

        let progress = client.receive_head(&wire, &mut response_head, &limits);
        let Ok(Progress::Complete { consumed: mut at }) = progress else {
            panic!("{progress:?}")
        };
        received.clear();
        while !client.response_complete() {
            let step = client.receive_body(&wire[at..], &limits).expect("in order");
            received.extend_from_slice(&wire[at..][step.data]);
            at += step.consumed;
        }
        assert!(received == body && at == wire.len());
        client.next_request();
        server.next_request();
    }
}
