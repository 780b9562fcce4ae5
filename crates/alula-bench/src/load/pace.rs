//! When the next request goes out.

use std::collections::VecDeque;

/// An open loop's clock, and its line of connections that have room. Times are nanoseconds of the
/// run's clock.
#[derive(Debug)]
pub(crate) struct Schedule {
    start: u64,
    /// Nanoseconds from one request of the run to the next.
    gap: f64,
    /// The next request of this thread, counted over all threads: each takes every `step`th.
    index: u64,
    step: u64,
    /// Connections that have room, the one that has waited longest first.
    pub(crate) line: VecDeque<usize>,
}

impl Schedule {
    /// `rate`: of the whole run, in requests a second.
    pub(crate) fn new(rate: f64, thread: usize, threads: usize) -> Self {
        Self {
            start: 0,
            gap: 1e9 / rate,
            index: thread as u64,
            step: threads as u64,
            line: VecDeque::new(),
        }
    }

    /// The first request of the run is due at `start`.
    pub(crate) fn begin(&mut self, start: u64) {
        self.start = start;
    }

    /// When the next request is due.
    pub(crate) fn due(&self) -> u64 {
        // Multiplied, not added up, so that errors don't either.
        self.start + (self.index as f64 * self.gap) as u64
    }

    /// Goes on to the one behind it.
    pub(crate) fn advance(&mut self) {
        self.index += self.step;
    }

    /// How many of this thread's requests are due before `until`, the next one included.
    pub(crate) fn waiting(&self, until: u64) -> u64 {
        let due = self.due();
        if due >= until {
            return 0;
        }
        1 + ((until - due - 1) as f64 / (self.gap * self.step as f64)) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::Schedule;

    #[test]
    fn threads_share_one_even_row() {
        let mut dues = Vec::new();
        for thread in 0..3 {
            let mut schedule = Schedule::new(1000.0, thread, 3);
            schedule.begin(500);
            for _ in 0..4 {
                dues.push(schedule.due());
                schedule.advance();
            }
        }
        dues.sort_unstable();
        let even: Vec<u64> = (0..12).map(|index| 500 + index * 1_000_000).collect();
        assert_eq!(dues, even);
    }

    #[test]
    fn an_odd_rate_does_not_drift() {
        let mut schedule = Schedule::new(7.0, 0, 1);
        schedule.begin(0);
        for _ in 0..7_000_000 {
            schedule.advance();
        }
        assert_eq!(schedule.due(), 1_000_000 * 1_000_000_000);
    }

    #[test]
    fn counts_what_is_due_before_a_time() {
        let mut schedule = Schedule::new(1000.0, 0, 1);
        schedule.begin(0);
        assert_eq!(schedule.waiting(0), 0);
        assert_eq!(schedule.waiting(1), 1);
        assert_eq!(schedule.waiting(1_000_000), 1);
        assert_eq!(schedule.waiting(1_000_001), 2);
        schedule.advance();
        assert_eq!(schedule.waiting(1_000_000), 0);
        assert_eq!(schedule.waiting(3_000_000), 2);
    }
}
