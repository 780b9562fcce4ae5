//! Timers and wakers of a real reactor. Deadlines are short, and only ever waited for.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use alula_reactor::{Event, Reactor, Token};

const NOW: Option<Duration> = Some(Duration::ZERO);

fn millis(count: u64) -> Duration {
    Duration::from_millis(count)
}

fn turn(reactor: &mut Reactor, timeout: Option<Duration>) -> Vec<Event> {
    let mut events = Vec::new();
    reactor.turn(16, timeout, &mut events).unwrap();
    events
}

#[test]
fn waits_for_the_deadline_and_never_reports_it_early() {
    let mut reactor = Reactor::new().unwrap();
    let deadline = reactor.refresh_now() + millis(3);
    reactor.arm(Token(4), deadline);
    assert_eq!(reactor.next_deadline(), Some(deadline));
    assert_eq!(reactor.deadline(Token(4)), Some(deadline));
    // A waker that nobody means, so that a deadline that is slept through shows.
    let waker = reactor.waker();
    let (stop, stopped) = std::sync::mpsc::channel::<()>();
    let guard = std::thread::spawn(move || {
        if stopped.recv_timeout(Duration::from_secs(10)).is_err() {
            waker.wake();
        }
    });
    let mut events = Vec::new();
    while events.is_empty() {
        events = turn(&mut reactor, None);
    }
    assert_eq!(events, [Event::Expired(Token(4))]);
    assert!(reactor.now() >= deadline);
    stop.send(()).unwrap();
    guard.join().unwrap();
    assert!(reactor.has_expired(Token(4)));
    assert_eq!(reactor.next_deadline(), None);
}

#[test]
fn a_turn_that_must_not_wait_does_not() {
    let mut reactor = Reactor::new().unwrap();
    let before = reactor.refresh_now();
    reactor.arm(Token(0), before + Duration::from_secs(3600));
    assert!(turn(&mut reactor, NOW).is_empty());
    assert!(
        turn(&mut reactor, Some(millis(1))).is_empty(),
        "the timeout is the shorter one"
    );
    assert!(reactor.now() >= before + millis(1));
}

#[test]
fn due_timers_come_in_order_however_many() {
    const COUNT: usize = 1_000;
    let mut reactor = Reactor::new().unwrap();
    let now = reactor.refresh_now();
    for token in 0..COUNT {
        reactor.arm(Token(token), now.checked_sub(millis(token as u64)).unwrap());
    }
    let expected: Vec<_> = (0..COUNT)
        .rev()
        .map(|token| Event::Expired(Token(token)))
        .collect();
    assert_eq!(
        turn(&mut reactor, NOW),
        expected,
        "the budget is for sources"
    );
}

#[test]
fn a_disarmed_timer_stays_silent() {
    let mut reactor = Reactor::new().unwrap();
    let now = reactor.refresh_now();
    reactor.arm(Token(0), now);
    reactor.disarm(Token(0));
    reactor.arm(Token(1), now + millis(2));
    let mut events = Vec::new();
    while events.is_empty() {
        events = turn(&mut reactor, None);
    }
    assert_eq!(events, [Event::Expired(Token(1))]);
}

#[test]
fn run_skips_a_timer_that_an_earlier_event_has_moved_or_cleared() {
    let mut reactor = Reactor::new().unwrap();
    let now = reactor.refresh_now();
    for (token, age) in [(0, 3), (1, 2), (2, 1), (3, 0)] {
        reactor.arm(Token(token), now.checked_sub(millis(age)).unwrap());
    }
    let mut seen = Vec::new();
    let run = reactor.run(|reactor, event| {
        seen.push(event);
        match event {
            Event::Expired(Token(0)) => {
                reactor.disarm(Token(1));
                let later = reactor.now() + Duration::from_secs(3600);
                reactor.arm(Token(2), later);
                ControlFlow::Continue(())
            }
            _ => ControlFlow::Break(()),
        }
    });
    run.unwrap();
    assert_eq!(seen, [Event::Expired(Token(0)), Event::Expired(Token(3))]);
}

#[test]
fn a_waker_ends_a_wait_from_another_thread() {
    let mut reactor = Reactor::new().unwrap();
    let waker = reactor.waker();
    let thread = std::thread::spawn(move || waker.wake());
    assert_eq!(turn(&mut reactor, None), [Event::Woken]);
    thread.join().unwrap();
}

#[test]
fn many_wakes_between_two_turns_are_one() {
    let mut reactor = Reactor::new().unwrap();
    let wakers = [reactor.waker(), reactor.waker(), reactor.waker().clone()];
    std::thread::scope(|scope| {
        for waker in &wakers {
            scope.spawn(|| (0..1_000).for_each(|_| waker.wake()));
        }
    });
    assert_eq!(turn(&mut reactor, None), [Event::Woken]);
    assert!(turn(&mut reactor, NOW).is_empty());
    wakers[0].wake();
    assert_eq!(turn(&mut reactor, None), [Event::Woken]);
}

#[test]
fn a_waker_outlives_its_reactor() {
    let waker = Reactor::new().unwrap().waker();
    waker.wake();
}

#[test]
fn the_clock_is_read_once_a_turn() {
    let mut reactor = Reactor::new().unwrap();
    let first = reactor.now();
    let later = loop {
        let now = Instant::now();
        if now > first {
            break now;
        }
    };
    assert_eq!(reactor.now(), first);
    turn(&mut reactor, NOW);
    assert!(reactor.now() >= later);
}
