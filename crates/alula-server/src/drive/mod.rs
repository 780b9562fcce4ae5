//! The engine behind a worker: connections, queues and clocks, with no handler in sight.
//!
//! Nothing here calls out. What a handler has to know is queued as a [`Notice`], and the worker
//! delivers it once it holds no borrow.
//!
//! # Layout
//!
//! - `accept`: new connections.
//! - `step`: what one connection does in its turn.
//! - `read`: bytes in, heads out.
//! - `body`: a request's body, pulled.
//! - `respond`: an answer, pushed.
//! - `gather`: answers that leave together.
//! - `write`: bytes out.
//! - `close`: ends of answers and connections; draining.
//! - `deadline`: what happens when time is up.

mod accept;
mod body;
mod close;
mod deadline;
mod gather;
mod read;
mod respond;
mod step;
mod write;

use std::collections::VecDeque;
use std::io;
use std::rc::Rc;
use std::time::{Duration, Instant};

use alula_http::{Head, h1::Defaults};
use alula_reactor::{Acceptor, Event, Reactor, Readiness, Token};
use slab::Slab;

use crate::buffer::{Buffer, Pool};
use crate::busy::BusyPoll;
use crate::connection::{Connection, Phase};
use crate::date::DateCache;
use crate::{ConnectionInfo, ExchangeId, Settings};

/// Listeners that one worker may have; their tokens come before the connections'.
pub(crate) const MAX_LISTENERS: usize = 16;

/// What a handler has to be told.
#[derive(Debug)]
pub(crate) enum Notice {
    Readable(ExchangeId),
    Writable(ExchangeId),
    Disconnected(ExchangeId),
    Rejected(Rc<ConnectionInfo>, Option<u16>, &'static str),
    AcceptFailed(io::Error),
    Closed(usize),
}

/// A head that is in, with the bytes it lies in.
#[derive(Debug)]
pub(crate) struct Arrival {
    pub(crate) id: ExchangeId,
    pub(crate) info: Rc<ConnectionInfo>,
    pub(crate) input: Buffer,
    pub(crate) head: Head,
    pub(crate) consumed: usize,
}

#[derive(Debug)]
pub(crate) struct Engine {
    pub(crate) reactor: Reactor,
    pub(crate) settings: Settings,
    extra_headers: Vec<u8>,
    acceptors: Vec<Option<Acceptor>>,
    /// Listeners that may have connections waiting.
    accepting: VecDeque<usize>,
    pub(crate) connections: Slab<Connection>,
    /// Connections with something to do, each once.
    ready: VecDeque<usize>,
    /// Connections whose output waits for the end of the turn, or longer.
    gathered: gather::Gathered,
    notices: VecDeque<Notice>,
    busy: BusyPoll,
    events: Vec<Event>,
    pool: Pool,
    date: DateCache,
    head: Head,
    /// Where chunked pieces are put together.
    scratch: Vec<u8>,
    exchanges_begun: u64,
    serials: u64,
    /// When the last notice of exhausted descriptors went out.
    exhaustion_told: Option<Instant>,
    pub(crate) attached: usize,
    pub(crate) draining: bool,
    pub(crate) in_turn: bool,
}

impl Engine {
    pub(crate) fn new(settings: Settings) -> io::Result<Self> {
        Ok(Self {
            reactor: Reactor::with(settings.waiting)?,
            extra_headers: settings.encoded_headers(),
            busy: BusyPoll::new(settings.waiting.spin),
            settings,
            acceptors: Vec::new(),
            accepting: VecDeque::new(),
            connections: Slab::new(),
            ready: VecDeque::new(),
            gathered: gather::Gathered::default(),
            notices: VecDeque::new(),
            events: Vec::new(),
            pool: Pool::default(),
            date: DateCache::new(),
            head: Head::default(),
            scratch: Vec::new(),
            exchanges_begun: 0,
            serials: 0,
            exhaustion_told: None,
            attached: 0,
            draining: false,
            in_turn: false,
        })
    }

    /// Takes in what happened since the last turn: readiness, expired deadlines, new connections.
    pub(crate) fn gather(&mut self, timeout: Option<Duration>) -> io::Result<()> {
        let mut events = std::mem::take(&mut self.events);
        let budget = self.settings.turn_connections;
        let more = self.reactor.turn(budget, timeout, &mut events);
        for event in events.drain(..) {
            match event {
                Event::Ready(token, readiness) => self.note(token, readiness),
                Event::Expired(token) => self.expired(token),
                Event::Woken => {}
            }
        }
        self.events = events;
        let now = self.reactor.now();
        self.gathered.turned(now, self.settings.gather_time);
        self.busy.turned(now);
        self.accept();
        more.map(|_| ())
    }

    fn note(&mut self, token: Token, readiness: Readiness) {
        let Some(slot) = token.0.checked_sub(MAX_LISTENERS) else {
            self.accepting.push_back(token.0);
            return;
        };
        let Some(connection) = self.connections.get_mut(slot) else {
            return;
        };
        let ended = readiness.read_closed || readiness.error;
        connection.readable |= readiness.readable || ended;
        connection.end_announced |= ended;
        connection.writable |= readiness.writable;
        // A Unix peer that is gone may have left a whole request behind.
        let gone = readiness.write_closed && connection.phase != Phase::Head;
        if readiness.error || gone {
            self.remove(slot);
            return;
        }
        self.enqueue(slot);
    }

    /// Puts a connection on the run queue, once.
    pub(crate) fn enqueue(&mut self, slot: usize) {
        let connection = &mut self.connections[slot];
        if !connection.queued {
            connection.queued = true;
            self.ready.push_back(slot);
        }
    }

    /// The next connection with something to do.
    pub(crate) fn next_ready(&mut self) -> Option<usize> {
        while let Some(slot) = self.ready.pop_front() {
            if let Some(connection) = self.connections.get_mut(slot)
                && connection.queued
            {
                connection.queued = false;
                return Some(slot);
            }
        }
        None
    }

    pub(crate) fn next_notice(&mut self) -> Option<Notice> {
        self.notices.pop_front()
    }

    /// Whether a turn is due at once.
    pub(crate) fn has_work(&self) -> bool {
        !(self.ready.is_empty()
            && self.notices.is_empty()
            && self.gathered.is_empty()
            && self.accepting.is_empty())
    }

    /// See [`Worker::busy_poll`](crate::Worker::busy_poll).
    pub(crate) fn busy_poll(&mut self) -> Option<Duration> {
        if self.attached > 0 || self.has_work() {
            return None;
        }
        self.busy.window(Instant::now)
    }

    /// The time; outside a turn the reactor's is stale and read anew.
    pub(crate) fn now(&mut self) -> Instant {
        if self.in_turn {
            self.reactor.now()
        } else {
            self.reactor.refresh_now()
        }
    }

    /// The connection that an exchange is attached to.
    fn attached(&mut self, id: ExchangeId) -> Option<&mut Connection> {
        self.connections
            .get_mut(id.slot())
            .filter(|connection| connection.exchange == id.number)
    }

    /// Makes sure that the connection is looked at by `at`.
    fn watch(&mut self, slot: usize, at: Instant) {
        let connection = &mut self.connections[slot];
        if connection.armed.is_none_or(|armed| at < armed) {
            connection.armed = Some(at);
            self.reactor.arm(token(slot), at);
        }
    }

    /// Arms whatever deadline the connection's state implies.
    fn watch_due(&mut self, slot: usize) {
        if let Some((at, _)) = self.connections[slot].due(&self.settings, self.draining) {
            self.watch(slot, at);
        }
    }
}

fn token(slot: usize) -> Token {
    Token(slot + MAX_LISTENERS)
}

/// The headers that every answer gets, at `now`.
fn defaults<'a>(
    settings: &'a Settings,
    date: &'a mut DateCache,
    extra: &'a [u8],
    now: Instant,
) -> Defaults<'a> {
    Defaults {
        date: settings.date_header.then(|| date.at(now)),
        server: settings.server_header.as_deref().map(str::as_bytes),
        extra,
    }
}
