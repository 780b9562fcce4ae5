//! The states of an exchange on the server's side: what may come after what.

use alula_http::{
    Head, Limits, ProtocolError, UsageError,
    h1::{Defaults, Frame, Server},
};
use alula_testkit::read_response;

use crate::responses::{asked, asked_by_get, start};

const EXPECT: &str = "Expect: 100-continue\r\nContent-Length: 3\r\n";

fn asked_to_continue() -> Server {
    asked("POST / HTTP/1.1", EXPECT)
}

#[test]
fn calls_out_of_order_are_refused() {
    let mut server = asked_by_get();
    let mut out = Vec::new();
    assert_eq!(
        server.send_body(&mut out, b"a", false),
        Err(UsageError::NotStarted)
    );
    assert!(out.is_empty());
    start(&mut server, &mut out, 200, &[]).expect("in order");
    assert_eq!(
        start(&mut server, &mut out, 200, &[]),
        Err(UsageError::AlreadyStarted)
    );
    server.send_body(&mut out, b"a", true).expect("in order");
    assert_eq!(
        start(&mut server, &mut out, 200, &[]),
        Err(UsageError::AlreadyStarted)
    );
    server.send_body(&mut out, b"b", false).expect("in order");
    let before = out.len();
    assert_eq!(
        start(&mut server, &mut out, 200, &[]),
        Err(UsageError::AlreadyComplete)
    );
    assert_eq!(
        server.send_body(&mut out, b"c", true),
        Err(UsageError::AlreadyComplete)
    );
    assert_eq!(
        server.send_body(&mut out, b"", false),
        Err(UsageError::AlreadyComplete)
    );
    assert_eq!(out.len(), before);
}

#[test]
fn a_100_is_due_until_it_is_sent() {
    let mut server = asked_to_continue();
    assert!(server.continue_due());
    let mut out = Vec::new();
    server.send_continue(&mut out);
    server.send_continue(&mut out);
    assert_eq!(out, b"HTTP/1.1 100 Continue\r\n\r\n");
    assert!(!server.continue_due());
    start(&mut server, &mut out, 200, &[]).expect("in order");
    assert!(server.keep_alive());
}

#[test]
fn a_100_is_still_due_while_the_head_of_the_answer_is_held() {
    let mut server = asked_to_continue();
    let (mut out, mut interim) = (Vec::new(), Vec::new());
    start(&mut server, &mut out, 200, &[]).expect("in order");
    assert!(server.continue_due());
    server.send_continue(&mut interim);
    server.send_body(&mut out, b"", true).expect("in order");
    assert!(interim.starts_with(b"HTTP/1.1 100 ") && server.keep_alive());
}

#[test]
fn a_100_is_not_due_once_the_body_has_begun_or_where_there_is_none() {
    let mut server = asked_to_continue();
    server
        .receive_body(b"", &Limits::default())
        .expect("in order");
    assert!(server.continue_due());
    server
        .receive_body(b"a", &Limits::default())
        .expect("in order");
    assert!(!server.continue_due());
    let mut out = Vec::new();
    server.send_continue(&mut out);
    assert!(out.is_empty());
    start(&mut server, &mut out, 200, &[]).expect("in order");
    assert!(server.keep_alive());

    assert!(!asked("POST / HTTP/1.1", "Expect: 100-continue\r\n").continue_due());
    assert!(!asked("POST / HTTP/1.0", EXPECT).continue_due());
    assert!(!asked("POST / HTTP/1.1", "Content-Length: 3\r\n").continue_due());
}

#[test]
fn an_answer_without_the_body_that_was_to_be_asked_for_closes() {
    let mut server = asked_to_continue();
    let mut out = Vec::new();
    start(&mut server, &mut out, 200, &[]).expect("in order");
    server.send_body(&mut out, b"", false).expect("in order");
    assert!(!server.continue_due() && !server.keep_alive());
    let (response, _) = read_response(&out, "POST", true)
        .expect("in order")
        .expect("whole");
    assert_eq!(
        (response.status, response.header("connection")),
        (200, Some("close"))
    );
}

#[test]
fn an_early_answer_leaves_the_body_to_be_read() {
    let mut server = asked("POST / HTTP/1.1", "Content-Length: 3\r\n");
    let mut out = Vec::new();
    start(&mut server, &mut out, 200, &[]).expect("in order");
    server.send_body(&mut out, b"", false).expect("in order");
    assert!(server.response_complete() && !server.body_complete() && server.keep_alive());
    let step = server
        .receive_body(b"abcGET", &Limits::default())
        .expect("in order");
    assert!(step.end && step.consumed == 3);
    server.next_request();
}

#[test]
fn an_abandoned_response_has_not_happened() {
    let mut server = asked_to_continue();
    let mut out = b"before".to_vec();
    start(&mut server, &mut out, 200, &[("connection", b"close")]).expect("in order");
    assert!(!server.keep_alive());
    out.truncate(b"before".len());
    server.abandon_response();
    assert!(server.keep_alive() && server.continue_due() && !server.response_started());
    start(&mut server, &mut out, 500, &[]).expect("in order");
    server.send_body(&mut out, b"x", false).expect("in order");
    assert!(out.starts_with(b"beforeHTTP/1.1 500 "));
}

#[test]
fn an_error_answer_is_whole_and_closes() {
    let mut server = Server::new();
    let mut out = Vec::new();
    let error = server.receive_head(b"\0", &mut Head::default(), &Limits::default());
    assert_eq!(error, Err(ProtocolError::InvalidMethod));
    let defaults = Defaults {
        server: Some(b"alula"),
        ..Defaults::default()
    };
    server.respond_error(&mut out, 400, "no\n", &defaults);
    let expected: &[u8] =
        b"HTTP/1.1 400 Bad Request\r\ncontent-type: text/plain; charset=utf-8\r\n\
        server: alula\r\ncontent-length: 3\r\nconnection: close\r\n\r\nno\n";
    assert_eq!(out, expected);
    assert!(!server.keep_alive() && server.response_complete());

    let mut server = asked("HEAD / HTTP/1.1", "");
    out.clear();
    server.respond_error(&mut out, 503, "busy", &Defaults::default());
    let (response, length) = read_response(&out, "HEAD", true)
        .expect("in order")
        .expect("whole");
    assert_eq!(
        (response.header("content-length"), length),
        (Some("4"), out.len())
    );
}

#[test]
fn an_error_in_the_body_closes_the_connection() {
    let mut server = asked("POST / HTTP/1.1", "Transfer-Encoding: chunked\r\n");
    assert!(server.keep_alive());
    let error = server.receive_body(b"x", &Limits::default());
    assert_eq!(error, Err(ProtocolError::InvalidChunkSize));
    assert!(!server.keep_alive() && !server.body_complete());
}

#[test]
fn framing_leaves_the_copy_to_the_caller() {
    let mut server = asked_by_get();
    let mut out = Vec::new();
    start(&mut server, &mut out, 200, &[]).expect("in order");
    out.clear();
    let frame = server.frame_body(&mut out, 300, true);
    assert_eq!(
        frame,
        Ok(Frame {
            take: 300,
            suffix: b"\r\n",
            ..Frame::default()
        })
    );
    assert_eq!(out, b"transfer-encoding: chunked\r\n\r\n12c\r\n");
    out.clear();
    let frame = server.frame_body(&mut out, 0, true);
    assert_eq!((frame, out.len()), (Ok(Frame::default()), 0));
    let frame = server.frame_body(&mut out, 1, false);
    assert_eq!(
        frame,
        Ok(Frame {
            take: 1,
            suffix: b"\r\n0\r\n\r\n",
            ..Frame::default()
        })
    );
    assert_eq!(out, b"1\r\n");
}

#[test]
#[cfg(debug_assertions)]
#[should_panic(expected = "not done with")]
fn the_next_request_waits_for_the_current_one() {
    asked_by_get().next_request();
}
