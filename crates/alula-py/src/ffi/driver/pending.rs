//! A future that a coroutine waits for and its task has not been told of.

use pyo3::exceptions::asyncio::CancelledError;
use pyo3::prelude::*;

/// Cancels `future` as a task would that is cancelled with `error`; `false` where there is nothing
/// to cancel, so that the error must reach the coroutine itself.
pub(crate) fn cancel(future: &Bound<'_, PyAny>, error: &PyErr) -> PyResult<bool> {
    let py = future.py();
    if future.is_none() || !error.is_instance_of::<CancelledError>(py) {
        return Ok(false);
    }
    let Ok(cancel) = future.getattr(pyo3::intern!(py, "cancel")) else {
        return Ok(false);
    };
    match error
        .value(py)
        .getattr(pyo3::intern!(py, "args"))?
        .get_item(0)
    {
        Ok(message) => cancel.call1((message,))?.is_truthy(),
        Err(_) => cancel.call0()?.is_truthy(),
    }
}
