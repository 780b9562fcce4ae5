//! The public face of the engine: one worker a thread.

use std::cell::RefCell;
use std::io;
use std::os::fd::RawFd;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use alula_reactor::{Listener, Waker};

use crate::drive::{Arrival, Engine, Notice};
use crate::error::PANICKED;
use crate::{ExchangeId, Finish, Handler, Receive, SendError, Sent, Settings};

/// What a turn leaves to its caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn {
    /// Work is left: turn again soon, without waiting for the descriptor.
    pub again: bool,
    /// Turn again at this time at the latest.
    pub deadline: Option<Instant>,
}

/// Accepts, drives and closes connections on one thread, and calls a [`Handler`] for requests.
///
/// All methods take `&self` and may be called from within the handler's.
#[derive(Debug)]
pub struct Worker<H: Handler> {
    engine: RefCell<Engine>,
    handler: H,
}

impl<H: Handler> Worker<H> {
    /// A worker without listeners.
    ///
    /// # Errors
    ///
    /// Where the system gives no readiness queue.
    pub fn new(settings: Settings, handler: H) -> io::Result<Self> {
        Ok(Self {
            engine: RefCell::new(Engine::new(settings)?),
            handler,
        })
    }

    /// The handler.
    pub fn handler(&self) -> &H {
        &self.handler
    }

    /// Accepts connections from `listener`, from the next turn on.
    ///
    /// # Errors
    ///
    /// Where the listener can't be watched, or there are sixteen already.
    pub fn listen(&self, listener: Listener) -> io::Result<()> {
        self.engine.borrow_mut().listen(listener)
    }

    /// The readiness queue's descriptor: readable (level-triggered) when a turn is due.
    pub fn fd(&self) -> RawFd {
        self.engine.borrow().reactor.fd()
    }

    /// Wakes [`Worker::run`] from any thread.
    pub fn waker(&self) -> Waker {
        self.engine.borrow().reactor.waker()
    }

    /// Handles a bounded batch of what is ready, without waiting.
    ///
    /// # Errors
    ///
    /// Where the readiness queue fails.
    pub fn turn(&self) -> io::Result<Turn> {
        self.turn_within(Some(Duration::ZERO))
    }

    /// Turns, waiting for events in between, until `stop` (asked after each turn) says so. Wake it
    /// by [`Worker::waker`].
    ///
    /// # Errors
    ///
    /// Where the readiness queue fails.
    pub fn run(&self, mut stop: impl FnMut(&Self) -> bool) -> io::Result<()> {
        while !stop(self) {
            self.turn_within(self.again_needed().then_some(Duration::ZERO))?;
        }
        Ok(())
    }

    fn turn_within(&self, timeout: Option<Duration>) -> io::Result<Turn> {
        let (most, until) = {
            let mut engine = self.engine.borrow_mut();
            engine.gather(timeout)?;
            engine.in_turn = true;
            let until = engine.reactor.now() + engine.settings.turn_time;
            (engine.settings.turn_connections, until)
        };
        self.deliver();
        for _ in 0..most {
            let Some(slot) = self.engine.borrow_mut().next_ready() else {
                break;
            };
            let arrival = self.engine.borrow_mut().advance(slot);
            let started = arrival.is_some();
            if let Some(arrival) = arrival {
                self.start(arrival);
            }
            self.deliver();
            if started && Instant::now() >= until {
                break;
            }
        }
        {
            let mut engine = self.engine.borrow_mut();
            engine.flush_gathered();
            engine.in_turn = false;
        }
        self.deliver();
        let engine = self.engine.borrow();
        Ok(Turn {
            again: engine.has_work(),
            deadline: engine.reactor.next_deadline(),
        })
    }

    /// Hands a request over. A panic ends that request alone.
    fn start(&self, arrival: Arrival) {
        let id = arrival.id;
        let call = catch_unwind(AssertUnwindSafe(|| {
            let request = arrival.head.view(arrival.input.bytes());
            self.handler.prepare(&request, &arrival.info, id)
        }));
        let info = arrival.info.clone();
        self.engine.borrow_mut().settle(arrival);
        let outcome = call
            .and_then(|call| catch_unwind(AssertUnwindSafe(|| self.handler.start(self, id, call))));
        if outcome.is_err() {
            self.finish(id);
            self.handler.rejected(&info, Some(500), PANICKED);
        }
    }

    /// Tells the handler what was queued for it. A panic ends that exchange alone.
    fn deliver(&self) {
        loop {
            let Some(notice) = self.engine.borrow_mut().next_notice() else {
                return;
            };
            let handler = &self.handler;
            let (id, outcome) = match notice {
                Notice::Readable(id) => (
                    id,
                    catch_unwind(AssertUnwindSafe(|| handler.readable(self, id))),
                ),
                Notice::Writable(id) => (
                    id,
                    catch_unwind(AssertUnwindSafe(|| handler.writable(self, id))),
                ),
                Notice::Disconnected(id) => (
                    id,
                    catch_unwind(AssertUnwindSafe(|| handler.disconnected(self, id))),
                ),
                Notice::Rejected(info, status, reason) => {
                    handler.rejected(&info, status, reason);
                    continue;
                }
                Notice::AcceptFailed(error) => {
                    handler.accept_failed(&error);
                    continue;
                }
                Notice::Closed(slot) => {
                    handler.closed(slot);
                    continue;
                }
            };
            if outcome.is_err() {
                self.finish(id);
            }
        }
    }

    /// Takes the next piece of the request's body, by `read`; see [`Receive`]. A client that waits
    /// for `100 Continue` is told to go on. `read` must not call the worker.
    pub fn receive<T>(&self, id: ExchangeId, read: impl FnOnce(&[u8]) -> T) -> Receive<T> {
        self.engine.borrow_mut().receive(id, read)
    }

    /// Begins the answer. Nothing goes out before the first piece of the body decides the framing.
    ///
    /// # Errors
    ///
    /// [`SendError::Usage`] for a status or headers that must not go out, or a second begin;
    /// [`SendError::Gone`].
    pub fn respond<'h>(
        &self,
        id: ExchangeId,
        status: u16,
        headers: impl Iterator<Item = (&'h [u8], &'h [u8])>,
    ) -> Result<(), SendError> {
        self.engine.borrow_mut().respond(id, status, headers)
    }

    /// Sends a piece of the body, the last one unless `more`. A piece that is not taken whole goes
    /// on with [`Worker::send_rest`].
    ///
    /// # Errors
    ///
    /// See [`SendError`].
    pub fn send_body(&self, id: ExchangeId, data: &[u8], more: bool) -> Result<Sent, SendError> {
        self.engine.borrow_mut().send_body(id, data, more)
    }

    /// Hands over what [`Worker::send_body`] (or this) did not take: the same piece from there on,
    /// with the same `more`.
    ///
    /// # Errors
    ///
    /// [`SendError::Gone`].
    pub fn send_rest(&self, id: ExchangeId, rest: &[u8], more: bool) -> Result<Sent, SendError> {
        self.engine.borrow_mut().send_rest(id, rest, more)
    }

    /// Gives an answer up in the middle: what is queued goes out, never the end of the body, and
    /// the connection closes.
    pub fn abort(&self, id: ExchangeId) {
        self.engine.borrow_mut().abort(id);
    }

    /// The handler is through with the exchange, for better or worse: an answer that was never
    /// begun becomes a 500, one that was not completed ends without its end.
    pub fn finish(&self, id: ExchangeId) -> Finish {
        self.engine.borrow_mut().finish(id)
    }

    /// When to turn at the latest, as [`Turn::deadline`]: calls from outside a turn may have set
    /// an earlier deadline.
    pub fn next_deadline(&self) -> Option<Instant> {
        self.engine.borrow().reactor.next_deadline()
    }

    /// Whether calls from outside a turn have left work for one: turn soon.
    pub fn again_needed(&self) -> bool {
        self.engine.borrow().has_work()
    }

    /// For the loop around, when it has nothing else to do: for how long it pays to look at
    /// [`Worker::fd`] again and again ([`alula_reactor::look`]) before it sleeps. Never while a
    /// request is being answered, since that may wait for something that only the loop sees.
    pub fn busy_poll(&self) -> Option<Duration> {
        self.engine.borrow_mut().busy_poll()
    }

    /// Accepts what has already connected, then closes the listeners.
    pub fn stop_accepting(&self) {
        self.engine.borrow_mut().stop_accepting();
    }

    /// Answers what is in flight with `Connection: close` and lets idle connections go.
    pub fn drain(&self) {
        self.engine.borrow_mut().drain();
    }

    /// From now on, handlers that have the whole request see their client as gone when they
    /// receive; their answers still go out. Ends silent streams.
    pub fn disconnect_streams(&self) {
        self.engine.borrow_mut().disconnect_streams();
    }

    /// Closes every connection at once.
    pub fn abort_all(&self) {
        self.engine.borrow_mut().abort_all();
    }

    /// Open connections.
    pub fn connections(&self) -> usize {
        self.engine.borrow().connections.len()
    }

    /// Requests whose answer is not complete.
    pub fn exchanges(&self) -> usize {
        self.engine.borrow().attached
    }
}
