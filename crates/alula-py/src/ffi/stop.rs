//! The `StopIteration` that carries a value out of an awaitable.
//!
//! Making one for each `await receive()` costs more than all the rest of the call, so one a thread
//! is used again and again, as long as nobody else has kept it.

use pyo3::exceptions::PyStopIteration;
use pyo3::prelude::*;

#[cfg(Py_3_12)]
pub(crate) use kept::forget;

/// Raises `StopIteration(value)`.
#[inline]
pub(super) fn raise(py: Python<'_>, value: Bound<'_, PyAny>) {
    #[cfg(Py_3_12)]
    let Some(value) = kept::raise(py, value) else {
        return;
    };
    // Called rather than raised with the value, which would be unpacked if it were a tuple.
    match py.get_type::<PyStopIteration>().call1((value,)) {
        Err(error) => error.restore(py),
        Ok(stop) => {
            #[cfg(Py_3_12)]
            kept::keep(&stop);
            PyErr::from_value(stop).restore(py);
        }
    }
}

/// Before 3.12 an exception is raised as three values, and nothing is kept.
#[cfg(not(Py_3_12))]
pub(crate) fn forget(_py: Python<'_>) {}

#[cfg(Py_3_12)]
mod kept {
    use std::cell::Cell;
    use std::ptr;

    use pyo3::ffi;
    use pyo3::prelude::*;

    thread_local! {
        /// An owned `StopIteration`, or null. Never freed when the thread ends.
        static KEPT: Cell<*mut ffi::PyStopIterationObject> = const { Cell::new(ptr::null_mut()) };
    }

    /// Whether the kept exception is ours alone, as it was made.
    fn is_fresh(kept: *mut ffi::PyStopIterationObject) -> bool {
        // SAFETY: a kept pointer is an owned reference to a StopIteration.
        unsafe {
            !kept.is_null()
                && ffi::Py_REFCNT(kept.cast()) == 1
                && (*kept).traceback.is_null()
                && (*kept).context.is_null()
        }
    }

    /// Raises the kept exception; gives the value back where there is none to be used.
    #[inline]
    pub(super) fn raise<'py>(
        _py: Python<'py>,
        value: Bound<'py, PyAny>,
    ) -> Option<Bound<'py, PyAny>> {
        let kept = KEPT.get();
        if !is_fresh(kept) {
            return Some(value);
        }
        // SAFETY: nobody but us refers to the exception, so nobody sees its value change; the
        // attached thread owns both references that are exchanged.
        unsafe {
            let old = ptr::replace(&raw mut (*kept).value, value.into_ptr());
            ffi::PyErr_SetRaisedException(ffi::Py_NewRef(kept.cast()));
            ffi::Py_XDECREF(old);
        }
        None
    }

    /// Keeps `stop` for the next time, in place of what was kept.
    pub(super) fn keep(stop: &Bound<'_, PyAny>) {
        let object = stop.as_ptr().cast::<ffi::PyStopIterationObject>();
        // SAFETY: `stop` is an exact StopIteration that no other code has seen; its arguments,
        // which would keep the first value alive, are replaced by an empty tuple.
        unsafe {
            let empty = ffi::PyTuple_New(0);
            if empty.is_null() {
                ffi::PyErr_Clear();
                return;
            }
            ffi::Py_XDECREF(ptr::replace(&raw mut (*object).args, empty));
            let old = KEPT.replace(ffi::Py_NewRef(object.cast()).cast());
            ffi::Py_XDECREF(old.cast());
        }
    }

    /// Forgets the value that was last raised, so that a body does not outlive its use.
    #[inline]
    pub(crate) fn forget(_py: Python<'_>) {
        let kept = KEPT.get();
        if kept.is_null() {
            return;
        }
        // SAFETY: as in `raise`; an exception that somebody has seen is let go.
        unsafe {
            if is_fresh(kept) {
                let none = ffi::Py_NewRef(ffi::Py_None());
                ffi::Py_XDECREF(ptr::replace(&raw mut (*kept).value, none));
            } else {
                KEPT.set(ptr::null_mut());
                ffi::Py_DECREF(kept.cast());
            }
        }
    }
}
