//! One thread of a run: one reactor with its share of the connections.
//!
//! # Clock
//!
//! A send is stamped by a reading of its own, right before the write. An answer is stamped with the
//! reading that the reactor takes when its poll returns: what it reports had come by then, so that
//! the time in which the answers ahead in the same turn are dealt with does not count as the
//! server's. It could be too early only for an answer of which a part comes during the turn; a turn
//! has [`TURN`] events, some 0.1 ms of work, and where an answer takes a second read, or its request
//! went out in this very turn, the clock is read anew.
//!
//! # Waiting
//!
//! A closed loop waits in the kernel. An open loop does so only while nothing is due within
//! [`NEAR`], since the kernel's timeouts are whole milliseconds; then it polls without waiting, and
//! the time so spent is taken off the CPU that it reports.

mod connect;
mod finish;
mod receive;
mod send;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{Receiver, Sender};
use std::time::{Duration, Instant};

use alula_http::ResponseHead;
use alula_reactor::{Event, Reactor, Readiness};
use hdrhistogram::Histogram;

use super::connection::{Connection, Phase};
use super::message::{Message, Outcome};
use super::meter::Meter;
use super::pace::Schedule;
use super::prepared::Prepared;
use super::record::{Failure, Record, histogram};
use crate::error::Error;
use crate::plan::{Extent, Pace, Plan};

/// Events of a turn.
const TURN: usize = 16;

/// An open loop does not wait in the kernel when something is due within so many nanoseconds.
const NEAR: u64 = 2_000_000;

/// How often timeouts, retries and the order to stop are looked at, in nanoseconds.
const TICK: u64 = 20_000_000;

/// Bytes of a read.
const READ: usize = 256 * 1024;

/// What a thread is to do.
pub(crate) struct Task<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) prepared: &'a Prepared,
    pub(crate) endpoint: Endpoint,
    /// Which thread it is.
    pub(crate) index: usize,
    pub(crate) connections: usize,
    /// How many requests it is to measure, where they are counted.
    pub(crate) quota: Option<u64>,
    /// Where the run's clock begins.
    pub(crate) epoch: Instant,
    /// When to begin, in nanoseconds of the run's clock; told once all are ready.
    pub(crate) start: Receiver<u64>,
    pub(crate) stop: &'a AtomicBool,
    pub(crate) sender: Sender<Message>,
}

/// What to connect to.
#[derive(Clone, Debug)]
pub(crate) enum Endpoint {
    Inet(SocketAddr),
    Unix(PathBuf),
}

/// See the module.
pub(super) struct Worker<'a> {
    task: Task<'a>,
    reactor: Reactor,
    connections: Vec<Connection>,
    buffer: Vec<u8>,
    head: ResponseHead,
    /// `None` in a closed loop.
    schedule: Option<Schedule>,
    record: Record,
    lag: Histogram<u64>,
    meter: Meter,
    /// The reactor's last reading, in nanoseconds of the run's clock.
    now: u64,
    next_tick: u64,
    /// The measured interval.
    from: u64,
    until: u64,
    started: bool,
    quota: Option<u64>,
    /// The place in the order of requests, and the next template's number.
    place: usize,
    counter: u64,
    /// Requests under way; connections being made; connections that were made.
    in_flight: usize,
    connecting: usize,
    made: u64,
}

/// Runs a task to its end and tells the collector.
pub(crate) fn run(task: Task<'_>) {
    let sender = task.sender.clone();
    let told = match Worker::new(task).and_then(Worker::run) {
        Ok(outcome) => Message::Done(Box::new(outcome)),
        Err(error) => Message::Failed(error),
    };
    // The collector outlives the threads.
    let _ = sender.send(told);
}

impl<'a> Worker<'a> {
    fn new(task: Task<'a>) -> Result<Self, Error> {
        let reactor = Reactor::new()
            .map_err(|error| Error::system("cannot begin to watch connections", error))?;
        let threads = task.plan.threads;
        let schedule = match task.plan.pace {
            Pace::Closed => None,
            Pace::Open(rate) => Some(Schedule::new(rate, task.index, threads)),
        };
        Ok(Self {
            reactor,
            connections: (0..task.connections).map(|_| Connection::new()).collect(),
            buffer: vec![0; READ],
            head: ResponseHead::default(),
            schedule,
            record: Record::new(task.sender.clone()),
            lag: histogram(),
            meter: Meter::default(),
            now: 0,
            next_tick: 0,
            from: u64::MAX,
            until: u64::MAX,
            started: false,
            quota: task.quota,
            place: task.prepared.mix.start(task.index, threads),
            counter: task.index as u64 + 1,
            in_flight: 0,
            connecting: 0,
            made: 0,
            task,
        })
    }

    fn run(mut self) -> Result<Outcome, Error> {
        if self.task.plan.keep_alive {
            self.connect_all()?;
        }
        // Nobody listens only if the run has been given up.
        let _ = self.task.sender.send(Message::Ready);
        if let Ok(start) = self.task.start.recv() {
            self.begin(start);
        }
        let mut events = Vec::with_capacity(TURN);
        let ended = loop {
            if let Some(ended) = self.end() {
                break ended;
            }
            self.turn(&mut events)?;
        };
        Ok(self.finish(ended))
    }

    fn begin(&mut self, start: u64) {
        let plan = self.task.plan;
        self.now = self.clock();
        self.from = start + plan.warmup.as_nanos() as u64;
        if let Extent::Duration(duration) = plan.extent {
            self.until = self.from + duration.as_nanos() as u64;
        }
        self.record.begin(start, self.from, self.until);
        if let Some(schedule) = &mut self.schedule {
            schedule.begin(start);
        }
        self.started = true;
        for index in 0..self.connections.len() {
            self.offer(index);
        }
    }

    /// One poll, and what follows from it.
    fn turn(&mut self, events: &mut Vec<Event>) -> Result<(), Error> {
        let before = self.now;
        let wait = self.wait();
        self.reactor
            .turn(TURN, Some(wait), events)
            .map_err(|error| Error::system("cannot watch connections", error))?;
        self.now = self.at(self.reactor.now());
        let mut idle = wait.is_zero() && events.is_empty();
        for event in events.drain(..) {
            if let Event::Ready(token, readiness) = event {
                self.ready(token.0, readiness);
            }
            self.send_due();
        }
        idle &= !self.send_due();
        if idle {
            self.meter.spun += self.now - before;
        }
        if self.now >= self.next_tick {
            self.tick();
        }
        Ok(())
    }

    fn ready(&mut self, index: usize, readiness: Readiness) {
        if let Phase::Connecting(_) = self.connections[index].phase {
            self.connected(index, readiness);
        }
        if self.connections[index].phase != Phase::Open {
            return;
        }
        if readiness.writable {
            self.flush(index);
        }
        if readiness.readable {
            self.receive(index, readiness.read_closed);
        }
    }

    /// How long the next poll may wait.
    fn wait(&self) -> Duration {
        let mut end = self.next_tick;
        if self.now < self.until {
            end = end.min(self.until);
        }
        if let Some(schedule) = &self.schedule
            && self.started
            && !schedule.line.is_empty()
            && self.sends_at(self.now)
        {
            let due = schedule.due();
            if due < self.now + NEAR {
                return Duration::ZERO;
            }
            // The kernel may oversleep by a millisecond.
            end = end.min(due - NEAR / 2);
        }
        Duration::from_nanos(end.saturating_sub(self.now))
    }

    /// What does not have to be looked at each turn.
    fn tick(&mut self) {
        self.next_tick = self.now + TICK;
        for index in 0..self.connections.len() {
            self.look_after(index);
        }
        if self.started {
            self.record.advance(self.now);
            self.meter.look(self.now, self.from, self.until);
        }
    }

    /// Timeouts and retries of one connection.
    fn look_after(&mut self, index: usize) {
        let timeout = self.task.plan.timeout.as_nanos() as u64;
        let connection = &self.connections[index];
        let late = |since: u64| self.now.saturating_sub(since) > timeout;
        if connection.flights.front().is_some_and(|one| late(one.sent)) {
            return self.fail(index, Failure::Timeout);
        }
        match connection.phase {
            Phase::Connecting(since) if late(since) => self.fail(index, Failure::Connect),
            Phase::Closed(retry_at) if self.started && retry_at <= self.now => {
                if !connection.flights.is_empty() {
                    self.open(index);
                } else if !self.task.plan.keep_alive {
                    self.offer(index);
                } else if self.sends_at(self.now) {
                    self.open(index);
                }
            }
            _ => {}
        }
    }

    /// Reads the clock, in nanoseconds of the run.
    fn clock(&self) -> u64 {
        self.at(Instant::now())
    }

    fn at(&self, time: Instant) -> u64 {
        time.saturating_duration_since(self.task.epoch).as_nanos() as u64
    }
}
