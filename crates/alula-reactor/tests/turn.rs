//! Turns over real sockets: readiness, the budget, and being watched by another loop.

mod pairs;

use std::io::{ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::ops::ControlFlow;
use std::time::Duration;

use alula_reactor::{Event, Reactor, Readiness, Stream, Token};
use mio::unix::SourceFd;
use pairs::{NOW, pairs, readiness, settle, tokens, turn};

/// What a loop that watches the reactor's descriptor (level-triggered) would see.
fn is_readable(reactor: &Reactor) -> bool {
    let mut outer = mio::Poll::new().unwrap();
    let mut source = SourceFd(&reactor.fd());
    outer
        .registry()
        .register(&mut source, mio::Token(0), mio::Interest::READABLE)
        .unwrap();
    let mut events = mio::Events::with_capacity(4);
    outer.poll(&mut events, NOW).unwrap();
    !events.is_empty()
}

#[test]
fn a_new_stream_is_writable_and_not_readable() {
    let mut reactor = Reactor::new().unwrap();
    let (mut stream, _other) = Stream::pair().unwrap();
    reactor.register(&mut stream, Token(5)).unwrap();
    let events = turn(&mut reactor, 16, NOW);
    assert_eq!(tokens(&events), [5]);
    let expected = Readiness {
        writable: true,
        ..Readiness::default()
    };
    assert_eq!(readiness(&events, 5), expected);
}

#[test]
fn arrived_bytes_are_reported_once_until_more_arrive() {
    let mut reactor = Reactor::new().unwrap();
    let (ours, others) = pairs(&mut reactor, 2);
    (&others[1]).write_all(b"abc").unwrap();
    let events = turn(&mut reactor, 16, None);
    assert_eq!(tokens(&events), [1]);
    assert!(readiness(&events, 1).readable && !readiness(&events, 1).read_closed);
    assert!(turn(&mut reactor, 16, NOW).is_empty(), "edge-triggered");
    (&others[1]).write_all(b"d").unwrap();
    assert_eq!(tokens(&turn(&mut reactor, 16, NOW)), [1]);
    let mut buffer = [0; 8];
    assert_eq!((&ours[1]).read(&mut buffer).unwrap(), 4);
    let error = (&ours[1]).read(&mut buffer).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::WouldBlock);
}

#[test]
fn becomes_writable_again_when_the_peer_reads() {
    let mut reactor = Reactor::new().unwrap();
    let (ours, others) = pairs(&mut reactor, 1);
    let piece = [b'x'; 4096];
    while (&ours[0]).write(&piece).is_ok() {}
    assert!(
        turn(&mut reactor, 16, NOW)
            .iter()
            .all(|it| !matches!(it, Event::Woken))
    );
    settle(&mut reactor);
    let mut buffer = [0; 4096];
    while (&others[0]).read(&mut buffer).is_ok() {}
    assert!(readiness(&turn(&mut reactor, 16, None), 0).writable);
}

#[test]
fn a_half_close_and_a_hang_up_tell_apart() {
    let mut reactor = Reactor::new().unwrap();
    let (ours, mut others) = pairs(&mut reactor, 1);
    others[0].shutdown_write().unwrap();
    let half = readiness(&turn(&mut reactor, 16, None), 0);
    assert!(
        half.readable && half.read_closed && !half.write_closed,
        "{half:?}"
    );
    assert_eq!((&ours[0]).read(&mut [0; 8]).unwrap(), 0);
    (&ours[0]).write_all(b"still open").unwrap();
    others.clear();
    let gone = readiness(&turn(&mut reactor, 16, None), 0);
    assert!(gone.writable && gone.write_closed, "{gone:?}");
}

#[test]
fn a_reset_is_an_error_that_can_be_taken() {
    let mut reactor = Reactor::new().unwrap();
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let mut stream = Stream::connect_tcp(listener.local_addr().unwrap()).unwrap();
    let (mut other, _) = listener.accept().unwrap();
    reactor.register(&mut stream, Token(0)).unwrap();
    settle(&mut reactor);
    (&stream).write_all(b"never read").unwrap();
    // Wait until it has arrived: a close with something unread is a reset.
    assert_eq!(other.peek(&mut [0; 1]).unwrap(), 1);
    other = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let events = turn(&mut reactor, 16, None);
    let readiness = readiness(&events, 0);
    assert!(
        readiness.error && readiness.readable && readiness.writable,
        "{readiness:?}"
    );
    let error = stream.take_error().unwrap().expect("an error is stored");
    assert_eq!(error.kind(), ErrorKind::ConnectionReset);
    drop(other);
}

#[test]
fn the_budget_bounds_a_turn_and_the_rest_stays() {
    const COUNT: usize = 10;
    let mut reactor = Reactor::new().unwrap();
    let (_ours, others) = pairs(&mut reactor, COUNT);
    assert!(!is_readable(&reactor));
    for other in &others {
        (&*other).write_all(b"x").unwrap();
    }
    let mut seen = Vec::new();
    for expected in [3, 3, 3, 1] {
        assert!(
            is_readable(&reactor),
            "something is left after {}",
            seen.len()
        );
        let tokens = tokens(&turn(&mut reactor, 3, NOW));
        assert_eq!(tokens.len(), expected);
        seen.extend(tokens);
    }
    assert!(
        !is_readable(&reactor),
        "edge-triggered: an unread stream keeps nobody busy"
    );
    assert!(turn(&mut reactor, 3, NOW).is_empty());
    seen.sort_unstable();
    assert_eq!(seen, (0..COUNT).collect::<Vec<_>>());
}

#[test]
fn a_busy_stream_starves_no_other() {
    let mut reactor = Reactor::new().unwrap();
    let (_ours, others) = pairs(&mut reactor, 3);
    (&others[0]).write_all(b"x").unwrap();
    (&others[1]).write_all(b"x").unwrap();
    (&others[2]).write_all(b"x").unwrap();
    let mut seen = [0; 3];
    for _ in 0..9 {
        let event = tokens(&turn(&mut reactor, 1, NOW))[0];
        seen[event] += 1;
        // Whoever was served is ready again at once.
        (&others[event]).write_all(b"x").unwrap();
    }
    assert_eq!(seen, [3, 3, 3]);
}

#[test]
fn a_deregistered_source_is_silent_and_can_be_registered_again() {
    let mut reactor = Reactor::new().unwrap();
    let (mut ours, others) = pairs(&mut reactor, 1);
    reactor.deregister(&mut ours[0]).unwrap();
    (&others[0]).write_all(b"x").unwrap();
    assert!(turn(&mut reactor, 16, NOW).is_empty());
    reactor.register(&mut ours[0], Token(9)).unwrap();
    assert!(readiness(&turn(&mut reactor, 16, NOW), 9).readable);
}

#[test]
fn a_dropped_source_is_silent() {
    let mut reactor = Reactor::new().unwrap();
    let (ours, others) = pairs(&mut reactor, 1);
    drop(ours);
    assert!((&others[0]).write_all(b"x").is_err());
    assert!(turn(&mut reactor, 16, NOW).is_empty());
}

#[test]
#[should_panic(expected = "reserved")]
fn the_reserved_token_is_refused() {
    let (mut stream, _other) = Stream::pair().unwrap();
    let _ = Reactor::new()
        .unwrap()
        .register(&mut stream, Token(usize::MAX));
}

#[test]
fn run_loses_no_event_when_its_handler_breaks_off() {
    let mut reactor = Reactor::new().unwrap();
    let (_ours, others) = pairs(&mut reactor, 5);
    for other in &others {
        (&*other).write_all(b"x").unwrap();
    }
    // What is lost never comes: then this timer does, and is no source.
    reactor.arm(Token(5), reactor.now() + Duration::from_secs(10));
    let mut seen = Vec::new();
    let mut take_two = |reactor: &mut Reactor| {
        let mut left = 2;
        let run = reactor.run(|_, event| {
            seen.extend(tokens(&[event]));
            left -= 1;
            if left == 0 {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        });
        run.unwrap();
    };
    take_two(&mut reactor);
    take_two(&mut reactor);
    // One event is held: the descriptor does not show it, the turn says so.
    assert!(!is_readable(&reactor));
    (&others[0]).write_all(b"y").unwrap();
    let mut events = Vec::new();
    assert!(!reactor.turn(1, NOW, &mut events).unwrap());
    seen.extend(tokens(&events));
    assert!(
        is_readable(&reactor),
        "the budget was spent on the held event"
    );
    seen.sort_unstable();
    assert_eq!(seen, [0, 1, 2, 3, 4]);
}

#[test]
fn a_turn_says_that_more_is_held_than_the_budget_takes() {
    let mut reactor = Reactor::new().unwrap();
    let (_ours, others) = pairs(&mut reactor, 3);
    for other in &others {
        (&*other).write_all(b"x").unwrap();
    }
    reactor.run(|_, _| ControlFlow::Break(())).unwrap();
    let mut events = Vec::new();
    assert!(reactor.turn(1, None, &mut events).unwrap());
    assert!(!reactor.turn(1, None, &mut events).unwrap());
    assert_eq!(events.len(), 2);
}
