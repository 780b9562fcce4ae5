//! Whether it pays to look for the next event again and again instead of sleeping.
//!
//! Being put to sleep and woken costs more than a small request. Where events come quicker than the
//! time that may be spent looking, and did so several times in a row, looking finds the next one;
//! one that is late ends it, until they come quickly again.

use std::time::{Duration, Instant};

/// Quick events in a row before it pays.
const STREAK: u8 = 4;

#[derive(Debug)]
pub(crate) struct BusyPoll {
    window: Duration,
    /// When a turn had left nothing to do.
    left: Option<Instant>,
    streak: u8,
}

impl BusyPoll {
    pub(crate) fn new(window: Duration) -> Self {
        Self {
            window,
            left: None,
            streak: 0,
        }
    }

    /// Something has come.
    pub(crate) fn turned(&mut self, now: Instant) {
        if let Some(left) = self.left.take() {
            let quick = now.saturating_duration_since(left) < self.window;
            self.streak = if quick {
                STREAK.min(self.streak + 1)
            } else {
                0
            };
        }
    }

    /// There is nothing to do from `now` on: for how long it pays to look.
    pub(crate) fn window(&mut self, now: impl FnOnce() -> Instant) -> Option<Duration> {
        if self.window.is_zero() {
            return None;
        }
        self.left = Some(now());
        (self.streak == STREAK).then_some(self.window)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WINDOW: Duration = Duration::from_micros(100);

    /// Events after these pauses; whether it then pays.
    fn pays(busy: &mut BusyPoll, pauses: &[Duration]) -> bool {
        let mut now = Instant::now();
        for &pause in pauses {
            busy.window(|| now);
            now += pause;
            busy.turned(now);
        }
        busy.window(|| now).is_some()
    }

    #[test]
    fn it_pays_after_four_quick_events_in_a_row() {
        let (quick, late) = (Duration::from_micros(99), WINDOW);
        for (pauses, expected) in [
            (&[quick; 3][..], false),
            (&[quick; 4], true),
            (&[quick; 300], true),
            (&[quick, quick, quick, late], false),
            (
                &[quick, quick, quick, quick, late, quick, quick, quick],
                false,
            ),
            (&[late, quick, quick, quick, quick], true),
        ] {
            let seen = pays(&mut BusyPoll::new(WINDOW), pauses);
            assert_eq!(seen, expected, "{pauses:?}");
        }
    }

    #[test]
    fn turns_that_follow_work_say_nothing_and_a_zero_window_never_pays() {
        let mut busy = BusyPoll::new(WINDOW);
        assert!(pays(&mut busy, &[Duration::ZERO; 4]));
        busy.turned(Instant::now());
        busy.turned(Instant::now() + WINDOW * 9);
        assert!(busy.window(Instant::now).is_some());
        let mut off = BusyPoll::new(Duration::ZERO);
        assert!(!pays(&mut off, &[Duration::ZERO; 9]));
    }
}
