//! The ASGI side: requests in, an application called, its messages out.
//!
//! # Layout
//!
//! - [`host`]: a worker as all of this reaches it: the engine, and the loop it turns in.
//! - [`handler`]: what the engine calls.
//! - [`scope`], [`headers`]: the dictionary that an application is given.
//! - [`exchange`]: one request and its answer, as `receive` and `send` share it.
//! - [`receive`], [`send`]: what awaiting them does; [`messages`]: the dictionaries they exchange.
//! - [`conclude`]: what is left to do when an application is through.
//! - [`waiting`]: exchanges that wait for the engine.

pub(crate) mod conclude;
pub(crate) mod exchange;
pub(crate) mod handler;
pub(crate) mod headers;
pub(crate) mod host;
pub(crate) mod messages;
pub(crate) mod receive;
pub(crate) mod scope;
pub(crate) mod send;
pub(crate) mod waiting;

use pyo3::prelude::*;

use crate::ffi;

/// Makes the types of `receive` and `send`, once, when the module is imported.
pub(crate) fn prepare(py: Python<'_>) -> PyResult<()> {
    ffi::prepare_operation::<receive::Receiving>(py)?;
    ffi::prepare_operation::<send::Sending>(py)
}
