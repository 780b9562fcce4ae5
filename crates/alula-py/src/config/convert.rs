//! Values between Python and the options.

use alula_server::config::{ConfigError, Layer, Origin, Value};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyMapping, PyString};

/// Sets an option from a keyword argument.
pub(super) fn set(layer: &mut Layer, key: &str, given: &Bound<'_, PyAny>) -> PyResult<()> {
    let py = given.py();
    let value = to_value(given)?.ok_or_else(|| ConfigError::Value {
        option: key.to_owned(),
        value: given
            .repr()
            .map(|text| text.to_string())
            .unwrap_or_default(),
        accepted: "a text, a number from 0 on, a bool, or a list of texts or pairs".to_owned(),
        origin: Origin::Keyword,
    });
    value
        .and_then(|value| layer.set_by_key(key, value, &Origin::Keyword))
        .map_err(|error| raise(py, &error))
}

/// The exception for an error: `alula.ConfigError`.
pub(super) fn raise(py: Python<'_>, error: &ConfigError) -> PyErr {
    let class = py
        .import("alula.errors")
        .and_then(|module| module.getattr("ConfigError"));
    match class.and_then(|class| class.call1((error.to_string(),))) {
        Ok(exception) => PyErr::from_value(exception),
        Err(failure) => failure,
    }
}

/// Whether an object is a path: a `str` or an `os.PathLike`.
pub(super) fn is_path(given: &Bound<'_, PyAny>) -> PyResult<bool> {
    Ok(given.is_instance_of::<PyString>() || given.hasattr("__fspath__")?)
}

/// The variables of an environment whose names and values are Unicode.
pub(super) fn environment(environ: &Bound<'_, PyMapping>) -> PyResult<Vec<(String, String)>> {
    let mut variables = Vec::new();
    for item in environ.items()? {
        if let Ok(pair) = item.extract() {
            variables.push(pair);
        }
    }
    Ok(variables)
}

/// The Python value of an option: `None`, `bool`, `int`, `float`, `str`, `list[str]` or
/// `list[tuple[str, str]]`.
pub(super) fn to_python(py: Python<'_>, value: Value) -> PyResult<Bound<'_, PyAny>> {
    match value {
        Value::None => Ok(py.None().into_bound(py)),
        Value::Flag(flag) => flag.into_bound_py_any(py),
        Value::Integer(number) => number.into_bound_py_any(py),
        Value::Number(number) => number.into_bound_py_any(py),
        Value::Text(text) => text.into_bound_py_any(py),
        Value::List(items) => items.into_bound_py_any(py),
        Value::Pairs(pairs) => pairs.into_bound_py_any(py),
    }
}

/// What a Python object says, if it is of a type that an option can have.
fn to_value(given: &Bound<'_, PyAny>) -> PyResult<Option<Value>> {
    if given.is_instance_of::<PyBool>() {
        return Ok(Some(Value::Flag(given.extract()?)));
    }
    if given.is_instance_of::<PyInt>() {
        return Ok(given.extract().ok().map(Value::Integer));
    }
    if given.is_instance_of::<PyFloat>() {
        return Ok(Some(Value::Number(given.extract()?)));
    }
    if is_path(given)? {
        return text(given).map(|text| text.map(Value::Text));
    }
    if let Ok(mapping) = given.cast::<PyDict>() {
        return Ok(mapping.items().extract().ok().map(Value::Pairs));
    }
    let Ok(items) = given.try_iter() else {
        return Ok(None);
    };
    let items = items.collect::<PyResult<Vec<_>>>()?;
    if let Ok(pairs) = items.iter().map(pair).collect::<PyResult<Vec<_>>>()
        && !pairs.is_empty()
    {
        return Ok(Some(Value::Pairs(pairs)));
    }
    let texts = items
        .iter()
        .map(text)
        .collect::<PyResult<Option<Vec<_>>>>()?;
    Ok(texts.map(Value::List))
}

/// A header's name and value from a pair, but not from a text of two letters.
fn pair(item: &Bound<'_, PyAny>) -> PyResult<(String, String)> {
    if item.is_instance_of::<PyString>() {
        return Err(pyo3::exceptions::PyTypeError::new_err("not a pair"));
    }
    let (name, value) = (item.get_item(0)?, item.get_item(1)?);
    if item.len()? == 2 {
        return Ok((name.extract()?, value.extract()?));
    }
    Err(pyo3::exceptions::PyTypeError::new_err("not a pair"))
}

/// The text of a `str` or `os.PathLike`.
fn text(item: &Bound<'_, PyAny>) -> PyResult<Option<String>> {
    if !is_path(item)? {
        return Ok(None);
    }
    let path = item.py().import("os")?.call_method1("fspath", (item,))?;
    Ok(path.extract().ok())
}
