//! What awaiting `receive()` does.

use std::ffi::CStr;
use std::thread::LocalKey;

use alula_server::Receive;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::exchange::{Exchange, State};
use super::messages;
use super::waiting::{End, future};
use crate::ffi::operation::{After, Freelist, Operation, Progress, Rest, Types};

/// The operation.
pub(crate) struct Receiving;

static TYPES: Types = Types::new();

thread_local! {
    static FREELIST: Freelist = const { Freelist::new() };
}

impl Operation for Receiving {
    type Subject = Exchange;
    type State = State;

    const NAME: &'static CStr = c"receive";
    const CALLABLE: &'static CStr = c"alula._alula.receive";
    const AWAITABLE: &'static CStr = c"alula._alula.receive_call";
    const NEVER_AWAITED: &'static CStr = c"awaitable 'receive()' was never awaited";
    const TAKES_MESSAGE: bool = false;

    #[inline]
    fn types() -> &'static Types {
        &TYPES
    }

    #[inline]
    fn freelist() -> &'static LocalKey<Freelist> {
        &FREELIST
    }

    #[inline]
    fn here<'a>(subject: &'a Bound<'_, Exchange>) -> PyResult<&'a State> {
        subject.get().here()
    }

    #[inline]
    fn begin<'py>(
        subject: &Bound<'py, Exchange>,
        state: &State,
        _: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Progress<'py>> {
        step(subject, state)
    }

    fn resume<'py>(
        subject: &Bound<'py, Exchange>,
        state: &State,
        _: Option<Rest<'py>>,
    ) -> PyResult<Progress<'py>> {
        step(subject, state)
    }

    fn give_up(_: Python<'_>, _: &State) {}
}

/// The next message, or a wait for it. Also what a wait that is over goes on with.
#[inline]
fn step<'py>(exchange: &Bound<'py, Exchange>, state: &State) -> PyResult<Progress<'py>> {
    let py = exchange.py();
    let Some((host, id)) = state.reach() else {
        return Ok(Progress::Done(Some(messages::disconnect(py)?)));
    };
    let message = match host.engine.receive(id, |bytes| PyBytes::new(py, bytes)) {
        Receive::Body { value, more } => messages::request(py, value, more)?,
        Receive::Disconnected => {
            state.told.set(true);
            messages::disconnect(py)?
        }
        Receive::Pending => {
            let future = future(&host, exchange, End::Receive)?;
            host.poke(py)?;
            return Ok(Progress::Wait(future, After::Nothing));
        }
    };
    host.poke(py)?;
    Ok(Progress::Done(Some(message)))
}
