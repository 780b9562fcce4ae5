//! What the interpreter calls on a driver, besides what steps it.

use std::ffi::{CStr, c_int, c_void};
use std::ptr;

use pyo3::ffi;
use pyo3::prelude::*;

use super::super::object::{self, Field, guarded};
use super::{Driver, RUNNING, this};

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
        let [first, second, third] = &this.objects;
        let fields = [&kind, &this.coroutine, &this.pending, first, second, third];
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
