//! Time limits. Each test waits for the server's own deadline, never for a guess of its own.

mod stage;

use std::time::Duration;

use stage::{Api, get};

const HASTY: [&str; 2] = ["--idle", "0.2"];

#[test]
fn the_idle_are_closed_and_the_busy_never() {
    let api = Api::with(&HASTY);
    let mut busy = api.connect();
    for _ in 0..3 {
        let mut idle = api.connect();
        assert_eq!(get(&mut idle, "/users/1").status, 200);
        let idling = std::thread::spawn(move || idle.expect_end());
        while !idling.is_finished() {
            assert_eq!(get(&mut busy, "/users/2").text(), r#"{"id":2}"#);
        }
        idling.join().unwrap().unwrap();
    }
}

#[test]
fn a_client_that_says_nothing_is_closed() {
    Api::with(&HASTY).connect().expect_end().unwrap();
}

#[test]
fn a_trickler_is_cut_off() {
    let api = Api::with(&["--idle", "1"]);
    let peer = api.send("GET /users/1 HTTP/1.1\r\nHost: a\r\n");
    let mut peer = peer.with_deadline(Duration::from_millis(20));
    // Each byte would put off a deadline that counted from the last one.
    let answer = (0..200).find_map(|_| {
        peer.send(b"X").ok()?;
        peer.read_response("GET").ok()
    });
    assert_eq!(answer.map(|answer| answer.status), Some(408));
}

#[test]
fn a_client_that_never_reads_is_closed() {
    let api = Api::with(&HASTY);
    let requests = "GET /blob/32768 HTTP/1.1\r\nHost: a\r\n\r\n".repeat(1000);
    let mut peer = api.connect();
    // The server stops reading too: in the end only its closing lets a send return.
    let failed = (0..1000).find_map(|_| peer.send(requests.as_bytes()).err());
    let kind = failed.expect("the connection is closed").kind();
    assert!(
        matches!(
            kind,
            std::io::ErrorKind::ConnectionReset | std::io::ErrorKind::BrokenPipe
        ),
        "{kind:?}"
    );
    api.assert_serves_others();
}

#[test]
fn a_closing_connection_closes_promptly_once_its_answer_is_out() {
    // Nothing but promptness passes: every deadline is longer than the test's.
    let api = Api::with(&["--idle", "30"]);
    let request = "GET /blob/32768 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
    let mut peer = api.send(request);
    assert_eq!(peer.read_response("GET").unwrap().body.len(), 32_768);
    peer.with_deadline(Duration::from_millis(1500))
        .expect_end()
        .unwrap();
}
