//! Copying and entering a `contextvars` context.

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyContext;

/// An empty context.
pub(crate) fn empty(py: Python<'_>) -> PyResult<Bound<'_, PyContext>> {
    // SAFETY: the thread is attached; the call returns a new reference to a context or null.
    unsafe { Ok(Bound::from_owned_ptr_or_err(py, ffi::PyContext_New())?.cast_into_unchecked()) }
}

/// A copy of the context that the caller runs in.
pub(crate) fn copy_current(py: Python<'_>) -> PyResult<Bound<'_, PyContext>> {
    // SAFETY: as in `empty`.
    unsafe {
        Ok(Bound::from_owned_ptr_or_err(py, ffi::PyContext_CopyCurrent())?.cast_into_unchecked())
    }
}

/// A copy of `context`.
#[inline]
pub(crate) fn copy<'py>(context: &Bound<'py, PyContext>) -> PyResult<Bound<'py, PyContext>> {
    // SAFETY: as in `empty`; the argument is a context, as its type says.
    unsafe {
        let copied = ffi::PyContext_Copy(context.as_ptr());
        Ok(Bound::from_owned_ptr_or_err(context.py(), copied)?.cast_into_unchecked())
    }
}

/// A context that is entered until this is dropped.
pub(crate) struct Entered<'a, 'py>(&'a Bound<'py, PyContext>);

impl<'a, 'py> Entered<'a, 'py> {
    /// Enters `context`.
    ///
    /// # Errors
    ///
    /// `RuntimeError` when it is entered already.
    #[inline]
    pub(crate) fn enter(context: &'a Bound<'py, PyContext>) -> PyResult<Self> {
        // SAFETY: the thread is attached; the argument is a context.
        if unsafe { ffi::PyContext_Enter(context.as_ptr()) } < 0 {
            return Err(PyErr::fetch(context.py()));
        }
        Ok(Self(context))
    }
}

impl Drop for Entered<'_, '_> {
    fn drop(&mut self) {
        // SAFETY: as in `enter`; the context was entered there. Leaving it fails only when somebody
        // has entered another one since and not left it; the error then goes to the hook.
        if unsafe { ffi::PyContext_Exit(self.0.as_ptr()) } < 0 {
            PyErr::fetch(self.0.py()).write_unraisable(self.0.py(), Some(self.0));
        }
    }
}
