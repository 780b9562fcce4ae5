//! Stepping a coroutine.

use pyo3::exceptions::{PyBaseException, PyStopIteration, PyTypeError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyType;

/// How a step ended.
pub(crate) enum Step<'py> {
    /// The coroutine waits, and yielded this.
    Yielded(Bound<'py, PyAny>),
    /// It is finished.
    Returned(Bound<'py, PyAny>),
    /// It has failed.
    Raised(PyErr),
}

/// Whether `object` is a coroutine made by `async def`.
#[inline]
pub(crate) fn is_native(object: &Bound<'_, PyAny>) -> bool {
    // SAFETY: compares the object's type with the interpreter's.
    unsafe { ffi::PyCoro_CheckExact(object.as_ptr()) != 0 }
}

/// Sends `value` (`None` starts it) into an iterator or coroutine.
#[inline]
pub(crate) fn send<'py>(
    coroutine: &Bound<'py, PyAny>,
    value: Option<&Bound<'py, PyAny>>,
) -> Step<'py> {
    let py = coroutine.py();
    let mut result = std::ptr::null_mut();
    // SAFETY: both objects are alive; the result is a new reference unless the status is an error.
    unsafe {
        let value = value.map_or_else(|| ffi::Py_None(), Bound::as_ptr);
        match ffi::PyIter_Send(coroutine.as_ptr(), value, &raw mut result) {
            ffi::PySendResult::PYGEN_NEXT => Step::Yielded(Bound::from_owned_ptr(py, result)),
            ffi::PySendResult::PYGEN_RETURN => Step::Returned(Bound::from_owned_ptr(py, result)),
            ffi::PySendResult::PYGEN_ERROR => Step::Raised(PyErr::fetch(py)),
        }
    }
}

/// Raises `error` where the coroutine waits.
pub(crate) fn throw<'py>(coroutine: &Bound<'py, PyAny>, error: &Bound<'py, PyAny>) -> Step<'py> {
    let py = coroutine.py();
    match coroutine.call_method1(pyo3::intern!(py, "throw"), (error,)) {
        Ok(yielded) => Step::Yielded(yielded),
        Err(error) if error.is_instance_of::<PyStopIteration>(py) => {
            match error.value(py).getattr(pyo3::intern!(py, "value")) {
                Ok(value) => Step::Returned(value),
                Err(error) => Step::Raised(error),
            }
        }
        Err(error) => Step::Raised(error),
    }
}

/// The exception that `throw(type[, value[, traceback]])` or `throw(exception)` means.
pub(super) fn thrown(arguments: &Bound<'_, PyAny>) -> PyResult<PyErr> {
    let py = arguments.py();
    let first = arguments.get_item(0)?;
    if first.is_instance_of::<PyBaseException>() {
        return Ok(PyErr::from_value(first));
    }
    let Ok(kind) = first.cast::<PyType>() else {
        return Err(PyTypeError::new_err(format!(
            "throw() takes an exception or its class, not {}",
            first.get_type().name()?
        )));
    };
    let value = if arguments.len()? > 1 {
        Some(arguments.get_item(1)?)
    } else {
        None
    };
    Ok(match value.filter(|value| !value.is_none()) {
        Some(value) if value.is_instance(kind)? => PyErr::from_value(value),
        Some(value) => PyErr::from_type(kind.clone(), (value.unbind(),)),
        None => PyErr::from_value(kind.call0()?),
    })
    .inspect(|error| _ = error.value(py))
}
