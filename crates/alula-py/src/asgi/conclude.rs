//! What is left to do when an application is through with its request.

use alula_server::Finish;
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::exceptions::asyncio::CancelledError;
use pyo3::prelude::*;

use super::exchange::{Handles, State};
use super::host::{self, Host};
use crate::error;
use crate::ffi::driver::{Charge, Duties, Objects};
use crate::ffi::stop;
use crate::task::work::Work;

impl<'py> Work<'py> for Handles<'py> {
    const CHARGED: bool = true;

    #[inline]
    fn call(&self) -> PyResult<Bound<'py, PyAny>> {
        self.open()
    }

    /// The application has returned or raised `result`.
    ///
    /// # Errors
    ///
    /// A `KeyboardInterrupt`, where the server leaves those to the loop.
    #[inline]
    fn conclude(self, result: PyResult<Bound<'py, PyAny>>) -> PyResult<()> {
        let py = self.exchange.py();
        let state = self.exchange.get().here()?;
        let Some(host) = host::find(state.worker) else {
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
            Ok(value) if value.is_none() => returned(py, &host, state),
            Ok(value) => {
                host.log.wrong_return(py, host.access(), &value);
                finish(py, &host, state);
            }
            Err(error) => {
                raised(py, &host, state, &error);
                if host.interrupts && error.is_instance_of::<PyKeyboardInterrupt>(py) {
                    interrupt = Some(error);
                }
            }
        }
        self.let_go(py, &host);
        host.poke(py)?;
        interrupt.map_or(Ok(()), Err)
    }

    fn waits(&self, key: usize) -> PyResult<()> {
        self.exchange.get().here()?.running.set(Some(key));
        Ok(())
    }

    fn charge(self) -> Option<Charge<'py>> {
        let objects = [self.exchange.into_any(), self.receive, self.send];
        Some(Charge {
            objects,
            duties: &DUTIES,
        })
    }
}

/// What a driver does with handles.
static DUTIES: Duties = Duties {
    open: |objects| of(objects.clone())?.open(),
    conclude: |objects, result| of(objects)?.conclude(result),
    abandon: |objects| {
        if let Ok(handles) = of(objects) {
            handles.abandon();
        }
    },
};

/// The handles that were made a charge.
fn of([exchange, receive, send]: Objects<'_>) -> PyResult<Handles<'_>> {
    Ok(Handles {
        exchange: exchange.cast_into()?,
        receive,
        send,
    })
}

impl Handles<'_> {
    /// The application was ended from outside, before it was through.
    fn abandon(self) {
        let py = self.exchange.py();
        let Ok(state) = self.exchange.get().here() else {
            return;
        };
        let Some(host) = host::find(state.worker) else {
            return;
        };
        finish(py, &host, state);
        self.let_go(py, &host);
        if let Err(error) = host.poke(py) {
            error.write_unraisable(py, None);
        }
    }

    /// The exchange is over: forgets it, and keeps what can be used again.
    #[inline]
    fn let_go(self, py: Python<'_>, host: &Host) {
        let handler = host.engine.handler();
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
fn returned(py: Python<'_>, host: &Host, state: &State) {
    match finish(py, host, state) {
        Finish::Over => {}
        // Told that nobody is left to answer, it is right to stop.
        _ if state.told.get() => {}
        Finish::Unstarted => {
            host.log.error(
                py,
                host.access(),
                "ASGI callable returned without starting response.",
            );
        }
        Finish::Unfinished => {
            host.log.error(
                py,
                host.access(),
                "ASGI callable returned without completing response.",
            );
        }
    }
}

/// It has raised.
#[cold]
fn raised(py: Python<'_>, host: &Host, state: &State, error: &PyErr) {
    // What we ourselves raised for a client that left is no failure of the application.
    if !error::is_gone(py, error.value(py)) {
        host.log.exception(py, host.access(), error);
    }
    finish(py, host, state);
}

/// Tells the engine; logs the answer that it gives in the application's place.
#[inline]
fn finish(py: Python<'_>, host: &Host, state: &State) -> Finish {
    let Some(id) = state.id() else {
        return Finish::Over;
    };
    let finish = host.engine.finish(id);
    if finish == Finish::Unstarted {
        host.log_access(py, state, 500);
        host.count_request();
    }
    finish
}
