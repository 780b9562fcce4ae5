//! `_alula.Worker`: one application served on one event loop.

use std::cell::{Cell, RefCell};
use std::os::fd::{OwnedFd, RawFd};
use std::rc::Rc;

use alula_reactor::Listener;
use alula_server::Worker;
use alula_server::config::Config;
use alula_server::guards::forwarded::Trusted;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyContext, PyDict};

use crate::access_log::AccessLog;
use crate::asgi::handler::AsgiHandler;
use crate::asgi::host::{self, Host};
use crate::asgi::scope::Scopes;
use crate::asgi::waiting::Waiting;
use crate::config::PyConfig;
use crate::event_loop::{Callbacks, EventLoop};
use crate::ffi::{context, descriptor};
use crate::log::Log;
use crate::task::current::CurrentTask;
use crate::task::launch::{Launcher, Style};
use crate::task::selfcheck;

/// What cancelled tasks are told, as under uvicorn.
const CANCELLED: &str = "Task cancelled, timeout graceful shutdown exceeded";

/// Adds the class.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PyWorker>()
}

/// The server's engine on one event loop. Belongs to that loop's thread.
#[pyclass(frozen, name = "Worker", module = "alula._alula")]
pub(crate) struct PyWorker {
    number: u64,
}

/// The keyword arguments of a `Worker`.
struct Wishes<'py> {
    state: Option<Bound<'py, PyDict>>,
    on_limit: Option<Py<PyAny>>,
    on_idle: Option<Py<PyAny>>,
    access_log: Option<Bound<'py, PyAny>>,
    propagate_interrupts: bool,
    tasks: String,
}

#[pymethods]
impl PyWorker {
    #[new]
    #[pyo3(signature = (
        app, config, r#loop, listeners, *, state = None, on_limit = None, on_idle = None,
        access_log = None, propagate_interrupts = false, task_style = "auto",
    ))]
    #[expect(
        clippy::too_many_arguments,
        reason = "keyword arguments of a Python class"
    )]
    fn new<'py>(
        app: &Bound<'py, PyAny>,
        config: &Bound<'py, PyConfig>,
        r#loop: &Bound<'py, PyAny>,
        listeners: Vec<RawFd>,
        state: Option<Bound<'py, PyDict>>,
        on_limit: Option<Py<PyAny>>,
        on_idle: Option<Py<PyAny>>,
        access_log: Option<Bound<'py, PyAny>>,
        propagate_interrupts: bool,
        task_style: &str,
    ) -> PyResult<Self> {
        // Owned first, so that they are closed whatever goes wrong.
        let listeners: Vec<OwnedFd> = listeners.into_iter().map(descriptor::own).collect();
        let tasks = task_style.to_owned();
        let wishes = Wishes {
            state,
            on_limit,
            on_idle,
            access_log,
            propagate_interrupts,
            tasks,
        };
        let number = host::next_number();
        let host = build(number, app, config.get().inner(), r#loop, wishes)?;
        for listener in listeners {
            host.engine.listen(Listener::inherited(listener)?)?;
        }
        host::insert(Rc::new(host));
        Ok(Self { number })
    }

    /// Begins to accept connections.
    fn start(this: &Bound<'_, Self>) -> PyResult<()> {
        let py = this.py();
        let host = this.get().host()?;
        let callbacks = Callbacks {
            turn: this.getattr("_turn")?.unbind(),
            expired: this.getattr("_expired")?.unbind(),
        };
        host.event_loop.enter(py, host.engine.fd(), callbacks)?;
        host.event_loop.turn_soon(py)
    }

    /// One turn of the engine; called by the loop.
    fn _turn(&self, py: Python<'_>) -> PyResult<()> {
        match host::find(self.number) {
            Some(host) => host.turn(py),
            None => Ok(()),
        }
    }

    /// The timer has fired; called by the loop.
    fn _expired(&self, py: Python<'_>) -> PyResult<()> {
        match host::find(self.number) {
            Some(host) => host.expired(py),
            None => Ok(()),
        }
    }

    /// Accepts what is queued, and closes the listeners.
    fn stop_accepting(&self, py: Python<'_>) -> PyResult<()> {
        let host = self.host()?;
        host.engine.stop_accepting();
        host.event_loop.turn_soon(py)
    }

    /// Has connections close after the response that is due.
    fn drain(&self, py: Python<'_>) -> PyResult<()> {
        let host = self.host()?;
        host.draining.set(true);
        host.engine.drain();
        host.event_loop.turn_soon(py)
    }

    /// Tells applications that are still responding `http.disconnect`.
    fn disconnect_streams(&self, py: Python<'_>) -> PyResult<()> {
        let host = self.host()?;
        host.engine.disconnect_streams();
        host.event_loop.turn_soon(py)
    }

    /// Cancels the requests' tasks; how many there were.
    fn cancel_tasks(&self, py: Python<'_>) -> PyResult<usize> {
        self.host()?
            .engine
            .handler()
            .launcher
            .cancel_all(py, CANCELLED)
    }

    /// Closes every connection and leaves the loop.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        let Some(host) = host::find(self.number) else {
            return Ok(());
        };
        if host.in_turn.get() {
            return Err(PyRuntimeError::new_err(
                "a worker can't be closed by its own request",
            ));
        }
        host.event_loop.leave(py, host.engine.fd())?;
        host.engine.stop_accepting();
        host.engine.abort_all();
        // Whoever still waits is told, as long as the exchange can be found.
        let turned = host.engine.turn();
        host.engine.handler().access.sync(py);
        host::remove(self.number);
        host.engine.handler().waiting.clear();
        host.engine.handler().scopes.clear();
        turned?;
        Ok(())
    }

    /// How many connections are open.
    #[getter]
    fn connections(&self) -> usize {
        host::find(self.number).map_or(0, |host| host.engine.connections())
    }

    /// How many requests' tasks wait.
    #[getter]
    fn tasks(&self) -> usize {
        host::find(self.number).map_or(0, |host| host.engine.handler().launcher.running())
    }

    /// How many requests have been answered.
    #[getter]
    fn requests(&self) -> u64 {
        host::find(self.number).map_or(0, |host| host.requests.get())
    }

    /// How tasks are made: `lazy` or `create_task`.
    #[getter]
    fn task_style(&self) -> PyResult<&'static str> {
        Ok(match self.host()?.engine.handler().launcher.style() {
            Style::Lazy => "lazy",
            Style::CreateTask => "create_task",
        })
    }
}

impl PyWorker {
    fn host(&self) -> PyResult<Rc<Host>> {
        host::find(self.number).ok_or_else(|| {
            PyRuntimeError::new_err("the worker is closed, or belongs to another thread")
        })
    }
}

fn build(
    number: u64,
    app: &Bound<'_, PyAny>,
    config: &Config,
    event_loop: &Bound<'_, PyAny>,
    wishes: Wishes<'_>,
) -> PyResult<Host> {
    let py = app.py();
    let log = Log::new(py)?;
    let (current, style) = tasks(py, event_loop, &wishes.tasks, &log)?;
    let base: Option<Py<PyContext>> = if config.reset_contextvars {
        None
    } else {
        Some(context::copy_current(py)?.unbind())
    };
    let adapted = py
        .import("alula._internal.asgi2")?
        .call_method1("adapt", (app,))?;
    let version: String = match adapted.getattr_opt("asgi_version")? {
        Some(version) => version.extract().unwrap_or_else(|_| "3.0".to_owned()),
        None => "3.0".to_owned(),
    };
    let state = wishes.state.unwrap_or_else(|| PyDict::new(py)).unbind();
    let trusted = config
        .proxy_headers
        .then(|| Trusted::new(&config.forwarded_allow_ips));
    let handler = AsgiHandler {
        worker: number,
        app: adapted.unbind(),
        await_any: selfcheck::await_any(py)?,
        launcher: Launcher::new(py, event_loop.clone().unbind(), base, current, style),
        access: AccessLog::new(wishes.access_log.as_ref(), colours(py, config)?)?,
        waiting: Waiting::default(),
        scopes: Scopes::new(py, &version, &config.root_path, state, trusted)?,
        limit: config
            .limit_concurrency
            .map(|limit| usize::try_from(limit).unwrap_or(usize::MAX)),
        spare: RefCell::default(),
    };
    Ok(Host {
        number,
        engine: Worker::new(config.settings(), handler)?,
        log,
        interrupts: wishes.propagate_interrupts,
        event_loop: EventLoop::new(event_loop)?,
        on_limit: Cell::new(wishes.on_limit),
        on_idle: wishes.on_idle,
        max_requests: config.draw_max_requests(),
        requests: Cell::new(0),
        draining: Cell::new(false),
        lazy: style == Style::Lazy,
        in_turn: Cell::new(false),
        interrupt: Cell::new(None),
    })
}

/// How tasks are made here: lazily, where the self-check allows it.
fn tasks(
    py: Python<'_>,
    event_loop: &Bound<'_, PyAny>,
    wish: &str,
    log: &Log,
) -> PyResult<(CurrentTask, Style)> {
    if !["auto", "create_task"].contains(&wish) {
        return Err(PyValueError::new_err(format!(
            "task_style must be 'auto' or 'create_task', not {wish:?}"
        )));
    }
    if wish == "auto" && selfcheck::makes_plain_tasks(event_loop)? {
        match selfcheck::current_task(py) {
            Ok(current) => return Ok((current, Style::Lazy)),
            Err(error) => log.debug(py, &format!("Requests run by create_task: {error}")),
        }
    }
    Ok((CurrentTask::hooks(py)?, Style::CreateTask))
}

/// Whether the access log is coloured.
fn colours(py: Python<'_>, config: &Config) -> PyResult<bool> {
    if let Some(colours) = config.use_colors {
        return Ok(colours);
    }
    let out = py.import("sys")?.getattr("stdout")?;
    Ok(!out.is_none() && out.call_method0("isatty")?.is_truthy()?)
}
