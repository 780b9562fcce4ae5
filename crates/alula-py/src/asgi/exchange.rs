//! One request and its answer, as `receive` and `send` share it.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use alula_server::{ExchangeId, SendError};
use pyo3::exceptions::PyRuntimeError;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::host::{self, Host};
use super::receive::Receiving;
use super::send::Sending;
use crate::access_log::Line;
use crate::ffi::callable;
use crate::ffi::coroutine::is_native;
use crate::ffi::references;
use crate::ffi::thread::Local;

/// How far an answer is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Phase {
    /// Nothing has been sent.
    Fresh,
    /// The start has been sent, with this status; none of the body.
    Started(u16),
    /// Some of the body has been sent.
    Body,
    /// The whole answer has been sent.
    Complete,
}

/// One request and its answer. Bound to its worker's thread.
#[pyclass(frozen, name = "Exchange", module = "alula._alula")]
pub(crate) struct Exchange(Local<State>);

/// What an exchange knows.
pub(crate) struct State {
    /// The worker it belongs to.
    pub(crate) worker: u64,
    /// Its name in the engine; none while it rests.
    id: Cell<Option<ExchangeId>>,
    /// The scope, until the application is called.
    scope: RefCell<Option<Py<PyDict>>>,
    /// How far the answer is.
    pub(crate) phase: Cell<Phase>,
    /// Whether the engine has said that the client is gone.
    pub(crate) gone: Cell<bool>,
    /// What the application did wrong, where that has ended the answer.
    pub(crate) fault: Cell<Option<SendError>>,
    /// Whether a send has handed over only part of its piece yet.
    pub(crate) half_sent: Cell<bool>,
    /// Whether the application has been told `http.disconnect`.
    pub(crate) told: Cell<bool>,
    /// Futures of those who wait to receive.
    pub(crate) receivers: RefCell<Vec<Py<PyAny>>>,
    /// Futures of those who wait to send.
    pub(crate) senders: RefCell<Vec<Py<PyAny>>>,
    /// The access log's line, until it is written.
    line: Cell<Option<Line>>,
    /// The key of the task that runs the application, while it waits.
    pub(crate) running: Cell<Option<usize>>,
}

impl Exchange {
    /// What it knows.
    ///
    /// # Errors
    ///
    /// `RuntimeError` on another thread than the worker's.
    #[inline]
    pub(crate) fn here(&self) -> PyResult<&State> {
        self.0.get().ok_or_else(|| {
            PyRuntimeError::new_err(
                "receive() and send() belong to the thread of their server's event loop",
            )
        })
    }
}

#[pymethods]
impl Exchange {
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        // What is busy, or another thread's, is not shown, and so counts as held from outside.
        let Some(state) = self.0.get() else {
            return Ok(());
        };
        for futures in [&state.receivers, &state.senders] {
            if let Ok(futures) = futures.try_borrow() {
                for future in &*futures {
                    visit.call(future)?;
                }
            }
        }
        match state.scope.try_borrow() {
            Ok(scope) => visit.call(&*scope),
            Err(_) => Ok(()),
        }
    }

    fn __clear__(&self) {
        if let Some(state) = self.0.get() {
            let futures = (
                state.receivers.take(),
                state.senders.take(),
                state.scope.take(),
            );
            drop(futures);
        }
    }
}

impl State {
    fn new(worker: u64) -> Self {
        Self {
            worker,
            id: Cell::new(None),
            scope: RefCell::new(None),
            phase: Cell::new(Phase::Fresh),
            gone: Cell::new(false),
            fault: Cell::new(None),
            told: Cell::new(false),
            half_sent: Cell::new(false),
            receivers: RefCell::default(),
            senders: RefCell::default(),
            line: Cell::new(None),
            running: Cell::new(None),
        }
    }

    /// Begins a new exchange.
    pub(crate) fn begin(&self, id: ExchangeId, scope: Py<PyDict>, line: Option<Line>) {
        self.id.set(Some(id));
        self.phase.set(Phase::Fresh);
        self.gone.set(false);
        self.fault.set(None);
        self.told.set(false);
        self.half_sent.set(false);
        self.line.set(line);
        self.scope.replace(Some(scope));
    }

    /// The worker and the exchange's name in its engine; `None` once either is over.
    #[inline]
    pub(crate) fn reach(&self) -> Option<(Rc<Host>, ExchangeId)> {
        Some((host::find(self.worker)?, self.id.get()?))
    }

    /// The name in the engine.
    pub(crate) fn id(&self) -> Option<ExchangeId> {
        self.id.get()
    }

    /// The line for the access log; once.
    pub(crate) fn take_line(&self) -> Option<Line> {
        self.line.take()
    }

    /// Wakes all who wait to receive.
    pub(crate) fn wake_receivers(&self, py: Python<'_>) {
        wake(py, self.receivers.take());
    }

    /// Wakes all who wait to send.
    pub(crate) fn wake_senders(&self, py: Python<'_>) {
        wake(py, self.senders.take());
    }
}

fn wake(py: Python<'_>, futures: Vec<Py<PyAny>>) {
    for future in futures {
        let future = future.into_bound(py);
        let woken = future
            .call_method0(pyo3::intern!(py, "done"))
            .and_then(|done| {
                if !done.is_truthy()? {
                    future.call_method1(pyo3::intern!(py, "set_result"), (py.None(),))?;
                }
                Ok(())
            });
        if let Err(error) = woken {
            error.write_unraisable(py, Some(&future));
        }
    }
}

/// An exchange with the `receive` and `send` made for it.
#[derive(Clone)]
pub(crate) struct Handles<'py> {
    pub(crate) exchange: Bound<'py, Exchange>,
    pub(crate) receive: Bound<'py, PyAny>,
    pub(crate) send: Bound<'py, PyAny>,
}

/// Handles that rest until the next request.
pub(crate) struct Spare {
    exchange: Py<Exchange>,
    receive: Py<PyAny>,
    send: Py<PyAny>,
}

impl Spare {
    /// Takes them into use.
    #[inline]
    pub(crate) fn wake(self, py: Python<'_>) -> Handles<'_> {
        Handles {
            exchange: self.exchange.into_bound(py),
            receive: self.receive.into_bound(py),
            send: self.send.into_bound(py),
        }
    }
}

impl<'py> Handles<'py> {
    /// New ones, for a worker.
    pub(crate) fn new(py: Python<'py>, worker: u64) -> PyResult<Self> {
        let exchange = Bound::new(py, Exchange(Local::new(State::new(worker))))?;
        let receive = callable::create::<Receiving>(&exchange)?;
        let send = callable::create::<Sending>(&exchange)?;
        Ok(Self {
            exchange,
            receive,
            send,
        })
    }

    /// Calls the application. The result can be stepped.
    #[inline]
    pub(super) fn open(&self) -> PyResult<Bound<'py, PyAny>> {
        let py = self.exchange.py();
        let state = self.exchange.get().here()?;
        let (host, _) = state.reach().ok_or_else(over)?;
        let scope = state.scope.take().ok_or_else(over)?;
        let handler = host.engine.handler();
        let arguments = (scope.into_bound(py), &self.receive, &self.send);
        let awaitable = handler.app.bind(py).call1(arguments)?;
        if is_native(&awaitable) {
            return Ok(awaitable);
        }
        handler.await_any.bind(py).call1((awaitable,))
    }

    /// Lets them rest, where nobody else holds one of them.
    #[inline]
    pub(crate) fn rest(self) -> Option<Spare> {
        let alone = references(&self.exchange) == 3
            && references(&self.receive) == 1
            && references(&self.send) == 1;
        if !alone {
            return None;
        }
        self.exchange.get().here().ok()?.id.set(None);
        Some(Spare {
            exchange: self.exchange.unbind(),
            receive: self.receive.unbind(),
            send: self.send.unbind(),
        })
    }
}

fn over() -> PyErr {
    PyRuntimeError::new_err("the exchange is over")
}
