//! Which task `asyncio.current_task()` shows.

use pyo3::prelude::*;
use pyo3::types::PyDict;

/// How a task is made the current one.
pub(crate) enum CurrentTask {
    /// By the table that `asyncio` itself looks into: the quick way, where the self-check found it
    /// to work.
    Table(Py<PyDict>),
    /// By `_enter_task` and `_leave_task`, the documented hooks.
    Hooks {
        /// `asyncio._enter_task`
        enter: Py<PyAny>,
        /// `asyncio._leave_task`
        leave: Py<PyAny>,
    },
}

impl CurrentTask {
    /// The private table.
    ///
    /// # Errors
    ///
    /// Where this Python has none.
    pub(crate) fn table(py: Python<'_>) -> PyResult<Self> {
        let table = py.import("asyncio.tasks")?.getattr("_current_tasks")?;
        Ok(Self::Table(table.cast_into::<PyDict>()?.unbind()))
    }

    /// The documented hooks.
    pub(crate) fn hooks(py: Python<'_>) -> PyResult<Self> {
        let tasks = py.import("asyncio.tasks")?;
        Ok(Self::Hooks {
            enter: tasks.getattr("_enter_task")?.unbind(),
            leave: tasks.getattr("_leave_task")?.unbind(),
        })
    }

    /// Makes `task` current until the result is dropped.
    #[inline]
    pub(crate) fn enter<'a, 'py>(
        &'a self,
        event_loop: &'a Bound<'py, PyAny>,
        task: &'a Bound<'py, PyAny>,
    ) -> PyResult<Running<'a, 'py>> {
        let py = task.py();
        let mut outer = None;
        match self {
            Self::Table(table) => {
                let table = table.bind(py);
                // Nobody is current where a loop calls back, unless loops are nested.
                if !table.is_empty() {
                    outer = table.get_item(event_loop)?;
                }
                table.set_item(event_loop, task)?;
            }
            Self::Hooks { enter, .. } => drop(enter.bind(py).call1((event_loop, task))?),
        }
        Ok(Running {
            how: self,
            event_loop,
            task,
            outer,
        })
    }
}

/// A task that is current until this is dropped.
pub(crate) struct Running<'a, 'py> {
    how: &'a CurrentTask,
    event_loop: &'a Bound<'py, PyAny>,
    task: &'a Bound<'py, PyAny>,
    outer: Option<Bound<'py, PyAny>>,
}

impl Drop for Running<'_, '_> {
    fn drop(&mut self) {
        let py = self.task.py();
        let left = match (self.how, self.outer.take()) {
            (CurrentTask::Table(table), None) => table.bind(py).del_item(self.event_loop),
            (CurrentTask::Table(table), Some(outer)) => {
                table.bind(py).set_item(self.event_loop, outer)
            }
            (CurrentTask::Hooks { leave, .. }, _) => {
                leave.bind(py).call1((self.event_loop, self.task)).map(drop)
            }
        };
        if let Err(error) = left {
            error.write_unraisable(py, Some(self.task));
        }
    }
}
