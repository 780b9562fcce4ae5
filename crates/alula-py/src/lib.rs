//! `alula._alula`: the Python extension module. Conversions and glue; the serving is below.
//!
//! # Layout
//!
//! From the bottom up: a module knows those above it in this list, and none below.
//!
//! - [`ffi`]: the raw C API, and all of this crate's unsafe code.
//! - [`error`]: the exceptions.
//! - [`access_log`], [`log`]: what is told.
//! - [`event_loop`]: the asyncio loop that an engine turns in.
//! - [`task`]: the tasks that applications run in.
//! - [`asgi`]: requests in, an application called, its messages out.
//! - [`bench`]: the load generator as a function.
//! - [`config`]: the options as Python sees them.
//! - [`worker`]: the class that hangs an engine into an event loop.

mod access_log;
mod asgi;
mod bench;
mod config;
mod error;
mod event_loop;
mod ffi;
mod log;
mod task;
mod worker;

use pyo3::prelude::*;

/// The native half of the package `alula`. It has been tested with the GIL only.
#[pymodule(gil_used = true)]
fn _alula(module: &Bound<'_, PyModule>) -> PyResult<()> {
    ffi::prepare(module.py())?;
    asgi::prepare(module.py())?;
    error::register(module)?;
    bench::register(module)?;
    config::register(module)?;
    worker::register(module)
}
