//! The coroutine-like object that a task runs once its application has waited (or from the start,
//! where tasks are made by `create_task`).
//!
//! It first yields what the application's coroutine had yielded, then passes everything on to it.
//! When that is finished its charge is concluded here, and the task sees a plain `None`: what an
//! application raises is its request's failure, not its task's.

mod pending;
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
use super::object::{self, Field, slot};
use super::stepped::{self, Outcome, Stepped};
use super::thread;

/// What a driver has to do for its task: three objects, and what is done with them.
pub(crate) struct Charge<'py> {
    /// The objects.
    pub(crate) objects: Objects<'py>,
    /// What is done with them.
    pub(crate) duties: &'static Duties,
}

/// The objects of a charge.
pub(crate) type Objects<'py> = [Bound<'py, PyAny>; 3];

/// What is done with the objects of a charge.
pub(crate) struct Duties {
    /// Calls the application: the coroutine.
    pub(crate) open: for<'py> fn(&Objects<'py>) -> PyResult<Bound<'py, PyAny>>,
    /// The application has returned or raised this.
    pub(crate) conclude: for<'py> fn(Objects<'py>, PyResult<Bound<'py, PyAny>>) -> PyResult<()>,
    /// The application was ended from outside.
    pub(crate) abandon: for<'py> fn(Objects<'py>),
}

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
    /// The charge, taken apart; none for a probe of the self-check.
    objects: [Field; 3],
    duties: Cell<Option<&'static Duties>>,
}

static TYPE: PyOnceLock<Py<PyType>> = PyOnceLock::new();

/// Makes the type and registers it with `collections.abc.Coroutine`.
pub(super) fn prepare(py: Python<'_>) -> PyResult<()> {
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
    let mut table = vec![
        slot(ffi::Py_tp_dealloc, slots::dealloc as *mut _),
        slot(ffi::Py_tp_traverse, slots::traverse as *mut _),
        slot(ffi::Py_tp_clear, slots::forget as *mut _),
        slot(ffi::Py_tp_getset, getters.as_mut_ptr().cast()),
        slot(ffi::Py_tp_members, members.as_mut_ptr().cast()),
    ];
    table.extend(stepped::slots::<Driver>());
    let name = c"alula._alula.request";
    // SAFETY: each slot holds a function of the slot's signature; the tables are leaked; the
    // instances are `Driver`.
    let kind = unsafe { object::build(py, name, size_of::<Driver>(), object::FLAGS, None, table) }?;
    stepped::register(py, &kind)?;
    let _ = TYPE.set(py, kind);
    Ok(())
}

/// A driver that has yet to call the application.
pub(crate) fn fresh(charge: Charge<'_>) -> PyResult<Bound<'_, PyAny>> {
    let driver = create(charge.objects[0].py(), FRESH)?;
    this(&driver).keep(charge);
    Ok(driver)
}

/// A driver that has yet to start `coroutine`, which is nobody's charge.
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
    charge: Option<Charge<'py>>,
    coroutine: Bound<'py, PyAny>,
    pending: Bound<'py, PyAny>,
) {
    let this = this(driver);
    if let Some(charge) = charge {
        this.keep(charge);
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
        (&raw mut (*object).coroutine).write(Field::null());
        (&raw mut (*object).pending).write(Field::null());
        (&raw mut (*object).objects).write([const { Field::null() }; 3]);
        (&raw mut (*object).duties).write(Cell::new(None));
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

// SAFETY: laid out as asked; what changes after `create` is in cells.
unsafe impl Stepped for Driver {
    fn attached<R>(f: impl for<'py> FnOnce(Python<'py>) -> R) -> R {
        // The outermost frame of ours, where a task steps it.
        Python::attach(f)
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
            RUNNING => Err(running_already()),
            _ => {
                self.state.set(DONE);
                Ok(Outcome::Return(None))
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
            RUNNING => Err(running_already()),
            _ => {
                self.state.set(DONE);
                Err(error)
            }
        }
    }

    fn close(&self, py: Python<'_>) -> PyResult<()> {
        self.check_thread()?;
        if self.state.get() == RUNNING {
            return Err(running_already());
        }
        self.state.set(DONE);
        self.pending.clear(py);
        let closed = match self.coroutine.take(py) {
            Some(coroutine) => coroutine.call_method0("close").map(drop),
            None => Ok(()),
        };
        if let Some(Charge { objects, duties }) = self.charge(py) {
            (duties.abandon)(objects);
        }
        closed
    }
}

fn running_already() -> PyErr {
    PyValueError::new_err("coroutine already executing")
}

impl Driver {
    fn keep(&self, charge: Charge<'_>) {
        self.duties.set(Some(charge.duties));
        for (field, object) in self.objects.iter().zip(charge.objects) {
            field.set(object);
        }
    }

    fn charge<'py>(&self, py: Python<'py>) -> Option<Charge<'py>> {
        let duties = self.duties.take()?;
        let [first, second, third] = &self.objects;
        let objects = [first.take(py)?, second.take(py)?, third.take(py)?];
        Some(Charge { objects, duties })
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

    fn throw<'py>(&self, py: Python<'py>, error: &PyErr) -> PyResult<Outcome<'py>> {
        let coroutine = self.coroutine.get(py).expect("a suspended driver has it");
        self.settle(py, coroutine::throw(&coroutine, error.value(py)))
    }

    /// What is to be stepped first.
    fn open<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        if let Some(coroutine) = self.coroutine.get(py) {
            return Ok(coroutine);
        }
        let charge = self.charge(py);
        let charge = charge.expect("a fresh driver has a charge or a coroutine");
        let opened = (charge.duties.open)(&charge.objects);
        self.keep(charge);
        let coroutine = opened?;
        self.coroutine.set(coroutine.clone());
        Ok(coroutine)
    }

    /// Takes down how a step ended; concludes when it was the last.
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
        let Some(Charge { objects, duties }) = self.charge(py) else {
            return result.map(|value| Outcome::Return(Some(value)));
        };
        (duties.conclude)(objects, result)?;
        Ok(Outcome::Return(None))
    }
}

impl Driver {
    fn clear(&self, py: Python<'_>) {
        self.state.set(DONE);
        self.pending.clear(py);
        self.coroutine.clear(py);
        for field in &self.objects {
            field.clear(py);
        }
    }
}
