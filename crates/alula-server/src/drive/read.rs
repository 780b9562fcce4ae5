//! Bytes in, heads out.

use std::io;

use alula_http::{Head, ProtocolError, h1::Progress};

use super::{Arrival, Engine, Notice};
use crate::ExchangeId;
use crate::buffer::{LARGE, SMALL};
use crate::connection::Phase;

impl Engine {
    /// One read. Returns whether the connection still stands.
    pub(super) fn read(&mut self, slot: usize) -> bool {
        let connection = &mut self.connections[slot];
        let most = match connection.phase {
            Phase::Head => self.settings.limits.head_bytes.max(SMALL) + SMALL,
            _ => LARGE,
        };
        if connection.input.is_absent() {
            let large = connection.phase == Phase::Active
                && connection
                    .http
                    .body_remaining()
                    .is_some_and(|left| left > SMALL as u64);
            connection.input = if large {
                self.pool.large_input()
            } else {
                self.pool.input()
            };
        } else if connection.input.is_full() && connection.input.len() == SMALL && most >= LARGE {
            self.pool.enlarge(&mut connection.input);
        }
        match connection.input.fill(&mut connection.stream, most) {
            Ok((0, _)) => {
                connection.readable = false;
                connection.peer_closed = true;
            }
            Ok((n, filled)) => {
                connection.readable = filled || connection.end_announced;
                connection.unparsed = true;
                connection.window_bytes += n as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                connection.readable = false;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => {
                self.remove(slot);
                return false;
            }
        }
        true
    }

    /// Parses what is at hand and reads once, until a head is whole or there is nothing more for
    /// now. A client that does not take its answers gets no further ones made.
    pub(super) fn advance_head(&mut self, slot: usize) -> Option<Arrival> {
        let mut has_read = false;
        loop {
            let connection = &self.connections[slot];
            if connection.pending() > self.settings.low_water {
                return None;
            }
            if connection.unparsed {
                if let Some(arrival) = self.parse_head(slot) {
                    return Some(arrival);
                }
                if !self.is_reading_head(slot) {
                    return None;
                }
                continue;
            }
            if connection.peer_closed {
                self.end_of_input(slot);
                return None;
            }
            if has_read || !connection.readable || !connection.may_read(&self.settings) {
                break;
            }
            has_read = true;
            if !self.read(slot) {
                return None;
            }
        }
        self.settle_head(slot);
        None
    }

    /// Whether the connection still stands and awaits a head (a refusal may have ended either).
    fn is_reading_head(&self, slot: usize) -> bool {
        self.connections
            .get(slot)
            .is_some_and(|connection| connection.phase == Phase::Head)
    }

    /// Nothing more for now: keeps no more memory than the bytes at hand need.
    fn settle_head(&mut self, slot: usize) {
        let connection = &mut self.connections[slot];
        if connection.readable && connection.may_read(&self.settings) {
            self.enqueue(slot);
        } else if connection.input.is_empty() {
            self.pool.give_back(std::mem::take(&mut connection.input));
        } else if connection.input.is_oversized() {
            self.pool.shrink(&mut connection.input);
        }
    }

    /// `None`: the head is not whole yet, or was refused.
    fn parse_head(&mut self, slot: usize) -> Option<Arrival> {
        let now = self.now();
        let connection = &mut self.connections[slot];
        connection.unparsed = false;
        let limits = &self.settings.limits;
        match connection
            .http
            .receive_head(connection.input.bytes(), &mut self.head, limits)
        {
            Ok(Progress::Partial) => {
                if !connection.head_clock && connection.http.head_begun() {
                    connection.head_clock = true;
                    connection.since = now;
                }
                self.watch_due(slot);
                None
            }
            Ok(Progress::Complete { consumed }) => Some(self.begin_exchange(slot, consumed)),
            Err(error) => {
                self.reject(slot, error);
                None
            }
        }
    }

    fn begin_exchange(&mut self, slot: usize, consumed: usize) -> Arrival {
        self.exchanges_begun += 1;
        self.attached += 1;
        let draining = self.draining;
        let now = self.now();
        let connection = &mut self.connections[slot];
        connection.phase = Phase::Active;
        connection.exchange = self.exchanges_begun;
        connection.served += 1;
        connection.head_clock = false;
        connection.want_receive = false;
        connection.want_send = false;
        connection.body_reported = false;
        connection.throttled = false;
        connection.grace = true;
        connection.dismissed = false;
        connection.window_bytes = (connection.input.len() - consumed) as u64;
        connection.since = now;
        if draining {
            connection.http.force_close();
        }
        let id = ExchangeId {
            slot: slot as u32,
            number: connection.exchange,
        };
        let input = std::mem::take(&mut connection.input);
        let arrival = Arrival {
            id,
            info: connection.info.clone(),
            input,
            head: std::mem::take(&mut self.head),
            consumed,
        };
        if !connection.http.body_complete() {
            self.watch_due(slot);
        }
        arrival
    }

    /// Takes back what an [`Arrival`] lent out, once the handler has looked at the head.
    pub(crate) fn settle(&mut self, arrival: Arrival) {
        let Arrival {
            id,
            mut input,
            head,
            consumed,
            ..
        } = arrival;
        self.head = head;
        input.consume(consumed);
        let Some(connection) = self.attached(id) else {
            self.pool.give_back(input);
            return;
        };
        // There may be more, or the end, behind what was read with the head.
        let more = connection.readable;
        if input.is_empty() {
            self.pool.give_back(input);
        } else {
            connection.input = input;
            connection.unparsed = true;
        }
        if more {
            self.enqueue(id.slot());
        }
    }

    /// The peer has closed its half between requests, or in the middle of a head.
    fn end_of_input(&mut self, slot: usize) {
        match self.connections[slot].http.input_closed() {
            Ok(()) if self.connections[slot].pending() > 0 => self.close_after_output(slot),
            Ok(()) => self.remove(slot),
            Err(error) => self.reject(slot, error),
        }
    }

    /// The peer has closed its half during an exchange: fine after a whole request, the end of the
    /// exchange otherwise.
    pub(super) fn check_whole(&mut self, slot: usize) -> Result<(), ProtocolError> {
        let connection = &mut self.connections[slot];
        if connection.http.body_complete() || !connection.input.is_empty() {
            return Ok(());
        }
        let checked = connection.http.input_closed();
        if let Err(error) = checked {
            self.break_off(slot, error.status(), error.reason());
        }
        checked
    }

    /// Refuses what cannot be a request: answers, if the error has a status, and closes.
    fn reject(&mut self, slot: usize, error: ProtocolError) {
        self.answer_error(slot, error.status(), error.reason());
    }

    /// Answers `status` in the engine's own name (`None`: nothing) and closes.
    pub(super) fn answer_error(&mut self, slot: usize, status: Option<u16>, reason: &'static str) {
        let now = self.now();
        let connection = &mut self.connections[slot];
        self.notices
            .push_back(Notice::Rejected(connection.info.clone(), status, reason));
        let Some(status) = status else {
            self.close_after_output(slot);
            return;
        };
        connection.lend_output(&mut self.pool);
        let defaults = super::defaults(&self.settings, &mut self.date, &self.extra_headers, now);
        connection
            .http
            .respond_error(&mut connection.output, status, reason, &defaults);
        self.close_after_output(slot);
    }
}

/// Kept out of the hot path: a head's index is taken and put back, never copied.
const _: () = assert!(size_of::<Head>() <= 256);
