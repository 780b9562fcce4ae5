//! What the server has to say goes to the logger `uvicorn.error`, whose name users' logging
//! configurations know.

use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::access_log::AccessLog;

/// The logger.
pub(crate) struct Log(Py<PyAny>);

impl Log {
    /// Finds it.
    pub(crate) fn new(py: Python<'_>) -> PyResult<Self> {
        let logger = py
            .import("logging")?
            .call_method1("getLogger", ("uvicorn.error",))?;
        Ok(Self(logger.unbind()))
    }

    /// An application's failure, with its traceback.
    pub(crate) fn exception(&self, py: Python<'_>, access: &AccessLog, error: &PyErr) {
        let options = PyDict::new(py);
        let set = options.set_item("exc_info", error.value(py));
        let text = "Exception in ASGI application\n";
        self.say(py, access, |log| {
            set.and_then(|()| log.call_method("error", (text,), Some(&options)))
        });
    }

    /// An application returned something.
    pub(crate) fn wrong_return(
        &self,
        py: Python<'_>,
        access: &AccessLog,
        value: &Bound<'_, PyAny>,
    ) {
        let text = "ASGI callable should return None, but returned '%s'.";
        self.say(py, access, |log| log.call_method1("error", (text, value)));
    }

    /// An error.
    pub(crate) fn error(&self, py: Python<'_>, access: &AccessLog, text: &str) {
        self.say(py, access, |log| log.call_method1("error", (text,)));
    }

    /// A warning.
    pub(crate) fn warning(&self, py: Python<'_>, access: &AccessLog, text: &str) {
        self.say(py, access, |log| log.call_method1("warning", (text,)));
    }

    /// What only somebody who looks for a fault wants to know.
    pub(crate) fn debug(&self, py: Python<'_>, text: &str) {
        if let Err(error) = self.0.bind(py).call_method1("debug", (text,)) {
            error.write_unraisable(py, None);
        }
    }

    /// The lines of the access log that came before come out before.
    #[cold]
    fn say<'py, R>(
        &self,
        py: Python<'py>,
        access: &AccessLog,
        say: impl FnOnce(&Bound<'py, PyAny>) -> PyResult<R>,
    ) {
        access.sync(py);
        if let Err(error) = say(self.0.bind(py)) {
            error.write_unraisable(py, None);
        }
    }
}
