//! The exceptions that are born here, and what an engine's error is in Python.

use alula_server::SendError;
use pyo3::exceptions::{PyException, PyOSError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyTuple, PyType};

pyo3::create_exception!(alula, Error, PyException, "The root of Alula's exceptions.");

static CLIENT_DISCONNECTED: PyOnceLock<Py<PyType>> = PyOnceLock::new();

/// `alula.ClientDisconnected`, an `alula.Error` and an `OSError`.
fn client_disconnected(py: Python<'_>) -> PyResult<&Bound<'_, PyType>> {
    let made = CLIENT_DISCONNECTED.get_or_try_init(py, || -> PyResult<_> {
        let bases = PyTuple::new(py, [py.get_type::<Error>(), py.get_type::<PyOSError>()])?;
        let body = pyo3::types::PyDict::new(py);
        body.set_item("__module__", "alula")?;
        body.set_item(
            "__doc__",
            "Raised by `send` when the client is no longer there.",
        )?;
        let made = py
            .get_type::<PyType>()
            .call1(("ClientDisconnected", bases, body))?;
        Ok(made.cast_into::<PyType>()?.unbind())
    })?;
    Ok(made.bind(py))
}

/// Adds the exceptions to the module.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add("Error", py.get_type::<Error>())?;
    module.add("ClientDisconnected", client_disconnected(py)?)
}

/// What `send` raises when the client is no longer there.
pub(crate) fn gone(py: Python<'_>) -> PyErr {
    match client_disconnected(py) {
        Ok(kind) => PyErr::from_type(kind.clone(), ("the client has disconnected",)),
        Err(error) => error,
    }
}

/// Whether `error` is ours for a client that is no longer there (or a group of nothing else).
pub(crate) fn is_gone(py: Python<'_>, error: &Bound<'_, PyAny>) -> bool {
    let Ok(kind) = client_disconnected(py) else {
        return false;
    };
    if error.is_instance(kind).unwrap_or(false) {
        return true;
    }
    let group = error.is_instance_of::<pyo3::exceptions::PyBaseExceptionGroup>();
    let Some(members) = group.then(|| error.getattr("exceptions").ok()).flatten() else {
        return false;
    };
    members.try_iter().is_ok_and(|mut members| {
        members.all(|member| member.is_ok_and(|member| is_gone(py, &member)))
    })
}

/// What `send` raises for `error`.
pub(crate) fn from_send(py: Python<'_>, error: SendError) -> PyErr {
    match error {
        SendError::Gone => gone(py),
        SendError::Overflow | SendError::Short | SendError::Overlap => {
            PyRuntimeError::new_err(error.to_string())
        }
        SendError::Usage(usage) => PyValueError::new_err(usage.to_string()),
    }
}
