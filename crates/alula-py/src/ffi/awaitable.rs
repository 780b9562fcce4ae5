//! What calling `receive` or `send` returns: an awaitable that does its work when it is first
//! stepped, as a coroutine does.
//!
//! It passes for a coroutine (`send`, `throw`, `close`, registered with
//! `collections.abc.Coroutine`), so that `asyncio.create_task` and the like take it.

use std::cell::Cell;
use std::ffi::CStr;
use std::ptr;

use pyo3::exceptions::{PyRuntimeError, PyRuntimeWarning, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyType};

use super::coroutine::{self, Step};
use super::object::{self, Field, Freelist, guarded, method, slot};
use super::stop;
use crate::asgi::exchange::{Exchange, State};
use crate::asgi::{receive, send};

/// What an operation came to.
pub(crate) enum Progress<'py> {
    /// It is done; `None` stands for Python's.
    Done(Option<Bound<'py, PyAny>>),
    /// It must wait for this future, and then has this left to do.
    Wait(Bound<'py, PyAny>, After<'py>),
}

/// What is left to do after a wait.
pub(crate) enum After<'py> {
    /// Nothing, for a send; to receive again, for a receive.
    Nothing,
    /// To send the rest of a body. Nobody else may send meanwhile, and giving up ends the answer.
    Rest(Rest<'py>),
    /// To begin: another send had a rest left.
    Begin,
}

/// The part of a body that still has to be sent.
pub(crate) struct Rest<'py> {
    /// The whole body.
    pub(crate) body: Bound<'py, PyBytes>,
    /// How much of it is through.
    pub(crate) offset: usize,
    /// Whether another piece follows.
    pub(crate) more: bool,
}

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
struct Awaitable {
    base: ffi::PyObject,
    /// The exchange.
    exchange: Field,
    /// What is to be sent (a message, or a body of which a rest is left), or null.
    payload: Field,
    /// The iterator of the future waited for, or null.
    waiter: Field,
    offset: Cell<usize>,
    more: Cell<bool>,
    after: Cell<u8>,
    state: Cell<u8>,
}

/// The two kinds, told apart at compile time.
const RECEIVE: bool = false;
const SEND: bool = true;

thread_local! {
    static RECEIVES: Freelist = const { Freelist::new() };
    static SENDS: Freelist = const { Freelist::new() };
}

static RECEIVE_TYPE: PyOnceLock<Py<PyType>> = PyOnceLock::new();
static SEND_TYPE: PyOnceLock<Py<PyType>> = PyOnceLock::new();

/// Makes the types and registers them with `collections.abc.Coroutine`.
pub(super) fn prepare(py: Python<'_>) -> PyResult<()> {
    let coroutine = py.import("collections.abc")?.getattr("Coroutine")?;
    for (place, kind) in [
        (
            &RECEIVE_TYPE,
            make::<RECEIVE>(py, c"alula._alula.receive_call")?,
        ),
        (&SEND_TYPE, make::<SEND>(py, c"alula._alula.send_call")?),
    ] {
        coroutine.call_method1("register", (&kind,))?;
        let _ = place.set(py, kind);
    }
    Ok(())
}

fn make<const KIND: bool>(py: Python<'_>, name: &'static CStr) -> PyResult<Py<PyType>> {
    let methods = Box::leak(Box::new([
        method(c"send", call_send::<KIND>, ffi::METH_O),
        method(c"throw", call_throw::<KIND>, ffi::METH_VARARGS),
        method(c"close", call_close::<KIND>, ffi::METH_NOARGS),
        ffi::PyMethodDef::zeroed(),
    ]));
    let slots = vec![
        slot(ffi::Py_tp_dealloc, dealloc::<KIND> as *mut _),
        slot(ffi::Py_tp_traverse, traverse as *mut _),
        slot(ffi::Py_tp_clear, forget as *mut _),
        slot(ffi::Py_am_await, ffi::PyObject_SelfIter as *mut _),
        slot(ffi::Py_am_send, am_send::<KIND> as *mut _),
        slot(ffi::Py_tp_iter, ffi::PyObject_SelfIter as *mut _),
        slot(ffi::Py_tp_iternext, iternext::<KIND> as *mut _),
        slot(ffi::Py_tp_methods, methods.as_mut_ptr().cast()),
    ];
    // SAFETY: each slot holds a function of the slot's signature; the method table is leaked; the
    // instances are `Awaitable`.
    unsafe { object::build(py, name, size_of::<Awaitable>(), object::FLAGS, None, slots) }
}

/// A new awaitable that will receive.
#[inline]
pub(super) fn receiving(py: Python<'_>, exchange: &Bound<'_, Exchange>) -> *mut ffi::PyObject {
    create::<RECEIVE>(py, exchange, ptr::null_mut())
}

/// A new awaitable that will send `message`.
#[inline]
pub(super) fn sending(
    py: Python<'_>,
    exchange: &Bound<'_, Exchange>,
    message: &Bound<'_, PyAny>,
) -> *mut ffi::PyObject {
    create::<SEND>(py, exchange, message.clone().into_ptr())
}

/// `payload` is taken over.
#[inline]
fn create<const KIND: bool>(
    py: Python<'_>,
    exchange: &Bound<'_, Exchange>,
    payload: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    let place = if KIND == SEND {
        &SEND_TYPE
    } else {
        &RECEIVE_TYPE
    };
    let kind = place.get(py).expect("made with the module").as_ptr();
    let list = if KIND == SEND { &SENDS } else { &RECEIVES };
    // SAFETY: the list is this type's; every field is written before the object is tracked.
    unsafe {
        let object: *mut Awaitable = list.with(|list| list.take(kind.cast()));
        if object.is_null() {
            ffi::Py_XDECREF(payload);
            return ptr::null_mut();
        }
        (&raw mut (*object).exchange).write(Field::new(exchange.clone().into_ptr()));
        (&raw mut (*object).payload).write(Field::new(payload));
        (&raw mut (*object).waiter).write(Field::null());
        (&raw mut (*object).after).write(Cell::new(NOTHING));
        (&raw mut (*object).state).write(Cell::new(FRESH));
        ffi::PyObject_GC_Track(object.cast());
        object.cast()
    }
}

/// Where a step leads.
enum Outcome<'py> {
    Yield(Bound<'py, PyAny>),
    Return(Option<Bound<'py, PyAny>>),
}

impl Awaitable {
    /// Begins the work, or goes on with `value` (`None`: Python's) from the future waited for.
    #[inline]
    fn advance<'py, const KIND: bool>(
        &self,
        py: Python<'py>,
        value: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Outcome<'py>> {
        let exchange = self.exchange(py);
        let state = exchange.get().here()?;
        match self.state.replace(RUNNING) {
            FRESH => {
                let progress = if KIND == SEND {
                    let message = self.payload.get(py).expect("a fresh send has its message");
                    send::begin(&exchange, state, &message)
                } else {
                    receive::step(&exchange, state)
                };
                self.settle(py, progress)
            }
            WAITING => {
                let waiter = self
                    .waiter
                    .get(py)
                    .expect("a waiting awaitable has its iterator");
                let step = coroutine::send(&waiter, value);
                self.woken::<KIND>(py, state, step)
            }
            RUNNING => Err(PyValueError::new_err("awaitable is already being awaited")),
            _ => {
                self.state.set(DONE);
                Err(PyRuntimeError::new_err(
                    "cannot reuse an already awaited receive() or send()",
                ))
            }
        }
    }

    /// The future has been stepped: goes on waiting, or goes on with the work.
    fn woken<'py, const KIND: bool>(
        &self,
        py: Python<'py>,
        state: &State,
        step: Step<'py>,
    ) -> PyResult<Outcome<'py>> {
        let exchange = self.exchange(py);
        let progress = match step {
            Step::Yielded(future) => {
                self.state.set(WAITING);
                return Ok(Outcome::Yield(future));
            }
            Step::Raised(error) => {
                self.give_up(py);
                Err(error)
            }
            Step::Returned(_) if KIND == SEND => match (self.after.get(), self.payload.get(py)) {
                (BEGIN, Some(message)) => send::begin(&exchange, state, &message),
                (REST, Some(body)) => {
                    let rest = Rest {
                        body: body.cast_into()?,
                        offset: self.offset.get(),
                        more: self.more.get(),
                    };
                    send::resume(&exchange, state, rest)
                }
                _ => Ok(Progress::Done(None)),
            },
            Step::Returned(_) => receive::step(&exchange, state),
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
            && let Ok(state) = self.exchange(py).get().here()
        {
            send::abort(py, state);
        }
    }

    #[inline]
    fn exchange<'py>(&self, py: Python<'py>) -> Borrowed<'_, 'py, Exchange> {
        // SAFETY: `create` put an exchange there, and only `dealloc` takes it out.
        unsafe { self.exchange.borrow(py).cast_unchecked() }
    }
}

/// The instance that the interpreter has called on.
///
/// # Safety
///
/// `this` must be an `Awaitable` that lives at least as long as the result is used.
#[inline]
unsafe fn this<'a>(this: *mut ffi::PyObject) -> &'a Awaitable {
    // SAFETY: as the caller promises; all that changes is in cells.
    unsafe { &*this.cast::<Awaitable>() }
}

unsafe extern "C" fn iternext<const KIND: bool>(this: *mut ffi::PyObject) -> *mut ffi::PyObject {
    // SAFETY: the interpreter calls with the thread attached.
    let py = unsafe { Python::assume_attached() };
    guarded(py, ptr::null_mut(), || {
        // SAFETY: the interpreter passes an instance that it keeps alive meanwhile.
        let this = unsafe { self::this(this) };
        Ok(match this.advance::<KIND>(py, None)? {
            Outcome::Yield(future) => future.into_ptr(),
            // An iterator that ends with no exception at all has returned None.
            Outcome::Return(None) => ptr::null_mut(),
            Outcome::Return(Some(value)) => {
                stop::raise(py, value);
                ptr::null_mut()
            }
        })
    })
}

unsafe extern "C" fn am_send<const KIND: bool>(
    this: *mut ffi::PyObject,
    value: *mut ffi::PyObject,
    result: *mut *mut ffi::PyObject,
) -> ffi::PySendResult {
    // SAFETY: the interpreter calls with the thread attached; `result` is where it wants the answer.
    let py = unsafe {
        *result = ptr::null_mut();
        Python::assume_attached()
    };
    guarded(py, ffi::PySendResult::PYGEN_ERROR, || {
        // SAFETY: as in `iternext`; the value is alive.
        let (this, value) = unsafe { (self::this(this), Borrowed::from_ptr(py, value)) };
        let (object, status) = match this.advance::<KIND>(py, Some(&value))? {
            Outcome::Yield(future) => (future, ffi::PySendResult::PYGEN_NEXT),
            Outcome::Return(None) => (py.None().into_bound(py), ffi::PySendResult::PYGEN_RETURN),
            Outcome::Return(Some(value)) => (value, ffi::PySendResult::PYGEN_RETURN),
        };
        // SAFETY: as above.
        unsafe { *result = object.into_ptr() };
        Ok(status)
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

unsafe extern "C" fn call_send<const KIND: bool>(
    this: *mut ffi::PyObject,
    value: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    Python::attach(|py| {
        guarded(py, ptr::null_mut(), || {
            // SAFETY: as in `am_send`.
            let (this, value) = unsafe { (self::this(this), Borrowed::from_ptr(py, value)) };
            Ok(answer(py, this.advance::<KIND>(py, Some(&value))?))
        })
    })
}

unsafe extern "C" fn call_throw<const KIND: bool>(
    this: *mut ffi::PyObject,
    arguments: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    Python::attach(|py| {
        guarded(py, ptr::null_mut(), || {
            // SAFETY: the interpreter passes an instance and a tuple.
            let (this, arguments) = unsafe {
                (
                    self::this(this),
                    Borrowed::from_ptr(py, arguments).to_owned(),
                )
            };
            let error = coroutine::thrown(&arguments)?;
            let exchange = this.exchange(py);
            let state = exchange.get().here()?;
            let outcome = match this.state.replace(RUNNING) {
                WAITING => {
                    let waiter = this.waiter.get(py).expect("a waiting awaitable has it");
                    let step = coroutine::throw(&waiter, error.value(py));
                    this.woken::<KIND>(py, state, step)
                }
                RUNNING => Err(PyValueError::new_err("awaitable is already being awaited")),
                _ => {
                    this.state.set(DONE);
                    Err(error)
                }
            };
            Ok(answer(py, outcome?))
        })
    })
}

unsafe extern "C" fn call_close<const KIND: bool>(
    this: *mut ffi::PyObject,
    _: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    Python::attach(|py| {
        guarded(py, ptr::null_mut(), || {
            // SAFETY: the interpreter passes an instance.
            let this = unsafe { self::this(this) };
            this.exchange(py).get().here()?;
            if this.state.get() == RUNNING {
                return Err(PyValueError::new_err("awaitable is already being awaited"));
            }
            this.state.set(DONE);
            this.give_up(py);
            this.waiter.clear(py);
            Ok(py.None().into_ptr())
        })
    })
}

unsafe extern "C" fn traverse(
    this: *mut ffi::PyObject,
    visit: ffi::visitproc,
    arg: *mut std::ffi::c_void,
) -> std::ffi::c_int {
    // SAFETY: the collector passes a tracked instance.
    unsafe {
        let kind = Field::new(ffi::Py_TYPE(this).cast());
        let this = self::this(this);
        object::visit(
            [&kind, &this.exchange, &this.payload, &this.waiter],
            visit,
            arg,
        )
    }
}

unsafe extern "C" fn forget(this: *mut ffi::PyObject) -> std::ffi::c_int {
    // SAFETY: the interpreter calls attached, with an instance. The exchange stays, so that the
    // object remains whole; it closes no cycle, since its own `clear` lets go of the futures.
    unsafe {
        let (py, this) = (Python::assume_attached(), self::this(this));
        this.state.set(DONE);
        this.give_up(py);
        this.payload.clear(py);
        this.waiter.clear(py);
    }
    0
}

unsafe extern "C" fn dealloc<const KIND: bool>(object: *mut ffi::PyObject) {
    // SAFETY: the interpreter calls attached, the last reference being gone; the memory goes to its
    // own type's list.
    unsafe {
        ffi::PyObject_GC_UnTrack(object.cast());
        let (py, this) = (Python::assume_attached(), this(object));
        if this.state.get() == FRESH {
            never_awaited::<KIND>();
        }
        this.give_up(py);
        this.payload.clear(py);
        this.waiter.clear(py);
        this.exchange.clear(py);
        let list = if KIND == SEND { &SENDS } else { &RECEIVES };
        if list.try_with(|list| list.give(object)).is_err() {
            let kind = ffi::Py_TYPE(object);
            ffi::PyObject_GC_Del(object.cast());
            ffi::Py_DECREF(kind.cast());
        }
    }
}

/// Warns as for a coroutine that nobody awaited. An exception in flight is left alone.
#[cold]
fn never_awaited<const KIND: bool>() {
    Python::attach(|py| {
        let raised = PyErr::take(py);
        let text = if KIND == SEND {
            c"awaitable 'send(...)' was never awaited"
        } else {
            c"awaitable 'receive()' was never awaited"
        };
        if let Err(error) = PyErr::warn(py, &py.get_type::<PyRuntimeWarning>(), text, 1) {
            error.write_unraisable(py, None);
        }
        if let Some(raised) = raised {
            raised.restore(py);
        }
    });
}
