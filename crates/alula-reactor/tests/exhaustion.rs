//! Out of descriptors: the acceptor neither spins nor loses its listener.
//!
//! Each test runs in a copy of this binary that a shell has started under a low limit, so that it
//! takes nobody else's descriptors.
#![cfg(unix)]

use std::fs::File;
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::process::Command;
use std::time::{Duration, Instant};

use alula_reactor::{Accepted, Acceptor, Event, Listener, Reactor, Stream, Token};

const LISTENER: Token = Token(0);
const LIMIT: usize = 40;

/// Runs one of the ignored tests below under the limit.
fn run_limited(name: &str) {
    let script = format!("ulimit -n {LIMIT} && exec \"$0\" --ignored --exact --nocapture \"$1\"");
    let output = Command::new("sh")
        .args(["-c", &script])
        .arg(std::env::current_exe().unwrap())
        .arg(name)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success() && text.contains("1 passed"),
        "{text}{errors}"
    );
}

struct Server {
    reactor: Reactor,
    acceptor: Acceptor,
    address: SocketAddr,
    /// What takes up the descriptors.
    fillers: Vec<File>,
    clients: Vec<TcpStream>,
}

impl Server {
    /// With clients in the queue and not one descriptor left.
    fn exhausted(clients: usize) -> Self {
        let mut reactor = Reactor::new().unwrap();
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let listener = Listener::tcp(address, 64, false).unwrap();
        let address = listener.local().inet().unwrap();
        let acceptor = Acceptor::new(listener, LISTENER, &mut reactor).unwrap();
        let clients = (0..clients)
            .map(|_| TcpStream::connect(address).unwrap())
            .collect();
        let mut server = Self {
            reactor,
            acceptor,
            address,
            fillers: Vec::new(),
            clients,
        };
        server.fill();
        server
    }

    fn fill(&mut self) {
        while let Ok(file) = File::open("/dev/null") {
            assert!(self.fillers.len() < LIMIT, "the limit does not hold");
            self.fillers.push(file);
        }
    }

    /// Another client, in place of one filler.
    fn connect(&mut self) {
        self.fillers.pop();
        self.clients.push(TcpStream::connect(self.address).unwrap());
        self.fill();
    }

    /// What a server does: accepts on each event, until `wanted` connections stand or the time is
    /// over. Returns the turns it took.
    fn serve(&mut self, wanted: usize, time: Duration, streams: &mut Vec<Stream>) -> usize {
        let end = Instant::now() + time;
        let mut turns = 0;
        let mut events = vec![Event::Expired(LISTENER)];
        while Instant::now() < end {
            for event in events.drain(..) {
                assert!(matches!(
                    event,
                    Event::Ready(LISTENER, _) | Event::Expired(LISTENER)
                ));
                loop {
                    match self.acceptor.accept(&mut self.reactor) {
                        Accepted::Connection(stream) => streams.push(stream),
                        Accepted::Drained | Accepted::Paused => break,
                        Accepted::Failed(error) => panic!("{error}"),
                    }
                }
            }
            if streams.len() >= wanted {
                break;
            }
            let left = end.saturating_duration_since(Instant::now());
            self.reactor.turn(16, Some(left), &mut events).unwrap();
            turns += 1;
        }
        turns
    }
}

#[test]
fn never_spins_and_serves_the_queue_when_descriptors_are_back() {
    run_limited("child_never_spins_and_serves_the_queue_when_descriptors_are_back");
}

#[test]
#[ignore = "started by another test"]
fn child_never_spins_and_serves_the_queue_when_descriptors_are_back() {
    let mut server = Server::exhausted(5);
    let mut streams = Vec::new();
    let turns = server.serve(5, Duration::from_millis(600), &mut streams);
    assert_eq!(streams.len(), 0);
    assert!(server.acceptor.is_paused());
    // Pauses of 10, 20, 40, … ms: six of them are 630 ms.
    let attempts = server.acceptor.attempts();
    assert!((3..=8).contains(&attempts), "{attempts} attempts in 600 ms");
    assert!(turns <= 10, "{turns} turns in 600 ms");
    server.fillers.clear();
    server.serve(5, Duration::from_secs(20), &mut streams);
    assert_eq!(streams.len(), 5, "nobody in the queue was lost");
    assert!(matches!(
        server.acceptor.accept(&mut server.reactor),
        Accepted::Drained
    ));
    assert!(!server.acceptor.is_paused());
    assert_eq!(
        server.reactor.deadline(LISTENER),
        None,
        "no timer is left behind"
    );
    server
        .clients
        .push(TcpStream::connect(server.address).unwrap());
    server.serve(6, Duration::from_secs(20), &mut streams);
    assert_eq!(streams.len(), 6, "the listener is still watched");
}

#[test]
fn arrivals_during_a_pause_cost_no_attempt() {
    run_limited("child_arrivals_during_a_pause_cost_no_attempt");
}

#[test]
#[ignore = "started by another test"]
fn child_arrivals_during_a_pause_cost_no_attempt() {
    let mut server = Server::exhausted(1);
    let accepted = server.acceptor.accept(&mut server.reactor);
    assert!(matches!(accepted, Accepted::Paused), "{accepted:?}");
    // The clock stands still: it is read by turns only.
    for _ in 0..10 {
        server.connect();
        let accepted = server.acceptor.accept(&mut server.reactor);
        assert!(matches!(accepted, Accepted::Paused), "{accepted:?}");
    }
    assert_eq!(server.acceptor.attempts(), 1);
}

#[test]
fn a_freed_descriptor_is_used_at_once_when_told() {
    run_limited("child_a_freed_descriptor_is_used_at_once_when_told");
}

#[test]
#[ignore = "started by another test"]
fn child_a_freed_descriptor_is_used_at_once_when_told() {
    let mut server = Server::exhausted(3);
    for _ in 0..3 {
        let accepted = server.acceptor.accept(&mut server.reactor);
        assert!(matches!(accepted, Accepted::Paused), "{accepted:?}");
        server.fillers.pop();
        server.acceptor.resume();
        let Accepted::Connection(stream) = server.acceptor.accept(&mut server.reactor) else {
            panic!("one descriptor is free");
        };
        drop(stream);
        server.fill();
    }
    assert_eq!(
        server.acceptor.attempts(),
        6,
        "one that fails, one that succeeds"
    );
    server.fillers.pop();
    assert!(matches!(
        server.acceptor.accept(&mut server.reactor),
        Accepted::Drained
    ));
}
