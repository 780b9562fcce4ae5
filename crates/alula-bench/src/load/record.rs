//! What a thread has measured, second by second.

use std::sync::mpsc::Sender;

use hdrhistogram::Histogram;

use super::message::Message;
use crate::report::{Errors, Mismatch};

/// Nanoseconds of a second.
pub(crate) const SECOND: u64 = 1_000_000_000;

/// The longest latency that is told apart from longer ones: an hour, in nanoseconds.
const LONGEST: u64 = 3600 * SECOND;

/// A histogram of nanoseconds, within 0.1 %.
pub(crate) fn histogram() -> Histogram<u64> {
    // The bounds are constants that the library accepts.
    Histogram::new_with_bounds(1, LONGEST, 3).unwrap_or_else(|_| unreachable!())
}

/// A second of one thread.
#[derive(Clone, Debug)]
pub(crate) struct Slice {
    /// The seconds of the measured interval count from 0; those of the warm-up are below.
    pub(crate) second: i64,
    /// Its length in seconds: 1, or less for the first of a warm-up.
    pub(crate) length: f64,
    /// It is a whole one, not the piece at a run's end.
    pub(crate) whole: bool,
    /// Latencies of the answers that came in this second; in the measured interval only of requests
    /// that began in it.
    pub(crate) latency: Histogram<u64>,
    /// Right answers.
    pub(crate) answered: u64,
    pub(crate) errors: Errors,
    pub(crate) bytes_received: u64,
    pub(crate) bytes_sent: u64,
}

impl Slice {
    pub(crate) fn new(second: i64) -> Self {
        Self {
            second,
            length: 1.0,
            whole: true,
            latency: histogram(),
            answered: 0,
            errors: Errors::default(),
            bytes_received: 0,
            bytes_sent: 0,
        }
    }

    /// Adds the same second of another thread.
    pub(crate) fn add(&mut self, other: &Self) {
        // Both have the same bounds.
        let _ = self.latency.add(&other.latency);
        self.whole &= other.whole;
        self.answered += other.answered;
        self.errors.add(&other.errors);
        self.bytes_received += other.bytes_received;
        self.bytes_sent += other.bytes_sent;
    }
}

/// The slice that is being filled; whole ones go to the thread that collects.
pub(crate) struct Record {
    pub(crate) slice: Slice,
    /// When the slice ends, in nanoseconds of the run's clock.
    ends: u64,
    /// When the measured interval begins, and when it has ended.
    from: u64,
    until: u64,
    /// When the last right answer came.
    pub(crate) last_answer: u64,
    /// The first wrong answer.
    pub(crate) mismatch: Option<Box<Mismatch>>,
    sender: Sender<Message>,
}

/// What goes wrong with a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    Connect,
    Reset,
    Timeout,
    ClosedEarly,
    Malformed,
}

impl Record {
    /// Begins with the warm-up's first second, or with the measured interval.
    pub(crate) fn new(sender: Sender<Message>) -> Self {
        Self {
            slice: Slice::new(i64::MIN),
            ends: u64::MAX,
            from: u64::MAX,
            until: u64::MAX,
            last_answer: 0,
            mismatch: None,
            sender,
        }
    }

    /// The clock is set: the run begins at `now`, and what has been counted belongs to its first
    /// second.
    pub(crate) fn begin(&mut self, now: u64, from: u64, until: u64) {
        let ahead = (from - now).div_ceil(SECOND);
        self.from = from;
        self.until = until;
        self.slice.second = -(ahead as i64);
        self.ends = if ahead == 0 {
            now + SECOND
        } else {
            from - (ahead - 1) * SECOND
        };
        self.slice.length = (self.ends - now) as f64 / SECOND as f64;
        self.last_answer = now;
    }

    /// A right answer came at `at`, to a request that began at `begun`.
    pub(crate) fn answered(&mut self, begun: u64, at: u64) {
        if at >= self.ends {
            self.advance(at);
        }
        let latency = at.saturating_sub(begun);
        // One that begins in the warm-up belongs to it, and shows there if it ends there too.
        let belongs = begun >= self.from || at < self.from;
        if belongs && begun < self.until {
            self.slice.latency.saturating_record(latency);
        }
        // Where requests are counted, just those are that were to be sent; where time is, an answer
        // to one of the warm-up stands for one that comes too late.
        let counted = self.until == u64::MAX;
        if at < self.until && (belongs || !counted) {
            self.slice.answered += 1;
        }
        self.last_answer = at;
    }

    /// `count` requests that began at `begun` wait still.
    pub(crate) fn unsent(&mut self, waited: u64, count: u64) {
        self.slice.latency.saturating_record_n(waited, count);
    }

    /// A wrong answer came.
    #[cold]
    pub(crate) fn wrong(&mut self, label: &str, mut mismatch: Box<Mismatch>) {
        self.slice.errors.mismatch += 1;
        if self.mismatch.is_none() {
            label.clone_into(&mut mismatch.request);
            self.mismatch = Some(mismatch);
        }
    }

    /// `count` requests, or attempts to connect, failed.
    #[cold]
    pub(crate) fn failed(&mut self, failure: Failure, count: u64) {
        let errors = &mut self.slice.errors;
        *match failure {
            Failure::Connect => &mut errors.connect,
            Failure::Reset => &mut errors.reset,
            Failure::Timeout => &mut errors.timeout,
            Failure::ClosedEarly => &mut errors.closed_early,
            Failure::Malformed => &mut errors.malformed,
        } += count;
    }

    pub(crate) fn received(&mut self, bytes: usize) {
        self.slice.bytes_received += bytes as u64;
    }

    pub(crate) fn sent(&mut self, bytes: usize) {
        self.slice.bytes_sent += bytes as u64;
    }

    /// Hands over every slice that has ended by `at`.
    pub(crate) fn advance(&mut self, at: u64) {
        while at >= self.ends {
            let next = Slice::new(self.slice.second + 1);
            let whole = std::mem::replace(&mut self.slice, next);
            self.ends += SECOND;
            self.send(whole);
        }
    }

    /// Hands over the last slice.
    pub(crate) fn finish(&mut self) {
        let mut last = std::mem::replace(&mut self.slice, Slice::new(i64::MAX));
        last.whole = false;
        self.send(last);
    }

    fn send(&self, slice: Slice) {
        // The collector outlives the threads.
        let _ = self.sender.send(Message::Slice(Box::new(slice)));
    }
}

#[cfg(test)]
mod tests;
