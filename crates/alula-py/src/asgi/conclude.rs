//! What is left to do when an application is through with its request.

use alula_server::Finish;
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::exceptions::asyncio::CancelledError;
use pyo3::prelude::*;

use super::exchange::{Handles, State};
use crate::core::{self, Core};
use crate::error;
use crate::ffi::stop;

impl Handles<'_> {
    /// The application has returned or raised `result`.
    ///
    /// # Errors
    ///
    /// A `KeyboardInterrupt`, where the server leaves those to the loop.
    #[inline]
    pub(crate) fn conclude(self, result: PyResult<Bound<'_, PyAny>>) -> PyResult<()> {
        let py = self.exchange.py();
        let state = self.exchange.get().here()?;
        let Some(core) = core::find(state.worker) else {
            // The worker is closed, and its tasks end without it: in failure, for the most part.
            if let Err(error) = result
                && !error::is_gone(py, error.value(py))
                && !error.is_instance_of::<CancelledError>(py)
            {
                error.write_unraisable(py, Some(&self.receive));
            }
            return Ok(());
        };
        let mut interrupt = None;
        match result {
            Ok(value) if value.is_none() => returned(py, &core, state),
            Ok(value) => {
                core.log.wrong_return(py, &core, &value);
                finish(py, &core, state);
            }
            Err(error) => {
                raised(py, &core, state, &error);
                if core.interrupts && error.is_instance_of::<PyKeyboardInterrupt>(py) {
                    interrupt = Some(error);
                }
            }
        }
        self.let_go(py, &core);
        core.poke(py)?;
        interrupt.map_or(Ok(()), Err)
    }

    /// The application was ended from outside, before it was through.
    pub(crate) fn abandon(self) {
        let py = self.exchange.py();
        let Ok(state) = self.exchange.get().here() else {
            return;
        };
        let Some(core) = core::find(state.worker) else {
            return;
        };
        finish(py, &core, state);
        self.let_go(py, &core);
        if let Err(error) = core.poke(py) {
            error.write_unraisable(py, None);
        }
    }

    /// The exchange is over: forgets it, and keeps what can be used again.
    #[inline]
    fn let_go(self, py: Python<'_>, core: &Core) {
        let handler = core.engine.handler();
        if let Ok(state) = self.exchange.get().here() {
            if let Some(key) = state.running.take() {
                handler.launcher.forget(key);
            }
            if !state.receivers.borrow().is_empty() || !state.senders.borrow().is_empty() {
                state.wake_receivers(py);
                state.wake_senders(py);
            }
            if let Some(id) = state.id() {
                handler.waiting.remove(id);
            }
        }
        stop::forget(py);
        if let Some(spare) = self.rest() {
            handler.keep(spare);
        }
    }
}

/// It has returned, as it should: but has it answered?
#[inline]
fn returned(py: Python<'_>, core: &Core, state: &State) {
    match finish(py, core, state) {
        Finish::Over => {}
        // Told that nobody is left to answer, it is right to stop.
        _ if state.told.get() => {}
        Finish::Unstarted => {
            core.log.error(
                py,
                core,
                "ASGI callable returned without starting response.",
            );
        }
        Finish::Unfinished => {
            core.log.error(
                py,
                core,
                "ASGI callable returned without completing response.",
            );
        }
    }
}

/// It has raised.
#[cold]
fn raised(py: Python<'_>, core: &Core, state: &State, error: &PyErr) {
    // What we ourselves raised for a client that left is no failure of the application.
    if !error::is_gone(py, error.value(py)) {
        core.log.exception(py, core, error);
    }
    finish(py, core, state);
}

/// Tells the engine; logs the answer that it gives in the application's place.
#[inline]
fn finish(py: Python<'_>, core: &Core, state: &State) -> Finish {
    let Some(id) = state.id() else {
        return Finish::Over;
    };
    let finish = core.engine.finish(id);
    if finish == Finish::Unstarted {
        core.log_access(py, state, 500);
        core.count_request();
    }
    finish
}
