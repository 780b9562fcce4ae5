//! One connection's state between two steps.

use std::rc::Rc;
use std::time::Instant;

use alula_http::h1;
use alula_reactor::Stream;

use crate::buffer::Buffer;
use crate::{ConnectionInfo, ExchangeId, SendError, Settings};

/// Where a connection stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// Awaiting or reading a request's head.
    Head,
    /// A request is being answered.
    Active,
    /// The answer is complete; so many more bytes of its body may be thrown away to keep the
    /// connection.
    Discard {
        /// Bytes that may still come.
        left: u64,
        /// Since when.
        since: Instant,
    },
    /// What is queued goes out, then the connection closes.
    Closing,
    /// Our half is closed; what the peer still sends is thrown away.
    Linger {
        /// Since when.
        since: Instant,
    },
}

/// Why a connection's deadline runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cause {
    /// The peer accepts no bytes.
    WriteStalled,
    /// A head was begun and is not complete.
    SlowHead,
    /// Nothing came: on a new connection, or after an answer.
    Idle,
    /// The rate of the body is to be looked at.
    BodyRate,
    /// The unread body did not come in time.
    Discard,
    /// The peer did not close its half.
    Linger,
}

/// A client's connection.
#[derive(Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent facts, each with a name"
)]
pub(crate) struct Connection {
    pub(crate) stream: Stream,
    pub(crate) http: h1::Server,
    pub(crate) info: Rc<ConnectionInfo>,
    pub(crate) phase: Phase,
    /// The attached exchange's number; 0 for none.
    pub(crate) exchange: u64,
    /// Bytes read, not yet used.
    pub(crate) input: Buffer,
    /// Bytes to send; those before `sent` are out.
    pub(crate) output: Vec<u8>,
    pub(crate) sent: usize,
    /// Where in `output` an answer's head begins that may still change: nothing goes out from here.
    pub(crate) held: Option<usize>,
    /// Bytes of the framed piece that the handler still has to hand over, and what ends the piece.
    pub(crate) owed: usize,
    pub(crate) owed_suffix: &'static [u8],
    /// What is wrong with the framed piece; told, and acted on, once it is out.
    pub(crate) fault: Option<SendError>,
    /// What the handler may still receive or send before others have their turn.
    pub(crate) quota: usize,

    // What the kernel said last.
    pub(crate) readable: bool,
    pub(crate) writable: bool,
    /// An end of the peer's bytes was announced; a short read is not the last one.
    pub(crate) end_announced: bool,
    /// The peer's half is closed.
    pub(crate) peer_closed: bool,

    // What is queued where.
    pub(crate) queued: bool,
    pub(crate) gathered: bool,

    // What the handler waits for.
    pub(crate) want_receive: bool,
    pub(crate) want_send: bool,
    /// The end of the body has been handed over.
    pub(crate) body_reported: bool,
    /// The handler is to take its client for gone (`disconnect_streams`).
    pub(crate) dismissed: bool,
    /// `input` holds bytes that no parser has seen.
    pub(crate) unparsed: bool,
    /// Requests begun.
    pub(crate) served: u64,

    // Deadlines.
    pub(crate) armed: Option<Instant>,
    /// Begin of the wait that the phase implies: of the head, the idling, the body's window.
    pub(crate) since: Instant,
    /// `since` counts from the head's first byte.
    pub(crate) head_clock: bool,
    pub(crate) stalled_since: Option<Instant>,
    /// The body's first window is its grace.
    pub(crate) grace: bool,
    /// Body bytes in this window, and whether we ourselves paused reading in it.
    pub(crate) window_bytes: u64,
    pub(crate) throttled: bool,
}

impl Connection {
    pub(crate) fn new(stream: Stream, info: Rc<ConnectionInfo>, now: Instant) -> Self {
        Self {
            stream,
            http: h1::Server::new(),
            info,
            phase: Phase::Head,
            exchange: 0,
            input: Buffer::default(),
            output: Vec::new(),
            sent: 0,
            held: None,
            owed: 0,
            owed_suffix: b"",
            fault: None,
            quota: 0,
            readable: false,
            writable: true,
            end_announced: false,
            peer_closed: false,
            queued: false,
            gathered: false,
            want_receive: false,
            want_send: false,
            body_reported: false,
            dismissed: false,
            unparsed: false,
            served: 0,
            armed: None,
            since: now,
            head_clock: false,
            stalled_since: None,
            grace: true,
            window_bytes: 0,
            throttled: false,
        }
    }

    /// The attached exchange.
    pub(crate) fn id(&self) -> Option<ExchangeId> {
        let slot = self.info.slot as u32;
        (self.exchange != 0).then_some(ExchangeId {
            slot,
            number: self.exchange,
        })
    }

    /// Bytes that are ready to go out.
    pub(crate) fn pending(&self) -> usize {
        self.held.unwrap_or(self.output.len()) - self.sent
    }

    /// Closed in order now, the connection would make an answer seem whole of which some is missing.
    pub(crate) fn would_seem_whole(&self) -> bool {
        let all_out = self.http.response_complete() && self.owed == 0 && self.pending() == 0;
        self.http.response_ends_by_close() && !all_out
    }

    /// So much of the body is known to come that nobody waits for it, where the answer does not.
    pub(crate) fn expects_too_much(&self, discard_bytes: u64) -> bool {
        let left = self.http.body_remaining();
        left.is_some_and(|left| left > discard_bytes)
    }

    /// Whether more of the peer's bytes are wanted now.
    pub(crate) fn may_read(&self, settings: &Settings) -> bool {
        if !self.writable && self.pending() > 0 {
            return false;
        }
        match self.phase {
            Phase::Head => self.pending() <= settings.low_water,
            Phase::Active if self.http.body_complete() => {
                self.input.len() < settings.read_ahead / 4
            }
            Phase::Active => self.input.len() < settings.read_ahead,
            Phase::Discard { .. } | Phase::Linger { .. } => true,
            Phase::Closing => false,
        }
    }

    /// The next deadline and what it means.
    pub(crate) fn due(&self, settings: &Settings, draining: bool) -> Option<(Instant, Cause)> {
        let stall = self
            .stalled_since
            .map(|at| (at + settings.write_timeout, Cause::WriteStalled));
        let phase = match self.phase {
            // The clock stands still while we ourselves do not go on.
            Phase::Head if self.unparsed || self.pending() > 0 => None,
            Phase::Head if self.head_clock => {
                Some((self.since + settings.head_timeout, Cause::SlowHead))
            }
            Phase::Head => {
                let patience = match (draining, self.served) {
                    (true, _) => settings.drain_idle_grace,
                    (false, 0) => settings.head_timeout,
                    (false, _) => settings.keep_alive,
                };
                Some((self.since + patience, Cause::Idle))
            }
            Phase::Active if self.body_is_timed(settings) => {
                Some((self.since + settings.body_window, Cause::BodyRate))
            }
            Phase::Active | Phase::Closing => None,
            Phase::Discard { since, .. } => {
                Some((since + settings.discard_timeout, Cause::Discard))
            }
            Phase::Linger { since } => Some((since + settings.linger, Cause::Linger)),
        };
        match (stall, phase) {
            (Some(a), Some(b)) => Some(if b.0 < a.0 { b } else { a }),
            (a, b) => a.or(b),
        }
    }

    fn body_is_timed(&self, settings: &Settings) -> bool {
        settings.min_body_rate > 0 && !self.http.body_complete() && !self.http.continue_due()
    }
}
