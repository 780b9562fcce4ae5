//! What a thread uses of its core in the measured interval.

use super::usage::ThreadTime;

/// Times are nanoseconds of the run's clock.
#[derive(Debug, Default)]
pub(crate) struct Meter {
    /// Nanoseconds spent polling for what was not due yet, from the start.
    pub(crate) spun: u64,
    begun: Option<Reading>,
    ended: Option<Reading>,
}

#[derive(Clone, Copy, Debug)]
struct Reading {
    at: u64,
    time: ThreadTime,
    spun: u64,
}

/// A thread's use of its core over an interval; all in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct CoreUse {
    /// Running, without what was spent polling for what was not due.
    pub(crate) running: u64,
    /// Able to run while others did.
    pub(crate) waiting: u64,
    /// Length of the interval.
    pub(crate) elapsed: u64,
}

impl Meter {
    /// Takes the readings at the ends of the interval, once their time has come.
    pub(crate) fn look(&mut self, now: u64, from: u64, until: u64) {
        if self.begun.is_none() && now >= from {
            self.begun = self.reading(now);
        }
        if self.ended.is_none() && now >= until {
            self.ended = self.reading(now);
        }
    }

    /// The interval ends now at the latest.
    pub(crate) fn end(&mut self, now: u64, from: u64) {
        self.look(now, from, now);
    }

    /// What was used, if the system tells.
    pub(crate) fn used(&self) -> Option<CoreUse> {
        let (begun, ended) = (self.begun?, self.ended?);
        let time = ended.time.since(begun.time);
        Some(CoreUse {
            running: time.running.saturating_sub(ended.spun - begun.spun),
            waiting: time.waiting,
            elapsed: ended.at - begun.at,
        })
    }

    fn reading(&self, at: u64) -> Option<Reading> {
        Some(Reading {
            at,
            time: ThreadTime::now()?,
            spun: self.spun,
        })
    }
}

impl CoreUse {
    /// The share of the core that was taken up.
    pub(crate) fn share(self) -> f64 {
        if self.elapsed == 0 {
            return 0.0;
        }
        (self.running + self.waiting) as f64 / self.elapsed as f64
    }
}

#[cfg(test)]
mod tests;
