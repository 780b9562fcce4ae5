use std::time::{Duration, Instant};

use super::Timers;
use crate::event::Token;

/// Milliseconds after a fixed moment, so that no test reads a clock twice.
struct Clock(Instant);

impl Clock {
    fn new() -> Self {
        Self(Instant::now())
    }

    fn at(&self, millis: u64) -> Instant {
        self.0 + Duration::from_millis(millis)
    }
}

fn expired(timers: &mut Timers, now: Instant) -> Vec<usize> {
    std::iter::from_fn(|| timers.expire(now))
        .map(|token| token.0)
        .collect()
}

#[test]
fn expire_in_the_order_of_their_deadlines() {
    let clock = Clock::new();
    let mut timers = Timers::new();
    for (token, millis) in [(0, 30), (1, 10), (2, 20), (7, 40)] {
        timers.arm(Token(token), clock.at(millis));
    }
    assert_eq!(expired(&mut timers, clock.at(9)), []);
    assert_eq!(expired(&mut timers, clock.at(30)), [1, 2, 0]);
    assert_eq!(expired(&mut timers, clock.at(39)), []);
    assert_eq!(expired(&mut timers, clock.at(40)), [7]);
    assert_eq!(timers.next_deadline(), None);
}

#[test]
fn a_later_deadline_replaces_an_earlier_one() {
    let clock = Clock::new();
    let mut timers = Timers::new();
    timers.arm(Token(0), clock.at(10));
    timers.arm(Token(0), clock.at(50));
    assert_eq!(timers.deadline(Token(0)), Some(clock.at(50)));
    assert_eq!(expired(&mut timers, clock.at(49)), []);
    assert_eq!(timers.next_deadline(), Some(clock.at(50)));
    assert_eq!(expired(&mut timers, clock.at(50)), [0]);
    assert_eq!(expired(&mut timers, clock.at(90)), []);
}

#[test]
fn an_earlier_deadline_replaces_a_later_one() {
    let clock = Clock::new();
    let mut timers = Timers::new();
    timers.arm(Token(0), clock.at(50));
    timers.arm(Token(0), clock.at(10));
    assert_eq!(timers.next_deadline(), Some(clock.at(10)));
    assert_eq!(expired(&mut timers, clock.at(10)), [0]);
    assert_eq!(
        expired(&mut timers, clock.at(90)),
        [],
        "the stale entry fires nothing"
    );
}

#[test]
fn moved_timers_keep_the_order_of_their_true_deadlines() {
    let clock = Clock::new();
    let mut timers = Timers::new();
    timers.arm(Token(0), clock.at(10));
    timers.arm(Token(1), clock.at(20));
    timers.arm(Token(0), clock.at(30));
    assert_eq!(expired(&mut timers, clock.at(100)), [1, 0]);
}

#[test]
fn a_disarmed_timer_never_expires_and_can_be_armed_again() {
    let clock = Clock::new();
    let mut timers = Timers::new();
    timers.arm(Token(3), clock.at(10));
    timers.disarm(Token(3));
    timers.disarm(Token(99));
    assert_eq!(timers.deadline(Token(3)), None);
    assert_eq!(expired(&mut timers, clock.at(20)), []);
    timers.arm(Token(3), clock.at(30));
    assert_eq!(expired(&mut timers, clock.at(29)), []);
    assert_eq!(expired(&mut timers, clock.at(30)), [3]);
}

#[test]
fn rearming_at_the_very_time_of_a_stale_entry_fires_once() {
    let clock = Clock::new();
    let mut timers = Timers::new();
    timers.arm(Token(0), clock.at(50));
    timers.arm(Token(0), clock.at(10));
    assert_eq!(expired(&mut timers, clock.at(10)), [0]);
    timers.arm(Token(0), clock.at(50));
    assert_eq!(expired(&mut timers, clock.at(50)), [0]);
}

#[test]
fn has_expired_until_armed_or_disarmed() {
    let clock = Clock::new();
    let mut timers = Timers::new();
    assert!(!timers.has_expired(Token(0)));
    timers.arm(Token(0), clock.at(1));
    assert!(!timers.has_expired(Token(0)));
    assert_eq!(timers.expire(clock.at(1)), Some(Token(0)));
    assert!(timers.has_expired(Token(0)));
    timers.arm(Token(0), clock.at(2));
    assert!(!timers.has_expired(Token(0)));
    assert_eq!(timers.expire(clock.at(2)), Some(Token(0)));
    timers.disarm(Token(0));
    assert!(!timers.has_expired(Token(0)));
}

#[test]
fn moving_to_a_later_time_never_grows_the_queue() {
    let clock = Clock::new();
    let mut timers = Timers::new();
    for request in 0..10_000 {
        timers.arm(Token(0), clock.at(5_000 + request));
        timers.disarm(Token(0));
        timers.arm(Token(0), clock.at(15_000 + request));
    }
    assert_eq!(timers.queue_len(), 1);
    assert_eq!(expired(&mut timers, clock.at(24_998)), []);
    assert_eq!(expired(&mut timers, clock.at(24_999)), [0]);
}

/// Two timeouts in turn, as head and keep-alive deadlines are, leave few stale entries.
#[test]
fn alternating_timeouts_leave_a_bounded_queue() {
    let clock = Clock::new();
    let mut timers = Timers::new();
    let mut longest = 0;
    for millis in 0..200_000 {
        let timeout = if millis % 2 == 0 { 5_000 } else { 15_000 };
        timers.arm(Token(0), clock.at(millis + timeout));
        assert_eq!(timers.expire(clock.at(millis)), None);
        longest = longest.max(timers.queue_len());
    }
    assert!(longest <= 4, "{longest} entries for one timer");
}

/// The table is the truth: against a model without a queue.
#[test]
fn agrees_with_a_plain_table() {
    const TOKENS: usize = 16;
    let clock = Clock::new();
    let mut timers = Timers::new();
    let mut model: [Option<u64>; TOKENS] = [None; TOKENS];
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut random = move |below: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % below
    };
    for now in 0..50_000 {
        let token = random(TOKENS as u64) as usize;
        if random(4) == 0 {
            model[token] = None;
            timers.disarm(Token(token));
        } else {
            let at = now + random(40);
            model[token] = Some(at);
            timers.arm(Token(token), clock.at(at));
        }
        let next = model.iter().flatten().min().map(|at| clock.at(*at));
        assert!(next.is_none_or(|next| timers.next_deadline().is_some_and(|at| at <= next)));
        let mut due: Vec<(u64, usize)> = (0..TOKENS)
            .filter_map(|token| Some((model[token].filter(|at| *at <= now)?, token)))
            .collect();
        due.sort_unstable();
        for (_, token) in &due {
            model[*token] = None;
        }
        let due: Vec<usize> = due.into_iter().map(|(_, token)| token).collect();
        assert_eq!(expired(&mut timers, clock.at(now)), due, "at {now}");
    }
}
