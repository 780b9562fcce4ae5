//! Ends: of answers, of exchanges, of connections, of the worker.

use super::{Engine, Notice, defaults};
use crate::connection::{Cause, Phase};
use crate::{ExchangeId, Finish};

const SERVER_ERROR: &[u8] = b"Internal Server Error";

impl Engine {
    /// The answer is complete: on to the next request, the rest of this one's body, or the end.
    pub(super) fn complete(&mut self, slot: usize) {
        self.detach(slot);
        let now = self.now();
        let bound = self.settings.discard_bytes;
        let connection = &mut self.connections[slot];
        if !connection.http.keep_alive() {
            self.close_after_output(slot);
        } else if connection.http.body_complete() {
            self.await_next(slot);
        } else if connection.expects_too_much(bound) {
            self.close_after_output(slot);
        } else {
            connection.phase = Phase::Discard {
                left: bound,
                since: now,
            };
            self.watch_due(slot);
            self.enqueue(slot);
        }
    }

    /// Ends the exchange; a handler that waits to receive is woken, to learn of it.
    fn detach(&mut self, slot: usize) {
        let connection = &mut self.connections[slot];
        if let Some(id) = connection.id() {
            self.attached -= 1;
            if std::mem::take(&mut connection.want_receive) {
                self.notices.push_back(Notice::Readable(id));
            }
        }
        connection.exchange = 0;
        connection.want_send = false;
    }

    /// Back to reading heads.
    pub(super) fn await_next(&mut self, slot: usize) {
        let now = self.now();
        let connection = &mut self.connections[slot];
        connection.http.next_request();
        connection.phase = Phase::Head;
        connection.since = now;
        connection.unparsed = !connection.input.is_empty();
        if !connection.unparsed && connection.peer_closed {
            self.close_after_output(slot);
            return;
        }
        if connection.unparsed || connection.readable {
            self.enqueue(slot);
        } else {
            self.pool.give_back(std::mem::take(&mut connection.input));
        }
        self.watch_due(slot);
    }

    /// The handler is through; see [`Worker::finish`](crate::Worker::finish).
    pub(crate) fn finish(&mut self, id: ExchangeId) -> Finish {
        let now = self.now();
        let slot = id.slot();
        let Some(connection) = self.attached(id) else {
            return Finish::Over;
        };
        connection.retract();
        if connection.http.response_started() {
            self.cut_off(slot);
            return Finish::Unfinished;
        }
        let headers: [(&[u8], &[u8]); 1] = [(b"content-type", b"text/plain; charset=utf-8")];
        let connection = &mut self.connections[slot];
        connection.lend_output(&mut self.pool);
        let defaults = defaults(&self.settings, &mut self.date, &self.extra_headers, now);
        let begun =
            connection
                .http
                .respond(&mut connection.output, 500, headers.into_iter(), &defaults);
        debug_assert!(begun.is_ok(), "a fixed answer is valid");
        if self.send_body(id, SERVER_ERROR, false).is_err() {
            self.cut_off(slot);
        }
        Finish::Unstarted
    }

    /// See [`Worker::abort`](crate::Worker::abort).
    pub(crate) fn abort(&mut self, id: ExchangeId) {
        if self.attached(id).is_some() {
            self.cut_off(id.slot());
        }
    }

    /// Ends an answer that can't be completed: what is queued goes out, never the end of the body.
    pub(super) fn cut_off(&mut self, slot: usize) {
        if self.connections.contains(slot) {
            self.detach(slot);
            self.close_after_output(slot);
        }
    }

    /// Ends an exchange for what its client did: answers `status` if nothing has gone out.
    pub(super) fn break_off(&mut self, slot: usize, status: Option<u16>, reason: &'static str) {
        let connection = &mut self.connections[slot];
        if let Some(id) = connection.id() {
            connection.want_receive = false;
            self.notices.push_back(Notice::Disconnected(id));
        }
        connection.retract();
        let status = status.filter(|_| !connection.http.response_started());
        self.detach(slot);
        self.answer_error(slot, status, reason);
    }

    /// Sends what is queued, then closes.
    pub(super) fn close_after_output(&mut self, slot: usize) {
        let connection = &mut self.connections[slot];
        connection.phase = Phase::Closing;
        connection.retract();
        if !connection.gathered {
            self.flush(slot);
        }
    }

    /// Closes our half and throws away what still comes, so that no reset eats the answer
    /// (RFC 9112 section 9.6).
    pub(super) fn linger(&mut self, slot: usize) {
        let now = self.now();
        let connection = &mut self.connections[slot];
        let cut_off = connection.would_seem_whole();
        if cut_off || connection.peer_closed || connection.stream.shutdown_write().is_err() {
            self.remove(slot);
            return;
        }
        connection.phase = Phase::Linger { since: now };
        self.pool.give_back(std::mem::take(&mut connection.input));
        if connection.readable {
            self.enqueue(slot);
        }
        self.watch_due(slot);
    }

    pub(super) fn advance_linger(&mut self, slot: usize) {
        if !self.connections[slot].readable || !self.read(slot) {
            return;
        }
        let connection = &mut self.connections[slot];
        self.pool.give_back(std::mem::take(&mut connection.input));
        if connection.peer_closed {
            self.remove(slot);
        } else if connection.readable {
            self.enqueue(slot);
        }
    }

    /// Closes a connection now: by a reset, where otherwise an answer would seem whole of which some
    /// is missing.
    pub(super) fn remove(&mut self, slot: usize) {
        let mut connection = self.connections.remove(slot);
        if connection.would_seem_whole() {
            // What can't be reset (a Unix socket) closes all the same.
            let _ = connection.stream.reset_on_drop();
        }
        // The descriptor closes with the stream; an error here leaves nothing behind.
        let _ = self.reactor.deregister(&mut connection.stream);
        self.reactor.disarm(super::token(slot));
        if let Some(id) = connection.id() {
            self.attached -= 1;
            self.notices.push_back(Notice::Disconnected(id));
        }
        self.pool.give_back(connection.input);
        self.pool.give_back_output(connection.output);
        drop(connection.stream);
        self.resume_accepting();
        self.notices.push_back(Notice::Closed(slot));
    }

    /// No connection is kept from now on: answers say so where their head is not out yet. Idle
    /// connections close, but for those just used (or made): a request may be under way on them.
    pub(crate) fn drain(&mut self) {
        self.draining = true;
        let now = self.now();
        let slots: Vec<usize> = self.connections.iter().map(|(slot, _)| slot).collect();
        for slot in slots {
            let connection = &mut self.connections[slot];
            if !connection.http.response_started() || connection.http.head_open() {
                connection.http.force_close();
            }
            match connection.due(&self.settings, true) {
                Some((at, Cause::Idle)) if at <= now && !connection.readable => {
                    self.close_after_output(slot);
                }
                Some((at, Cause::Idle)) => {
                    connection.armed = None;
                    self.watch(slot, at.max(now));
                }
                _ => {}
            }
        }
    }

    /// Closes every connection, answered or not.
    pub(crate) fn abort_all(&mut self) {
        let slots: Vec<usize> = self.connections.iter().map(|(slot, _)| slot).collect();
        for slot in slots {
            self.remove(slot);
        }
    }
}
