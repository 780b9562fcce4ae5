//! Building a heap type; freelists; panics that must not cross into C.

use std::any::Any;
use std::cell::Cell;
use std::ffi::{CStr, c_int, c_uint, c_ulong, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;

use pyo3::exceptions::PyRuntimeError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyType;

/// What a type made here is never without.
pub(super) const FLAGS: c_ulong = ffi::Py_TPFLAGS_DEFAULT
    | ffi::Py_TPFLAGS_HAVE_GC
    | ffi::Py_TPFLAGS_DISALLOW_INSTANTIATION
    | ffi::Py_TPFLAGS_IMMUTABLETYPE;

/// One slot of a type. `function` is a function pointer or a table, as the slot asks.
pub(super) const fn slot(slot: c_int, function: *mut c_void) -> ffi::PyType_Slot {
    ffi::PyType_Slot {
        slot,
        pfunc: function,
    }
}

/// Makes a heap type.
///
/// # Safety
///
/// Every slot must hold what its number asks for and live for ever, `size` must be the size of the
/// instances (which begin with a `PyObject`), and `base` must fit.
pub(super) unsafe fn build(
    py: Python<'_>,
    name: &'static CStr,
    size: usize,
    flags: c_ulong,
    base: Option<&Bound<'_, PyType>>,
    mut slots: Vec<ffi::PyType_Slot>,
) -> PyResult<Py<PyType>> {
    slots.push(slot(0, ptr::null_mut()));
    let mut spec = ffi::PyType_Spec {
        name: name.as_ptr(),
        basicsize: c_int::try_from(size)?,
        itemsize: 0,
        flags: flags as c_uint,
        slots: slots.as_mut_ptr(),
    };
    // SAFETY: the specification is complete, as the caller promises; the result is a new type.
    unsafe {
        let base = base.map_or(ptr::null_mut(), Bound::as_ptr);
        let made = ffi::PyType_FromSpecWithBases(&raw mut spec, base);
        Ok(Bound::from_owned_ptr_or_err(py, made)?
            .cast_into_unchecked()
            .unbind())
    }
}

/// How many dead objects of one type are kept, a thread.
const KEPT: usize = 32;

/// Dead objects of one type, ready to be used again. One a thread.
pub(crate) struct Freelist {
    length: Cell<usize>,
    objects: [Cell<*mut ffi::PyObject>; KEPT],
}

impl Freelist {
    /// An empty list.
    pub(crate) const fn new() -> Self {
        Self {
            length: Cell::new(0),
            objects: [const { Cell::new(ptr::null_mut()) }; KEPT],
        }
    }

    /// A new reference to an object of `kind`: not tracked, its fields beyond the header not set
    /// (or as the last owner left them). Null with an exception set when there is no memory.
    ///
    /// # Safety
    ///
    /// The thread must be attached; `kind` must be the one type of this list.
    #[inline]
    pub(super) unsafe fn take<T>(&self, kind: *mut ffi::PyTypeObject) -> *mut T {
        let length = self.length.get();
        if length == 0 {
            // SAFETY: `kind` is a GC type whose instances are `T`.
            return unsafe { ffi::PyObject_GC_New::<T>(kind) };
        }
        self.length.set(length - 1);
        let object = self.objects[length - 1].get();
        // SAFETY: the list holds memory of dead objects of `kind`, which nobody else knows.
        unsafe { ffi::PyObject_Init(object, kind) }.cast()
    }

    /// Keeps a dead, untracked object, or frees it, and gives back its reference to its type.
    ///
    /// # Safety
    ///
    /// The thread must be attached; `object` must be of this list's type, with no reference left
    /// to it or in it.
    #[inline]
    pub(super) unsafe fn give<T>(&self, object: *mut T) {
        // SAFETY: the object is dead but its header is whole.
        let kind = unsafe { ffi::Py_TYPE(object.cast()) };
        let length = self.length.get();
        if length < KEPT {
            self.objects[length].set(object.cast());
            self.length.set(length + 1);
        } else {
            // SAFETY: GC memory that nobody refers to.
            unsafe { ffi::PyObject_GC_Del(object.cast()) };
        }
        // SAFETY: an instance of a heap type owns a reference to it.
        unsafe { ffi::Py_DECREF(kind.cast()) };
    }
}

/// Runs `f`; an error or a panic is left for the interpreter to find, with `failed` as the answer.
#[inline]
pub(super) fn guarded<R>(py: Python<'_>, failed: R, f: impl FnOnce() -> PyResult<R>) -> R {
    match catch_unwind(AssertUnwindSafe(f)) {
        Ok(Ok(value)) => value,
        Ok(Err(error)) => {
            error.restore(py);
            failed
        }
        Err(payload) => {
            PyRuntimeError::new_err(format!("alula panicked: {}", reason(&*payload))).restore(py);
            failed
        }
    }
}

/// What a panic said.
fn reason(payload: &(dyn Any + Send)) -> &str {
    let text = payload.downcast_ref::<&'static str>().copied();
    text.or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no reason")
}

/// A field of a raw object: an owned reference, or null. It is not dropped by itself: `dealloc`
/// clears it.
#[repr(transparent)]
pub(super) struct Field(Cell<*mut ffi::PyObject>);

impl Field {
    /// A field that owns `object`, or null.
    #[inline]
    pub(super) const fn new(object: *mut ffi::PyObject) -> Self {
        Self(Cell::new(object))
    }

    /// An empty field.
    #[inline]
    pub(super) const fn null() -> Self {
        Self::new(ptr::null_mut())
    }

    /// Whether the field is empty.
    #[inline]
    pub(super) fn is_null(&self) -> bool {
        self.0.get().is_null()
    }

    /// A new reference to what the field holds.
    #[inline]
    pub(super) fn get<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyAny>> {
        // SAFETY: the field holds a living object or null.
        unsafe { Bound::from_borrowed_ptr_or_opt(py, self.0.get()) }
    }

    /// What the field holds, without a reference of its own.
    ///
    /// # Safety
    ///
    /// The field must not be empty, nor be changed while the result is used.
    #[inline]
    pub(super) unsafe fn borrow<'py>(&self, py: Python<'py>) -> Borrowed<'_, 'py, PyAny> {
        // SAFETY: as the caller promises.
        unsafe { Borrowed::from_ptr(py, self.0.get()) }
    }

    /// Takes the reference out.
    #[inline]
    pub(super) fn take<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyAny>> {
        // SAFETY: the field owned the reference.
        unsafe { Bound::from_owned_ptr_or_opt(py, self.0.replace(ptr::null_mut())) }
    }

    /// Puts `object` in, and drops what was there.
    #[inline]
    pub(super) fn set(&self, object: Bound<'_, PyAny>) {
        let py = object.py();
        let old = self.0.replace(object.into_ptr());
        if !old.is_null() {
            // SAFETY: the field owned the reference.
            drop(unsafe { Bound::from_owned_ptr(py, old) });
        }
    }

    /// Drops what the field holds.
    #[inline]
    pub(super) fn clear(&self, py: Python<'_>) {
        drop(self.take(py));
    }
}

/// Shows the collector what the fields hold.
///
/// # Safety
///
/// Only for a `tp_traverse` function, with its own arguments.
pub(super) unsafe fn visit<const N: usize>(
    fields: [&Field; N],
    visit: ffi::visitproc,
    arg: *mut c_void,
) -> c_int {
    for field in fields {
        if !field.is_null() {
            // SAFETY: the field holds a living object.
            let stop = unsafe { visit(field.0.get(), arg) };
            if stop != 0 {
                return stop;
            }
        }
    }
    0
}

/// One method of a type: `function` takes two objects, whatever `flags` call them.
pub(super) fn method(
    name: &'static CStr,
    function: ffi::PyCFunction,
    flags: c_int,
) -> ffi::PyMethodDef {
    ffi::PyMethodDef {
        ml_name: name.as_ptr(),
        ml_meth: ffi::PyMethodDefPointer {
            PyCFunction: function,
        },
        ml_flags: flags,
        ml_doc: ptr::null(),
    }
}
