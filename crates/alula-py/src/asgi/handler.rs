//! What the engine calls for requests.

use std::cell::RefCell;

use alula_http::{Request, Upgrade};
use alula_server::{ConnectionInfo, ExchangeId, Handler, Worker};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::exchange::{Handles, Spare};
use super::host::{self, Host};
use super::scope::Scopes;
use super::waiting::Waiting;
use crate::access_log::{AccessLog, Line};
use crate::task::launch::Launcher;

/// Most handles kept for reuse; as many as requests waited at once, within reason.
const SPARE_HANDLES: usize = 64;

/// Runs an ASGI application for each request.
pub(crate) struct AsgiHandler {
    /// The worker's number, by which `receive` and `send` find it.
    pub(crate) worker: u64,
    /// The application.
    pub(crate) app: Py<PyAny>,
    /// Makes a coroutine of any other awaitable.
    pub(crate) await_any: Py<PyAny>,
    /// Starts it.
    pub(crate) launcher: Launcher,
    /// The access log.
    pub(crate) access: AccessLog,
    /// Exchanges that wait for the engine.
    pub(crate) waiting: Waiting,
    /// Makes scopes.
    pub(crate) scopes: Scopes,
    /// Connections or running applications at which requests are turned away.
    pub(crate) limit: Option<usize>,
    /// Handles to be used again.
    pub(crate) spare: RefCell<Vec<Spare>>,
}

/// What is made of a request's head.
pub(crate) enum Call {
    /// Call the application.
    Run {
        scope: Py<PyDict>,
        line: Option<Line>,
    },
    /// Refuse, for a reason that is logged.
    Refuse {
        status: u16,
        text: &'static str,
        reason: &'static str,
        line: Option<Line>,
    },
    /// The scope could not be made.
    Failed(PyErr),
}

impl AsgiHandler {
    /// Keeps handles for another request.
    #[inline]
    pub(crate) fn keep(&self, spare: Spare) {
        let mut kept = self.spare.borrow_mut();
        if kept.len() < SPARE_HANDLES {
            kept.push(spare);
        }
    }

    #[inline]
    fn handles<'py>(&self, py: Python<'py>) -> PyResult<Handles<'py>> {
        let spare = self.spare.borrow_mut().pop();
        match spare {
            Some(spare) => Ok(spare.wake(py)),
            None => Handles::new(py, self.worker),
        }
    }

    /// Whether a request is one too many.
    fn is_full(&self, worker: &Worker<Self>) -> bool {
        let full = |limit| worker.connections() >= limit || self.launcher.running() >= limit;
        self.limit.is_some_and(full)
    }

    #[inline]
    fn run(
        &self,
        py: Python<'_>,
        id: ExchangeId,
        scope: Py<PyDict>,
        line: Option<Line>,
    ) -> PyResult<()> {
        let handles = self.handles(py)?;
        handles.exchange.get().here()?.begin(id, scope, line);
        self.launcher.launch(py, handles).map(drop)
    }

    /// Runs `f` with the worker's host.
    fn with_host(&self, f: impl FnOnce(Python<'_>, &Host)) {
        if let Some(host) = host::find(self.worker) {
            Python::attach(|py| f(py, &host));
        }
    }
}

impl Handler for AsgiHandler {
    type Call = Call;

    fn prepare(&self, request: &Request<'_>, connection: &ConnectionInfo, _: ExchangeId) -> Call {
        Python::attach(|py| {
            match self
                .scopes
                .make(py, request, connection, self.access.is_on())
            {
                Err(error) => Call::Failed(error),
                Ok((scope, line)) => match request.upgrade() {
                    Upgrade::None => Call::Run {
                        scope: scope.unbind(),
                        line,
                    },
                    Upgrade::WebSocket => Call::Refuse {
                        status: 501,
                        text: "Not Implemented",
                        reason: "WebSocket is not supported yet: the handshake was answered with \
                                 501.",
                        line,
                    },
                    Upgrade::InvalidWebSocket => Call::Refuse {
                        status: 400,
                        text: "Bad Request",
                        reason: "Invalid WebSocket handshake received.",
                        line,
                    },
                },
            }
        })
    }

    fn start(&self, worker: &Worker<Self>, id: ExchangeId, call: Call) {
        Python::attach(|py| {
            let failed = match call {
                Call::Run { line, .. } if self.is_full(worker) => {
                    return refuse(
                        worker,
                        id,
                        503,
                        "Service Unavailable",
                        "Exceeded concurrency limit.",
                        line,
                    );
                }
                Call::Run { scope, line } => self.run(py, id, scope, line).err(),
                Call::Refuse {
                    status,
                    text,
                    reason,
                    line,
                } => {
                    return refuse(worker, id, status, text, reason, line);
                }
                Call::Failed(error) => Some(error),
            };
            if let Some(error) = failed {
                worker.finish(id);
                self.with_host(|py, host| host.failed_start(py, error));
            }
        });
    }

    fn readable(&self, _: &Worker<Self>, id: ExchangeId) {
        Python::attach(|py| {
            if let Some(exchange) = self.waiting.get(py, id)
                && let Ok(state) = exchange.get().here()
            {
                state.wake_receivers(py);
            }
        });
    }

    fn writable(&self, _: &Worker<Self>, id: ExchangeId) {
        Python::attach(|py| {
            if let Some(exchange) = self.waiting.get(py, id)
                && let Ok(state) = exchange.get().here()
            {
                state.wake_senders(py);
            }
        });
    }

    fn disconnected(&self, _: &Worker<Self>, id: ExchangeId) {
        Python::attach(|py| {
            if let Some(exchange) = self.waiting.get(py, id)
                && let Ok(state) = exchange.get().here()
            {
                self.waiting.remove(id);
                state.gone.set(true);
                state.wake_receivers(py);
                state.wake_senders(py);
            }
        });
    }

    fn rejected(&self, connection: &ConnectionInfo, status: Option<u16>, reason: &'static str) {
        self.with_host(|py, host| host.rejected(py, connection, status, reason));
    }

    fn accept_failed(&self, error: &std::io::Error) {
        self.with_host(|py, host| host.accept_failed(py, error));
    }

    fn closed(&self, slot: usize) {
        Python::attach(|_| self.scopes.forget(slot));
    }
}

/// Answers in the application's place, and says why in the log.
#[cold]
fn refuse(
    worker: &Worker<AsgiHandler>,
    id: ExchangeId,
    status: u16,
    text: &'static str,
    reason: &'static str,
    line: Option<Line>,
) {
    let length = text.len().to_string();
    let headers: [(&[u8], &[u8]); 3] = [
        (b"content-type", b"text/plain; charset=utf-8"),
        (b"content-length", length.as_bytes()),
        (b"connection", b"close"),
    ];
    let answered = worker
        .respond(id, status, headers.into_iter())
        .and_then(|()| worker.send_body(id, text.as_bytes(), false));
    let handler = worker.handler();
    handler.with_host(|py, host| {
        host.log.warning(py, host.access(), reason);
        if let (Ok(_), Some(line)) = (answered, line) {
            handler.access.write(line, status);
        }
        host.count_request();
    });
    worker.finish(id);
}
