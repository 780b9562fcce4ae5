//! A worker that stops loses nothing that was under way.

mod stage;

use alula_testkit::{Peer, first_difference};
use stage::{Stage, get};

#[test]
fn what_is_in_flight_is_answered_and_closed() {
    let stage = Stage::new();
    let mut waiting = stage.send("GET /watch HTTP/1.1\r\nHost: a\r\n\r\n");
    let mut slow = stage.send("GET /stream/5000000 HTTP/1.1\r\nHost: a\r\n\r\n");
    slow.read_until(b"\r\n\r\n").unwrap();
    let mut idle = stage.connect();
    assert_eq!(get(&mut idle, "/").text(), "OK");
    let address = stage.address;
    stage.drain();
    idle.expect_end().unwrap();
    assert!(Peer::tcp(address).is_err(), "the listener is closed");
    waiting.shutdown_write().unwrap();
    let response = waiting.read_response("GET").unwrap();
    assert_eq!(
        (response.text(), response.header("connection")),
        ("seen", Some("close"))
    );
    waiting.expect_end().unwrap();
    let mut body = Vec::new();
    while !body.ends_with(b"\r\n0\r\n\r\n") {
        body.extend(slow.read_some().unwrap());
    }
    assert!(
        first_difference(&body[6..8198], 0).is_none(),
        "the chunks are the stream's"
    );
    slow.expect_end().unwrap();
    stage.ended();
}

#[test]
fn a_request_on_a_connection_just_used_is_still_served() {
    let stage = Stage::with(|settings| {
        settings.drain_idle_grace = std::time::Duration::from_secs(20);
    });
    let mut peer = stage.connect();
    assert_eq!(get(&mut peer, "/").text(), "OK");
    let mut other = stage.send("GET /watch HTTP/1.1\r\nHost: a\r\n\r\n");
    stage.drain();
    let response = get(&mut peer, "/");
    assert_eq!(
        (response.text(), response.header("connection")),
        ("OK", Some("close"))
    );
    peer.expect_end().unwrap();
    other.shutdown_write().unwrap();
    assert_eq!(other.read_response("GET").unwrap().text(), "seen");
    drop(other);
    stage.ended();
}

#[test]
fn an_answer_under_way_does_not_end_its_connection_unannounced() {
    let stage = Stage::with(|settings| {
        settings.drain_idle_grace = std::time::Duration::from_secs(20);
    });
    let mut peer = stage.send("GET /silent HTTP/1.1\r\nHost: a\r\n\r\n");
    peer.read_until(b"data: 1\n\n").unwrap();
    stage.drain();
    stage.disconnect_streams();
    peer.read_until(b"0\r\n\r\n").unwrap();
    // Its head has promised nothing about closing: the next request is answered, and told.
    let response = get(&mut peer, "/");
    assert_eq!(
        (response.text(), response.header("connection")),
        ("OK", Some("close"))
    );
    peer.expect_end().unwrap();
}

#[test]
fn silent_streams_end_when_told() {
    let stage = Stage::new();
    let mut peer = stage.send("GET /silent HTTP/1.1\r\nHost: a\r\n\r\n");
    peer.read_until(b"data: 1\n\n").unwrap();
    stage.disconnect_streams();
    assert_eq!(stage.event(), "disconnected /silent");
    let rest = peer.read_until(b"0\r\n\r\n").unwrap();
    assert!(
        rest.windows(9).any(|it| it == b"data: end"),
        "{}",
        rest.escape_ascii()
    );
}
