//! The messages of ASGI's HTTP part, as dictionaries.

use pyo3::exceptions::{PyKeyError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyByteArray, PyBytes, PyDict, PyMemoryView, PyString};

/// What a message of an application asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// `http.response.start`
    Start,
    /// `http.response.body`
    Body,
    /// Something else.
    Other,
}

/// The type of a message.
#[inline]
pub(crate) fn kind(name: &Bound<'_, PyString>) -> PyResult<Kind> {
    Ok(match name.to_str()? {
        "http.response.start" => Kind::Start,
        "http.response.body" => Kind::Body,
        _ => Kind::Other,
    })
}

/// The value of `key` in a message, which is a dictionary or behaves like one.
#[inline]
pub(crate) fn get<'py>(
    message: &Bound<'py, PyAny>,
    key: &Bound<'py, PyString>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    if let Ok(message) = message.cast_exact::<PyDict>() {
        return message.get_item(key);
    }
    match message.get_item(key) {
        Ok(value) => Ok(Some(value)),
        Err(error) if error.is_instance_of::<PyKeyError>(message.py()) => Ok(None),
        Err(error) if error.is_instance_of::<PyTypeError>(message.py()) => Err(
            PyTypeError::new_err(format!("an ASGI message is a dict, not {}", shown(message))),
        ),
        Err(error) => Err(error),
    }
}

/// The type's name in a message.
#[inline]
pub(crate) fn type_name<'py>(message: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyString>> {
    let py = message.py();
    let Some(name) = get(message, pyo3::intern!(py, "type"))? else {
        return Err(PyKeyError::new_err("an ASGI message needs a 'type'"));
    };
    name.cast_into::<PyString>().map_err(|error| {
        let value = error.into_inner();
        PyTypeError::new_err(format!(
            "an ASGI message's 'type' is a str, not {}",
            shown(&value)
        ))
    })
}

/// The status of a start message.
#[inline]
pub(crate) fn status(message: &Bound<'_, PyAny>) -> PyResult<u16> {
    let py = message.py();
    let Some(status) = get(message, pyo3::intern!(py, "status"))? else {
        return Err(PyKeyError::new_err(
            "an 'http.response.start' message needs a 'status', an int from 200 to 599",
        ));
    };
    // What is no status is told apart by the engine, but it must be a number.
    match status.extract::<i64>() {
        Ok(number) => Ok(u16::try_from(number).unwrap_or(0)),
        Err(_) => Err(PyTypeError::new_err(format!(
            "'status' must be an int from 200 to 599, not {}",
            shown(&status)
        ))),
    }
}

/// The body of a body message; `None` for an empty one.
#[inline]
pub(crate) fn body<'py>(message: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyBytes>>> {
    let py = message.py();
    let Some(body) = get(message, pyo3::intern!(py, "body"))? else {
        return Ok(None);
    };
    match body.cast_into::<PyBytes>() {
        Ok(body) => Ok(Some(body)),
        Err(error) => bytes_of(&error.into_inner(), || "'body'".to_owned()).map(Some),
    }
}

/// Whether more of the body follows a body message.
#[inline]
pub(crate) fn more_body(message: &Bound<'_, PyAny>) -> PyResult<bool> {
    let py = message.py();
    match get(message, pyo3::intern!(py, "more_body"))? {
        None => Ok(false),
        Some(more) => more.is_truthy(),
    }
}

/// A copy of what is like bytes; `name` says what it is when it is not.
pub(crate) fn bytes_of<'py>(
    value: &Bound<'py, PyAny>,
    name: impl FnOnce() -> String,
) -> PyResult<Bound<'py, PyBytes>> {
    if let Ok(bytes) = value.cast::<PyBytes>() {
        return Ok(bytes.clone());
    }
    if value.is_instance_of::<PyByteArray>() || value.is_instance_of::<PyMemoryView>() {
        let made = value.py().get_type::<PyBytes>().call1((value,))?;
        return Ok(made.cast_into::<PyBytes>()?);
    }
    Err(PyTypeError::new_err(format!(
        "{} must be bytes, not {}",
        name(),
        shown(value)
    )))
}

/// A value for an error's text: its type, and what it looks like if that is short.
pub(crate) fn shown(value: &Bound<'_, PyAny>) -> String {
    let kind = value
        .get_type()
        .name()
        .map_or_else(|_| "?".to_owned(), |name| name.to_string());
    match value.repr() {
        Ok(repr) if repr.len().is_ok_and(|length| length <= 80) => format!("{kind} ({repr})"),
        _ => kind,
    }
}

/// `http.request`, with a piece of the body.
#[inline]
pub(crate) fn request<'py>(
    py: Python<'py>,
    body: Bound<'py, PyBytes>,
    more: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let message = PyDict::new(py);
    message.set_item(pyo3::intern!(py, "type"), pyo3::intern!(py, "http.request"))?;
    message.set_item(pyo3::intern!(py, "body"), body)?;
    message.set_item(pyo3::intern!(py, "more_body"), PyBool::new(py, more))?;
    Ok(message.into_any())
}

/// `http.disconnect`
pub(crate) fn disconnect(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    let message = PyDict::new(py);
    message.set_item(
        pyo3::intern!(py, "type"),
        pyo3::intern!(py, "http.disconnect"),
    )?;
    Ok(message.into_any())
}
