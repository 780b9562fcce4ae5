//! Time limits. Each test waits for the server's own deadline, never for a guess of its own.

mod stage;

use std::time::Duration;

use stage::{Stage, get, hasty, post};

#[test]
fn an_unfinished_head_gets_408() {
    let stage = Stage::with(hasty);
    let mut peer = stage.send("GET / HTTP/1.1\r\nHost:");
    let response = peer.read_response("GET").unwrap();
    assert_eq!(
        (response.status, response.header("connection")),
        (408, Some("close"))
    );
    peer.expect_end().unwrap();
}

#[test]
fn a_head_that_trickles_gets_408_too() {
    let stage = Stage::with(hasty);
    let peer = stage.send("GET / HTTP/1.1\r\n");
    let mut peer = peer.with_deadline(Duration::from_millis(20));
    // Each byte would put off a deadline that counted from the last one.
    let answer = (0..100).find_map(|_| {
        peer.send(b"X").unwrap();
        peer.read_response("GET").ok()
    });
    assert_eq!(answer.map(|response| response.status), Some(408));
}

#[test]
fn a_connection_without_a_byte_is_closed_silently() {
    let stage = Stage::with(hasty);
    stage.connect().expect_end().unwrap();
}

#[test]
fn an_idle_connection_is_closed_silently() {
    let stage = Stage::with(hasty);
    let mut peer = stage.connect();
    assert_eq!(get(&mut peer, "/").text(), "OK");
    peer.expect_end().unwrap();
}

#[test]
fn a_connection_that_waits_for_its_answer_is_not_idle() {
    let stage = Stage::with(hasty);
    let mut peer = stage.send("GET /watch HTTP/1.1\r\nHost: a\r\n\r\n");
    // Another connection idles to its end meanwhile.
    let mut idle = stage.connect();
    assert_eq!(get(&mut idle, "/").text(), "OK");
    idle.expect_end().unwrap();
    peer.shutdown_write().unwrap();
    assert_eq!(peer.read_response("GET").unwrap().text(), "seen");
}

#[test]
fn a_body_below_the_least_rate_gets_408() {
    let stage = Stage::with(|settings| {
        hasty(settings);
        settings.min_body_rate = 1000;
    });
    let whole = post("/echo", &[b'x'; 1000]);
    let mut peer = stage.send(&whole[..whole.len() - 900]);
    assert_eq!(peer.read_response("POST").unwrap().status, 408);
    peer.expect_end().unwrap();
}

#[test]
fn a_body_that_nobody_reads_is_not_too_slow() {
    let stage = Stage::with(|settings| {
        hasty(settings);
        settings.min_body_rate = 1_000_000;
    });
    // The handler waits for a disconnect and reads nothing: the client is not to blame.
    let mut peer = stage.connect();
    peer.send(b"POST /silent HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n")
        .unwrap();
    peer.send(&[b'x'; 100]).unwrap();
    peer.read_until(b"data: 1\n\n").unwrap();
    let mut idle = stage.connect();
    assert_eq!(get(&mut idle, "/").text(), "OK");
    idle.expect_end().unwrap();
    peer.shutdown_write().unwrap();
    assert!(peer.read_to_end().unwrap().ends_with(b"0\r\n\r\n"));
}

#[test]
fn the_rest_of_an_unread_body_is_awaited_for_a_bounded_time() {
    let stage = Stage::with(hasty);
    let whole = post("/", &[b'x'; 1000]);
    let mut peer = stage.send(&whole[..whole.len() - 1]);
    assert_eq!(peer.read_response("POST").unwrap().text(), "OK");
    peer.expect_end().unwrap();
}

#[test]
fn a_client_that_reads_nothing_is_closed_by_the_write_timeout() {
    let stage = Stage::with(hasty);
    let peer = stage.send("GET /stream/50000000 HTTP/1.1\r\nHost: a\r\n\r\n");
    let told = [stage.event(), stage.event()];
    assert!(
        told.iter()
            .any(|event| event == "rejected None: client accepts no data"),
        "{told:?}"
    );
    assert!(
        told.iter().any(|event| event.starts_with("Gone at")),
        "{told:?}"
    );
    stage.assert_serves_others();
    drop(peer);
}

#[test]
fn a_closing_connection_closes_promptly_once_its_answer_is_out() {
    // Nothing but promptness passes: every deadline is longer than the test's.
    let stage = Stage::new();
    let mut peer = stage.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    let mut peer = {
        assert_eq!(peer.read_response("GET").unwrap().text(), "OK");
        peer.with_deadline(Duration::from_millis(1500))
    };
    peer.expect_end().unwrap();
}
