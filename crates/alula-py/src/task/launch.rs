//! Starts work, each in a task of its own and its own copy of the context.
//!
//! The quick way: the coroutine is stepped once, at once, in a lazy task. If it is finished then,
//! nothing else happens and the task serves the next request; if it waits, `Task.__init__` runs on
//! that same object, and the loop takes over. The plain way is `loop.create_task`.

use std::cell::{Cell, RefCell};

use pyo3::prelude::*;
use pyo3::types::{PyContext, PyDict};
use slab::Slab;

use super::current::CurrentTask;
use super::work::Work;
use crate::ffi::context::{self, Entered};
use crate::ffi::coroutine::{self, Step};
use crate::ffi::driver;
use crate::ffi::lazy_task::{Idle, LazyTask};

/// Most lazy tasks kept for reuse; one is in use at a time, but a finished one may be held.
const IDLE_TASKS: usize = 8;

/// How tasks are made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Style {
    /// Lazy tasks, stepped at once.
    Lazy,
    /// `loop.create_task`.
    CreateTask,
}

/// Starts tasks on one loop.
pub(crate) struct Launcher {
    event_loop: Py<PyAny>,
    /// What each request's context is a copy of; `None`: each begins with an empty one.
    context: Option<Py<PyContext>>,
    current: CurrentTask,
    /// Whether `Task.__init__` can take the first step itself (Python 3.12).
    eager: bool,
    style: Cell<Style>,
    idle: RefCell<Vec<Idle>>,
    /// Tasks that wait: the loop itself holds only weak references.
    running: RefCell<Slab<Py<PyAny>>>,
}

impl Launcher {
    /// A launcher for `event_loop`.
    pub(crate) fn new(
        py: Python<'_>,
        event_loop: Py<PyAny>,
        context: Option<Py<PyContext>>,
        current: CurrentTask,
        style: Style,
    ) -> Self {
        Self {
            event_loop,
            context,
            current,
            eager: py.version_info() >= (3, 12),
            style: Cell::new(style),
            idle: RefCell::new(Vec::new()),
            running: RefCell::new(Slab::new()),
        }
    }

    /// How tasks are made from now on.
    pub(crate) fn set_style(&self, style: Style) {
        self.style.set(style);
    }

    /// How tasks are made.
    pub(crate) fn style(&self) -> Style {
        self.style.get()
    }

    /// How many tasks wait.
    pub(crate) fn running(&self) -> usize {
        self.running.borrow().len()
    }

    /// Forgets a task that is through.
    pub(crate) fn forget(&self, key: usize) {
        let task = self.running.borrow_mut().try_remove(key);
        drop(task);
    }

    /// Cancels every task that waits; how many there were.
    pub(crate) fn cancel_all(&self, py: Python<'_>, message: &str) -> PyResult<usize> {
        let tasks: Vec<_> = self
            .running
            .borrow()
            .iter()
            .map(|(_, task)| task.clone_ref(py))
            .collect();
        let options = PyDict::new(py);
        options.set_item("msg", message)?;
        for task in &tasks {
            task.bind(py).call_method("cancel", (), Some(&options))?;
        }
        Ok(tasks.len())
    }

    /// Starts `work`. The task is returned where it waits, or somebody holds it.
    ///
    /// # Errors
    ///
    /// What the interpreter could not do; what the work raises is concluded by itself.
    #[inline]
    pub(crate) fn launch<'py, W: Work<'py>>(
        &self,
        py: Python<'py>,
        work: W,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let context = match &self.context {
            Some(context) => context::copy(context.bind(py))?,
            None => context::empty(py)?,
        };
        match self.style.get() {
            Style::Lazy => self.step(py, work, &context),
            Style::CreateTask => self.create(py, &work, &context).map(Some),
        }
    }

    /// Steps the work at once, under a lazy task.
    fn step<'py, W: Work<'py>>(
        &self,
        py: Python<'py>,
        work: W,
        context: &Bound<'py, PyContext>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let idle = self.idle.borrow_mut().pop();
        let task = match idle {
            Some(idle) => idle.wake(py),
            None => LazyTask::allocate(py)?,
        };
        let event_loop = self.event_loop.bind(py);
        let stepped = task.armed(event_loop, context, || {
            let _current = self.current.enter(event_loop, task.object())?;
            let _entered = Entered::enter(context)?;
            first_step(work)
        });
        match stepped? {
            First::Waits {
                work,
                coroutine,
                pending,
            } => self
                .hand_over(task, work, coroutine, pending, context)
                .map(Some),
            First::Finished => match task.driver()? {
                None if task.is_ours_alone() => {
                    let mut idle = self.idle.borrow_mut();
                    if idle.len() < IDLE_TASKS {
                        idle.push(task.rest());
                    }
                    Ok(None)
                }
                None => {
                    // Somebody holds it: let it become a task that is done.
                    let driver = driver::running(py)?;
                    driver::finish(&driver);
                    task.initialise(&driver, event_loop, context, self.eager)?;
                    Ok(Some(task.into_object()))
                }
                Some(driver) => {
                    driver::finish(&driver);
                    Ok(Some(task.into_object()))
                }
            },
        }
    }

    /// The first step has ended in a wait: the loop takes over.
    fn hand_over<'py, W: Work<'py>>(
        &self,
        task: LazyTask<'py>,
        work: W,
        coroutine: Bound<'py, PyAny>,
        pending: Bound<'py, PyAny>,
        context: &Bound<'py, PyContext>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = coroutine.py();
        let key = W::CHARGED.then(|| self.keep(task.object()));
        if let Some(key) = key {
            work.waits(key)?;
        }
        let charge = work.charge();
        if let Some(driver) = task.driver()? {
            driver::park(&driver, charge, coroutine, pending);
        } else {
            let driver = driver::running(py)?;
            driver::park(&driver, charge, coroutine, pending);
            let event_loop = self.event_loop.bind(py);
            let made = task.initialise(&driver, event_loop, context, self.eager);
            if let (Err(_), Some(key)) = (&made, key) {
                self.forget(key);
            }
            made?;
        }
        Ok(task.into_object())
    }

    /// Holds on to a task that waits.
    fn keep(&self, task: &Bound<'_, PyAny>) -> usize {
        let task = task.clone().unbind();
        self.running.borrow_mut().insert(task)
    }

    /// Has the loop make a task.
    fn create<'py, W: Work<'py>>(
        &self,
        py: Python<'py>,
        work: &W,
        context: &Bound<'py, PyContext>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let driver = match work.clone().charge() {
            Some(charge) => driver::fresh(charge)?,
            None => driver::probe(work.call()?)?,
        };
        let task = {
            // A task copies the context that it is made in: a custom factory may take no other.
            let _entered = Entered::enter(context)?;
            self.event_loop
                .bind(py)
                .call_method1(pyo3::intern!(py, "create_task"), (&driver,))?
        };
        if W::CHARGED && !driver::is_done(&driver) {
            work.waits(self.keep(&task))?;
        }
        Ok(task)
    }
}

/// How a first step ended.
enum First<'py, W> {
    Finished,
    Waits {
        work: W,
        coroutine: Bound<'py, PyAny>,
        pending: Bound<'py, PyAny>,
    },
}

/// Opens the work and steps its coroutine; concludes it if that was all.
#[inline]
fn first_step<'py, W: Work<'py>>(work: W) -> PyResult<First<'py, W>> {
    let result = match work.call() {
        Err(error) => Err(error),
        Ok(coroutine) => match coroutine::send(&coroutine, None) {
            Step::Yielded(pending) => {
                return Ok(First::Waits {
                    work,
                    coroutine,
                    pending,
                });
            }
            Step::Returned(value) => Ok(value),
            Step::Raised(error) => Err(error),
        },
    };
    work.conclude(result).map(|()| First::Finished)
}
