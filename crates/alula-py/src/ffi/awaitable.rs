//! What calling `receive` or `send` returns: an awaitable that does its work when it is first
//! stepped, as a coroutine does.
//!
//! It passes for a coroutine (`send`, `throw`, `close`, registered with
//! `collections.abc.Coroutine`), so that `asyncio.create_task` and the like take it.

use std::cell::Cell;
use std::marker::PhantomData;
use std::ptr;

use pyo3::exceptions::{PyRuntimeError, PyRuntimeWarning, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;

use super::coroutine::{self, Step};
use super::object::{self, Field, slot};
use super::operation::{After, Operation, Progress, Rest};
use super::stepped::{self, Outcome, Stepped, fields};

/// Not stepped yet.
const FRESH: u8 = 0;
/// In the middle of a step.
const RUNNING: u8 = 1;
/// Waiting for a future.
const WAITING: u8 = 2;
/// Through.
const DONE: u8 = 3;

/// What is left after the wait: nothing; the rest of the body in `payload`; to send the message
/// in `payload` from the start.
const NOTHING: u8 = 0;
const REST: u8 = 1;
const BEGIN: u8 = 2;

#[repr(C)]
struct Awaitable<O> {
    base: ffi::PyObject,
    /// What it is done to.
    subject: Field,
    /// What is to be sent (a message, or a body of which a rest is left), or null.
    payload: Field,
    /// The iterator of the future waited for, or null.
    waiter: Field,
    offset: Cell<usize>,
    more: Cell<bool>,
    after: Cell<u8>,
    state: Cell<u8>,
    operation: PhantomData<O>,
}

/// Makes the type and registers it with `collections.abc.Coroutine`.
pub(super) fn prepare<O: Operation>(py: Python<'_>) -> PyResult<()> {
    let mut slots = vec![
        slot(ffi::Py_tp_dealloc, dealloc::<O> as *mut _),
        slot(ffi::Py_tp_traverse, traverse::<O> as *mut _),
        slot(ffi::Py_tp_clear, forget::<O> as *mut _),
    ];
    slots.extend(stepped::slots::<Awaitable<O>>());
    let size = size_of::<Awaitable<O>>();
    // SAFETY: each slot holds a function of the slot's signature; the method table is leaked; the
    // instances are `Awaitable`.
    let kind = unsafe { object::build(py, O::AWAITABLE, size, object::FLAGS, None, slots) }?;
    stepped::register(py, &kind)?;
    let _ = O::types().awaitable.set(py, kind);
    Ok(())
}

/// A new awaitable for `subject`. The message is taken over: an owned reference, or null.
#[inline]
pub(super) fn create<O: Operation>(
    py: Python<'_>,
    subject: &Bound<'_, O::Subject>,
    message: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    let kind = O::types().awaitable.get(py);
    let kind = kind.expect("made with the module").as_ptr();
    // SAFETY: the list is this type's; every field is written before the object is tracked.
    unsafe {
        let object: *mut Awaitable<O> = O::freelist().with(|list| list.take(kind.cast()));
        if object.is_null() {
            ffi::Py_XDECREF(message);
            return ptr::null_mut();
        }
        (&raw mut (*object).subject).write(Field::new(subject.clone().into_ptr()));
        (&raw mut (*object).payload).write(Field::new(message));
        (&raw mut (*object).waiter).write(Field::null());
        (&raw mut (*object).after).write(Cell::new(NOTHING));
        (&raw mut (*object).state).write(Cell::new(FRESH));
        ffi::PyObject_GC_Track(object.cast());
        object.cast()
    }
}

// SAFETY: laid out as asked; `offset`, `more` and the rest are cells.
unsafe impl<O: Operation> Stepped for Awaitable<O> {
    #[inline]
    fn attached<R>(f: impl for<'py> FnOnce(Python<'py>) -> R) -> R {
        // SAFETY: the interpreter calls with the thread attached, as the trait says.
        f(unsafe { Python::assume_attached() })
    }

    #[inline]
    fn advance<'py>(
        &self,
        py: Python<'py>,
        value: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Outcome<'py>> {
        let subject = self.subject(py);
        let state = O::here(&subject)?;
        match self.state.replace(RUNNING) {
            FRESH => self.settle(py, O::begin(&subject, state, self.payload.get(py))),
            WAITING => {
                let waiter = self.waiter(py);
                let step = coroutine::send(&waiter, value);
                self.woken(py, state, step)
            }
            RUNNING => Err(running()),
            _ => {
                self.state.set(DONE);
                Err(PyRuntimeError::new_err(
                    "cannot reuse an already awaited receive() or send()",
                ))
            }
        }
    }

    fn raise<'py>(&self, py: Python<'py>, error: PyErr) -> PyResult<Outcome<'py>> {
        let subject = self.subject(py);
        let state = O::here(&subject)?;
        match self.state.replace(RUNNING) {
            WAITING => {
                let waiter = self.waiter(py);
                let step = coroutine::throw(&waiter, error.value(py));
                self.woken(py, state, step)
            }
            RUNNING => Err(running()),
            _ => {
                self.state.set(DONE);
                Err(error)
            }
        }
    }

    fn close(&self, py: Python<'_>) -> PyResult<()> {
        O::here(&self.subject(py))?;
        if self.state.get() == RUNNING {
            return Err(running());
        }
        self.state.set(DONE);
        self.give_up(py);
        self.waiter.clear(py);
        Ok(())
    }
}

fn running() -> PyErr {
    PyValueError::new_err("awaitable is already being awaited")
}

impl<O: Operation> Awaitable<O> {
    /// The future has been stepped: goes on waiting, or goes on with the work.
    fn woken<'py>(
        &self,
        py: Python<'py>,
        state: &O::State,
        step: Step<'py>,
    ) -> PyResult<Outcome<'py>> {
        let subject = self.subject(py);
        let progress = match step {
            Step::Yielded(future) => {
                self.state.set(WAITING);
                return Ok(Outcome::Yield(future));
            }
            Step::Raised(error) => {
                self.give_up(py);
                Err(error)
            }
            Step::Returned(_) => match (self.after.get(), self.payload.get(py)) {
                (BEGIN, message) => O::begin(&subject, state, message),
                (REST, Some(body)) => {
                    let rest = Rest {
                        body: body.cast_into()?,
                        offset: self.offset.get(),
                        more: self.more.get(),
                    };
                    O::resume(&subject, state, Some(rest))
                }
                _ => O::resume(&subject, state, None),
            },
        };
        self.settle(py, progress)
    }

    /// Takes down what the work came to.
    #[inline]
    fn settle<'py>(
        &self,
        py: Python<'py>,
        progress: PyResult<Progress<'py>>,
    ) -> PyResult<Outcome<'py>> {
        self.state.set(DONE);
        self.after.set(NOTHING);
        match progress? {
            Progress::Done(value) => Ok(Outcome::Return(value)),
            Progress::Wait(future, after) => self.wait(py, &future, after),
        }
    }

    /// Yields `future` as `await` does.
    fn wait<'py>(
        &self,
        py: Python<'py>,
        future: &Bound<'py, PyAny>,
        after: After<'py>,
    ) -> PyResult<Outcome<'py>> {
        let waiter = future.call_method0(pyo3::intern!(py, "__await__"))?;
        self.waiter.clear(py);
        match after {
            After::Nothing => {
                self.after.set(NOTHING);
                self.payload.clear(py);
            }
            After::Rest(rest) => {
                self.after.set(REST);
                self.payload.clear(py);
                self.payload.set(rest.body.into_any());
                self.offset.set(rest.offset);
                self.more.set(rest.more);
            }
            // The message stays.
            After::Begin => self.after.set(BEGIN),
        }
        match coroutine::send(&waiter, None) {
            Step::Yielded(future) => {
                self.waiter.set(waiter);
                self.state.set(WAITING);
                Ok(Outcome::Yield(future))
            }
            Step::Raised(error) => Err(error),
            Step::Returned(_) => Err(PyRuntimeError::new_err("a new future was done already")),
        }
    }

    /// It will not go on. An answer of which a piece is half sent has no other end than this.
    fn give_up(&self, py: Python<'_>) {
        if self.after.replace(NOTHING) == REST
            && let Ok(state) = O::here(&self.subject(py))
        {
            O::give_up(py, state);
        }
    }

    fn waiter<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        let waiter = self.waiter.get(py);
        waiter.expect("a waiting awaitable has its iterator")
    }

    #[inline]
    fn subject<'py>(&self, py: Python<'py>) -> Borrowed<'_, 'py, O::Subject> {
        // SAFETY: `create` put one there, and only `dealloc` takes it out.
        unsafe { self.subject.borrow(py).cast_unchecked() }
    }
}

unsafe extern "C" fn traverse<O: Operation>(
    object: *mut ffi::PyObject,
    visit: ffi::visitproc,
    arg: *mut std::ffi::c_void,
) -> std::ffi::c_int {
    // SAFETY: the collector passes a tracked instance.
    unsafe {
        let kind = Field::new(ffi::Py_TYPE(object).cast());
        let this = fields::<Awaitable<O>>(object);
        let held = [&kind, &this.subject, &this.payload, &this.waiter];
        object::visit(held, visit, arg)
    }
}

unsafe extern "C" fn forget<O: Operation>(object: *mut ffi::PyObject) -> std::ffi::c_int {
    // SAFETY: the interpreter calls attached, with an instance. The subject stays, so that the
    // object remains whole; it closes no cycle, since its own `clear` lets go of the futures.
    unsafe {
        let (py, this) = (Python::assume_attached(), fields::<Awaitable<O>>(object));
        this.state.set(DONE);
        this.give_up(py);
        this.payload.clear(py);
        this.waiter.clear(py);
    }
    0
}

unsafe extern "C" fn dealloc<O: Operation>(object: *mut ffi::PyObject) {
    // SAFETY: the interpreter calls attached, the last reference being gone; the memory goes to its
    // own type's list.
    unsafe {
        ffi::PyObject_GC_UnTrack(object.cast());
        let (py, this) = (Python::assume_attached(), fields::<Awaitable<O>>(object));
        if this.state.get() == FRESH {
            never_awaited::<O>();
        }
        this.give_up(py);
        this.payload.clear(py);
        this.waiter.clear(py);
        this.subject.clear(py);
        if O::freelist().try_with(|list| list.give(object)).is_err() {
            let kind = ffi::Py_TYPE(object);
            ffi::PyObject_GC_Del(object.cast());
            ffi::Py_DECREF(kind.cast());
        }
    }
}

/// Warns as for a coroutine that nobody awaited. An exception in flight is left alone.
#[cold]
fn never_awaited<O: Operation>() {
    Python::attach(|py| {
        let raised = PyErr::take(py);
        let category = py.get_type::<PyRuntimeWarning>();
        if let Err(error) = PyErr::warn(py, &category, O::NEVER_AWAITED, 1) {
            error.write_unraisable(py, None);
        }
        if let Some(raised) = raised {
            raised.restore(py);
        }
    });
}
