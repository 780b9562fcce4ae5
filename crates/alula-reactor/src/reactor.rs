//! The loop itself, one poll a turn.

use std::io;
use std::mem;
use std::ops::ControlFlow;
use std::os::fd::{AsRawFd, RawFd};
use std::sync::Arc;
use std::time::{Duration, Instant};

use mio::{Events, Interest, Poll, Registry};

use crate::event::{Event, Token};
use crate::listener::{Listener, ListenerSocket};
use crate::poll_set::PollSet;
use crate::stream::{Socket, Stream};
use crate::timer::Timers;
use crate::waker::Waker;

/// The waker's token.
const WAKER: mio::Token = mio::Token(usize::MAX);

/// The budget of a turn in [`Reactor::run`].
const RUN_BUDGET: usize = 64;

/// How streams are watched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Poller {
    /// By the system's queue of readiness, epoll or kqueue: its cost is that of what is ready.
    #[default]
    Queue,
    /// By poll(2): its cost is that of all that is watched, but in some virtual machines it is the
    /// quicker one with a few hundred connections that are all busy. Not for a reactor whose
    /// [`fd`](Reactor::fd) another loop watches, since streams don't show there.
    Poll,
}

/// How a reactor waits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Waiting {
    /// How streams are watched.
    pub poller: Poller,
    /// For so long it asks again and again before it sleeps, as long as the last wait was shorter:
    /// that saves being woken, and costs the core. Zero (the default) never does.
    pub spin: Duration,
}

/// Watches sources, timers and wakers. See the crate's documentation.
#[derive(Debug)]
pub struct Reactor {
    poll: Poll,
    /// The streams, where `poll` does not watch them.
    set: Option<PollSet>,
    spin: Duration,
    /// How long the last wait was.
    waited: Duration,
    /// Its capacity is the budget of the last turn: what does not fit stays in the kernel.
    polled: Events,
    waker: Arc<mio::Waker>,
    timers: Timers,
    now: Instant,
    /// What `run` had taken and not handed out when its handler broke off.
    held: Vec<Event>,
}

/// What can be registered: a [`Stream`] or a [`Listener`].
pub trait Source: sealed::Registered {}

impl Source for Stream {}
impl Source for Listener {}

impl Reactor {
    /// A reactor that watches nothing.
    ///
    /// # Errors
    ///
    /// If the process is out of descriptors.
    pub fn new() -> io::Result<Self> {
        Self::with(Waiting::default())
    }

    /// A reactor that watches nothing, and waits so.
    ///
    /// # Errors
    ///
    /// If the process is out of descriptors.
    pub fn with(waiting: Waiting) -> io::Result<Self> {
        let poll = Poll::new()?;
        let waker = Arc::new(mio::Waker::new(poll.registry(), WAKER)?);
        Ok(Self {
            set: (waiting.poller == Poller::Poll).then(|| PollSet::new(poll.as_raw_fd())),
            spin: waiting.spin,
            waited: Duration::ZERO,
            poll,
            polled: Events::with_capacity(RUN_BUDGET),
            waker,
            timers: Timers::new(),
            now: Instant::now(),
            held: Vec::new(),
        })
    }

    /// The descriptor that another loop watches for reading (level-triggered): it is readable while
    /// a turn would report a source or a waker. Timers don't show there; see
    /// [`next_deadline`](Self::next_deadline).
    pub fn fd(&self) -> RawFd {
        self.poll.as_raw_fd()
    }

    /// Polls once and appends what has happened: ready sources, at most `budget` of them (a waker
    /// counts as one), then every timer that has run out, the earliest first.
    ///
    /// `timeout`: `Some(ZERO)` does not wait; `None` waits until something happens, the next
    /// deadline at the latest. What exceeds the budget stays for the next turn, and
    /// [`fd`](Self::fd) stays readable. Returns whether something is waiting that `fd` does not
    /// show. An interrupted wait reports nothing.
    ///
    /// # Errors
    ///
    /// If the system can't poll.
    pub fn turn(
        &mut self,
        budget: usize,
        timeout: Option<Duration>,
        events: &mut Vec<Event>,
    ) -> io::Result<bool> {
        let mut budget = budget.max(1);
        let mut timeout = timeout;
        if !self.held.is_empty() {
            let taken = budget.min(self.held.len());
            events.extend(self.held.drain(..taken));
            budget -= taken;
            timeout = Some(Duration::ZERO);
        }
        if budget > 0 {
            self.poll(budget, timeout, events)?;
        }
        self.now = Instant::now();
        while let Some(token) = self.timers.expire(self.now) {
            events.push(Event::Expired(token));
        }
        Ok(!self.held.is_empty())
    }

    fn poll(
        &mut self,
        budget: usize,
        timeout: Option<Duration>,
        events: &mut Vec<Event>,
    ) -> io::Result<()> {
        let timeout = self.bounded(timeout);
        if self.spin.is_zero() || timeout == Some(Duration::ZERO) {
            return self.poll_once(budget, timeout, events);
        }
        self.spin_then_wait(budget, timeout, events)
    }

    /// Asks again and again for a while, where the last wait was short, before it sleeps.
    fn spin_then_wait(
        &mut self,
        budget: usize,
        timeout: Option<Duration>,
        events: &mut Vec<Event>,
    ) -> io::Result<()> {
        let begin = Instant::now();
        let before = events.len();
        let longest = self.spin.min(timeout.unwrap_or(self.spin));
        if self.waited < self.spin {
            while events.len() == before && begin.elapsed() < longest {
                self.poll_once(budget, Some(Duration::ZERO), events)?;
            }
        }
        if events.len() == before {
            let left = timeout.map(|timeout| timeout.saturating_sub(begin.elapsed()));
            self.poll_once(budget, left, events)?;
        }
        self.waited = begin.elapsed();
        Ok(())
    }

    fn poll_once(
        &mut self,
        budget: usize,
        mut timeout: Option<Duration>,
        events: &mut Vec<Event>,
    ) -> io::Result<()> {
        let mut budget = budget;
        if let Some(set) = &mut self.set {
            let before = events.len();
            let rest = set.poll(budget, timeout, events)?;
            budget -= events.len() - before;
            if !rest {
                return Ok(());
            }
            timeout = Some(Duration::ZERO);
        }
        if self.polled.capacity() != budget {
            self.polled = Events::with_capacity(budget);
        }
        match self.poll.poll(&mut self.polled, timeout) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => return Ok(()),
            polled => polled?,
        }
        for event in &self.polled {
            events.push(match event.token() {
                WAKER => Event::Woken,
                mio::Token(token) => Event::Ready(Token(token), event.into()),
            });
        }
        Ok(())
    }

    /// The timeout, or the time until the next deadline if that is shorter.
    fn bounded(&self, timeout: Option<Duration>) -> Option<Duration> {
        if timeout == Some(Duration::ZERO) {
            return timeout;
        }
        let Some(deadline) = self.timers.next_deadline() else {
            return timeout;
        };
        let left = deadline.saturating_duration_since(Instant::now());
        Some(timeout.map_or(left, |timeout| timeout.min(left)))
    }

    /// Turns until the handler breaks off. Timers that an earlier event of the same turn has moved
    /// or disarmed are not reported.
    ///
    /// # Errors
    ///
    /// If the system can't poll.
    pub fn run(
        &mut self,
        mut handler: impl FnMut(&mut Self, Event) -> ControlFlow<()>,
    ) -> io::Result<()> {
        let mut events = Vec::with_capacity(RUN_BUDGET);
        loop {
            self.turn(RUN_BUDGET, None, &mut events)?;
            let mut turn = events.drain(..);
            while let Some(event) = turn.next() {
                if matches!(event, Event::Expired(token) if !self.has_expired(token)) {
                    continue;
                }
                if handler(self, event).is_break() {
                    // Edge-triggered: what is dropped here would never be reported again.
                    let mut rest: Vec<_> = turn.collect();
                    rest.append(&mut mem::take(&mut self.held));
                    self.held = rest;
                    return Ok(());
                }
            }
        }
    }

    /// The time of the last turn, or of the last [`refresh_now`](Self::refresh_now).
    pub fn now(&self) -> Instant {
        self.now
    }

    /// Reads the clock.
    pub fn refresh_now(&mut self) -> Instant {
        self.now = Instant::now();
        self.now
    }

    /// Watches a source, edge-triggered: streams for reading and writing, listeners for connections.
    /// A stream that is writable already is reported at the next turn.
    ///
    /// # Errors
    ///
    /// If it is registered already, or the system refuses.
    ///
    /// # Panics
    ///
    /// If the token is the reserved one.
    pub fn register(&mut self, source: &mut impl Source, token: Token) -> io::Result<()> {
        assert_ne!(
            mio::Token(token.0),
            WAKER,
            "the token usize::MAX is reserved"
        );
        source.register(self.poll.registry(), self.set.as_mut(), token)
    }

    /// Stops watching a source. Dropping it does the same; events already taken may still name its
    /// token.
    ///
    /// # Errors
    ///
    /// If it is not registered.
    pub fn deregister(&mut self, source: &mut impl Source) -> io::Result<()> {
        source.deregister(self.poll.registry())
    }

    /// A handle for other threads.
    pub fn waker(&self) -> Waker {
        Waker::new(Arc::clone(&self.waker))
    }

    /// Sets the one timer of `token`, in place of an earlier setting: O(1) if that was for an
    /// earlier time, else O(log n).
    pub fn arm(&mut self, token: Token, at: Instant) {
        self.timers.arm(token, at);
    }

    /// Clears the timer of `token`, whether armed or not.
    pub fn disarm(&mut self, token: Token) {
        self.timers.disarm(token);
    }

    /// The deadline of `token`, if its timer is armed.
    pub fn deadline(&self, token: Token) -> Option<Instant> {
        self.timers.deadline(token)
    }

    /// Whether the timer of `token` has run out and was neither armed nor disarmed since: ask it
    /// before acting on an `Event::Expired` that was handed out together with other events.
    pub fn has_expired(&self, token: Token) -> bool {
        self.timers.has_expired(token)
    }

    /// When to call [`turn`](Self::turn) at the latest: perhaps earlier than the first deadline,
    /// never later.
    pub fn next_deadline(&self) -> Option<Instant> {
        self.timers.next_deadline()
    }
}

mod sealed {
    use super::{Interest, Listener, ListenerSocket, PollSet, Registry, Socket, Stream, Token, io};

    /// Keeps mio's types out of the public interface.
    pub trait Registered {
        fn register(
            &mut self,
            registry: &Registry,
            set: Option<&mut PollSet>,
            token: Token,
        ) -> io::Result<()>;
        fn deregister(&mut self, registry: &Registry) -> io::Result<()>;
    }

    impl Registered for Stream {
        fn register(
            &mut self,
            registry: &Registry,
            set: Option<&mut PollSet>,
            token: Token,
        ) -> io::Result<()> {
            if let Some(set) = set {
                if self.watched.is_some() {
                    return Err(io::ErrorKind::AlreadyExists.into());
                }
                self.watched = Some(set.add(self, token));
                return Ok(());
            }
            let token = mio::Token(token.0);
            let interest = Interest::READABLE | Interest::WRITABLE;
            match &mut self.socket {
                Socket::Tcp(socket) => registry.register(socket, token, interest),
                Socket::Unix(socket) => registry.register(socket, token, interest),
            }
        }

        fn deregister(&mut self, registry: &Registry) -> io::Result<()> {
            if self.watched.take().is_some() {
                return Ok(());
            }
            match &mut self.socket {
                Socket::Tcp(socket) => registry.deregister(socket),
                Socket::Unix(socket) => registry.deregister(socket),
            }
        }
    }

    impl Registered for Listener {
        fn register(
            &mut self,
            registry: &Registry,
            _set: Option<&mut PollSet>,
            token: Token,
        ) -> io::Result<()> {
            let token = mio::Token(token.0);
            match &mut self.socket {
                ListenerSocket::Tcp(socket) => registry.register(socket, token, Interest::READABLE),
                ListenerSocket::Unix(socket) => {
                    registry.register(socket, token, Interest::READABLE)
                }
            }
        }

        fn deregister(&mut self, registry: &Registry) -> io::Result<()> {
            match &mut self.socket {
                ListenerSocket::Tcp(socket) => registry.deregister(socket),
                ListenerSocket::Unix(socket) => registry.deregister(socket),
            }
        }
    }
}
