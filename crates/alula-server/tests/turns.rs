//! What one turn does and what it leaves: the worker is turned by hand, as a loop around it would.

use std::cell::Cell;
use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use alula_http::Request;
use alula_reactor::Listener;
use alula_server::{ConnectionInfo, ExchangeId, Handler, Settings, Worker};

const LONG: Duration = Duration::from_secs(60);

/// Answers at once, after having kept the turn busy for a while.
struct Busy {
    started: Cell<usize>,
    busy: Duration,
}

impl Handler for Busy {
    type Call = ();

    fn prepare(&self, _: &Request<'_>, _: &ConnectionInfo, _: ExchangeId) -> Self::Call {}

    fn start(&self, worker: &Worker<Self>, id: ExchangeId, (): Self::Call) {
        self.started.set(self.started.get() + 1);
        spin(self.busy);
        worker.respond(id, 200, std::iter::empty()).unwrap();
        worker.send_body(id, b"OK", false).unwrap();
        worker.finish(id);
    }

    fn readable(&self, _: &Worker<Self>, _: ExchangeId) {}
    fn writable(&self, _: &Worker<Self>, _: ExchangeId) {}
    fn disconnected(&self, _: &Worker<Self>, _: ExchangeId) {}
}

fn spin(time: Duration) {
    let begin = Instant::now();
    while begin.elapsed() < time {}
}

/// A worker with `clients` connections, each of which has just sent a request.
fn asked(clients: usize, settings: Settings, busy: Duration) -> (Worker<Busy>, Vec<TcpStream>) {
    let started = Cell::new(0);
    let worker = Worker::new(settings, Busy { started, busy }).unwrap();
    let any = SocketAddr::from(([127, 0, 0, 1], 0));
    let listener = Listener::tcp(any, 64, false).unwrap();
    let alula_reactor::Peer::Inet(address) = listener.local() else {
        unreachable!()
    };
    worker.listen(listener).unwrap();
    let peers: Vec<_> = (0..clients)
        .map(|_| TcpStream::connect(address).unwrap())
        .collect();
    while worker.connections() < clients || worker.again_needed() {
        worker.turn().unwrap();
    }
    for mut peer in &peers {
        peer.write_all(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            .unwrap();
    }
    (worker, peers)
}

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
