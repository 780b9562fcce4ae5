//! The access log: a line a request, in uvicorn's format, written off the hot path.
//!
//! # Layout
//!
//! - [`Line`]: one request's line, until its status is known.
//! - [`AccessLog`]: where lines go: to a [`writer`] of our own, or to a Python callable.

mod line;
mod writer;

use std::cell::{Cell, RefCell};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

pub(crate) use line::Line;
use writer::Writer;

/// Lines of one turn kept for the writer at most, before it is woken.
const BATCH_BYTES: usize = 64 * 1024;

/// Where lines go.
pub(crate) enum AccessLog {
    /// Nowhere.
    Off,
    /// To standard output, by a thread of our own.
    Native {
        /// The thread.
        writer: Writer,
        /// Whether lines are coloured.
        colours: bool,
        /// This turn's lines.
        batch: RefCell<Vec<u8>>,
    },
    /// To a Python callable, after the turn.
    Callable {
        /// Called with client, method, path, HTTP version and status.
        call: Py<PyAny>,
        /// This turn's lines.
        batch: RefCell<Vec<(Line, u16)>>,
        /// Whether a flush is under way.
        flushing: Cell<bool>,
    },
}

impl AccessLog {
    /// From what the `Worker` was given: a callable, `"native"` or `None`.
    pub(crate) fn new(choice: Option<&Bound<'_, PyAny>>, colours: bool) -> PyResult<Self> {
        let Some(choice) = choice.filter(|choice| !choice.is_none()) else {
            return Ok(Self::Off);
        };
        if choice.is_callable() {
            return Ok(Self::Callable {
                call: choice.clone().unbind(),
                batch: RefCell::default(),
                flushing: Cell::new(false),
            });
        }
        if choice
            .extract::<String>()
            .is_ok_and(|choice| choice == "native")
        {
            let writer = Writer::start()?;
            return Ok(Self::Native {
                writer,
                colours,
                batch: RefCell::default(),
            });
        }
        Err(PyValueError::new_err(format!(
            "access_log must be a callable, 'native' or None, not {}",
            choice.repr()?
        )))
    }

    /// Whether requests need a line.
    #[inline]
    pub(crate) fn is_on(&self) -> bool {
        !matches!(self, Self::Off)
    }

    /// A request has been answered.
    #[inline]
    pub(crate) fn write(&self, line: Line, status: u16) {
        match self {
            Self::Off => {}
            Self::Native {
                colours,
                batch,
                writer,
            } => {
                let mut batch = batch.borrow_mut();
                line.append(status, *colours, &mut batch);
                if batch.len() >= BATCH_BYTES {
                    writer.take(&mut batch);
                }
            }
            Self::Callable { batch, .. } => batch.borrow_mut().push((line, status)),
        }
    }

    /// Whether lines wait for a flush.
    #[inline]
    pub(crate) fn is_waiting(&self) -> bool {
        match self {
            Self::Off => false,
            Self::Native { batch, .. } => !batch.borrow().is_empty(),
            Self::Callable { batch, .. } => !batch.borrow().is_empty(),
        }
    }

    /// After a turn: hands on what it has written.
    #[inline]
    pub(crate) fn flush(&self, py: Python<'_>) {
        match self {
            Self::Off => {}
            Self::Native { batch, writer, .. } => {
                let mut batch = batch.borrow_mut();
                if !batch.is_empty() {
                    writer.take(&mut batch);
                }
            }
            Self::Callable {
                call,
                batch,
                flushing,
            } => {
                if batch.borrow().is_empty() || flushing.replace(true) {
                    return;
                }
                for (line, status) in batch.take() {
                    if let Err(error) = call.bind(py).call1(line.fields(status)) {
                        error.write_unraisable(py, Some(call.bind(py)));
                    }
                }
                flushing.set(false);
            }
        }
    }

    /// Waits (for a bounded time) until what has been logged is written, so that what somebody
    /// else writes next comes after it.
    pub(crate) fn sync(&self, py: Python<'_>) {
        self.flush(py);
        if let Self::Native { writer, .. } = self {
            py.detach(|| writer.sync());
        }
    }
}
