//! A worker as the rest of the crate reaches it: the engine, and how it hangs in its event loop.
//!
//! A host lives in a table of its thread, where `receive` and `send` find it by number; from
//! another thread, or once it is closed, there is nothing to be found.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use alula_http::ProtocolError;
use alula_reactor::look;
use alula_server::{ConnectionInfo, Worker};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;

use super::exchange::{Phase, State};
use super::handler::AsgiHandler;
use super::scope::shown;
use crate::access_log::AccessLog;
use crate::event_loop::EventLoop;
use crate::log::Log;
use crate::task::launch::Style;

/// How long the loop's other callbacks may have to wait, twice at most, while requests are looked
/// for.
const BUSY: Duration = Duration::from_micros(200);

thread_local! {
    static HOSTS: RefCell<Vec<Rc<Host>>> = const { RefCell::new(Vec::new()) };
}

/// A number no worker of this process has had.
pub(crate) fn next_number() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// The host with this number, if it is open and the caller on its thread.
#[inline]
pub(crate) fn find(number: u64) -> Option<Rc<Host>> {
    let find = |hosts: &RefCell<Vec<Rc<Host>>>| {
        hosts
            .borrow()
            .iter()
            .find(|host| host.number == number)
            .cloned()
    };
    HOSTS.try_with(find).ok().flatten()
}

/// Opens a host to the thread.
pub(crate) fn insert(host: Rc<Host>) {
    HOSTS.with(|hosts| hosts.borrow_mut().push(host));
}

/// Closes a host to the thread.
pub(crate) fn remove(number: u64) -> Option<Rc<Host>> {
    let remove = |hosts: &RefCell<Vec<Rc<Host>>>| {
        let mut hosts = hosts.borrow_mut();
        let at = hosts.iter().position(|host| host.number == number)?;
        Some(hosts.swap_remove(at))
    };
    HOSTS.try_with(remove).ok().flatten()
}

/// One worker's engine and its place in a loop.
pub(crate) struct Host {
    /// The number it is found by.
    pub(crate) number: u64,
    /// The engine.
    pub(crate) engine: Worker<AsgiHandler>,
    /// The server's log.
    pub(crate) log: Log,
    /// Whether a `KeyboardInterrupt` out of an application is raised on, to the loop.
    pub(crate) interrupts: bool,
    /// The loop it turns in.
    pub(crate) event_loop: EventLoop,
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
    /// A `KeyboardInterrupt` to be raised at the end of the turn.
    pub(crate) interrupt: Cell<Option<PyErr>>,
}

impl Host {
    /// The access log.
    pub(crate) fn access(&self) -> &AccessLog {
        &self.engine.handler().access
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
        if self.in_turn.get() || self.event_loop.will_turn() {
            return Ok(());
        }
        if self.engine.again_needed() || self.engine.handler().access.is_waiting() || self.is_due()
        {
            return self.event_loop.turn_soon(py);
        }
        match self.engine.next_deadline() {
            Some(deadline) => self.event_loop.arm(py, deadline),
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

    /// Turns the engine, called by the loop: once, or several times as long as that finds requests
    /// quicker than the loop would, for a while.
    pub(crate) fn turn(&self, py: Python<'_>) -> PyResult<()> {
        self.turn_once(py)?;
        let mut begin = None;
        while !self.event_loop.will_turn()
            && !self.in_turn.get()
            && let Some(window) = self.engine.busy_poll()
        {
            let begin = *begin.get_or_insert_with(Instant::now);
            let fd = self.engine.fd();
            if !py.detach(|| look(fd, window.min(BUSY))) || begin.elapsed() >= BUSY {
                break;
            }
            self.turn_once(py)?;
        }
        Ok(())
    }

    fn turn_once(&self, py: Python<'_>) -> PyResult<()> {
        self.event_loop.turns();
        if self.in_turn.replace(true) {
            // The loop is nested inside a request's first step.
            return Ok(());
        }
        if self.lazy {
            let plain = self.event_loop.makes_plain_tasks(py)?;
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
            self.event_loop.turn_soon(py)?;
        }
        if let Some(deadline) = turn.deadline {
            self.event_loop.arm(py, deadline)?;
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
        self.event_loop.expired();
        self.turn(py)
    }

    /// A request could not be started.
    #[cold]
    pub(crate) fn failed_start(&self, py: Python<'_>, error: PyErr) {
        if self.interrupts && error.is_instance_of::<PyKeyboardInterrupt>(py) {
            self.interrupt.set(Some(error));
        } else {
            self.log.exception(py, self.access(), &error);
        }
    }

    /// A connection could not be accepted.
    #[cold]
    pub(crate) fn accept_failed(&self, py: Python<'_>, error: &std::io::Error) {
        let text = format!("A connection could not be accepted: {error}.");
        self.log.warning(py, self.access(), &text);
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
        let client = shown(&connection.peer);
        let left = reason == ProtocolError::Incomplete.reason();
        match status {
            // A client that has left in the middle is as common as one that was slow.
            Some(status @ (400..=499 | 501 | 505)) if status != 408 && !left => {
                let text = format!("Invalid HTTP request received ({status}: {reason}).");
                self.log.warning(py, self.access(), &text);
            }
            Some(status @ 500..) => {
                self.log.error(
                    py,
                    self.access(),
                    &format!("Request ended with {status}: {reason}."),
                );
            }
            _ => self
                .log
                .debug(py, &format!("{client} - connection closed: {reason}")),
        }
    }
}
