//! What awaiting `send(message)` does.

use std::ffi::CStr;
use std::thread::LocalKey;

use alula_http::UsageError;
use alula_server::{ExchangeId, Flow, SendError, Sent};
use pyo3::exceptions::{PyRuntimeError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

use super::exchange::{Exchange, Phase, State};
use super::host::Host;
use super::messages::{self, Kind, Message};
use super::waiting::{End, future};
use crate::error;
use crate::ffi::header_list;
use crate::ffi::operation::{After, Freelist, Operation, Progress, Rest, Types};

/// The operation.
pub(crate) struct Sending;

static TYPES: Types = Types::new();

thread_local! {
    static FREELIST: Freelist = const { Freelist::new() };
}

impl Operation for Sending {
    type Subject = Exchange;
    type State = State;

    const NAME: &'static CStr = c"send";
    const CALLABLE: &'static CStr = c"alula._alula.send";
    const AWAITABLE: &'static CStr = c"alula._alula.send_call";
    const NEVER_AWAITED: &'static CStr = c"awaitable 'send(...)' was never awaited";
    const TAKES_MESSAGE: bool = true;

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
        message: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Progress<'py>> {
        begin(subject, state, &message.expect("a send has its message"))
    }

    fn resume<'py>(
        subject: &Bound<'py, Exchange>,
        state: &State,
        rest: Option<Rest<'py>>,
    ) -> PyResult<Progress<'py>> {
        match rest {
            Some(rest) => resume(subject, state, rest),
            None => Ok(Progress::Done(None)),
        }
    }

    fn give_up(py: Python<'_>, state: &State) {
        abort(py, state);
    }
}

/// Sends a message.
#[inline]
fn begin<'py>(
    exchange: &Bound<'py, Exchange>,
    state: &State,
    message: &Bound<'py, PyAny>,
) -> PyResult<Progress<'py>> {
    let py = exchange.py();
    let Some((host, id)) = state.reach().filter(|_| !state.gone.get()) else {
        return Err(lost(py, state));
    };
    let message = Message::of(message)?;
    match (message.kind()?, state.phase.get()) {
        (Kind::Start, Phase::Fresh) => {
            start(&host, id, state, &message)?;
            Ok(Progress::Done(None))
        }
        (Kind::Body, Phase::Started(_) | Phase::Body) if state.half_sent.get() => {
            // What came now would stand in the middle of another send's piece.
            let future = future(&host, exchange, End::Send)?;
            Ok(Progress::Wait(future, After::Begin))
        }
        (Kind::Body, Phase::Started(_) | Phase::Body) => {
            let body = message.body()?;
            let more = message.more_body()?;
            if let Phase::Started(status) = state.phase.replace(Phase::Body) {
                host.log_access(py, state, status);
            }
            let data = body.as_ref().map_or(&[][..], |body| body.as_bytes());
            let sent = host.engine.send_body(id, data, more);
            let rest = body.map(|body| Rest {
                body,
                offset: 0,
                more,
            });
            settle(exchange, state, &host, sent, rest, more)
        }
        (_, phase) => Err(unexpected(&message.name, phase)),
    }
}

/// Goes on once the engine is ready for more.
fn resume<'py>(
    exchange: &Bound<'py, Exchange>,
    state: &State,
    rest: Rest<'py>,
) -> PyResult<Progress<'py>> {
    let py = exchange.py();
    let Some((host, id)) = state.reach().filter(|_| !state.gone.get()) else {
        return Err(lost(py, state));
    };
    let more = rest.more;
    let sent = host
        .engine
        .send_rest(id, &rest.body.as_bytes()[rest.offset..], more);
    settle(exchange, state, &host, sent, Some(rest), more)
}

/// Why nobody is left to send to: the application's own mistake, or the client has left.
#[cold]
fn lost(py: Python<'_>, state: &State) -> PyErr {
    error::from_send(py, state.fault.get().unwrap_or(SendError::Gone))
}

/// Takes down what became of a piece, of which `rest` was left to be sent.
#[inline]
fn settle<'py>(
    exchange: &Bound<'py, Exchange>,
    state: &State,
    host: &Host,
    sent: Result<Sent, SendError>,
    rest: Option<Rest<'py>>,
    more: bool,
) -> PyResult<Progress<'py>> {
    let py = exchange.py();
    let Sent { taken, flow } = match sent {
        Ok(sent) => sent,
        Err(error) => {
            state.half_sent.set(false);
            host.poke(py)?;
            if error == SendError::Gone {
                return Err(lost(py, state));
            }
            state.fault.set(Some(error));
            return Err(error::from_send(py, error));
        }
    };
    let rest = rest
        .map(|rest| Rest {
            offset: rest.offset + taken,
            ..rest
        })
        .filter(|rest| rest.offset < rest.body.as_bytes().len());
    if state.half_sent.replace(rest.is_some()) && rest.is_none() {
        // Others may have waited for this piece to be out.
        state.wake_senders(py);
    }
    let complete = rest.is_none() && !more;
    if complete {
        host.completed(py, state);
    }
    host.poke(py)?;
    if complete || flow == Flow::Ready {
        return Ok(Progress::Done(None));
    }
    let future = future(host, exchange, End::Send)?;
    Ok(Progress::Wait(
        future,
        rest.map_or(After::Nothing, After::Rest),
    ))
}

/// Ends the answer: the rest of a piece will never come.
#[cold]
fn abort(py: Python<'_>, state: &State) {
    state.half_sent.set(false);
    let Some((host, id)) = state.reach() else {
        return;
    };
    host.engine.abort(id);
    let text = "Response cut off: a send was given up when only part of its body had been sent.";
    host.log.error(py, host.access(), text);
    state.wake_senders(py);
    if let Err(error) = host.poke(py) {
        error.write_unraisable(py, None);
    }
}

/// Begins the answer.
#[inline]
fn start(host: &Host, id: ExchangeId, state: &State, message: &Message<'_>) -> PyResult<()> {
    let status = message.status()?;
    let begun = match &message.headers {
        None => host.engine.respond(id, status, std::iter::empty()),
        Some(headers) => {
            if let Some(begun) = header_list::respond(&host.engine, id, status, headers) {
                begun
            } else {
                let pairs = pairs(headers)?;
                let pairs = pairs
                    .iter()
                    .map(|(name, value)| (name.as_bytes(), value.as_bytes()));
                host.engine.respond(id, status, pairs)
            }
        }
    };
    begun.map_err(|error| refused(error, message))?;
    state.phase.set(Phase::Started(status));
    Ok(())
}

/// Headers in any other shape than a list of pairs of bytes.
fn pairs<'py>(
    headers: &Bound<'py, PyAny>,
) -> PyResult<Vec<(Bound<'py, PyBytes>, Bound<'py, PyBytes>)>> {
    let wrong = |value: &Bound<'py, PyAny>| {
        PyTypeError::new_err(format!(
            "'headers' must be an iterable of (name, value) pairs of bytes, not {}",
            messages::shown(value)
        ))
    };
    let mut pairs = Vec::new();
    for item in headers.try_iter().map_err(|_| wrong(headers))? {
        let item = item?;
        let fields = item
            .try_iter()
            .map_err(|_| wrong(&item))?
            .collect::<PyResult<Vec<_>>>()?;
        let [name, value] = &fields[..] else {
            return Err(PyTypeError::new_err(format!(
                "each of 'headers' must be a (name, value) pair of bytes, not {}",
                messages::shown(&item)
            )));
        };
        let name = messages::bytes_of(name, || "a header's name".to_owned())?;
        let value = messages::bytes_of(value, || {
            format!(
                "the value of header {:?}",
                String::from_utf8_lossy(name.as_bytes())
            )
        })?;
        pairs.push((name, value));
    }
    Ok(pairs)
}

/// The error of a start message that was refused, with the value that was wrong.
fn refused(error: SendError, message: &Message<'_>) -> PyErr {
    let SendError::Usage(usage) = error else {
        return error::from_send(message.name.py(), error);
    };
    let text = match (usage, &message.headers) {
        (UsageError::InvalidStatus(_), _) => {
            format!(
                "status {} is not valid: 200 to 599 are",
                message.shown_status()
            )
        }
        (_, Some(headers)) => format!("{usage}; headers: {}", messages::shown(headers)),
        _ => usage.to_string(),
    };
    PyRuntimeError::new_err(text)
}

/// The error of a message that is not this phase's.
fn unexpected(name: &Bound<'_, PyString>, phase: Phase) -> PyErr {
    let name = name.to_string_lossy();
    PyRuntimeError::new_err(match phase {
        Phase::Fresh => {
            format!("Expected ASGI message 'http.response.start', but got '{name}'.")
        }
        Phase::Started(_) | Phase::Body => {
            format!("Expected ASGI message 'http.response.body', but got '{name}'.")
        }
        Phase::Complete => {
            format!("Unexpected ASGI message '{name}' sent, after response already completed.")
        }
    })
}
