//! Whether this interpreter and loop behave as lazy tasks need; see `selfcheck.py`.

use std::cell::{Cell, OnceCell};
use std::ffi::CStr;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyContext;

use super::current::CurrentTask;
use super::launch::{Launcher, Style};
use super::work::Work;
use crate::ffi::driver::Charge;
use crate::ffi::thread::Local;
use crate::ffi::{context, lazy_task};

/// The check's source, and the few lines of Python that the launcher needs.
const SOURCE: &CStr =
    match CStr::from_bytes_with_nul(concat!(include_str!("selfcheck.py"), "\0").as_bytes()) {
        Ok(source) => source,
        Err(_) => panic!("the source holds a NUL"),
    };

fn module(py: Python<'_>) -> PyResult<&Bound<'_, PyModule>> {
    static MODULE: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
    let module = MODULE.get_or_try_init(py, || {
        PyModule::from_code(py, SOURCE, c"<alula>/selfcheck.py", c"alula._selfcheck")
            .map(Bound::unbind)
    })?;
    Ok(module.bind(py))
}

/// `await_any(awaitable)`: a coroutine of any awaitable.
pub(crate) fn await_any(py: Python<'_>) -> PyResult<Py<PyAny>> {
    Ok(module(py)?.getattr("await_any")?.unbind())
}

/// The quickest way to set the current task that works.
///
/// # Errors
///
/// Why lazy tasks can't be used here.
pub(crate) fn current_task(py: Python<'_>) -> PyResult<CurrentTask> {
    lazy_task::prepare(py)?;
    let checked = CurrentTask::table(py).and_then(|current| check(py, current));
    if checked.is_ok() {
        return CurrentTask::table(py);
    }
    check(py, CurrentTask::hooks(py)?)?;
    CurrentTask::hooks(py)
}

/// Whether `event_loop.create_task` makes plain tasks.
pub(crate) fn makes_plain_tasks(event_loop: &Bound<'_, PyAny>) -> PyResult<bool> {
    module(event_loop.py())?
        .getattr("makes_plain_tasks")?
        .call1((event_loop,))?
        .is_truthy()
}

/// The launcher under test, as the check calls it.
#[pyclass(frozen)]
struct Probe(Local<Parts>);

struct Parts {
    context: Py<PyContext>,
    current: Cell<Option<CurrentTask>>,
    launcher: OnceCell<Launcher>,
}

#[pymethods]
impl Probe {
    fn __call__<'py>(
        &self,
        event_loop: &Bound<'py, PyAny>,
        coroutine: Bound<'py, PyAny>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let py = event_loop.py();
        let Some(parts) = self.0.get() else {
            return Err(PyRuntimeError::new_err(
                "the check belongs to another thread",
            ));
        };
        if let Some(current) = parts.current.take() {
            let context = Some(parts.context.clone_ref(py));
            let event_loop = event_loop.clone().unbind();
            let made = Launcher::new(py, event_loop, context, current, Style::Lazy);
            let _ = parts.launcher.set(made);
        }
        let launcher = parts.launcher.get().expect("made by the first call");
        launcher.launch(py, Checked(coroutine))
    }
}

/// A coroutine of the check; the task shows how it ends.
#[derive(Clone)]
struct Checked<'py>(Bound<'py, PyAny>);

impl<'py> Work<'py> for Checked<'py> {
    const CHARGED: bool = false;

    fn call(&self) -> PyResult<Bound<'py, PyAny>> {
        Ok(self.0.clone())
    }

    fn conclude(self, result: PyResult<Bound<'py, PyAny>>) -> PyResult<()> {
        result.map(drop)
    }

    fn waits(&self, _: usize) -> PyResult<()> {
        Ok(())
    }

    fn charge(self) -> Option<Charge<'py>> {
        None
    }
}

/// Runs the check with tasks that are made current by `current`.
fn check(py: Python<'_>, current: CurrentTask) -> PyResult<()> {
    let probe = Probe(Local::new(Parts {
        context: context::copy_current(py)?.unbind(),
        current: Cell::new(Some(current)),
        launcher: OnceCell::new(),
    }));
    module(py)?.getattr("check")?.call1((probe,)).map(drop)
}
