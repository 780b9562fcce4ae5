//! All of the raw C API: one type or one subject a file, with a small safe face to the rest of the
//! crate, of which it knows nothing. Nowhere else in this crate is there unsafe code.
//!
//! # Layout
//!
//! - [`thread`]: data that only the thread that made it may touch.
//! - [`operation`]: what the rest of the crate does when an awaitable of its own is stepped.
//! - [`object`]: building a heap type; freelists; panics that must not cross into C.
//! - [`callable`]: the `receive` and `send` that an application is given.
//! - [`awaitable`]: what calling them returns.
//! - [`stepped`]: what an object that passes for a coroutine has in common with others.
//! - [`stop`]: the `StopIteration` that carries a value out of an awaitable.
//! - [`coroutine`]: stepping a coroutine.
//! - [`context`]: copying and entering a `contextvars` context.
//! - [`descriptor`]: sockets that Python hands over.
//! - [`dict`]: dictionaries, quicker than by their safe interface.
//! - [`driver`]: the coroutine-like object that a task runs once its application has waited.
//! - [`lazy_task`]: a task object whose `__init__` runs only when it must.
//! - [`header_list`]: an application's list of headers, read without running Python code.
//! - [`text`]: strings and bytes made from what the wire brought.

mod awaitable;
pub(crate) mod callable;
pub(crate) mod context;
pub(crate) mod coroutine;
pub(crate) mod descriptor;
pub(crate) mod dict;
pub(crate) mod driver;
pub(crate) mod header_list;
pub(crate) mod lazy_task;
mod object;
pub(crate) mod operation;
mod stepped;
pub(crate) mod stop;
pub(crate) mod text;
pub(crate) mod thread;

use operation::Operation;
use pyo3::prelude::*;

/// Makes the types, once, when the module is imported.
pub(crate) fn prepare(py: Python<'_>) -> PyResult<()> {
    driver::prepare(py)
}

/// Makes the types of an operation, once, when the module is imported.
pub(crate) fn prepare_operation<O: Operation>(py: Python<'_>) -> PyResult<()> {
    awaitable::prepare::<O>(py)?;
    callable::prepare::<O>(py)
}

/// How many references there are to `object`.
#[inline]
pub(crate) fn references<T>(object: &Bound<'_, T>) -> isize {
    // SAFETY: reads a living object's header.
    unsafe { pyo3::ffi::Py_REFCNT(object.as_ptr()) }
}
