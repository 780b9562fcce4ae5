//! Who watches a run, and may end it.

use std::ops::ControlFlow;

use crate::report::{Errors, Second};

/// Watches a run. `()` watches nothing.
pub trait Observer {
    /// Called about ten times a second. Breaking ends the run: the report tells what was measured
    /// by then, as [`Ended::Interrupted`](crate::report::Ended).
    fn progress(&mut self, progress: &Progress) -> ControlFlow<()>;
}

impl Observer for () {
    fn progress(&mut self, _progress: &Progress) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// How far a run has come.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Progress {
    /// Seconds since the measured interval began; negative in the warm-up.
    pub seconds: f64,
    /// Seconds that are to be measured, unless requests are counted.
    pub duration: Option<f64>,
    /// Requests that are to be measured, unless time is.
    pub requests: Option<u64>,
    /// Right answers in the whole seconds so far.
    pub answered: u64,
    /// The last whole second; `None` before the first has passed. Warm-up has them too.
    pub last: Option<Second>,
    /// Whole seconds that have passed, warm-up included: another number, another `last`.
    pub passed: u64,
    /// Errors so far.
    pub errors: Errors,
}
