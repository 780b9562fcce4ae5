//! Requests one after another, cut and joined in every way.

mod stage;

use alula_testkit::Split;
use stage::{Api, get, post, shown};

const SUM: (u16, &str) = (200, r#"{"sum":3}"#);

fn add() -> Vec<u8> {
    post("/add", br#"{"a":1,"b":2}"#)
}

#[test]
fn a_connection_is_kept() {
    let api = Api::new();
    let mut peer = api.connect();
    for id in 0..100 {
        let answer = get(&mut peer, &format!("/users/{id}"));
        assert_eq!(answer.text(), format!(r#"{{"id":{id}}}"#));
        assert_eq!(answer.header("connection"), None);
    }
}

#[test]
fn thirty_in_one_write_are_answered_in_order_each_once() {
    let api = Api::new();
    let requests: Vec<_> = (0..30)
        .map(|id| format!("GET /users/{id} HTTP/1.1\r\nHost: a\r\n\r\n"))
        .collect();
    let mut peer = api.send(requests.concat());
    for id in 0..30 {
        let answer = peer.read_response("GET").unwrap();
        assert_eq!(answer.text(), format!(r#"{{"id":{id}}}"#));
    }
    peer.shutdown_write().unwrap();
    peer.expect_end().unwrap();
}

#[test]
fn a_request_cut_anywhere_is_answered_once() {
    let api = Api::new();
    let bytes = add();
    for split in Split::all(bytes.len()) {
        let mut peer = api.connect();
        peer.send_split(&bytes, split).unwrap();
        let answer = peer.read_response("POST").unwrap();
        assert_eq!(shown(&answer), SUM, "{split}");
        peer.shutdown_write().unwrap();
        peer.expect_end().unwrap();
    }
}

#[test]
fn the_start_of_the_next_request_is_kept() {
    let api = Api::new();
    let next = add();
    for cut in [1, 20, next.len() - 5] {
        let mut peer = api.send([&add(), &next[..cut]].concat());
        assert_eq!(shown(&peer.read_response("POST").unwrap()), SUM);
        peer.send(&next[cut..]).unwrap();
        assert_eq!(shown(&peer.read_response("POST").unwrap()), SUM, "{cut}");
    }
}

#[test]
fn a_body_may_come_in_chunks_of_a_byte_a_byte_at_a_time() {
    let api = Api::new();
    let head = "POST /add HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
    let chunks: Vec<_> =
        r#"{"a":1,"b":2}"#.chars().map(|character| format!("1\r\n{character}\r\n")).collect();
    let bytes = format!("{head}{}0\r\n\r\n", chunks.concat());
    for split in [Split::Whole, Split::Bytes, Split::Every(7)] {
        let mut peer = api.connect();
        for _ in 0..2 {
            peer.send_split(bytes.as_bytes(), split).unwrap();
            let answer = peer.read_response("POST").unwrap();
            assert_eq!(shown(&answer), SUM, "{split}");
        }
    }
}

#[test]
fn closing_one_connection_disturbs_no_other() {
    let api = Api::new();
    let mut peers: Vec<_> = (0..9).map(|_| api.connect()).collect();
    for peer in &mut peers {
        assert_eq!(get(peer, "/users/1").status, 200);
    }
    // Some in the middle of a request, some of an answer, some of nothing.
    for (number, mut peer) in peers.drain(3..6).enumerate() {
        let bytes: [&[u8]; 3] = [
            b"GET /us",
            b"GET /blob/32768 HTTP/1.1\r\nHost: a\r\n\r\n",
            b"",
        ];
        peer.send(bytes[number]).unwrap();
    }
    for (id, peer) in peers.iter_mut().enumerate() {
        let answer = get(peer, &format!("/users/{id}"));
        assert_eq!(answer.text(), format!(r#"{{"id":{id}}}"#));
    }
}

#[test]
fn close_and_version_1_0_are_honoured() {
    let api = Api::new();
    for (request, connection) in [
        (
            "GET /users/1 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
            Some("close"),
        ),
        (
            "GET /users/1 HTTP/1.1\r\nHost: a\r\nConnection: x, CLOSE\r\n\r\n",
            Some("close"),
        ),
        ("GET /users/1 HTTP/1.0\r\n\r\n", Some("close")),
    ] {
        // The second request must not be answered.
        let mut peer = api.send(format!("{request}GET /users/2 HTTP/1.1\r\nHost: a\r\n\r\n"));
        let answer = peer.read_response("GET").unwrap();
        assert_eq!(answer.text(), r#"{"id":1}"#);
        assert_eq!(answer.header("connection"), connection, "{request}");
        peer.expect_end().unwrap();
    }
    let old = "GET /users/1 HTTP/1.0\r\nConnection: keep-alive\r\n\r\n";
    let mut peer = api.send(old.repeat(2));
    for _ in 0..2 {
        let answer = peer.read_response("GET").unwrap();
        assert_eq!(answer.header("connection"), Some("keep-alive"));
    }
}

/// A JSON document of just this length.
fn padded(length: usize) -> Vec<u8> {
    let mut body = br#"{"a":1,"b":2}"#.to_vec();
    body.resize(length, b' ');
    body
}

fn chunked(body: &[u8]) -> Vec<u8> {
    let head = "POST /add HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
    let (first, second) = body.split_at(body.len() / 2);
    let mut bytes = head.as_bytes().to_vec();
    for chunk in [first, second] {
        bytes.extend(format!("{:x}\r\n", chunk.len()).as_bytes());
        bytes.extend_from_slice(chunk);
        bytes.extend(b"\r\n");
    }
    bytes.extend(b"0\r\n\r\n");
    bytes
}

#[test]
fn a_body_over_the_buffer_is_413_and_a_larger_buffer_takes_it() {
    for (arguments, most) in [
        (&[][..], 65_536),
        (&["--input-buffer", "4096"], 4096),
        (&["--input-buffer", "1048576"], 1_048_576),
    ] {
        let api = Api::with(arguments);
        for encode in [|body: &[u8]| post("/add", body), chunked] {
            let mut peer = api.send(encode(&padded(most)));
            assert_eq!(shown(&peer.read_response("POST").unwrap()), SUM, "{most}");
            peer.send(&encode(&padded(most + 1))).unwrap();
            let answer = peer.read_response("POST").unwrap();
            let text = format!(r#"{{"error":"the body is larger than {most} bytes"}}"#);
            assert_eq!(shown(&answer), (413, text.as_str()));
            assert_eq!(answer.header("connection"), Some("close"));
            peer.expect_end().unwrap();
        }
    }
}

#[test]
fn a_body_that_says_it_is_too_large_is_refused_before_it_comes() {
    let api = Api::new();
    for expect in ["", "Expect: 100-continue\r\n"] {
        let head = "POST /add HTTP/1.1\r\nHost: a\r\nContent-Length: 65537\r\n";
        let mut peer = api.send(format!("{head}{expect}\r\n"));
        assert_eq!(peer.read_response("POST").unwrap().status, 413);
        peer.expect_end().unwrap();
    }
}

#[test]
fn a_client_that_waits_is_told_to_send_its_body() {
    let api = Api::new();
    let bytes = add();
    let bytes = String::from_utf8(bytes).unwrap();
    let (head, body) = bytes.split_once("\r\n\r\n").unwrap();
    let mut peer = api.send(format!("{head}\r\nExpect: 100-continue\r\n\r\n"));
    assert_eq!(peer.read_response("POST").unwrap().status, 100);
    peer.send(body.as_bytes()).unwrap();
    assert_eq!(shown(&peer.read_response("POST").unwrap()), SUM);
    assert_eq!(get(&mut peer, "/users/1").status, 200);
}
