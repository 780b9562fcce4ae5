//! What the interpreter calls on a driver.

use std::ffi::{CStr, c_int, c_void};
use std::ptr;

use pyo3::exceptions::PyValueError;
use pyo3::ffi;
use pyo3::prelude::*;

use super::super::object::{self, Field, guarded};
use super::super::{coroutine, stop};
use super::{DONE, Driver, Outcome, RUNNING, this};

/// `next(driver)`.
pub(super) unsafe extern "C" fn iternext(object: *mut ffi::PyObject) -> *mut ffi::PyObject {
    Python::attach(|py| {
        guarded(py, ptr::null_mut(), || {
            // SAFETY: the interpreter passes an instance.
            let object = unsafe { Bound::from_borrowed_ptr(py, object) };
            Ok(answer(this(&object).advance(py, None)?))
        })
    })
}

/// `driver.send(value)`, as the interpreter calls it.
pub(super) unsafe extern "C" fn am_send(
    object: *mut ffi::PyObject,
    value: *mut ffi::PyObject,
    result: *mut *mut ffi::PyObject,
) -> ffi::PySendResult {
    // SAFETY: the interpreter wants the answer there.
    unsafe { *result = ptr::null_mut() };
    Python::attach(|py| {
        guarded(py, ffi::PySendResult::PYGEN_ERROR, || {
            // SAFETY: the interpreter passes an instance and a value.
            let (object, value) = unsafe {
                (
                    Bound::from_borrowed_ptr(py, object),
                    Bound::from_borrowed_ptr(py, value),
                )
            };
            let (answer, status) = match this(&object).advance(py, Some(&value))? {
                Outcome::Yield(future) => (future, ffi::PySendResult::PYGEN_NEXT),
                Outcome::Return(value) => (value, ffi::PySendResult::PYGEN_RETURN),
            };
            // SAFETY: as above.
            unsafe { *result = answer.into_ptr() };
            Ok(status)
        })
    })
}

/// The answer of a method: what was yielded, or `StopIteration` with what was returned.
fn answer(outcome: Outcome<'_>) -> *mut ffi::PyObject {
    match outcome {
        Outcome::Yield(future) => future.into_ptr(),
        Outcome::Return(value) => {
            stop::raise(value.py(), value);
            ptr::null_mut()
        }
    }
}

/// `driver.send(value)`.
pub(super) unsafe extern "C" fn call_send(
    object: *mut ffi::PyObject,
    value: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    Python::attach(|py| {
        guarded(py, ptr::null_mut(), || {
            // SAFETY: the interpreter passes an instance and a value.
            let (object, value) = unsafe {
                (
                    Bound::from_borrowed_ptr(py, object),
                    Bound::from_borrowed_ptr(py, value),
                )
            };
            Ok(answer(this(&object).advance(py, Some(&value))?))
        })
    })
}

/// `driver.throw(...)`.
pub(super) unsafe extern "C" fn call_throw(
    object: *mut ffi::PyObject,
    arguments: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    Python::attach(|py| {
        guarded(py, ptr::null_mut(), || {
            // SAFETY: the interpreter passes an instance and a tuple.
            let (object, arguments) = unsafe {
                (
                    Bound::from_borrowed_ptr(py, object),
                    Bound::from_borrowed_ptr(py, arguments),
                )
            };
            Ok(answer(
                this(&object).raise(py, coroutine::thrown(&arguments)?)?,
            ))
        })
    })
}

/// `driver.close()`.
pub(super) unsafe extern "C" fn call_close(
    object: *mut ffi::PyObject,
    _: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    Python::attach(|py| {
        guarded(py, ptr::null_mut(), || {
            // SAFETY: the interpreter passes an instance.
            let object = unsafe { Bound::from_borrowed_ptr(py, object) };
            let this = this(&object);
            this.check_thread()?;
            if this.state.get() == RUNNING {
                return Err(PyValueError::new_err("coroutine already executing"));
            }
            this.state.set(DONE);
            this.pending.clear(py);
            let closed = match this.coroutine.take(py) {
                Some(coroutine) => coroutine.call_method0("close").map(drop),
                None => Ok(()),
            };
            if let Some(handles) = this.handles(py) {
                handles.abandon();
            }
            closed.map(|()| py.None().into_ptr())
        })
    })
}

/// A getter of that name, see `show`.
pub(super) fn shown(name: &'static CStr) -> ffi::PyGetSetDef {
    ffi::PyGetSetDef {
        name: name.as_ptr(),
        get: Some(show),
        set: None,
        doc: ptr::null(),
        closure: name.as_ptr().cast_mut().cast(),
    }
}

/// An attribute of the application's coroutine; of a coroutine that is over where there is none.
unsafe extern "C" fn show(object: *mut ffi::PyObject, name: *mut c_void) -> *mut ffi::PyObject {
    Python::attach(|py| {
        guarded(py, ptr::null_mut(), || {
            // SAFETY: the interpreter passes an instance, and what `shown` put there.
            let (object, name) = unsafe {
                (
                    Bound::from_borrowed_ptr(py, object),
                    CStr::from_ptr(name.cast_const().cast()),
                )
            };
            let name = name.to_string_lossy();
            let this = this(&object);
            this.check_thread()?;
            if let Some(coroutine) = this.coroutine.get(py) {
                return Ok(coroutine.getattr(&*name)?.into_ptr());
            }
            Ok(match &*name {
                "__name__" | "__qualname__" => pyo3::types::PyString::new(py, "request").into_ptr(),
                "cr_running" => (this.state.get() == RUNNING)
                    .into_pyobject(py)?
                    .to_owned()
                    .into_ptr(),
                "cr_suspended" => false.into_pyobject(py)?.to_owned().into_ptr(),
                _ => py.None().into_ptr(),
            })
        })
    })
}

/// Shows the collector what is held.
pub(super) unsafe extern "C" fn traverse(
    object: *mut ffi::PyObject,
    visit: ffi::visitproc,
    arg: *mut c_void,
) -> c_int {
    // SAFETY: the collector passes a tracked instance.
    unsafe {
        let kind = Field::new(ffi::Py_TYPE(object).cast());
        let this = &*object.cast::<Driver>();
        let fields = [
            &kind,
            &this.coroutine,
            &this.pending,
            &this.exchange,
            &this.receive,
            &this.send,
        ];
        object::visit(fields, visit, arg)
    }
}

/// Lets go of what may be part of a cycle.
pub(super) unsafe extern "C" fn forget(object: *mut ffi::PyObject) -> c_int {
    Python::attach(|py| {
        // SAFETY: the collector passes an instance.
        let object = unsafe { Bound::from_borrowed_ptr(py, object) };
        this(&object).clear(py);
    });
    0
}

/// The last reference is gone.
pub(super) unsafe extern "C" fn dealloc(object: *mut ffi::PyObject) {
    // SAFETY: the interpreter calls attached, the last reference being gone.
    unsafe {
        ffi::PyObject_GC_UnTrack(object.cast());
        let this = &*object.cast::<Driver>();
        if !this.weak_references.is_null() {
            ffi::PyObject_ClearWeakRefs(object);
        }
        this.clear(Python::assume_attached());
        let kind = ffi::Py_TYPE(object);
        ffi::PyObject_GC_Del(object.cast());
        ffi::Py_DECREF(kind.cast());
    }
}
