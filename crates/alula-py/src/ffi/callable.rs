//! The `receive` and `send` that an application is given: each begins an operation on its subject,
//! called by vectorcall.

use std::cell::Cell;
use std::ffi::CStr;
use std::mem::offset_of;
use std::ptr;

use pyo3::exceptions::PyTypeError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyTuple, PyType};

use super::awaitable;
use super::object::{self, Field, guarded, slot};
use super::operation::Operation;

#[repr(C)]
struct Callable {
    base: ffi::PyObject,
    vectorcall: Cell<Option<ffi::vectorcallfunc>>,
    /// What it is called for.
    subject: Field,
}

/// Makes the type of an operation's callables.
pub(super) fn prepare<O: Operation>(py: Python<'_>) -> PyResult<()> {
    let kind = make::<O>(py)?;
    mark(kind.bind(py))?;
    let _ = O::types().callable.set(py, kind);
    Ok(())
}

/// Marks instances as coroutine functions, for `asyncio` and (from 3.12 on) for `inspect`.
fn mark(kind: &Bound<'_, PyType>) -> PyResult<()> {
    let py = kind.py();
    if let Some(mark) = py
        .import("asyncio.coroutines")?
        .getattr_opt("_is_coroutine")?
    {
        kind.setattr("_is_coroutine", mark)?;
    }
    if let Some(mark) = py.import("inspect")?.getattr_opt("markcoroutinefunction")? {
        mark.call1((kind,))?;
    }
    Ok(())
}

fn make<O: Operation>(py: Python<'_>) -> PyResult<Py<PyType>> {
    let members = Box::leak(Box::new([
        ffi::PyMemberDef {
            name: c"__vectorcalloffset__".as_ptr(),
            type_code: ffi::Py_T_PYSSIZET,
            offset: offset_of!(Callable, vectorcall).cast_signed(),
            flags: ffi::Py_READONLY,
            doc: ptr::null(),
        },
        ffi::PyMemberDef::default(),
    ]));
    let getters = Box::leak(Box::new([
        getter(c"__name__", O::NAME),
        getter(c"__qualname__", O::NAME),
        ffi::PyGetSetDef::default(),
    ]));
    let slots = vec![
        slot(ffi::Py_tp_dealloc, dealloc as *mut _),
        slot(ffi::Py_tp_traverse, traverse as *mut _),
        slot(ffi::Py_tp_call, ffi::PyVectorcall_Call as *mut _),
        slot(ffi::Py_tp_members, members.as_mut_ptr().cast()),
        slot(ffi::Py_tp_getset, getters.as_mut_ptr().cast()),
    ];
    // Not immutable: the marks of a coroutine function are attributes of the type.
    let flags = object::FLAGS & !ffi::Py_TPFLAGS_IMMUTABLETYPE | ffi::Py_TPFLAGS_HAVE_VECTORCALL;
    // SAFETY: each slot holds a function of the slot's signature; the tables are leaked; the
    // instances are `Callable`, whose vectorcall pointer is where the member says.
    unsafe { object::build(py, O::CALLABLE, size_of::<Callable>(), flags, None, slots) }
}

fn getter(name: &'static CStr, answer: &'static CStr) -> ffi::PyGetSetDef {
    ffi::PyGetSetDef {
        name: name.as_ptr(),
        get: Some(constant),
        set: None,
        doc: ptr::null(),
        closure: answer.as_ptr().cast_mut().cast(),
    }
}

unsafe extern "C" fn constant(
    _: *mut ffi::PyObject,
    answer: *mut std::ffi::c_void,
) -> *mut ffi::PyObject {
    // SAFETY: `getter` passes a string that lives for ever.
    unsafe { ffi::PyUnicode_FromString(answer.cast()) }
}

/// A callable that begins `O` on `subject`.
pub(crate) fn create<'py, O: Operation>(
    subject: &Bound<'py, O::Subject>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = subject.py();
    let kind = O::types().callable.get(py);
    let kind = kind.expect("made with the module").as_ptr();
    // SAFETY: `kind` is this operation's type; every field is written before the object is tracked.
    unsafe {
        let object = ffi::PyObject_GC_New::<Callable>(kind.cast());
        if object.is_null() {
            return Err(PyErr::fetch(py));
        }
        (&raw mut (*object).vectorcall).write(Cell::new(Some(call::<O>)));
        (&raw mut (*object).subject).write(Field::new(subject.clone().into_ptr()));
        ffi::PyObject_GC_Track(object.cast());
        Ok(Bound::from_owned_ptr(py, object.cast()))
    }
}

/// The subject of the object that the interpreter has called.
///
/// # Safety
///
/// `this` must be a `Callable` of `O` that lives at least as long as the result is used.
#[inline]
unsafe fn subject<'a, O: Operation>(
    py: Python<'_>,
    this: *mut ffi::PyObject,
) -> Borrowed<'a, '_, O::Subject> {
    // SAFETY: the field was given a subject by `create`, and only `dealloc` takes it out.
    unsafe {
        (*this.cast::<Callable>())
            .subject
            .borrow(py)
            .cast_unchecked()
    }
}

unsafe extern "C" fn call<O: Operation>(
    this: *mut ffi::PyObject,
    arguments: *const *mut ffi::PyObject,
    count: usize,
    keywords: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: the interpreter calls attached, with an instance, its arguments and their names.
    unsafe {
        let py = Python::assume_attached();
        let positional = ffi::PyVectorcall_NARGS(count);
        let mut message = ptr::null_mut();
        if O::TAKES_MESSAGE {
            if positional != 1 || !keywords.is_null() {
                let named = Bound::from_borrowed_ptr_or_opt(py, keywords);
                if positional != 0 || !named.is_some_and(|names| is_message(&names)) {
                    return refuse::<O>(py);
                }
            }
            message = ffi::Py_NewRef(*arguments);
        } else if positional != 0 || !keywords.is_null() {
            return refuse::<O>(py);
        }
        awaitable::create::<O>(py, &subject::<O>(py, this), message)
    }
}

/// Whether the names of the keyword arguments are just `message`.
#[cold]
fn is_message(names: &Bound<'_, PyAny>) -> bool {
    let names = names.cast::<PyTuple>();
    names.is_ok_and(|names| {
        names.len() == 1
            && names
                .get_item(0)
                .is_ok_and(|name| name.eq("message").unwrap_or(false))
    })
}

#[cold]
fn refuse<O: Operation>(py: Python<'_>) -> *mut ffi::PyObject {
    let name = O::NAME.to_string_lossy();
    let text = if O::TAKES_MESSAGE {
        format!("{name}() takes one argument, the message")
    } else {
        format!("{name}() takes no arguments")
    };
    guarded(py, ptr::null_mut(), || Err(PyTypeError::new_err(text)))
}

unsafe extern "C" fn traverse(
    this: *mut ffi::PyObject,
    visit: ffi::visitproc,
    arg: *mut std::ffi::c_void,
) -> std::ffi::c_int {
    // SAFETY: the collector passes a tracked instance.
    unsafe {
        let kind = Field::new(ffi::Py_TYPE(this).cast());
        object::visit([&kind, &(*this.cast::<Callable>()).subject], visit, arg)
    }
}

unsafe extern "C" fn dealloc(this: *mut ffi::PyObject) {
    // SAFETY: the interpreter calls attached, the last reference being gone.
    unsafe {
        ffi::PyObject_GC_UnTrack(this.cast());
        (*this.cast::<Callable>())
            .subject
            .clear(Python::assume_attached());
        let kind = ffi::Py_TYPE(this);
        ffi::PyObject_GC_Del(this.cast());
        ffi::Py_DECREF(kind.cast());
    }
}
