//! Turns of a reactor that watches streams by poll(2): the same as with a queue.

mod pairs;

use std::io::{ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

use alula_reactor::{
    Accepted, Acceptor, Event, Listener, Peer, Poller, Reactor, Readiness, Stream, Token, Waiting,
};
use pairs::{NOW, pairs, readiness, settle, tokens, turn};

fn reactor() -> Reactor {
    let waiting = Waiting {
        poller: Poller::Poll,
        ..Waiting::default()
    };
    Reactor::with(waiting).unwrap()
}

#[test]
fn a_new_stream_is_writable_and_not_readable() {
    let mut reactor = reactor();
    let (mut stream, _other) = Stream::pair().unwrap();
    reactor.register(&mut stream, Token(5)).unwrap();
    let again = reactor.register(&mut stream, Token(6)).unwrap_err();
    assert_eq!(again.kind(), ErrorKind::AlreadyExists);
    let expected = Readiness {
        writable: true,
        ..Readiness::default()
    };
    assert_eq!(readiness(&turn(&mut reactor, 16, NOW), 5), expected);
    assert!(turn(&mut reactor, 16, NOW).is_empty());
}

#[test]
fn arrived_bytes_are_reported_once_until_they_have_been_read() {
    let mut reactor = reactor();
    let (ours, others) = pairs(&mut reactor, 2);
    (&others[1]).write_all(b"abcd").unwrap();
    let events = turn(&mut reactor, 16, None);
    assert_eq!(tokens(&events), [1]);
    assert!(readiness(&events, 1).readable && !readiness(&events, 1).read_closed);
    assert!(turn(&mut reactor, 16, NOW).is_empty());
    // A read that fills its buffer may have left something: whoever reads goes on by itself.
    let mut buffer = [0; 2];
    assert_eq!((&ours[1]).read(&mut buffer).unwrap(), 2);
    assert!(turn(&mut reactor, 16, NOW).is_empty());
    let mut buffer = [0; 8];
    assert_eq!((&ours[1]).read(&mut buffer).unwrap(), 2);
    assert!(turn(&mut reactor, 16, NOW).is_empty());
    (&others[1]).write_all(b"e").unwrap();
    assert_eq!(tokens(&turn(&mut reactor, 16, NOW)), [1]);
    assert_eq!((&ours[1]).read(&mut buffer[..1]).unwrap(), 1);
    assert_eq!(
        (&ours[1]).read(&mut buffer).unwrap_err().kind(),
        ErrorKind::WouldBlock
    );
    (&others[1]).write_all(b"f").unwrap();
    assert_eq!(tokens(&turn(&mut reactor, 16, NOW)), [1]);
}

#[test]
fn becomes_writable_again_when_the_peer_reads() {
    let mut reactor = reactor();
    let (ours, others) = pairs(&mut reactor, 1);
    let piece = [b'x'; 4096];
    while (&ours[0]).write(&piece).is_ok() {}
    assert!(turn(&mut reactor, 16, NOW).is_empty());
    let mut buffer = [0; 4096];
    while (&others[0]).read(&mut buffer).is_ok() {}
    assert!(readiness(&turn(&mut reactor, 16, None), 0).writable);
    assert!(turn(&mut reactor, 16, NOW).is_empty());
}

#[test]
fn a_half_close_and_a_hang_up_are_each_reported_once() {
    let mut reactor = reactor();
    let (ours, mut others) = pairs(&mut reactor, 1);
    others[0].shutdown_write().unwrap();
    let half = readiness(&turn(&mut reactor, 16, None), 0);
    assert!(
        half.readable && half.read_closed && !half.write_closed,
        "{half:?}"
    );
    assert_eq!((&ours[0]).read(&mut [0; 8]).unwrap(), 0);
    assert!(turn(&mut reactor, 16, NOW).is_empty(), "the end is no news");
    (&ours[0]).write_all(b"still open").unwrap();
    others.clear();
    let gone = readiness(&turn(&mut reactor, 16, None), 0);
    assert!(gone.writable && gone.write_closed, "{gone:?}");
    assert!((&ours[0]).write(b"x").is_err());
    assert!(turn(&mut reactor, 16, NOW).is_empty(), "nor is the hang-up");
}

#[test]
fn a_reset_is_reported_while_nothing_is_asked_for() {
    let mut reactor = reactor();
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let mut stream = Stream::connect_tcp(listener.local_addr().unwrap()).unwrap();
    let (mut other, _) = listener.accept().unwrap();
    reactor.register(&mut stream, Token(0)).unwrap();
    (&stream).write_all(b"never read").unwrap();
    other.write_all(b"x").unwrap();
    while !readiness(&turn(&mut reactor, 16, None), 0).readable {}
    // Readable and writable are told and nothing was done: a reset is news all the same.
    assert_eq!(other.peek(&mut [0; 1]).unwrap(), 1);
    other = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let readiness = readiness(&turn(&mut reactor, 16, None), 0);
    assert!(readiness.error && readiness.writable, "{readiness:?}");
    assert!(turn(&mut reactor, 16, NOW).is_empty());
    drop(other);
}

#[test]
fn the_budget_bounds_a_turn_and_nobody_is_passed_over() {
    let mut reactor = reactor();
    let (ours, others) = pairs(&mut reactor, 10);
    for other in &others {
        (&*other).write_all(b"x").unwrap();
    }
    let mut seen = vec![0; 10];
    for _ in 0..10 {
        let tokens = tokens(&turn(&mut reactor, 3, NOW));
        assert_eq!(tokens.len(), 3);
        for token in tokens {
            seen[token] += 1;
            // Whoever was served is ready again at once.
            assert_eq!((&ours[token]).read(&mut [0; 8]).unwrap(), 1);
            (&others[token]).write_all(b"x").unwrap();
        }
    }
    assert_eq!(seen, [3; 10]);
}

#[test]
fn busy_streams_never_hide_a_waker() {
    for budget in [1, 3] {
        let mut reactor = reactor();
        let (ours, others) = pairs(&mut reactor, 5);
        for other in &others {
            (&*other).write_all(b"x").unwrap();
        }
        reactor.waker().wake();
        let mut seen = Vec::new();
        for _ in 0..6 {
            let events = turn(&mut reactor, budget, NOW);
            assert!((1..=budget).contains(&events.len()));
            for event in &events {
                if let Event::Ready(Token(token), _) = *event {
                    // Whoever was served is ready again at once.
                    assert_eq!((&ours[token]).read(&mut [0; 8]).unwrap(), 1);
                    (&others[token]).write_all(b"x").unwrap();
                }
            }
            seen.extend(events);
        }
        assert!(seen.contains(&Event::Woken), "{seen:?}");
        for token in 0..5 {
            readiness(&seen, token);
        }
    }
}

#[test]
fn what_is_deregistered_or_dropped_is_silent_and_the_others_are_not() {
    let mut reactor = reactor();
    let (mut ours, others) = pairs(&mut reactor, 3);
    reactor.deregister(&mut ours[1]).unwrap();
    drop(ours.remove(0));
    for other in &others[1..] {
        (&*other).write_all(b"x").unwrap();
    }
    assert_eq!(tokens(&turn(&mut reactor, 16, NOW)), [2]);
    reactor.register(&mut ours[0], Token(9)).unwrap();
    assert!(readiness(&turn(&mut reactor, 16, NOW), 9).readable);
}

#[test]
fn wakers_timers_and_listeners_end_the_wait() {
    let mut reactor = reactor();
    let (_ours, others) = pairs(&mut reactor, 1);
    let waker = reactor.waker();
    let waking = std::thread::spawn(move || waker.wake());
    assert_eq!(turn(&mut reactor, 16, None), [Event::Woken]);
    waking.join().unwrap();

    let listener = Listener::tcp(([127, 0, 0, 1], 0).into(), 16, false).unwrap();
    let Peer::Inet(address) = listener.local() else {
        unreachable!()
    };
    let mut acceptor = Acceptor::new(listener, Token(7), &mut reactor).unwrap();
    let _client = TcpStream::connect(address).unwrap();
    (&others[0]).write_all(b"x").unwrap();
    let mut seen = tokens(&turn(&mut reactor, 16, None));
    if seen.len() == 1 {
        seen.extend(tokens(&turn(&mut reactor, 16, None)));
    }
    seen.sort_unstable();
    assert_eq!(seen, [0, 7]);
    assert!(matches!(
        acceptor.accept(&mut reactor),
        Accepted::Connection(_)
    ));

    reactor.arm(Token(3), reactor.now() + Duration::from_millis(5));
    settle(&mut reactor);
    assert_eq!(turn(&mut reactor, 16, None), [Event::Expired(Token(3))]);
}

#[test]
fn a_reactor_that_spins_first_reports_the_same() {
    for poller in [Poller::Queue, Poller::Poll] {
        let spin = Duration::from_millis(2);
        let mut reactor = Reactor::with(Waiting { poller, spin }).unwrap();
        let (ours, others) = pairs(&mut reactor, 1);
        for pause in [Duration::ZERO, spin * 2, spin * 3, Duration::ZERO] {
            reactor.arm(Token(1), reactor.now() + pause);
            assert_eq!(turn(&mut reactor, 16, None), [Event::Expired(Token(1))]);
            (&others[0]).write_all(b"x").unwrap();
            assert_eq!(tokens(&turn(&mut reactor, 16, None)), [0]);
            assert_eq!((&ours[0]).read(&mut [0; 8]).unwrap(), 1);
        }
        let bound = Some(Duration::from_millis(1));
        assert!(turn(&mut reactor, 16, bound).is_empty());
    }
}
