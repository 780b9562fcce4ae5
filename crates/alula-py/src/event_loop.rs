//! The asyncio loop that an engine turns in: when it calls back, and how it is asked to.

use std::cell::{Cell, OnceCell, RefCell};
use std::os::fd::RawFd;
use std::time::Instant;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// A loop, with the methods that are needed all the time, and what has been asked of it.
pub(crate) struct EventLoop {
    object: Py<PyAny>,
    call_soon: Py<PyAny>,
    call_later: Py<PyAny>,
    create_future: Py<PyAny>,
    task_factory: Py<PyAny>,
    /// What it calls; set at the start.
    callbacks: OnceCell<Callbacks>,
    /// `call_soon` has been asked for a turn.
    soon: Cell<bool>,
    /// The timer's handle, and when it fires.
    timer: RefCell<Option<(Py<PyAny>, Instant)>>,
}

/// What a loop calls.
pub(crate) struct Callbacks {
    /// When the descriptor is readable, or soon: a turn.
    pub(crate) turn: Py<PyAny>,
    /// When the timer has fired: a turn, too.
    pub(crate) expired: Py<PyAny>,
}

impl EventLoop {
    /// For `event_loop`.
    pub(crate) fn new(event_loop: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self {
            object: event_loop.clone().unbind(),
            call_soon: event_loop.getattr("call_soon")?.unbind(),
            call_later: event_loop.getattr("call_later")?.unbind(),
            create_future: event_loop.getattr("create_future")?.unbind(),
            task_factory: event_loop.getattr("get_task_factory")?.unbind(),
            callbacks: OnceCell::new(),
            soon: Cell::new(false),
            timer: RefCell::new(None),
        })
    }

    /// Has it call back whenever the descriptor is readable.
    ///
    /// # Errors
    ///
    /// `RuntimeError` when it does already.
    pub(crate) fn enter(&self, py: Python<'_>, fd: RawFd, callbacks: Callbacks) -> PyResult<()> {
        let turn = callbacks.turn.clone_ref(py);
        self.callbacks
            .set(callbacks)
            .map_err(|_| PyRuntimeError::new_err("the worker has been started already"))?;
        self.object
            .bind(py)
            .call_method1("add_reader", (fd, turn))
            .map(drop)
    }

    /// Has it call back no more.
    pub(crate) fn leave(&self, py: Python<'_>, fd: RawFd) -> PyResult<()> {
        if self.callbacks.get().is_some() {
            self.object.bind(py).call_method1("remove_reader", (fd,))?;
        }
        self.cancel_timer(py)
    }

    /// A new future.
    pub(crate) fn create_future<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.create_future.bind(py).call0()
    }

    /// Whether it has no task factory now.
    pub(crate) fn makes_plain_tasks(&self, py: Python<'_>) -> PyResult<bool> {
        Ok(self.task_factory.bind(py).call0()?.is_none())
    }

    /// Whether it has been asked to call back on its next iteration.
    #[inline]
    pub(crate) fn will_turn(&self) -> bool {
        self.soon.get()
    }

    /// It has called back.
    #[inline]
    pub(crate) fn turns(&self) {
        self.soon.set(false);
    }

    /// Has it call back on its next iteration.
    pub(crate) fn turn_soon(&self, py: Python<'_>) -> PyResult<()> {
        if let Some(callbacks) = self.callbacks.get()
            && !self.soon.replace(true)
        {
            self.call_soon.bind(py).call1((&callbacks.turn,))?;
        }
        Ok(())
    }

    /// The timer has fired.
    pub(crate) fn expired(&self) {
        let fired = self.timer.borrow_mut().take();
        drop(fired);
    }

    /// Has it call back at `deadline`, unless it will before.
    pub(crate) fn arm(&self, py: Python<'_>, deadline: Instant) -> PyResult<()> {
        let armed = self.timer.borrow().as_ref().map(|(_, at)| *at);
        let Some(callbacks) = self.callbacks.get() else {
            return Ok(());
        };
        if armed.is_some_and(|at| at <= deadline) {
            return Ok(());
        }
        self.cancel_timer(py)?;
        let now = Instant::now();
        // A little late rather than a little early, which would take a second turn.
        let delay = deadline.saturating_duration_since(now).as_secs_f64() + 0.000_5;
        let call_later = self.call_later.bind(py);
        let handle = call_later.call1((delay, &callbacks.expired))?.unbind();
        let earlier = self.timer.replace(Some((handle, deadline.max(now))));
        drop(earlier);
        Ok(())
    }

    /// Nothing is borrowed while the loop's methods run.
    fn cancel_timer(&self, py: Python<'_>) -> PyResult<()> {
        let timer = self.timer.borrow_mut().take();
        if let Some((handle, _)) = timer {
            handle.bind(py).call_method0("cancel")?;
        }
        Ok(())
    }
}
