//! Strings and bytes made from what the wire brought.

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyString;

/// A string of ASCII text. Bytes above 0x7F, which the parser has refused, become U+FFFD.
#[inline]
pub(crate) fn ascii<'py>(py: Python<'py>, text: &[u8]) -> Bound<'py, PyString> {
    if !text.is_ascii() {
        return PyString::new(py, &String::from_utf8_lossy(text));
    }
    // SAFETY: a new string of that length has room for that many ASCII bytes, and nobody has seen
    // it yet.
    unsafe {
        let object = ffi::PyUnicode_New(text.len().cast_signed(), 0x7f);
        assert!(!object.is_null(), "out of memory");
        if !text.is_empty() {
            let data = ffi::PyUnicode_DATA(object).cast::<u8>();
            data.copy_from_nonoverlapping(text.as_ptr(), text.len());
        }
        Bound::from_owned_ptr(py, object).cast_into_unchecked()
    }
}
