//! An answer, pushed by its handler.

use alula_http::h1::Frame;

use super::{Engine, defaults};
use crate::buffer::Pool;
use crate::connection::Connection;
use crate::{ExchangeId, Flow, SendError, Sent};

/// Data of this size or more goes out at once, by one vectored write, uncopied.
const DIRECT: usize = 16 * 1024;
/// Output that waits for the end of the turn, at most.
const DEFERRED: usize = 64 * 1024;

impl Engine {
    /// See [`Worker::respond`](crate::Worker::respond).
    pub(crate) fn respond<'h>(
        &mut self,
        id: ExchangeId,
        status: u16,
        headers: impl Iterator<Item = (&'h [u8], &'h [u8])>,
    ) -> Result<(), SendError> {
        let now = self.now();
        let slot = id.slot();
        let Some(connection) = self
            .connections
            .get_mut(slot)
            .filter(|connection| connection.exchange == id.number)
        else {
            return Err(SendError::Gone);
        };
        connection.lend_output(&mut self.pool);
        let begin = connection.output.len();
        let defaults = defaults(&self.settings, &mut self.date, &self.extra_headers, now);
        connection
            .http
            .respond(&mut connection.output, status, headers, &defaults)?;
        connection.held = Some(begin);
        Ok(())
    }

    /// See [`Worker::send_body`](crate::Worker::send_body).
    pub(crate) fn send_body(
        &mut self,
        id: ExchangeId,
        data: &[u8],
        more: bool,
    ) -> Result<Sent, SendError> {
        let slot = id.slot();
        let Some(connection) = self
            .connections
            .get_mut(slot)
            .filter(|connection| connection.exchange == id.number)
        else {
            return Err(SendError::Gone);
        };
        if connection.owed > 0 {
            // Whatever came now would stand in the middle of the last piece.
            self.cut_off(slot);
            return Err(SendError::Overlap);
        }
        connection.lend_output(&mut self.pool);
        if !more && connection.expects_too_much(self.settings.discard_bytes) {
            // The answer says so while it can.
            connection.http.force_close();
        }
        let Frame {
            take,
            suffix,
            overflow,
            short,
        } = connection
            .http
            .frame_body(&mut connection.output, data.len(), more)?;
        connection.held = None;
        connection.fault = match (overflow, short) {
            (true, _) => Some(SendError::Overflow),
            (_, true) => Some(SendError::Short),
            _ => None,
        };
        let sent = if take >= DIRECT {
            let alive = self.write_through(slot, &data[..take], suffix);
            let Some(taken) = alive else {
                return Err(SendError::Gone);
            };
            taken
        } else {
            connection.output.extend_from_slice(&data[..take]);
            connection.output.extend_from_slice(suffix);
            take
        };
        let sent = if sent == take { data.len() } else { sent };
        self.after_piece(slot, more)
            .map(|flow| Sent { taken: sent, flow })
    }

    /// See [`Worker::send_rest`](crate::Worker::send_rest).
    pub(crate) fn send_rest(
        &mut self,
        id: ExchangeId,
        rest: &[u8],
        more: bool,
    ) -> Result<Sent, SendError> {
        let slot = id.slot();
        let Some(connection) = self.attached(id) else {
            return Err(SendError::Gone);
        };
        let take = connection.owed.min(rest.len());
        let suffix = connection.owed_suffix;
        let Some(taken) = self.write_through(slot, &rest[..take], suffix) else {
            return Err(SendError::Gone);
        };
        let sent = if taken == take { rest.len() } else { taken };
        self.after_piece(slot, more)
            .map(|flow| Sent { taken: sent, flow })
    }

    /// What a piece of body leads to: an end, a flush now or at the end of the turn, a wait.
    fn after_piece(&mut self, slot: usize, more: bool) -> Result<Flow, SendError> {
        let connection = &mut self.connections[slot];
        if connection.owed > 0 {
            connection.want_send = true;
            return Ok(Flow::Wait);
        }
        if let Some(fault) = connection.fault.take() {
            self.cut_off(slot);
            return Err(fault);
        }
        let deferred = !more && self.in_turn && connection.pending() <= DEFERRED;
        if deferred {
            self.gather_output(slot);
        } else if !self.flush(slot) {
            return Err(SendError::Gone);
        }
        if !more {
            self.complete(slot);
            return Ok(Flow::Ready);
        }
        Ok(self.flow(slot))
    }

    fn flow(&mut self, slot: usize) -> Flow {
        let high_water = self.settings.high_water;
        let connection = &mut self.connections[slot];
        if connection.pending() > high_water {
            connection.want_send = true;
            return Flow::Wait;
        }
        if connection.quota == 0 {
            connection.want_send = true;
            self.enqueue(slot);
            return Flow::Wait;
        }
        Flow::Ready
    }
}

impl Connection {
    /// Sees to it that there is a buffer to write an answer to.
    pub(super) fn lend_output(&mut self, pool: &mut Pool) {
        if self.output.capacity() == 0 {
            self.output = pool.output();
        }
    }

    /// Takes back an answer of which nothing can have gone out.
    pub(super) fn retract(&mut self) {
        if let Some(begin) = self.held.take() {
            self.output.truncate(begin);
            self.http.abandon_response();
        }
    }
}
