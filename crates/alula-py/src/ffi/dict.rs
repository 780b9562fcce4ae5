//! What the safe interface of dictionaries does not give, or only slowly.

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

/// A number that changes whenever the dictionary does; `None` where this Python has none.
#[inline]
#[expect(
    clippy::unnecessary_wraps,
    reason = "the answer depends on the version of Python"
)]
pub(crate) fn version(dict: &Bound<'_, PyDict>) -> Option<u64> {
    #[cfg(not(Py_3_14))]
    #[allow(deprecated, reason = "gone in 3.14, where we do without")]
    // SAFETY: a living dictionary has that layout.
    unsafe {
        Some((*dict.as_ptr().cast::<ffi::PyDictObject>()).ma_version_tag)
    }
    #[cfg(Py_3_14)]
    {
        let _ = dict;
        None
    }
}

/// Larger dictionaries are looked into, not walked through.
const SMALL: usize = 8;

/// The values of several keys at once. A small dictionary is walked once, and its keys are compared
/// by identity: those of a literal in the source are the interned strings that we have too.
#[inline]
pub(crate) fn values<'py, const N: usize>(
    dict: &Bound<'py, PyDict>,
    keys: [&Bound<'py, PyString>; N],
) -> PyResult<[Option<Bound<'py, PyAny>>; N]> {
    let mut values = [const { None }; N];
    let mut left = dict.len();
    if left <= SMALL {
        let mut position = 0;
        let mut key = std::ptr::null_mut();
        let mut value = std::ptr::null_mut();
        // SAFETY: the dictionary is alive; the loop runs no Python code, so that it does not change
        // meanwhile, and takes a reference of its own to each value.
        unsafe {
            let dict = dict.as_ptr();
            while ffi::PyDict_Next(dict, &raw mut position, &raw mut key, &raw mut value) != 0 {
                if let Some(at) = keys.iter().position(|wanted| wanted.as_ptr() == key) {
                    let value = Bound::from_borrowed_ptr(keys[at].py(), value);
                    values[at] = Some(value);
                    left -= 1;
                }
            }
        }
    }
    if left > 0 {
        // Some keys are other objects; they may still be equal to those that were not found.
        for (value, key) in values.iter_mut().zip(keys) {
            if value.is_none() {
                *value = dict.get_item(key)?;
            }
        }
    }
    Ok(values)
}
