use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::TcpListener;

use super::{Exchange, Wrong};
use crate::compare::suite::{Content, Expected, Request};

fn request() -> Request {
    Request {
        name: "plain".to_owned(),
        method: "GET".to_owned(),
        path: "/plain?x=1".to_owned(),
        headers: vec![("X-One".to_owned(), "1".to_owned())],
        body: None,
        status: 200,
        expected: Expected::Body(Content::Text("abcdef".to_owned())),
        set: BTreeMap::new(),
    }
}

fn exchange() -> Exchange {
    Exchange::load(&request()).expect("loaded")
}

/// Serves one connection with these answers, one a request, and closes it then; the port.
fn serving(answers: &'static [&'static str]) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("bound");
    let port = listener.local_addr().expect("an address").port();
    std::thread::spawn(move || {
        let (mut client, _) = listener.accept().expect("accepted");
        let mut buffer = vec![0; exchange().wire.len()];
        for answer in answers {
            if client.read_exact(&mut buffer).is_err() {
                return;
            }
            assert_eq!(buffer, exchange().wire);
            client.write_all(answer.as_bytes()).expect("sent");
        }
        // Whatever else is asked stays unanswered, and is read, so that closing is no reset.
        let _ = client.shutdown(std::net::Shutdown::Write);
        let _ = client.read_to_end(&mut buffer);
    });
    port
}

const RIGHT: &str = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nabcdef";
const CHUNKED: &str =
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n3\r\ndef\r\n0\r\n\r\n";

const ONE: &str = "HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n{\"a\":1}";
const ONE_AND_MORE: &str = "HTTP/1.1 200 OK\r\nContent-Length: 13\r\n\r\n{\"b\":9,\"a\":1}";
const TWO: &str = "HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n{\"a\":2}";

#[test]
fn values_in_a_json_body_are_enough_where_only_they_are_expected() {
    let answered = |answers| {
        let mut request = request();
        request.expected = Expected::Json(vec![("/a".to_owned(), serde_json::json!(1))]);
        let exchange = Exchange::load(&request).expect("loaded");
        exchange.check(serving(answers))
    };
    answered(&[ONE, ONE_AND_MORE]).expect("both right");
    let cases: [(&'static [&'static str], &str); 2] = [
        (
            &[ONE, TWO],
            "JSON value at '/a' is 2, expected 1; the body: \"{\\\"a\\\":2}\"",
        ),
        (
            &[RIGHT],
            "the body is no JSON: expected value at line 1 column 1; the body: \"abcdef\"",
        ),
    ];
    for (answers, expected) in cases {
        match answered(answers) {
            Err(Wrong::Answer(what)) => assert_eq!(what, expected),
            other => panic!("{other:?}, expected {expected}"),
        }
    }
}

#[test]
fn the_request_goes_out_as_it_stands_in_the_suite() {
    let text = String::from_utf8(exchange().wire).expect("text");
    assert!(text.starts_with("GET /plain?x=1 HTTP/1.1\r\n"), "{text}");
    let lower = text.to_ascii_lowercase();
    assert!(lower.contains("\r\nhost: 127.0.0.1\r\n"), "{text}");
    assert!(lower.contains("\r\nx-one: 1\r\n"), "{text}");
    let mut with_body = request();
    with_body.body = Some(Content::Text("1234567".to_owned()));
    with_body.method = "POST".to_owned();
    let wire = Exchange::load(&with_body).expect("loaded").wire;
    let text = String::from_utf8(wire).expect("text");
    assert!(
        text.to_ascii_lowercase().contains("content-length: 7\r\n"),
        "{text}"
    );
    assert!(text.ends_with("\r\n\r\n1234567"), "{text}");
}

#[test]
fn right_answers_pass_whatever_their_framing() {
    exchange()
        .check(serving(&[RIGHT, CHUNKED]))
        .expect("both right");
}

#[test]
fn wrong_answers_say_what_is_wrong() {
    let cases: [(&[&str], &str); 7] = [
        (
            &["HTTP/1.1 503 Busy\r\nContent-Length: 4\r\n\r\nwait"],
            "status 503, expected 200; its body: \"wait\"",
        ),
        (
            &["HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nabdcef"],
            "a body of 6 bytes, expected 6; from byte 2 on it is \"dcef\", expected \"cdef\"",
        ),
        (
            &["HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabcde"],
            "a body of 5 bytes, expected 6; from byte 5 on it is \"\", expected \"f\"",
        ),
        (
            &["HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\nabcdefg"],
            "a body of 7 bytes, expected 6; from byte 6 on it is \"g\", expected \"\"",
        ),
        (
            &["HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nabcdefmore"],
            "bytes behind the answer: \"more\"",
        ),
        (
            &[RIGHT],
            "the connection was closed before the answer was whole",
        ),
        (
            &["HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nabc"],
            "the connection was closed before the answer was whole",
        ),
    ];
    for (answers, expected) in cases {
        match exchange().check(serving(answers)) {
            Err(Wrong::Answer(what)) => assert_eq!(what, expected),
            other => panic!("{other:?}, expected {expected}"),
        }
    }
}

#[test]
fn a_port_where_nobody_listens_is_told_from_a_wrong_answer() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("bound");
    let port = listener.local_addr().expect("an address").port();
    drop(listener);
    assert!(matches!(exchange().check(port), Err(Wrong::Refused)));
}

#[test]
fn a_constant_answer_is_a_right_one() {
    let answer = String::from_utf8(exchange().constant_answer()).expect("text");
    let answer: &'static str = answer.leak();
    let answers: &'static [&'static str] = vec![answer, answer].leak();
    exchange().check(serving(answers)).expect("right");
}

#[test]
fn a_file_that_is_not_there_is_named() {
    let mut request = request();
    request.expected = Expected::Body(Content::File("/nowhere/at.all".into()));
    let why = Exchange::load(&request).expect_err("no file");
    assert!(
        why.starts_with("request \"plain\": /nowhere/at.all: "),
        "{why}"
    );
}
