//! What an awaitable does when it is stepped: the face that the rest of the crate shows to this
//! folder.

use std::ffi::CStr;
use std::thread::LocalKey;

use pyo3::PyTypeInfo;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyType};

pub(crate) use super::object::Freelist;

/// An operation on some object: a callable begins it, and what the call returns is awaited.
pub(crate) trait Operation: Sized + 'static {
    /// What it is done to.
    type Subject: PyTypeInfo;
    /// The part of it that belongs to its thread.
    type State;

    /// What the callable is called.
    const NAME: &'static CStr;
    /// The full name of the callable's type.
    const CALLABLE: &'static CStr;
    /// The full name of the awaitable's type.
    const AWAITABLE: &'static CStr;
    /// What is said of an awaitable that nobody awaited.
    const NEVER_AWAITED: &'static CStr;
    /// Whether the callable takes a message; otherwise it takes nothing.
    const TAKES_MESSAGE: bool;

    /// Where its types are kept.
    fn types() -> &'static Types;

    /// Where its dead awaitables are kept.
    fn freelist() -> &'static LocalKey<Freelist>;

    /// The subject's state.
    ///
    /// # Errors
    ///
    /// On another thread than its own.
    fn here<'a>(subject: &'a Bound<'_, Self::Subject>) -> PyResult<&'a Self::State>;

    /// Begins, with the message that the callable was given.
    ///
    /// # Errors
    ///
    /// What awaiting it raises.
    fn begin<'py>(
        subject: &Bound<'py, Self::Subject>,
        state: &Self::State,
        message: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Progress<'py>>;

    /// Goes on after a wait that had nothing left but this.
    ///
    /// # Errors
    ///
    /// What awaiting it raises.
    fn resume<'py>(
        subject: &Bound<'py, Self::Subject>,
        state: &Self::State,
        rest: Option<Rest<'py>>,
    ) -> PyResult<Progress<'py>>;

    /// It will not go on, though a rest was left.
    fn give_up(py: Python<'_>, state: &Self::State);
}

/// The types of one operation.
pub(crate) struct Types {
    pub(super) callable: PyOnceLock<Py<PyType>>,
    pub(super) awaitable: PyOnceLock<Py<PyType>>,
}

impl Types {
    /// None yet.
    pub(crate) const fn new() -> Self {
        Self {
            callable: PyOnceLock::new(),
            awaitable: PyOnceLock::new(),
        }
    }
}

/// What an operation came to.
pub(crate) enum Progress<'py> {
    /// It is done; `None` stands for Python's.
    Done(Option<Bound<'py, PyAny>>),
    /// It must wait for this future, and then has this left to do.
    Wait(Bound<'py, PyAny>, After<'py>),
}

/// What is left to do after a wait.
pub(crate) enum After<'py> {
    /// To resume, with nothing at hand.
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
