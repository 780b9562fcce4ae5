//! A request's body, pulled by its handler.

use alula_http::ProtocolError;

use super::{Engine, Notice};
use crate::connection::{Connection, Phase};
use crate::{ExchangeId, Receive};

/// Chunks are put together up to this size before they are handed on.
const GATHERED: usize = 64 * 1024;

impl Connection {
    /// After the whole request: whether the handler is to learn that its client is gone. The end
    /// may stand behind bytes that are not read while this request is answered.
    fn has_left(&self) -> bool {
        self.peer_closed || self.dismissed || self.end_announced
    }

    /// Whether `receive` would now find something.
    pub(super) fn receivable(&self) -> bool {
        if self.http.body_complete() {
            !self.body_reported || self.has_left()
        } else {
            !self.input.is_empty() || self.peer_closed
        }
    }
}

impl Engine {
    /// See [`Worker::receive`](crate::Worker::receive).
    pub(crate) fn receive<T>(
        &mut self,
        id: ExchangeId,
        read: impl FnOnce(&[u8]) -> T,
    ) -> Receive<T> {
        let slot = id.slot();
        let Some(connection) = self.attached(id) else {
            return Receive::Disconnected;
        };
        if connection.http.body_complete() {
            return Self::receive_end(connection, read);
        }
        if connection.quota == 0 {
            connection.want_receive = true;
            self.enqueue(slot);
            return Receive::Pending;
        }
        // There may be bytes behind those that were read with the head: take them without a detour.
        if self
            .connections
            .get(slot)
            .is_some_and(|c| c.input.is_empty() && c.readable)
            && !self.read(slot)
        {
            return Receive::Disconnected;
        }
        if self.connections[slot].input.is_empty() && self.connections[slot].http.continue_due() {
            self.send_continue(slot);
        }
        if self.attached(id).is_none() {
            return Receive::Disconnected;
        }
        match self.take_body(slot, read) {
            Ok(Some((value, more))) => Receive::Body { value, more },
            Ok(None) => self.await_body(slot),
            Err(error) => {
                self.break_off(slot, error.status(), error.reason());
                Receive::Disconnected
            }
        }
    }

    fn receive_end<T>(connection: &mut Connection, read: impl FnOnce(&[u8]) -> T) -> Receive<T> {
        if !connection.body_reported {
            connection.body_reported = true;
            return Receive::Body {
                value: read(b""),
                more: false,
            };
        }
        if connection.has_left() {
            return Receive::Disconnected;
        }
        connection.want_receive = true;
        Receive::Pending
    }

    fn await_body<T>(&mut self, slot: usize) -> Receive<T> {
        let connection = &mut self.connections[slot];
        if connection.peer_closed {
            let cut_off = connection.http.input_closed();
            if let Err(error) = cut_off {
                self.break_off(slot, error.status(), error.reason());
            }
            return Receive::Disconnected;
        }
        connection.want_receive = true;
        if connection.readable {
            self.enqueue(slot);
        }
        Receive::Pending
    }

    /// The next piece of the body among the bytes at hand, and whether more follows; `None` where
    /// none is whole enough.
    fn take_body<T>(
        &mut self,
        slot: usize,
        read: impl FnOnce(&[u8]) -> T,
    ) -> Result<Option<(T, bool)>, ProtocolError> {
        let limits = &self.settings.limits;
        let connection = &mut self.connections[slot];
        let taken = if connection.http.is_chunked_body() {
            self.scratch.clear();
            let mut end = false;
            while !end && self.scratch.len() < GATHERED {
                let step = connection
                    .http
                    .receive_body(connection.input.bytes(), limits)?;
                self.scratch
                    .extend_from_slice(&connection.input.bytes()[step.data]);
                connection.input.consume(step.consumed);
                end = step.end;
                if step.consumed == 0 && !end {
                    break;
                }
            }
            if self.scratch.is_empty() && !end {
                None
            } else {
                connection.spend(self.scratch.len());
                Some((read(&self.scratch), !end))
            }
        } else {
            let step = connection
                .http
                .receive_body(connection.input.bytes(), limits)?;
            let taken = if step.consumed == 0 && !step.end {
                None
            } else {
                connection.spend(step.consumed);
                Some((read(&connection.input.bytes()[step.data]), !step.end))
            };
            connection.input.consume(step.consumed);
            taken
        };
        if connection.http.body_complete() {
            connection.body_reported = true;
        }
        if connection.input.is_empty() && !connection.readable {
            self.pool.give_back(std::mem::take(&mut connection.input));
        }
        Ok(taken)
    }

    /// Throws away what is left of a body after its answer, within bounds.
    pub(super) fn advance_discard(&mut self, slot: usize) {
        loop {
            match self.discard_step(slot) {
                Ok(true) => {}
                Ok(false) => break,
                Err(_) => {
                    self.close_after_output(slot);
                    return;
                }
            }
        }
        let connection = &self.connections[slot];
        if connection.http.body_complete() {
            self.await_next(slot);
            return;
        }
        if connection.peer_closed || matches!(connection.phase, Phase::Discard { left: 0, .. }) {
            self.close_after_output(slot);
        } else if connection.readable && self.read(slot) {
            self.enqueue(slot);
        }
    }

    /// Returns whether it got on.
    fn discard_step(&mut self, slot: usize) -> Result<bool, ProtocolError> {
        let connection = &mut self.connections[slot];
        let Phase::Discard { left, since } = connection.phase else {
            return Ok(false);
        };
        if connection.http.body_complete() {
            return Ok(false);
        }
        let limits = &self.settings.limits;
        let step = connection
            .http
            .receive_body(connection.input.bytes(), limits)?;
        connection.input.consume(step.consumed);
        let left = left.saturating_sub(step.consumed as u64);
        connection.phase = Phase::Discard { left, since };
        Ok(step.consumed > 0 && left > 0)
    }

    fn send_continue(&mut self, slot: usize) {
        let now = self.now();
        let connection = &mut self.connections[slot];
        connection.lend_output(&mut self.pool);
        let mut interim = Vec::new();
        connection.http.send_continue(&mut interim);
        // The head of an answer may be held already: it stays behind.
        let at = connection.held.unwrap_or(connection.output.len());
        connection.held = connection.held.map(|held| held + interim.len());
        connection.output.splice(at..at, interim);
        connection.since = now;
        connection.window_bytes = 0;
        if self.flush(slot) {
            self.watch_due(slot);
        }
    }

    /// Tells handlers that wait after the whole request that their client is as good as gone, so
    /// that silent streams end.
    pub(crate) fn disconnect_streams(&mut self) {
        for (_, connection) in &mut self.connections {
            let waits = connection.phase == Phase::Active && connection.http.body_complete();
            if !waits {
                continue;
            }
            connection.dismissed = true;
            if let Some(id) = connection.id()
                && std::mem::take(&mut connection.want_receive)
            {
                self.notices.push_back(Notice::Readable(id));
            }
        }
    }
}
