//! Exchanges that wait for the engine: it calls back by number, and finds their futures here.

use std::cell::RefCell;

use alula_server::ExchangeId;
use pyo3::prelude::*;

use super::exchange::Exchange;
use super::host::Host;

/// By slot; at most one exchange is attached to a slot.
#[derive(Default)]
pub(crate) struct Waiting(RefCell<Vec<Slot>>);

/// The exchange that waits on a connection, if one does.
type Slot = Option<(ExchangeId, Py<Exchange>)>;

impl Waiting {
    /// Enters an exchange.
    fn insert(&self, id: ExchangeId, exchange: Py<Exchange>) {
        let mut slots = self.0.borrow_mut();
        if slots.len() <= id.slot() {
            slots.resize_with(id.slot() + 1, || None);
        }
        let old = slots[id.slot()].replace((id, exchange));
        drop(slots);
        drop(old);
    }

    /// The exchange, if it waits.
    pub(crate) fn get<'py>(&self, py: Python<'py>, id: ExchangeId) -> Option<Bound<'py, Exchange>> {
        let slots = self.0.borrow();
        let (entered, exchange) = slots.get(id.slot())?.as_ref()?;
        (*entered == id).then(|| exchange.bind(py).clone())
    }

    /// Takes the exchange out, if it is in.
    pub(crate) fn remove(&self, id: ExchangeId) {
        let mut slots = self.0.borrow_mut();
        let Some(slot) = slots.get_mut(id.slot()) else {
            return;
        };
        let old = slot.take_if(|(entered, _)| *entered == id);
        drop(slots);
        drop(old);
    }

    /// Drops everything.
    pub(crate) fn clear(&self) {
        let old = self.0.take();
        drop(old);
    }
}

/// Which of the two is waited for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// Something to receive.
    Receive,
    /// Room to send.
    Send,
}

/// A new future that the engine's next call about `exchange` completes.
pub(crate) fn future<'py>(
    host: &Host,
    exchange: &Bound<'py, Exchange>,
    end: End,
) -> PyResult<Bound<'py, PyAny>> {
    let py = exchange.py();
    let state = exchange.get().here()?;
    let future = host.event_loop.create_future(py)?;
    let waiters = if end == End::Receive {
        &state.receivers
    } else {
        &state.senders
    };
    // Those that were cancelled while they waited go now, or a `wait_for(receive(), 1)` again and
    // again would leave one each time.
    let waited = waiters.take();
    let mut still = Vec::with_capacity(waited.len() + 1);
    for future in waited {
        if !future
            .bind(py)
            .call_method0(pyo3::intern!(py, "done"))?
            .is_truthy()?
        {
            still.push(future);
        }
    }
    still.push(future.clone().unbind());
    waiters.replace(still);
    if let Some(id) = state.id() {
        host.engine
            .handler()
            .waiting
            .insert(id, exchange.clone().unbind());
    }
    Ok(future)
}
