//! The coroutine-like object that a task runs once its application has waited (or from the start,
//! where tasks are made by `create_task`).
//!
//! It first yields what the application's coroutine had yielded, then passes everything on to it.
//! When that is finished the exchange is concluded here, and the task sees a plain `None`: what an
//! application raises is its request's failure, not its task's.

mod slots;

use std::cell::Cell;
use std::mem::offset_of;
use std::ptr;

use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;

use super::coroutine::{self, Step};
use super::object::{self, Field, method, slot};
use super::thread;
use crate::asgi::exchange::Handles;
use crate::task::pending;

/// Nothing has been called yet.
const FRESH: u8 = 0;
/// In the middle of a step.
const RUNNING: u8 = 1;
/// The application waits for something that the task has not been told of.
const PENDING: u8 = 2;
/// The application waits, and the task knows.
const SUSPENDED: u8 = 3;
/// The application is through.
const DONE: u8 = 4;

#[repr(C)]
struct Driver {
    base: ffi::PyObject,
    weak_references: *mut ffi::PyObject,
    /// The mark of the only thread that may step it.
    owner: usize,
    state: Cell<u8>,
    coroutine: Field,
    /// What the coroutine has yielded and the task has not seen.
    pending: Field,
    /// The exchange and the two callables made for it; null for a probe of the self-check.
    exchange: Field,
    receive: Field,
    send: Field,
}

static TYPE: PyOnceLock<Py<PyType>> = PyOnceLock::new();

/// Makes the type and registers it with `collections.abc.Coroutine`.
pub(super) fn prepare(py: Python<'_>) -> PyResult<()> {
    let methods = Box::leak(Box::new([
        method(c"send", slots::call_send, ffi::METH_O),
        method(c"throw", slots::call_throw, ffi::METH_VARARGS),
        method(c"close", slots::call_close, ffi::METH_NOARGS),
        ffi::PyMethodDef::zeroed(),
    ]));
    let getters = Box::leak(Box::new([
        slots::shown(c"__name__"),
        slots::shown(c"__qualname__"),
        slots::shown(c"cr_await"),
        slots::shown(c"cr_code"),
        slots::shown(c"cr_frame"),
        slots::shown(c"cr_origin"),
        slots::shown(c"cr_running"),
        slots::shown(c"cr_suspended"),
        ffi::PyGetSetDef::default(),
    ]));
    let members = Box::leak(Box::new([
        ffi::PyMemberDef {
            name: c"__weaklistoffset__".as_ptr(),
            type_code: ffi::Py_T_PYSSIZET,
            offset: offset_of!(Driver, weak_references).cast_signed(),
            flags: ffi::Py_READONLY,
            doc: ptr::null(),
        },
        ffi::PyMemberDef::default(),
    ]));
    let table = vec![
        slot(ffi::Py_tp_dealloc, slots::dealloc as *mut _),
        slot(ffi::Py_tp_traverse, slots::traverse as *mut _),
        slot(ffi::Py_tp_clear, slots::forget as *mut _),
        slot(ffi::Py_am_await, ffi::PyObject_SelfIter as *mut _),
        slot(ffi::Py_am_send, slots::am_send as *mut _),
        slot(ffi::Py_tp_iter, ffi::PyObject_SelfIter as *mut _),
        slot(ffi::Py_tp_iternext, slots::iternext as *mut _),
        slot(ffi::Py_tp_methods, methods.as_mut_ptr().cast()),
        slot(ffi::Py_tp_getset, getters.as_mut_ptr().cast()),
        slot(ffi::Py_tp_members, members.as_mut_ptr().cast()),
    ];
    let name = c"alula._alula.request";
    // SAFETY: each slot holds a function of the slot's signature; the tables are leaked; the
    // instances are `Driver`.
    let kind = unsafe { object::build(py, name, size_of::<Driver>(), object::FLAGS, None, table) }?;
    py.import("collections.abc")?
        .getattr("Coroutine")?
        .call_method1("register", (&kind,))?;
    let _ = TYPE.set(py, kind);
    Ok(())
}

/// A driver that has yet to call the application.
pub(crate) fn fresh(handles: Handles<'_>) -> PyResult<Bound<'_, PyAny>> {
    let driver = create(handles.exchange.py(), FRESH)?;
    this(&driver).keep(handles);
    Ok(driver)
}

/// A driver that has yet to start `coroutine`, which belongs to no exchange.
pub(crate) fn probe(coroutine: Bound<'_, PyAny>) -> PyResult<Bound<'_, PyAny>> {
    let driver = create(coroutine.py(), FRESH)?;
    this(&driver).coroutine.set(coroutine);
    Ok(driver)
}

/// A driver for an application that is being stepped, for a task that was touched meanwhile.
pub(crate) fn running(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    create(py, RUNNING)
}

/// The application has yielded `pending` to whoever stepped it; the driver takes over.
pub(crate) fn park<'py>(
    driver: &Bound<'py, PyAny>,
    handles: Option<Handles<'py>>,
    coroutine: Bound<'py, PyAny>,
    pending: Bound<'py, PyAny>,
) {
    let this = this(driver);
    if let Some(handles) = handles {
        this.keep(handles);
    }
    this.coroutine.set(coroutine);
    this.pending.set(pending);
    this.state.set(PENDING);
}

/// The application is through, and concluded by whoever stepped it.
pub(crate) fn finish(driver: &Bound<'_, PyAny>) {
    this(driver).state.set(DONE);
}

/// Whether the application is through.
pub(crate) fn is_done(driver: &Bound<'_, PyAny>) -> bool {
    this(driver).state.get() == DONE
}

/// The application's own coroutine, where `object` is a driver that has one.
pub(super) fn application<'py>(object: &Bound<'py, PyAny>) -> Option<Bound<'py, PyAny>> {
    let kind = TYPE.get(object.py())?;
    if !object.get_type().is(kind) {
        return None;
    }
    this(object).coroutine.get(object.py())
}

fn create(py: Python<'_>, state: u8) -> PyResult<Bound<'_, PyAny>> {
    let kind = TYPE.get(py).expect("made with the module").as_ptr();
    // SAFETY: `kind` is this file's type; every field is written before the object is tracked.
    unsafe {
        let object = ffi::PyObject_GC_New::<Driver>(kind.cast());
        if object.is_null() {
            return Err(PyErr::fetch(py));
        }
        (*object).weak_references = ptr::null_mut();
        (*object).owner = thread::mark();
        (&raw mut (*object).state).write(Cell::new(state));
        for field in [
            &raw mut (*object).coroutine,
            &raw mut (*object).pending,
            &raw mut (*object).exchange,
            &raw mut (*object).receive,
            &raw mut (*object).send,
        ] {
            field.write(Field::null());
        }
        ffi::PyObject_GC_Track(object.cast());
        Ok(Bound::from_owned_ptr(py, object.cast()))
    }
}

/// The fields of an object made by `create`.
fn this<'a>(driver: &'a Bound<'_, PyAny>) -> &'a Driver {
    assert!(
        TYPE.get(driver.py())
            .is_some_and(|kind| driver.get_type().is(kind))
    );
    // SAFETY: the object is of this type, as just checked; all that changes is in cells.
    unsafe { &*driver.as_ptr().cast::<Driver>() }
}

/// Where a step leads.
enum Outcome<'py> {
    Yield(Bound<'py, PyAny>),
    Return(Bound<'py, PyAny>),
}

impl Driver {
    fn keep(&self, handles: Handles<'_>) {
        self.exchange.set(handles.exchange.into_any());
        self.receive.set(handles.receive);
        self.send.set(handles.send);
    }

    fn handles<'py>(&self, py: Python<'py>) -> Option<Handles<'py>> {
        Some(Handles {
            exchange: self.exchange.take(py)?.cast_into().ok()?,
            receive: self.receive.take(py)?,
            send: self.send.take(py)?,
        })
    }

    /// Refuses to go on in another thread than its own.
    fn check_thread(&self) -> PyResult<()> {
        if self.owner == thread::mark() {
            return Ok(());
        }
        Err(PyRuntimeError::new_err(
            "a request's task belongs to the thread of its event loop",
        ))
    }

    fn advance<'py>(
        &self,
        py: Python<'py>,
        value: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Outcome<'py>> {
        self.check_thread()?;
        match self.state.replace(RUNNING) {
            FRESH => match self.open(py) {
                Ok(coroutine) => self.settle(py, coroutine::send(&coroutine, None)),
                Err(error) => self.settle(py, Step::Raised(error)),
            },
            PENDING => {
                self.state.set(SUSPENDED);
                let pending = self.pending.take(py);
                Ok(Outcome::Yield(
                    pending.unwrap_or_else(|| py.None().into_bound(py)),
                ))
            }
            SUSPENDED => {
                let coroutine = self.coroutine.get(py).expect("a suspended driver has it");
                self.settle(py, coroutine::send(&coroutine, value))
            }
            RUNNING => Err(PyValueError::new_err("coroutine already executing")),
            _ => {
                self.state.set(DONE);
                Ok(Outcome::Return(py.None().into_bound(py)))
            }
        }
    }

    fn raise<'py>(&self, py: Python<'py>, error: PyErr) -> PyResult<Outcome<'py>> {
        self.check_thread()?;
        match self.state.replace(RUNNING) {
            FRESH => self.settle(py, Step::Raised(error)),
            PENDING => {
                // The task could not know what to cancel, so that is done here (only a start
                // without `eager_start` leaves this gap).
                let waits_for = self
                    .pending
                    .take(py)
                    .unwrap_or_else(|| py.None().into_bound(py));
                if pending::cancel(&waits_for, &error)? {
                    self.state.set(SUSPENDED);
                    return Ok(Outcome::Yield(waits_for));
                }
                self.throw(py, &error)
            }
            SUSPENDED => self.throw(py, &error),
            RUNNING => Err(PyValueError::new_err("coroutine already executing")),
            _ => {
                self.state.set(DONE);
                Err(error)
            }
        }
    }

    fn throw<'py>(&self, py: Python<'py>, error: &PyErr) -> PyResult<Outcome<'py>> {
        let coroutine = self.coroutine.get(py).expect("a suspended driver has it");
        self.settle(py, coroutine::throw(&coroutine, error.value(py)))
    }

    /// What is to be stepped first.
    fn open<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        if let Some(coroutine) = self.coroutine.get(py) {
            return Ok(coroutine);
        }
        let handles = self
            .handles(py)
            .expect("a fresh driver has an exchange or a coroutine");
        let opened = handles.call();
        self.keep(handles);
        let coroutine = opened?;
        self.coroutine.set(coroutine.clone());
        Ok(coroutine)
    }

    /// Takes down how a step ended; concludes the exchange when it was the last.
    fn settle<'py>(&self, py: Python<'py>, step: Step<'py>) -> PyResult<Outcome<'py>> {
        let result = match step {
            Step::Yielded(future) => {
                self.state.set(SUSPENDED);
                return Ok(Outcome::Yield(future));
            }
            Step::Returned(value) => Ok(value),
            Step::Raised(error) => Err(error),
        };
        self.state.set(DONE);
        self.coroutine.clear(py);
        let Some(handles) = self.handles(py) else {
            return result.map(Outcome::Return);
        };
        handles.conclude(result)?;
        Ok(Outcome::Return(py.None().into_bound(py)))
    }
}

impl Driver {
    fn clear(&self, py: Python<'_>) {
        self.state.set(DONE);
        self.pending.clear(py);
        self.coroutine.clear(py);
        self.exchange.clear(py);
        self.receive.clear(py);
        self.send.clear(py);
    }
}
