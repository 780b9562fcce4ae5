//! What a handler does wrong never reaches the wire as something else.

mod stage;

use std::time::Duration;

use alula_testkit::first_difference;
use stage::{Stage, get, hasty, post};

#[test]
fn a_panic_is_a_500_and_the_worker_lives() {
    let stage = Stage::new();
    let mut peer = stage.connect();
    let response = get(&mut peer, "/panic");
    assert_eq!(
        (response.status, response.text()),
        (500, "Internal Server Error")
    );
    assert_eq!(stage.event(), "rejected Some(500): handler panicked");
    assert_eq!(get(&mut peer, "/").text(), "OK");
}

#[test]
fn an_answer_never_begun_or_never_sent_is_a_500() {
    let stage = Stage::new();
    let mut peer = stage.connect();
    for path in ["/unstarted", "/started"] {
        assert_eq!(get(&mut peer, path).status, 500, "{path}");
    }
    assert_eq!(get(&mut peer, "/").text(), "OK");
}

#[test]
fn an_answer_that_stops_half_way_closes_without_its_end() {
    let stage = Stage::new();
    let mut peer = stage.send("GET /unfinished HTTP/1.1\r\nHost: a\r\n\r\n");
    let bytes = peer.read_to_end().unwrap();
    assert!(
        bytes.ends_with(b"\r\n4\r\nhalf\r\n"),
        "{}",
        bytes.escape_ascii()
    );
}

#[test]
fn an_answer_that_ends_with_its_connection_never_seems_whole_when_cut_off() {
    let stage = Stage::new();
    let mut peer = stage.send("GET /unfinished HTTP/1.0\r\n\r\n");
    peer.read_until(b"half").unwrap();
    assert_eq!(
        peer.read_to_end().unwrap_err().kind(),
        std::io::ErrorKind::ConnectionReset
    );
}

#[test]
fn nor_when_its_last_piece_is_given_up_or_its_client_takes_no_more() {
    for (path, event) in [
        ("/give-up/8000000", "given up"),
        ("/stream/8000000", "rejected None: client accepts no data"),
    ] {
        // A worker each: the first client may be rejected as well before it is read from.
        let stage = Stage::with(hasty);
        let mut peer = stage.send(format!("GET {path} HTTP/1.0\r\n\r\n"));
        while stage.event() != event {}
        assert_eq!(
            (peer.read_to_end())
                .map(|bytes| bytes.len())
                .map_err(|error| error.kind()),
            Err(std::io::ErrorKind::ConnectionReset),
            "{path}"
        );
    }
}

#[test]
fn more_than_the_declared_length_is_dropped() {
    let stage = Stage::new();
    let mut peer = stage.connect();
    let response = get(&mut peer, "/long");
    assert_eq!(response.text(), "1234");
    peer.expect_end().unwrap();
    assert_eq!(stage.event(), "Overflow");
}

#[test]
fn the_declared_bytes_all_go_out_before_more_is_dropped() {
    let stage = Stage::new();
    let mut peer = stage.send("GET /over/8000000 HTTP/1.1\r\nHost: a\r\n\r\n");
    let response = peer.read_response("GET").unwrap();
    assert_eq!(
        (response.body.len(), first_difference(&response.body, 0)),
        (8_000_000, None)
    );
    peer.expect_end().unwrap();
    assert!(stage.event().starts_with("Overflow at"));
}

#[test]
fn a_piece_between_the_parts_of_another_ends_the_answer() {
    let stage = Stage::new();
    let mut peer = stage.send("GET /overlap/30000000 HTTP/1.1\r\nHost: a\r\n\r\n");
    assert_eq!(stage.event(), "Err(Overlap)");
    let bytes = peer.read_to_end().unwrap();
    assert!(bytes.len() < 30_000_000 && !bytes.ends_with(b"\r\n0\r\n\r\n"));
    assert!(!bytes.windows(7).any(|it| it == b"between"));
}

#[test]
fn less_than_the_declared_length_closes() {
    let stage = Stage::new();
    let mut peer = stage.send("GET /short HTTP/1.1\r\nHost: a\r\n\r\n");
    assert!(peer.read_to_end().unwrap().ends_with(b"\r\n\r\n12"));
    assert_eq!(stage.event(), "Short");
}

#[test]
fn an_early_answer_keeps_the_connection_when_the_rest_is_small() {
    let stage = Stage::new();
    let bytes = post("/", &vec![b'x'; 100_000]);
    let mut peer = stage.send(&bytes[..bytes.len() - 50_000]);
    assert_eq!(peer.read_response("POST").unwrap().text(), "OK");
    peer.send(&bytes[bytes.len() - 50_000..]).unwrap();
    assert_eq!(get(&mut peer, "/").text(), "OK");
}

#[test]
fn an_early_answer_closes_when_the_rest_is_large() {
    // Only the size decides: time does not run out.
    let stage = Stage::with(|settings| settings.discard_timeout = Duration::from_secs(60));
    for extra in [0, 1] {
        let head = format!(
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: {}\r\n\r\n",
            256 * 1024 + extra
        );
        let mut peer = stage.send(head);
        let response = peer.read_response("POST").unwrap();
        assert_eq!(response.text(), "OK");
        let said = (extra == 1).then_some("close");
        assert_eq!(response.header("connection"), said);
        if extra == 0 {
            peer.send(&vec![b'x'; 256 * 1024]).unwrap();
            assert_eq!(get(&mut peer, "/").text(), "OK");
        } else {
            peer.expect_end().unwrap();
        }
    }
}
