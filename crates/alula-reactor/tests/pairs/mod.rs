//! Registered streams, and what a turn tells of them.

use std::time::Duration;

use alula_reactor::{Event, Reactor, Readiness, Stream, Token};

pub(crate) const NOW: Option<Duration> = Some(Duration::ZERO);

pub(crate) fn turn(reactor: &mut Reactor, budget: usize, timeout: Option<Duration>) -> Vec<Event> {
    let mut events = Vec::new();
    let again = reactor.turn(budget, timeout, &mut events).unwrap();
    assert!(!again, "nothing is held back unless run() broke off");
    events
}

/// Takes whatever is reported at registration (streams are writable from the start).
pub(crate) fn settle(reactor: &mut Reactor) {
    while !turn(reactor, 64, NOW).is_empty() {}
}

pub(crate) fn tokens(events: &[Event]) -> Vec<usize> {
    let mut tokens: Vec<usize> = (events.iter())
        .map(|event| match event {
            Event::Ready(token, _) => token.0,
            other => panic!("unexpected {other:?}"),
        })
        .collect();
    tokens.sort_unstable();
    tokens
}

pub(crate) fn readiness(events: &[Event], token: usize) -> Readiness {
    let of_token = |event: &Event| match event {
        Event::Ready(Token(it), readiness) if *it == token => Some(*readiness),
        _ => None,
    };
    events
        .iter()
        .find_map(of_token)
        .unwrap_or_else(|| panic!("{token} not in {events:?}"))
}

/// Registered streams with tokens from 0 on, and the other ends.
pub(crate) fn pairs(reactor: &mut Reactor, count: usize) -> (Vec<Stream>, Vec<Stream>) {
    let (mut ours, mut others) = (Vec::new(), Vec::new());
    for token in 0..count {
        let (mut our, other) = Stream::pair().unwrap();
        reactor.register(&mut our, Token(token)).unwrap();
        ours.push(our);
        others.push(other);
    }
    settle(reactor);
    (ours, others)
}
