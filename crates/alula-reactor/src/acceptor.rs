//! A registered listener that survives descriptor exhaustion.

use std::io;
use std::time::{Duration, Instant};

use crate::event::Token;
use crate::listener::Listener;
use crate::reactor::Reactor;
use crate::stream::Stream;
use crate::sys;

/// The first pause after a failure; it doubles up to [`LONGEST_PAUSE`].
const SHORTEST_PAUSE: Duration = Duration::from_millis(10);
const LONGEST_PAUSE: Duration = Duration::from_millis(500);

/// How many connections that died in the queue are skipped in one call.
const MOST_SKIPPED: usize = 64;

/// Accepts the connections of a listener.
///
/// Readiness comes once for any number of queued connections, so after `Event::Ready` call
/// [`accept`](Self::accept) until it says anything but `Connection`. When the process is out of
/// descriptors, it pauses: no system call is made before the pause is over (`Event::Expired` comes
/// for its token then) or [`resume`](Self::resume) is called.
#[derive(Debug)]
pub struct Acceptor {
    listener: Listener,
    token: Token,
    /// Set while paused: when to try again.
    retry_at: Option<Instant>,
    /// The length of the next pause.
    pause: Duration,
    attempts: u64,
}

/// What came of an attempt to accept.
#[derive(Debug)]
pub enum Accepted {
    /// A connection: non-blocking, closed on exec, with `TCP_NODELAY`.
    Connection(Stream),
    /// The queue is empty: `Event::Ready` will come for the next connection.
    Drained,
    /// Out of descriptors or memory: `Event::Expired` will come, then accept again.
    Paused,
    /// Something unforeseen. Also retried after `Event::Expired`; worth a line in the log.
    Failed(io::Error),
}

impl Acceptor {
    /// Registers the listener.
    ///
    /// # Errors
    ///
    /// If the system refuses to watch it.
    pub fn new(mut listener: Listener, token: Token, reactor: &mut Reactor) -> io::Result<Self> {
        reactor.register(&mut listener, token)?;
        Ok(Self {
            listener,
            token,
            retry_at: None,
            pause: SHORTEST_PAUSE,
            attempts: 0,
        })
    }

    /// Takes one connection off the queue.
    pub fn accept(&mut self, reactor: &mut Reactor) -> Accepted {
        if self.retry_at.is_some_and(|at| reactor.now() < at) {
            return Accepted::Paused;
        }
        for _ in 0..MOST_SKIPPED {
            self.attempts += 1;
            match self.listener.accept() {
                Ok(stream) => {
                    self.pause = SHORTEST_PAUSE;
                    self.resume();
                    return Accepted::Connection(stream);
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    self.pause = SHORTEST_PAUSE;
                    self.resume();
                    reactor.disarm(self.token);
                    return Accepted::Drained;
                }
                Err(error) if sys::is_exhausted(&error) => {
                    self.hold(reactor);
                    return Accepted::Paused;
                }
                Err(error) if sys::is_passing(&error) => {}
                Err(error) => {
                    self.hold(reactor);
                    return Accepted::Failed(error);
                }
            }
        }
        self.hold(reactor);
        Accepted::Paused
    }

    /// Ends a pause early, because a descriptor has been freed: the next `accept` tries again. The
    /// timer stays armed, so that nothing is lost if that call never comes.
    pub fn resume(&mut self) {
        self.retry_at = None;
    }

    /// Whether it waits for descriptors. Stays true until an `accept` has succeeded or drained the
    /// queue, unless `resume` was called.
    pub fn is_paused(&self) -> bool {
        self.retry_at.is_some()
    }

    /// The listener.
    pub fn listener(&self) -> &Listener {
        &self.listener
    }

    /// The token it was registered with.
    pub fn token(&self) -> Token {
        self.token
    }

    /// How many times `accept(2)` was called.
    pub fn attempts(&self) -> u64 {
        self.attempts
    }

    /// Stops watching the listener and gives it back; dropping it closes it.
    pub fn close(mut self, reactor: &mut Reactor) -> Listener {
        reactor.disarm(self.token);
        // It fails only for a source that is not registered, which this one always is.
        let _ = reactor.deregister(&mut self.listener);
        self.listener
    }

    fn hold(&mut self, reactor: &mut Reactor) {
        let at = reactor.now() + self.pause;
        self.pause = (self.pause * 2).min(LONGEST_PAUSE);
        self.retry_at = Some(at);
        reactor.arm(self.token, at);
    }
}
