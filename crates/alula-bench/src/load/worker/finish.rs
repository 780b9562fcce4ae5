//! When a run is over, and what is told of it.

use std::sync::atomic::Ordering;

use super::Worker;
use crate::load::message::Outcome;
use crate::plan::Extent;
use crate::report::Ended;

/// So long after its end an open loop still sends what was due before, in nanoseconds: what is a
/// little late is no queue.
const GRACE: u64 = 20_000_000;

impl Worker<'_> {
    /// Whether the run is over, and how.
    pub(super) fn end(&self) -> Option<Ended> {
        if self.task.stop.load(Ordering::Relaxed) {
            return Some(Ended::Interrupted);
        }
        let passed = self.quota == Some(0) || self.now >= self.until;
        if passed && self.in_flight == 0 && !self.sends_at(self.now) {
            return Some(Ended::Complete);
        }
        let patience = 2 * self.task.plan.timeout.as_nanos() as u64;
        let silent = self.now.saturating_sub(self.record.last_answer) > patience;
        (self.quota.is_some() && silent).then_some(Ended::NoAnswers)
    }

    /// Whether requests may still be sent at a time.
    pub(super) fn sends_at(&self, time: u64) -> bool {
        let grace = if self.schedule.is_some() { GRACE } else { 0 };
        let rest = self
            .schedule
            .as_ref()
            .is_none_or(|schedule| schedule.due() < self.until);
        self.quota != Some(0) && rest && time < self.until.saturating_add(grace)
    }

    pub(super) fn finish(mut self, ended: Ended) -> Outcome {
        self.now = self.clock();
        let until = match (ended, self.task.plan.extent) {
            (Ended::Complete, Extent::Requests(_)) => self.record.last_answer,
            _ => self.now.min(self.until),
        };
        self.meter.end(self.now, self.from);
        let unsent = self.count_unsent(until);
        self.record.finish();
        Outcome {
            measured: until.saturating_sub(self.from),
            ended,
            unsent,
            connections: self.made,
            mismatch: self.record.mismatch.take(),
            time: self.meter.used(),
            lag: self.lag,
        }
    }

    /// What was due before `until` and still waits, with its wait so far.
    fn count_unsent(&mut self, until: u64) -> u64 {
        let Some(schedule) = &mut self.schedule else {
            return 0;
        };
        let waiting = match self.quota {
            Some(quota) => schedule.waiting(until).min(quota),
            None => schedule.waiting(until),
        };
        // In strides, so that a long queue does not take long to count.
        let stride = waiting.div_ceil(100_000).max(1);
        let mut left = waiting;
        let mut measured = 0;
        while left > 0 {
            let count = stride.min(left);
            if schedule.due() >= self.from {
                self.record.unsent(until - schedule.due(), count);
                measured += count;
            }
            for _ in 0..count {
                schedule.advance();
            }
            left -= count;
        }
        measured
    }
}
