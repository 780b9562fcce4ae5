//! A task object whose `__init__` runs only when it must.
//!
//! It is a subclass of `asyncio.Task`, allocated without running `__init__`. While an application's
//! first step runs in it, anything that touches it (an attribute, `repr`, `await`) initialises it
//! first; what nothing has touched is used again for the next request.

use std::ffi::c_int;
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicU8, Ordering::Relaxed};

use pyo3::exceptions::{PyRuntimeError, PyTypeError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyContext, PyDict, PyType};

use super::driver;
use super::object::{guarded, method, slot};
use super::thread::Local;

/// Not initialised, and not in use.
const IDLE: u8 = 0;
/// Not initialised; an application's first step runs in it.
const ARMED: u8 = 1;
/// Initialised: an ordinary task from now on.
const TASK: u8 = 2;

/// What is added behind the fields of `asyncio.Task`. A new object has all of it zero.
#[repr(C)]
struct Extra {
    state: AtomicU8,
    /// Set while armed: what initialising needs, in the frame that armed it.
    needs: AtomicPtr<Local<Needs>>,
}

/// What initialising a task needs.
struct Needs {
    event_loop: *mut ffi::PyObject,
    context: *mut ffi::PyObject,
}

/// The subclass, the C type that it extends, and where the extra fields begin.
struct Kind {
    subtype: Py<PyType>,
    base: Py<PyType>,
    offset: usize,
    /// `asyncio.Task.__init__`.
    init: Py<PyAny>,
    /// `asyncio.Task._coro`, whatever it is called on.
    coroutine: Py<PyAny>,
}

static KIND: PyOnceLock<Kind> = PyOnceLock::new();

/// Makes the type.
///
/// # Errors
///
/// When `asyncio.Task` is not the C implementation that this was written for.
pub(crate) fn prepare(py: Python<'_>) -> PyResult<()> {
    KIND.get_or_try_init(py, || make(py)).map(drop)
}

fn make(py: Python<'_>) -> PyResult<Kind> {
    let task = py.import("_asyncio")?.getattr("Task")?;
    if !py.import("asyncio")?.getattr("Task")?.is(&task) {
        return Err(PyTypeError::new_err("asyncio.Task is not the built-in one"));
    }
    let base = task.cast_into::<PyType>()?;
    // SAFETY: a living type object; the size is where instances end.
    let size = unsafe { (*base.as_type_ptr()).tp_basicsize };
    let offset = size.cast_unsigned().next_multiple_of(align_of::<Extra>());
    let methods = Box::leak(Box::new([
        method(c"get_coro", get_coro, ffi::METH_NOARGS),
        ffi::PyMethodDef::zeroed(),
    ]));
    let getters = Box::leak(Box::new([
        ffi::PyGetSetDef {
            name: c"_coro".as_ptr(),
            get: Some(show_coro),
            set: None,
            doc: ptr::null(),
            closure: ptr::null_mut(),
        },
        ffi::PyGetSetDef::default(),
    ]));
    let slots = vec![
        slot(ffi::Py_tp_getattro, getattro as *mut _),
        slot(ffi::Py_tp_setattro, setattro as *mut _),
        slot(ffi::Py_tp_repr, repr as *mut _),
        slot(ffi::Py_tp_iter, iter as *mut _),
        slot(ffi::Py_am_await, iter as *mut _),
        slot(ffi::Py_tp_methods, methods.as_mut_ptr().cast()),
        slot(ffi::Py_tp_getset, getters.as_mut_ptr().cast()),
    ];
    // Collection, finalising and freeing are the base's: the extra fields own nothing.
    let flags = ffi::Py_TPFLAGS_DEFAULT
        | ffi::Py_TPFLAGS_DISALLOW_INSTANTIATION
        | ffi::Py_TPFLAGS_IMMUTABLETYPE;
    // SAFETY: each slot holds a function of the slot's signature, the tables are leaked, and the
    // instances are the base's with `Extra` behind.
    let subtype = unsafe {
        let size = offset + size_of::<Extra>();
        super::object::build(py, c"alula._alula.Task", size, flags, Some(&base), slots)?
    };
    Ok(Kind {
        subtype,
        offset,
        init: base.getattr("__init__")?.unbind(),
        coroutine: base.getattr("_coro")?.getattr("__get__")?.unbind(),
        base: base.unbind(),
    })
}

/// The extra fields of `task`.
///
/// # Safety
///
/// `task` must be an instance of the type made here, alive as long as the result is used.
#[inline]
unsafe fn extra<'a>(kind: &Kind, task: *mut ffi::PyObject) -> &'a Extra {
    // SAFETY: the type's instances have `Extra` at that offset.
    unsafe { &*task.byte_add(kind.offset).cast::<Extra>() }
}

/// The type, which exists as soon as an instance does.
fn known(py: Python<'_>) -> &Kind {
    KIND.get(py).expect("made before its instances")
}

/// One such task.
pub(crate) struct LazyTask<'py>(Bound<'py, PyAny>);

/// One such task, kept for another request.
pub(crate) struct Idle(Py<PyAny>);

impl Idle {
    /// Takes it into use.
    #[inline]
    pub(crate) fn wake(self, py: Python<'_>) -> LazyTask<'_> {
        LazyTask(self.0.into_bound(py))
    }
}

impl<'py> LazyTask<'py> {
    /// A new object, not initialised.
    pub(crate) fn allocate(py: Python<'py>) -> PyResult<Self> {
        let kind = known(py).subtype.as_ptr().cast();
        // SAFETY: allocates a zeroed instance of the type, as its `__new__` would.
        unsafe {
            let task = ffi::PyType_GenericAlloc(kind, 0);
            Ok(Self(Bound::from_owned_ptr_or_err(py, task)?))
        }
    }

    /// The task object.
    pub(crate) fn object(&self) -> &Bound<'py, PyAny> {
        &self.0
    }

    /// Takes the object out.
    pub(crate) fn into_object(self) -> Bound<'py, PyAny> {
        self.0
    }

    fn extra(&self) -> &Extra {
        // SAFETY: the object is one of this type's.
        unsafe { extra(known(self.0.py()), self.0.as_ptr()) }
    }

    /// Runs `f`, during which touching the task initialises it.
    #[inline]
    pub(crate) fn armed<R>(
        &self,
        event_loop: &Bound<'py, PyAny>,
        context: &Bound<'py, PyContext>,
        f: impl FnOnce() -> R,
    ) -> R {
        struct Disarm<'a>(&'a Extra);
        impl Drop for Disarm<'_> {
            fn drop(&mut self) {
                self.0.needs.store(ptr::null_mut(), Relaxed);
                if self.0.state.load(Relaxed) == ARMED {
                    self.0.state.store(IDLE, Relaxed);
                }
            }
        }
        let needs = Local::new(Needs {
            event_loop: event_loop.as_ptr(),
            context: context.as_ptr(),
        });
        let extra = self.extra();
        extra.needs.store((&raw const needs).cast_mut(), Relaxed);
        extra.state.store(ARMED, Relaxed);
        let _disarm = Disarm(extra);
        f()
    }

    /// The driver, where something has touched (and so initialised) the task.
    #[inline]
    pub(crate) fn driver(&self) -> PyResult<Option<Bound<'py, PyAny>>> {
        if self.extra().state.load(Relaxed) != TASK {
            return Ok(None);
        }
        known(self.0.py())
            .coroutine
            .bind(self.0.py())
            .call1((&self.0,))
            .map(Some)
    }

    /// Whether nobody else knows the task, so that it can be used again.
    #[inline]
    pub(crate) fn is_ours_alone(&self) -> bool {
        // SAFETY: a living object whose type has weak references.
        unsafe {
            self.extra().state.load(Relaxed) == IDLE
                && ffi::Py_REFCNT(self.0.as_ptr()) == 1
                && (*ffi::PyObject_GET_WEAKREFS_LISTPTR(self.0.as_ptr())).is_null()
        }
    }

    /// Keeps it for another request; only where it is ours alone.
    #[inline]
    pub(crate) fn rest(self) -> Idle {
        Idle(self.0.unbind())
    }

    /// Makes it an ordinary task that runs `driver`: at once with `eager` (Python 3.12 and later),
    /// else from the loop's next turn on.
    pub(crate) fn initialise(
        &self,
        driver: &Bound<'py, PyAny>,
        event_loop: &Bound<'py, PyAny>,
        context: &Bound<'py, PyContext>,
        eager: bool,
    ) -> PyResult<()> {
        self.extra().state.store(TASK, Relaxed);
        initialise(&self.0, driver, event_loop, context, eager)
    }
}

fn initialise<'py>(
    task: &Bound<'py, PyAny>,
    driver: &Bound<'py, PyAny>,
    event_loop: &Bound<'py, PyAny>,
    context: &Bound<'py, PyContext>,
    eager: bool,
) -> PyResult<()> {
    let py = task.py();
    let options = PyDict::new(py);
    options.set_item(pyo3::intern!(py, "loop"), event_loop)?;
    options.set_item(pyo3::intern!(py, "context"), context)?;
    if eager {
        options.set_item(pyo3::intern!(py, "eager_start"), true)?;
    }
    known(py)
        .init
        .bind(py)
        .call((task, driver), Some(&options))
        .map(drop)
}

/// Initialises an armed task that somebody touches.
#[cold]
fn touch(py: Python<'_>, task: &Bound<'_, PyAny>) -> PyResult<()> {
    // SAFETY: called with this type's instances alone; while armed, the pointer is to a value in
    // the frame of `armed`, which is still running (or runs in another thread, which `Local` tells).
    unsafe {
        let extra = extra(known(py), task.as_ptr());
        let needs = (*extra.needs.load(Relaxed)).get();
        let Some(needs) = needs else {
            return Err(PyRuntimeError::new_err(
                "a request's task was used from another thread while its first step runs",
            ));
        };
        extra.state.store(TASK, Relaxed);
        let driver = driver::running(py)?;
        let event_loop = Bound::from_borrowed_ptr(py, needs.event_loop);
        let context = Bound::from_borrowed_ptr(py, needs.context).cast_into_unchecked();
        initialise(task, &driver, &event_loop, &context, false)
    }
}

/// Runs `f` on a task that has been initialised if it is armed.
#[inline]
unsafe fn touched<R>(task: *mut ffi::PyObject, failed: R, f: impl FnOnce(&Kind) -> R) -> R {
    // SAFETY: the interpreter calls attached, with an instance.
    unsafe {
        let py = Python::assume_attached();
        let kind = known(py);
        if extra(kind, task).state.load(Relaxed) == ARMED {
            let ready = Python::attach(|py| {
                guarded(py, false, || {
                    touch(py, &Bound::from_borrowed_ptr(py, task)).map(|()| true)
                })
            });
            if !ready {
                return failed;
            }
        }
        f(kind)
    }
}

unsafe extern "C" fn getattro(
    task: *mut ffi::PyObject,
    name: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: the interpreter calls attached, with an instance and a name.
    unsafe {
        // `isinstance` may ask for the class, which needs no task.
        let class = pyo3::intern!(Python::assume_attached(), "__class__").as_ptr();
        if name == class {
            return ffi::PyObject_GenericGetAttr(task, name);
        }
        touched(task, ptr::null_mut(), |_| {
            ffi::PyObject_GenericGetAttr(task, name)
        })
    }
}

unsafe extern "C" fn setattro(
    task: *mut ffi::PyObject,
    name: *mut ffi::PyObject,
    value: *mut ffi::PyObject,
) -> c_int {
    // SAFETY: the interpreter calls attached, with an instance, a name and a value or null.
    unsafe {
        touched(task, -1, |_| {
            ffi::PyObject_GenericSetAttr(task, name, value)
        })
    }
}

unsafe extern "C" fn repr(task: *mut ffi::PyObject) -> *mut ffi::PyObject {
    // SAFETY: as in `getattro`; the base type outlives its subtype.
    unsafe {
        touched(task, ptr::null_mut(), |kind| {
            let base = kind.base.as_ptr().cast::<ffi::PyTypeObject>();
            (*base).tp_repr.map_or(ptr::null_mut(), |repr| repr(task))
        })
    }
}

unsafe extern "C" fn iter(task: *mut ffi::PyObject) -> *mut ffi::PyObject {
    // SAFETY: as in `repr`.
    unsafe {
        touched(task, ptr::null_mut(), |kind| {
            let base = kind.base.as_ptr().cast::<ffi::PyTypeObject>();
            (*base).tp_iter.map_or(ptr::null_mut(), |iter| iter(task))
        })
    }
}

/// The application's coroutine rather than the driver, as `create_task` would show.
fn shown_coroutine<'py>(task: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let coroutine = known(task.py()).coroutine.bind(task.py()).call1((task,))?;
    Ok(driver::application(&coroutine).unwrap_or(coroutine))
}

unsafe extern "C" fn get_coro(
    task: *mut ffi::PyObject,
    _: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    Python::attach(|py| {
        guarded(py, ptr::null_mut(), || {
            // SAFETY: the interpreter passes an instance.
            let task = unsafe { Bound::from_borrowed_ptr(py, task) };
            shown_coroutine(&task).map(Bound::into_ptr)
        })
    })
}

unsafe extern "C" fn show_coro(
    task: *mut ffi::PyObject,
    _: *mut std::ffi::c_void,
) -> *mut ffi::PyObject {
    // SAFETY: the interpreter passes an instance.
    unsafe { get_coro(task, ptr::null_mut()) }
}
