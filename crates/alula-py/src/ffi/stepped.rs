//! What the interpreter calls on an object that passes for a coroutine, whatever steps it.

use std::ptr;

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyType;

use super::object::{guarded, method, slot};
use super::{coroutine, stop};

/// Where a step leads.
pub(super) enum Outcome<'py> {
    /// It waits, and yields this.
    Yield(Bound<'py, PyAny>),
    /// It is finished; `None` stands for Python's.
    Return(Option<Bound<'py, PyAny>>),
}

/// The fields of a raw object that is stepped.
///
/// # Safety
///
/// It must be `repr(C)` and begin with a `PyObject`; all that changes in it must be in cells.
pub(super) unsafe trait Stepped: Sized {
    /// Runs `f`, called by an interpreter that has the thread attached.
    fn attached<R>(f: impl for<'py> FnOnce(Python<'py>) -> R) -> R;

    /// `send(value)`, or `next()` without one.
    fn advance<'py>(
        &self,
        py: Python<'py>,
        value: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Outcome<'py>>;

    /// `throw(error)`.
    fn raise<'py>(&self, py: Python<'py>, error: PyErr) -> PyResult<Outcome<'py>>;

    /// `close()`.
    fn close(&self, py: Python<'_>) -> PyResult<()>;
}

/// The slots of a type whose instances are `T`.
pub(super) fn slots<T: Stepped>() -> [ffi::PyType_Slot; 5] {
    let methods = Box::leak(Box::new([
        method(c"send", send::<T>, ffi::METH_O),
        method(c"throw", throw::<T>, ffi::METH_VARARGS),
        method(c"close", close::<T>, ffi::METH_NOARGS),
        ffi::PyMethodDef::zeroed(),
    ]));
    [
        slot(ffi::Py_am_await, ffi::PyObject_SelfIter as *mut _),
        slot(ffi::Py_am_send, am_send::<T> as *mut _),
        slot(ffi::Py_tp_iter, ffi::PyObject_SelfIter as *mut _),
        slot(ffi::Py_tp_iternext, iternext::<T> as *mut _),
        slot(ffi::Py_tp_methods, methods.as_mut_ptr().cast()),
    ]
}

/// Registers a type with `collections.abc.Coroutine`.
pub(super) fn register(py: Python<'_>, kind: &Py<PyType>) -> PyResult<()> {
    py.import("collections.abc")?
        .getattr("Coroutine")?
        .call_method1("register", (kind,))
        .map(drop)
}

/// A reference of our own to the instance that the interpreter has called on: what steps it may drop
/// every other one.
///
/// # Safety
///
/// `object` must be alive.
#[inline]
unsafe fn held(py: Python<'_>, object: *mut ffi::PyObject) -> Bound<'_, PyAny> {
    // SAFETY: as the caller promises.
    unsafe { Bound::from_borrowed_ptr(py, object) }
}

/// The fields of an instance that a slot of [`slots`] was called on.
#[inline]
fn this<'a, T: Stepped>(object: &'a Bound<'_, PyAny>) -> &'a T {
    // SAFETY: the slots of `T` stand in types alone whose instances are `T`.
    unsafe { fields(object.as_ptr()) }
}

/// The fields of an instance.
///
/// # Safety
///
/// `object` must be an instance that lives at least as long as the result is used.
#[inline]
pub(super) unsafe fn fields<'a, T: Stepped>(object: *mut ffi::PyObject) -> &'a T {
    // SAFETY: as the caller promises, and as the trait demands.
    unsafe { &*object.cast::<T>() }
}

unsafe extern "C" fn iternext<T: Stepped>(object: *mut ffi::PyObject) -> *mut ffi::PyObject {
    T::attached(|py| {
        guarded(py, ptr::null_mut(), || {
            // SAFETY: the interpreter passes an instance.
            let object = unsafe { held(py, object) };
            Ok(match this::<T>(&object).advance(py, None)? {
                Outcome::Yield(future) => future.into_ptr(),
                // An iterator that ends with no exception at all has returned None.
                Outcome::Return(None) => ptr::null_mut(),
                Outcome::Return(Some(value)) => {
                    stop::raise(py, value);
                    ptr::null_mut()
                }
            })
        })
    })
}

unsafe extern "C" fn am_send<T: Stepped>(
    object: *mut ffi::PyObject,
    value: *mut ffi::PyObject,
    result: *mut *mut ffi::PyObject,
) -> ffi::PySendResult {
    // SAFETY: the interpreter wants the answer there.
    unsafe { *result = ptr::null_mut() };
    T::attached(|py| {
        guarded(py, ffi::PySendResult::PYGEN_ERROR, || {
            // SAFETY: the interpreter passes an instance and a value.
            let (object, value) = unsafe { (held(py, object), Borrowed::from_ptr(py, value)) };
            let (answer, status) = match this::<T>(&object).advance(py, Some(&value))? {
                Outcome::Yield(future) => (future, ffi::PySendResult::PYGEN_NEXT),
                Outcome::Return(None) => {
                    (py.None().into_bound(py), ffi::PySendResult::PYGEN_RETURN)
                }
                Outcome::Return(Some(value)) => (value, ffi::PySendResult::PYGEN_RETURN),
            };
            // SAFETY: as above.
            unsafe { *result = answer.into_ptr() };
            Ok(status)
        })
    })
}

/// The answer of a method: what was yielded, or `StopIteration` with what was returned.
fn answer(py: Python<'_>, outcome: Outcome<'_>) -> *mut ffi::PyObject {
    match outcome {
        Outcome::Yield(future) => future.into_ptr(),
        Outcome::Return(value) => {
            stop::raise(py, value.unwrap_or_else(|| py.None().into_bound(py)));
            ptr::null_mut()
        }
    }
}

unsafe extern "C" fn send<T: Stepped>(
    object: *mut ffi::PyObject,
    value: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    Python::attach(|py| {
        guarded(py, ptr::null_mut(), || {
            // SAFETY: as in `am_send`.
            let (object, value) = unsafe { (held(py, object), Borrowed::from_ptr(py, value)) };
            Ok(answer(py, this::<T>(&object).advance(py, Some(&value))?))
        })
    })
}

unsafe extern "C" fn throw<T: Stepped>(
    object: *mut ffi::PyObject,
    arguments: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    Python::attach(|py| {
        guarded(py, ptr::null_mut(), || {
            // SAFETY: the interpreter passes an instance and a tuple.
            let (object, arguments) =
                unsafe { (held(py, object), Borrowed::from_ptr(py, arguments)) };
            let error = coroutine::thrown(&arguments)?;
            Ok(answer(py, this::<T>(&object).raise(py, error)?))
        })
    })
}

unsafe extern "C" fn close<T: Stepped>(
    object: *mut ffi::PyObject,
    _: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    Python::attach(|py| {
        guarded(py, ptr::null_mut(), || {
            // SAFETY: as in `iternext`.
            let object = unsafe { held(py, object) };
            this::<T>(&object).close(py).map(|()| py.None().into_ptr())
        })
    })
}
