//! A worker that is turned by hand, on the test's own thread.

#![allow(dead_code, reason = "each test file uses its part")]

use std::cell::Cell;
use std::io::Write;
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use alula_http::Request;
use alula_reactor::Listener;
use alula_server::{ConnectionInfo, ExchangeId, Handler, Settings, Worker};

/// Answers at once, after having kept the turn busy for a while.
pub(crate) struct Busy {
    pub(crate) started: Cell<usize>,
    takes: Duration,
    /// Whether it leaves its requests unanswered.
    pub(crate) holds: Cell<bool>,
}

impl Handler for Busy {
    type Call = ();

    fn prepare(&self, _: &Request<'_>, _: &ConnectionInfo, _: ExchangeId) -> Self::Call {}

    fn start(&self, worker: &Worker<Self>, id: ExchangeId, (): Self::Call) {
        self.started.set(self.started.get() + 1);
        if self.holds.get() {
            return;
        }
        spin(self.takes);
        worker.respond(id, 200, std::iter::empty()).unwrap();
        worker.send_body(id, b"OK", false).unwrap();
        worker.finish(id);
    }

    fn readable(&self, _: &Worker<Self>, _: ExchangeId) {}
    fn writable(&self, _: &Worker<Self>, _: ExchangeId) {}
    fn disconnected(&self, _: &Worker<Self>, _: ExchangeId) {}
}

pub(crate) fn spin(time: Duration) {
    let begin = Instant::now();
    while begin.elapsed() < time {}
}

/// A worker with `clients` connections that have said nothing yet.
pub(crate) fn connected(
    clients: usize,
    settings: Settings,
    takes: Duration,
) -> (Worker<Busy>, Vec<TcpStream>) {
    let handler = Busy {
        started: Cell::new(0),
        takes,
        holds: Cell::new(false),
    };
    let worker = Worker::new(settings, handler).unwrap();
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
    (worker, peers)
}

/// Sends a request on each connection; over the loopback it is there at once.
pub(crate) fn ask(peers: &[TcpStream]) {
    for mut peer in peers {
        peer.write_all(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            .unwrap();
    }
}

/// As [`connected`], and each connection has just sent a request.
pub(crate) fn asked(
    clients: usize,
    settings: Settings,
    takes: Duration,
) -> (Worker<Busy>, Vec<TcpStream>) {
    let (worker, peers) = connected(clients, settings, takes);
    ask(&peers);
    (worker, peers)
}
