//! `alula._alula`: the Python extension module. Conversions and glue; the serving is below.
//!
//! # Layout
//!
//! - [`config`]: the options as Python sees them.
//! - [`worker`]: the class that hangs an engine into an event loop; [`core`]: what it is made of.
//! - [`asgi`]: requests in, an application called, its messages out.
//! - [`task`]: the tasks that applications run in.
//! - [`access_log`], [`log`]: what is told.
//! - [`error`]: the exceptions.
//! - [`ffi`]: the raw C API, and all of this crate's unsafe code.

mod access_log;
mod asgi;
mod config;
mod core;
mod error;
mod ffi;
mod log;
mod task;
mod worker;

use pyo3::prelude::*;

/// The native half of the package `alula`. It has been tested with the GIL only.
#[pymodule(gil_used = true)]
fn _alula(module: &Bound<'_, PyModule>) -> PyResult<()> {
    ffi::prepare(module.py())?;
    error::register(module)?;
    config::register(module)?;
    worker::register(module)
}
