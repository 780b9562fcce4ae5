//! The messages of ASGI's HTTP part, as dictionaries.

use pyo3::exceptions::{PyKeyError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyByteArray, PyBytes, PyDict, PyMemoryView, PyString};

use crate::ffi::dict;

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

/// A message of an application, taken apart.
pub(crate) struct Message<'py> {
    /// `type`
    pub(crate) name: Bound<'py, PyString>,
    status: Option<Bound<'py, PyAny>>,
    /// `headers`
    pub(crate) headers: Option<Bound<'py, PyAny>>,
    body: Option<Bound<'py, PyAny>>,
    more_body: Option<Bound<'py, PyAny>>,
}

impl<'py> Message<'py> {
    /// Takes apart a dictionary, or what behaves like one.
    ///
    /// # Errors
    ///
    /// Where it does not, or its type is no string.
    #[inline]
    pub(crate) fn of(message: &Bound<'py, PyAny>) -> PyResult<Self> {
        let py = message.py();
        let keys = [
            pyo3::intern!(py, "type"),
            pyo3::intern!(py, "status"),
            pyo3::intern!(py, "headers"),
            pyo3::intern!(py, "body"),
            pyo3::intern!(py, "more_body"),
        ];
        let [name, status, headers, body, more_body] = match message.cast_exact::<PyDict>() {
            Ok(message) => dict::values(message, keys)?,
            Err(_) => look_up(message, keys)?,
        };
        let Some(name) = name else {
            return Err(PyKeyError::new_err("an ASGI message needs a 'type'"));
        };
        let name = name.cast_into::<PyString>().map_err(|error| {
            let value = shown(&error.into_inner());
            PyTypeError::new_err(format!("an ASGI message's 'type' is a str, not {value}"))
        })?;
        Ok(Self {
            name,
            status,
            headers,
            body,
            more_body,
        })
    }

    /// What it asks for.
    #[inline]
    pub(crate) fn kind(&self) -> PyResult<Kind> {
        Ok(match self.name.to_str()? {
            "http.response.start" => Kind::Start,
            "http.response.body" => Kind::Body,
            _ => Kind::Other,
        })
    }

    /// The status of a start message.
    #[inline]
    pub(crate) fn status(&self) -> PyResult<u16> {
        let Some(status) = &self.status else {
            return Err(PyKeyError::new_err(
                "an 'http.response.start' message needs a 'status', an int from 200 to 599",
            ));
        };
        // What is no status is told apart by the engine, but it must be a number.
        match status.extract::<i64>() {
            Ok(number) => Ok(u16::try_from(number).unwrap_or(0)),
            Err(_) => Err(PyTypeError::new_err(format!(
                "'status' must be an int from 200 to 599, not {}",
                shown(status)
            ))),
        }
    }

    /// The status as it came.
    pub(crate) fn shown_status(&self) -> String {
        self.status.as_ref().map_or_else(String::new, shown)
    }

    /// The body of a body message; `None` for an empty one.
    #[inline]
    pub(crate) fn body(&self) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let Some(body) = &self.body else {
            return Ok(None);
        };
        match body.cast::<PyBytes>() {
            Ok(body) => Ok(Some(body.clone())),
            // As under uvicorn.
            Err(_) if body.is_none() => Ok(None),
            Err(_) => bytes_of(body, || "'body'".to_owned()).map(Some),
        }
    }

    /// Whether more of the body follows a body message.
    #[inline]
    pub(crate) fn more_body(&self) -> PyResult<bool> {
        self.more_body
            .as_ref()
            .map_or(Ok(false), PyAnyMethods::is_truthy)
    }
}

/// The values of `keys` in a mapping that is no plain dictionary.
fn look_up<'py, const N: usize>(
    message: &Bound<'py, PyAny>,
    keys: [&Bound<'py, PyString>; N],
) -> PyResult<[Option<Bound<'py, PyAny>>; N]> {
    let py = message.py();
    let mut values = [const { None }; N];
    for (value, key) in values.iter_mut().zip(keys) {
        *value = match message.get_item(key) {
            Ok(found) => Some(found),
            Err(error) if error.is_instance_of::<PyKeyError>(py) => None,
            Err(error) if error.is_instance_of::<PyTypeError>(py) => {
                return Err(PyTypeError::new_err(format!(
                    "an ASGI message is a dict, not {}",
                    shown(message)
                )));
            }
            Err(error) => return Err(error),
        };
    }
    Ok(values)
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
