//! What one turn does and what it leaves: the worker is turned by hand, as a loop around it would.

mod hand;

use std::io::{ErrorKind, Read};
use std::net::TcpStream;
use std::time::Duration;

use alula_server::{Settings, Worker};
use hand::{Busy, ask, asked, connected, spin};

const LONG: Duration = Duration::from_secs(60);

/// One start a turn; answers wait for `gather_time`.
fn one_by_one(gather_time: Duration) -> Settings {
    Settings {
        turn_time: Duration::ZERO,
        gather_time,
        ..Settings::default()
    }
}

/// Which of the peers have an answer by now. What is sent over the loopback is there at once.
fn answered(peers: &[TcpStream]) -> Vec<bool> {
    let there = |mut peer: &TcpStream| {
        peer.set_nonblocking(true).unwrap();
        match peer.read(&mut [0; 1024]) {
            Ok(n) => n > 0,
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::WouldBlock);
                false
            }
        }
    };
    peers.iter().map(there).collect()
}

/// Turns until `total` requests have been started: how many in each turn.
fn starts(worker: &Worker<Busy>, total: usize) -> Vec<usize> {
    let mut starts = Vec::new();
    while starts.iter().sum::<usize>() < total {
        let before = worker.handler().started.get();
        worker.turn().unwrap();
        starts.push(worker.handler().started.get() - before);
    }
    starts
}

#[test]
fn a_turn_starts_sixteen_requests_at_most() {
    let settings = Settings {
        turn_time: LONG,
        ..Settings::default()
    };
    let (worker, _peers) = asked(40, settings, Duration::ZERO);
    assert_eq!(starts(&worker, 40), [16, 16, 8]);
}

#[test]
fn a_turn_whose_time_is_up_starts_no_more() {
    let (worker, _peers) = asked(5, one_by_one(LONG), Duration::ZERO);
    assert_eq!(starts(&worker, 5), [1; 5]);
}

#[test]
fn answers_wait_for_those_of_the_next_turns_and_leave_with_the_last() {
    let (worker, peers) = asked(4, one_by_one(LONG), Duration::ZERO);
    worker.turn().unwrap();
    // Whether turns follow each other closely is known from the second on.
    assert_eq!(answered(&peers), [true, false, false, false]);
    worker.turn().unwrap();
    worker.turn().unwrap();
    assert_eq!(worker.handler().started.get(), 3);
    assert_eq!(answered(&peers), [false; 4]);
    worker.turn().unwrap();
    assert_eq!(answered(&peers), [false, true, true, true]);
}

#[test]
fn an_answer_waits_no_longer_than_the_setting() {
    let busy = Duration::from_millis(60);
    let (worker, peers) = asked(4, one_by_one(busy / 2), busy);
    for _ in 0..3 {
        worker.turn().unwrap();
    }
    assert_eq!(answered(&peers), [true, true, true, false]);
}

#[test]
fn no_answer_waits_where_the_loop_around_is_busy_with_other_things() {
    let gather_time = Duration::from_millis(50);
    let (worker, peers) = asked(3, one_by_one(gather_time), Duration::ZERO);
    worker.turn().unwrap();
    spin(gather_time);
    worker.turn().unwrap();
    assert_eq!(answered(&peers), [true, true, false]);
}

#[test]
fn looking_pays_after_quick_requests_and_not_while_one_is_answered() {
    let mut settings = one_by_one(LONG);
    settings.waiting.spin = LONG;
    let (worker, peers) = connected(1, settings, Duration::ZERO);
    for served in 0..4 {
        assert_eq!(worker.busy_poll(), None, "after {served}");
        ask(&peers);
        worker.turn().unwrap();
    }
    assert_eq!(worker.busy_poll(), Some(LONG));
    worker.handler().holds.set(true);
    ask(&peers);
    worker.turn().unwrap();
    assert_eq!((worker.exchanges(), worker.busy_poll()), (1, None));
}
