//! What runs in a task.

use pyo3::prelude::*;

use crate::ffi::driver::Charge;

/// A coroutine to be made and run, and what is to be done when it has ended.
pub(crate) trait Work<'py>: Clone {
    /// Whether it is a driver's charge when it waits; otherwise the task shows how it ends.
    const CHARGED: bool;

    /// The coroutine.
    ///
    /// # Errors
    ///
    /// What making it raises.
    fn call(&self) -> PyResult<Bound<'py, PyAny>>;

    /// The coroutine has returned or raised `result`, or could not be made.
    ///
    /// # Errors
    ///
    /// What is to reach the event loop.
    fn conclude(self, result: PyResult<Bound<'py, PyAny>>) -> PyResult<()>;

    /// It waits, in a task that the launcher keeps under this key until it is told to forget it.
    ///
    /// # Errors
    ///
    /// On another thread than its own.
    fn waits(&self, key: usize) -> PyResult<()>;

    /// What a driver needs to conclude it.
    fn charge(self) -> Option<Charge<'py>>;
}
