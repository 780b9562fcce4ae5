//! Clients that read slowly: they stall themselves, nobody else, and lose nothing.

mod stage;

use alula_testkit::Peer;
use stage::Api;

/// Whether the blob is what was asked for, with the length as its mark.
fn assert_blob(peer: &mut Peer, length: usize) {
    let body = peer.read_response("GET").unwrap().body;
    assert_eq!(body.len(), length);
    let expected = |at: usize| b'a' + ((at + at / 26) % 25) as u8;
    let wrong = (0..length).find(|at| body[*at] != expected(*at));
    assert_eq!(wrong, None, "of {length}");
}

/// Lengths that tell answers apart.
fn lengths(count: usize) -> impl Iterator<Item = usize> {
    (0..count).map(|number| 32_768 - number % 1000)
}

fn blobs(count: usize) -> String {
    lengths(count)
        .map(|length| format!("GET /blob/{length} HTTP/1.1\r\nHost: a\r\n\r\n"))
        .collect::<Vec<_>>()
        .concat()
}

#[test]
fn a_client_that_stops_reading_stalls_itself_alone_and_loses_nothing() {
    let api = Api::new();
    let count = 600;
    // 19 MiB of answers: more than any socket holds.
    let mut slow = api.connect();
    slow.send(blobs(count).as_bytes()).unwrap();
    for _ in 0..50 {
        api.assert_serves_others();
    }
    for length in lengths(count) {
        assert_blob(&mut slow, length);
    }
}

#[test]
fn partial_writes_lose_and_repeat_nothing() {
    let api = Api::with(&["--send-quantum", "1500"]);
    let count = 60;
    let mut peer = api.send(blobs(count));
    for length in lengths(count) {
        assert_blob(&mut peer, length);
        api.assert_serves_others();
    }
}
