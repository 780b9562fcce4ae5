//! Connections that have been served before are served again without allocating.

mod hand;

use std::io::Read;
use std::net::TcpStream;
use std::time::Duration;

use alula_server::{Settings, Worker};
use hand::{Busy, ask, connected};

/// A request on each connection and its answer; what the worker allocates meanwhile.
fn round(worker: &Worker<Busy>, peers: &[TcpStream]) -> (u64, u64) {
    ask(peers);
    let before = worker.handler().started.get();
    let seen = allocation_counter::measure(|| {
        while worker.handler().started.get() < before + peers.len() || worker.again_needed() {
            worker.turn().unwrap();
        }
    });
    let mut answer = [0; 1024];
    for mut peer in peers {
        let length = peer.read(&mut answer).unwrap();
        assert!(answer[..length].ends_with(b"\r\n\r\nOK"));
    }
    (seen.count_total, seen.bytes_total)
}

#[test]
fn requests_after_the_first_allocate_nothing_in_the_engine() {
    // Turns of the same length each time, so that no queue is longer later than at first.
    let settings = Settings {
        turn_time: Duration::from_secs(60),
        ..Settings::default()
    };
    let (worker, peers) = connected(20, settings, Duration::ZERO);
    let first = round(&worker, &peers);
    assert!(first.0 > 0, "the measure sees nothing");
    round(&worker, &peers);
    for _ in 0..50 {
        assert_eq!(round(&worker, &peers), (0, 0));
    }
}
