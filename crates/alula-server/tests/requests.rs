//! Requests in, answers out, over real sockets.

mod stage;

use alula_testkit::{Split, first_difference, pattern};
use stage::{Stage, get, post};

#[test]
fn answers_one_request_after_another_on_a_connection() {
    let stage = Stage::new();
    let mut peer = stage.connect();
    for _ in 0..3 {
        let response = get(&mut peer, "/");
        assert_eq!((response.status, response.text()), (200, "OK"));
        assert_eq!(response.header("server"), Some("alula"));
        assert_eq!(response.header("date").map(str::len), Some(29));
    }
}

#[test]
fn answers_pipelined_requests_in_order_each_once() {
    let stage = Stage::new();
    let mut bytes = Vec::new();
    for n in 0..30 {
        bytes.extend(post("/echo", format!("body {n}").as_bytes()));
    }
    let mut peer = stage.send(&bytes);
    for n in 0..30 {
        assert_eq!(
            peer.read_response("POST").unwrap().text(),
            format!("body {n}")
        );
    }
    peer.shutdown_write().unwrap();
    peer.expect_end().unwrap();
}

#[test]
fn a_request_cut_anywhere_is_answered_once() {
    let stage = Stage::new();
    let bytes = post("/echo", b"hello");
    for split in Split::all(bytes.len()) {
        let mut peer = stage.connect();
        peer.send_split(&bytes, split).unwrap();
        assert_eq!(
            peer.read_response("POST").unwrap().text(),
            "hello",
            "{split}"
        );
        peer.shutdown_write().unwrap();
        peer.expect_end().unwrap();
    }
}

#[test]
fn the_start_of_the_next_request_is_kept() {
    let stage = Stage::new();
    let mut both = post("/echo", b"first");
    let next = post("/echo", b"second");
    both.extend_from_slice(&next[..20]);
    let mut peer = stage.send(&both);
    assert_eq!(peer.read_response("POST").unwrap().text(), "first");
    peer.send(&next[20..]).unwrap();
    assert_eq!(peer.read_response("POST").unwrap().text(), "second");
}

#[test]
fn chunked_bodies_arrive_whole_however_they_are_cut() {
    let stage = Stage::new();
    let head = "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
    let bytes = format!("{head}5;x=y\r\nhello\r\n6\r\n world\r\n0\r\nT: 1\r\n\r\n");
    for split in [Split::Whole, Split::Bytes, Split::Every(7)] {
        let mut peer = stage.connect();
        peer.send_split(bytes.as_bytes(), split).unwrap();
        assert_eq!(
            peer.read_response("POST").unwrap().text(),
            "hello world",
            "{split}"
        );
        assert_eq!(get(&mut peer, "/").text(), "OK", "{split}");
    }
}

#[test]
fn large_bodies_keep_every_byte_both_ways() {
    let stage = Stage::new();
    let body = pattern(3_000_000);
    let bytes = post("/echo", &body);
    let mut peer = stage.connect();
    peer.send(&bytes).unwrap();
    let response = peer.read_response("POST").unwrap();
    assert_eq!(
        (response.body.len(), first_difference(&response.body, 0)),
        (body.len(), None)
    );
    assert_eq!(get(&mut peer, "/").text(), "OK");
}

#[test]
fn streams_are_chunked_for_1_1_and_end_with_the_connection_for_1_0() {
    let stage = Stage::new();
    let mut peer = stage.connect();
    let response = get(&mut peer, "/stream/100000");
    assert_eq!(response.header("transfer-encoding"), Some("chunked"));
    assert_eq!(
        (response.body.len(), first_difference(&response.body, 0)),
        (100_000, None)
    );
    assert_eq!(get(&mut peer, "/").text(), "OK");
    let mut old = stage.send("GET /stream/100000 HTTP/1.0\r\n\r\n");
    let response = old.read_response("GET").unwrap();
    assert_eq!(response.header("transfer-encoding"), None);
    assert_eq!(
        (response.body.len(), first_difference(&response.body, 0)),
        (100_000, None)
    );
    old.expect_end().unwrap();
}

#[test]
fn head_gets_no_body_and_the_next_answer_is_whole() {
    let stage = Stage::new();
    let mut peer = stage
        .send("HEAD /blob/100000 HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n");
    assert!(peer.read_response("HEAD").unwrap().body.is_empty());
    assert_eq!(peer.read_response("GET").unwrap().text(), "OK");
}

#[test]
fn continue_is_sent_when_the_body_is_asked_for_also_after_an_answer_was_begun() {
    let stage = Stage::new();
    for path in ["/echo", "/first"] {
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n"
        );
        let mut peer = stage.send(head);
        assert_eq!(peer.read_response("POST").unwrap().status, 100);
        peer.send(b"hello").unwrap();
        assert_eq!(peer.read_response("POST").unwrap().text(), "hello");
        assert_eq!(get(&mut peer, "/").text(), "OK");
    }
}

#[test]
fn an_answer_without_continue_closes() {
    let stage = Stage::new();
    let head = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n";
    let mut peer = stage.send(head);
    let response = peer.read_response("POST").unwrap();
    assert_eq!(
        (response.status, response.header("connection")),
        (200, Some("close"))
    );
    peer.expect_end().unwrap();
}

#[test]
fn a_bad_request_is_refused_and_closed_and_disturbs_nobody() {
    let stage = Stage::new();
    let mut other = stage.connect();
    assert_eq!(get(&mut other, "/").text(), "OK");
    let mut peer = stage.send("GET / HTTP/1.1\r\nHost: a\r\nBad Name: x\r\n\r\n");
    let response = peer.read_response("GET").unwrap();
    assert_eq!(
        (response.status, response.header("connection")),
        (400, Some("close"))
    );
    peer.expect_end().unwrap();
    assert!(stage.event().starts_with("rejected Some(400)"));
    assert_eq!(get(&mut other, "/").text(), "OK");
}

#[test]
fn broken_chunks_end_the_request_with_400() {
    let stage = Stage::new();
    let head = "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
    let mut peer = stage.send(format!("{head}5\r\nhelloX"));
    assert_eq!(peer.read_response("POST").unwrap().status, 400);
    peer.expect_end().unwrap();
    let mut told = [stage.event(), stage.event()];
    told.sort();
    assert_eq!(told[0], "disconnected /echo");
    assert!(told[1].starts_with("rejected Some(400)"), "{told:?}");
}

#[test]
fn a_body_cut_off_is_never_taken_for_whole() {
    let stage = Stage::new();
    let whole = post("/echo", b"hello");
    let mut peer = stage.send(&whole[..whole.len() - 1]);
    peer.shutdown_write().unwrap();
    let response = peer.read_response("POST").unwrap();
    assert_eq!(response.status, 400);
    peer.expect_end().unwrap();
}

#[test]
fn a_body_cut_off_is_noticed_though_nobody_reads_it() {
    let stage = Stage::new();
    let mut peer = stage.send("POST /hold HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n");
    peer.shutdown_write().unwrap();
    assert_eq!(peer.read_response("POST").unwrap().status, 400);
    peer.expect_end().unwrap();
}

#[test]
fn bodies_over_the_limit_are_refused_whether_announced_or_not() {
    let stage = Stage::with(|settings| settings.limits.body_bytes = Some(10));
    let mut peer = stage.send(post("/echo", b"0123456789"));
    assert_eq!(peer.read_response("POST").unwrap().status, 200);
    let mut peer = stage.send(post("/echo", b"0123456789a"));
    assert_eq!(peer.read_response("POST").unwrap().status, 413);
    let head = "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
    let mut peer = stage.send(format!("{head}a\r\n0123456789\r\n1\r\na\r\n0\r\n\r\n"));
    assert_eq!(peer.read_response("POST").unwrap().status, 413);
    peer.expect_end().unwrap();
}

#[test]
fn a_half_closed_client_is_answered_in_full() {
    let stage = Stage::new();
    let mut peer = stage.connect();
    peer.send(b"GET /stream/2000000 HTTP/1.1\r\nHost: a\r\n\r\n")
        .unwrap();
    peer.shutdown_write().unwrap();
    let response = peer.read_response("GET").unwrap();
    assert_eq!(
        (response.body.len(), first_difference(&response.body, 0)),
        (2_000_000, None)
    );
    peer.expect_end().unwrap();
}

#[test]
fn a_half_close_is_told_while_sends_still_work() {
    let stage = Stage::new();
    let mut peer = stage.send("GET /watch HTTP/1.1\r\nHost: a\r\n\r\n");
    peer.shutdown_write().unwrap();
    assert_eq!(stage.event(), "disconnected /watch");
    assert_eq!(peer.read_response("GET").unwrap().text(), "seen");
    peer.expect_end().unwrap();
}

#[test]
fn a_client_that_leaves_behind_unread_bytes_is_told_of() {
    let stage = Stage::new();
    let mut peer = stage.send("GET /silent HTTP/1.1\r\nHost: a\r\n\r\n");
    peer.read_until(b"data: 1\n\n").unwrap();
    peer.send(&vec![b'x'; 100_000]).unwrap();
    drop(peer);
    assert_eq!(stage.event(), "disconnected /silent");
}

#[test]
fn a_vanished_client_is_told_of() {
    let stage = Stage::new();
    let mut peer = stage.send("GET /silent HTTP/1.1\r\nHost: a\r\n\r\n");
    peer.read_until(b"\r\n\r\n").unwrap();
    drop(peer);
    assert_eq!(stage.event(), "disconnected /silent");
    stage.assert_serves_others();
}
