//! What awaiting `receive()` does.

use alula_server::Receive;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::exchange::{Exchange, State};
use super::messages;
use super::waiting::{End, future};
use crate::ffi::awaitable::{After, Progress};

/// The next message, or a wait for it. Also what a wait that is over goes on with.
#[inline]
pub(crate) fn step<'py>(exchange: &Bound<'py, Exchange>, state: &State) -> PyResult<Progress<'py>> {
    let py = exchange.py();
    let Some((core, id)) = state.reach() else {
        return Ok(Progress::Done(Some(messages::disconnect(py)?)));
    };
    let message = match core.engine.receive(id, |bytes| PyBytes::new(py, bytes)) {
        Receive::Body { value, more } => messages::request(py, value, more)?,
        Receive::Disconnected => {
            state.told.set(true);
            messages::disconnect(py)?
        }
        Receive::Pending => {
            let future = future(&core, exchange, End::Receive)?;
            core.poke(py)?;
            return Ok(Progress::Wait(future, After::Nothing));
        }
    };
    core.poke(py)?;
    Ok(Progress::Done(Some(message)))
}
