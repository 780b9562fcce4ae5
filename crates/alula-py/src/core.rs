//! A worker as the rest of the crate reaches it: the engine, and how it hangs in its event loop.
//!
//! A core lives in a table of its thread, where `receive` and `send` find it by number; from
//! another thread, or once it is closed, there is nothing to be found.

use std::cell::{Cell, OnceCell, RefCell};
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use alula_server::{ConnectionInfo, Worker};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;

use crate::asgi::exchange::{Phase, State};
use crate::asgi::handler::AsgiHandler;
use crate::log::Log;
use crate::task::launch::Style;

thread_local! {
    static CORES: RefCell<Vec<Rc<Core>>> = const { RefCell::new(Vec::new()) };
}

/// A number no worker of this process has had.
pub(crate) fn next_number() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// The core with this number, if it is open and the caller on its thread.
#[inline]
pub(crate) fn find(number: u64) -> Option<Rc<Core>> {
    let find = |cores: &RefCell<Vec<Rc<Core>>>| {
        cores
            .borrow()
            .iter()
            .find(|core| core.number == number)
            .cloned()
    };
    CORES.try_with(find).ok().flatten()
}

/// Opens a core to the thread.
pub(crate) fn insert(core: Rc<Core>) {
    CORES.with(|cores| cores.borrow_mut().push(core));
}

/// Closes a core to the thread.
pub(crate) fn remove(number: u64) -> Option<Rc<Core>> {
    let remove = |cores: &RefCell<Vec<Rc<Core>>>| {
        let mut cores = cores.borrow_mut();
        let at = cores.iter().position(|core| core.number == number)?;
        Some(cores.swap_remove(at))
    };
    CORES.try_with(remove).ok().flatten()
}

/// One worker's engine and its place in a loop.
pub(crate) struct Core {
    /// The number it is found by.
    pub(crate) number: u64,
    /// The engine.
    pub(crate) engine: Worker<AsgiHandler>,
    /// The server's log.
    pub(crate) log: Log,
    /// Whether a `KeyboardInterrupt` out of an application is raised on, to the loop.
    pub(crate) interrupts: bool,
    /// The loop.
    pub(crate) event_loop: Py<PyAny>,
    /// Its methods that are needed all the time.
    pub(crate) methods: Methods,
    /// What the loop calls to turn; set when the worker starts.
    pub(crate) callback: OnceCell<Callbacks>,
    /// Called once, when the limit of requests is reached.
    pub(crate) on_limit: Cell<Option<Py<PyAny>>>,
    /// Called when a draining worker has nothing left to do.
    pub(crate) on_idle: Option<Py<PyAny>>,
    /// The number of requests at which the limit is reached.
    pub(crate) max_requests: Option<u64>,
    /// Requests answered.
    pub(crate) requests: Cell<u64>,
    /// Whether the worker drains.
    pub(crate) draining: Cell<bool>,
    /// Whether tasks are lazy as long as the loop has no task factory.
    pub(crate) lazy: bool,
    /// A turn is under way.
    pub(crate) in_turn: Cell<bool>,
    /// `call_soon` has been asked for a turn.
    pub(crate) soon: Cell<bool>,
    /// The timer's handle, and when it fires.
    pub(crate) timer: RefCell<Option<(Py<PyAny>, Instant)>>,
    /// A `KeyboardInterrupt` to be raised at the end of the turn.
    pub(crate) interrupt: Cell<Option<PyErr>>,
}

/// What the loop calls.
pub(crate) struct Callbacks {
    /// When the descriptor is readable, or soon: a turn.
    pub(crate) turn: Py<PyAny>,
    /// When the timer has fired: a turn, too.
    pub(crate) expired: Py<PyAny>,
}

/// A loop's bound methods.
pub(crate) struct Methods {
    pub(crate) call_soon: Py<PyAny>,
    pub(crate) call_later: Py<PyAny>,
    pub(crate) create_future: Py<PyAny>,
    pub(crate) task_factory: Py<PyAny>,
}

impl Methods {
    /// Those of `event_loop`.
    pub(crate) fn new(event_loop: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self {
            call_soon: event_loop.getattr("call_soon")?.unbind(),
            call_later: event_loop.getattr("call_later")?.unbind(),
            create_future: event_loop.getattr("create_future")?.unbind(),
            task_factory: event_loop.getattr("get_task_factory")?.unbind(),
        })
    }
}

impl Core {
    /// A new future of the loop.
    pub(crate) fn create_future<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.methods.create_future.bind(py).call0()
    }

    /// Writes a request's line to the access log.
    #[inline]
    pub(crate) fn log_access(&self, _: Python<'_>, state: &State, status: u16) {
        let access = &self.engine.handler().access;
        if access.is_on()
            && let Some(line) = state.take_line()
        {
            access.write(line, status);
        }
    }

    /// An answer is complete.
    #[inline]
    pub(crate) fn completed(&self, py: Python<'_>, state: &State) {
        state.phase.set(Phase::Complete);
        if let Some(id) = state.id() {
            self.engine.handler().waiting.remove(id);
        }
        if !state.receivers.borrow().is_empty() {
            state.wake_receivers(py);
        }
        self.count_request();
    }

    /// A request has been answered.
    #[inline]
    pub(crate) fn count_request(&self) {
        self.requests.set(self.requests.get() + 1);
    }

    /// After a call from outside a turn: has the loop turn soon if that left work.
    #[inline]
    pub(crate) fn poke(&self, py: Python<'_>) -> PyResult<()> {
        if self.in_turn.get() || self.soon.get() {
            return Ok(());
        }
        if self.engine.again_needed() || self.engine.handler().access.is_waiting() || self.is_due()
        {
            return self.turn_soon(py);
        }
        match self.engine.next_deadline() {
            Some(deadline) => self.arm(py, deadline),
            None => Ok(()),
        }
    }

    /// Whether one of the two callbacks is to be called.
    fn is_due(&self) -> bool {
        let limit = self
            .max_requests
            .is_some_and(|most| self.requests.get() >= most);
        self.draining.get() || limit
    }

    /// Has the loop call back on its next iteration.
    pub(crate) fn turn_soon(&self, py: Python<'_>) -> PyResult<()> {
        if let Some(callbacks) = self.callback.get()
            && !self.soon.replace(true)
        {
            self.methods.call_soon.bind(py).call1((&callbacks.turn,))?;
        }
        Ok(())
    }

    /// One turn of the engine, called by the loop.
    pub(crate) fn turn(&self, py: Python<'_>) -> PyResult<()> {
        self.soon.set(false);
        if self.in_turn.replace(true) {
            // The loop is nested inside a request's first step.
            return Ok(());
        }
        if self.lazy {
            let plain = self.methods.task_factory.bind(py).call0()?.is_none();
            let style = if plain {
                Style::Lazy
            } else {
                Style::CreateTask
            };
            self.engine.handler().launcher.set_style(style);
        }
        let turned = self.engine.turn();
        self.engine.handler().access.flush(py);
        self.in_turn.set(false);
        let turn = turned?;
        self.call_back(py)?;
        if turn.again || self.engine.again_needed() {
            self.turn_soon(py)?;
        }
        if let Some(deadline) = turn.deadline {
            self.arm(py, deadline)?;
        }
        self.interrupt.take().map_or(Ok(()), Err)
    }

    /// Calls back who waits for the limit or for the end.
    fn call_back(&self, py: Python<'_>) -> PyResult<()> {
        if !self.is_due() {
            return Ok(());
        }
        if self
            .max_requests
            .is_some_and(|most| self.requests.get() >= most)
            && let Some(on_limit) = self.on_limit.take()
        {
            on_limit.bind(py).call0()?;
        }
        let idle = self.engine.connections() == 0 && self.engine.handler().launcher.running() == 0;
        if self.draining.get()
            && idle
            && let Some(on_idle) = &self.on_idle
        {
            on_idle.bind(py).call0()?;
        }
        Ok(())
    }

    /// The timer has fired, a little early perhaps: the turn arms it anew.
    pub(crate) fn expired(&self, py: Python<'_>) -> PyResult<()> {
        drop(self.timer.borrow_mut().take());
        self.turn(py)
    }

    /// Has the loop turn at `deadline`, unless it will before.
    fn arm(&self, py: Python<'_>, deadline: Instant) -> PyResult<()> {
        let armed = self.timer.borrow().as_ref().map(|(_, at)| *at);
        let Some(callbacks) = self.callback.get() else {
            return Ok(());
        };
        if armed.is_some_and(|at| at <= deadline) {
            return Ok(());
        }
        // Nothing is borrowed while the loop's methods run.
        let later = self.timer.borrow_mut().take();
        if let Some((handle, _)) = later {
            handle.bind(py).call_method0("cancel")?;
        }
        let now = Instant::now();
        // A little late rather than a little early, which would take a second turn.
        let delay = deadline.saturating_duration_since(now).as_secs_f64() + 0.000_5;
        let call_later = self.methods.call_later.bind(py);
        let handle = call_later.call1((delay, &callbacks.expired))?.unbind();
        let earlier = self.timer.replace(Some((handle, deadline.max(now))));
        drop(earlier);
        Ok(())
    }

    /// A request could not be started.
    #[cold]
    pub(crate) fn failed_start(&self, py: Python<'_>, error: PyErr) {
        if self.interrupts && error.is_instance_of::<PyKeyboardInterrupt>(py) {
            self.interrupt.set(Some(error));
        } else {
            self.log.exception(py, self, &error);
        }
    }

    /// A connection could not be accepted.
    #[cold]
    pub(crate) fn accept_failed(&self, py: Python<'_>, error: &std::io::Error) {
        let text = format!("A connection could not be accepted: {error}.");
        self.log.warning(py, self, &text);
    }

    /// The engine has refused something by itself.
    #[cold]
    pub(crate) fn rejected(
        &self,
        py: Python<'_>,
        connection: &ConnectionInfo,
        status: Option<u16>,
        reason: &'static str,
    ) {
        let client = crate::asgi::scope::shown(&connection.peer);
        match status {
            Some(status @ (400..=499 | 501 | 505)) if status != 408 => {
                let text = format!("Invalid HTTP request received ({status}: {reason}).");
                self.log.warning(py, self, &text);
            }
            Some(status @ 500..) => {
                self.log
                    .error(py, self, &format!("Request ended with {status}: {reason}."));
            }
            _ => self
                .log
                .debug(py, &format!("{client} - connection closed: {reason}")),
        }
    }
}
