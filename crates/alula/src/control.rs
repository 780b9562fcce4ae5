//! How a server is told to stop, from any thread.

use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use alula_reactor::Waker;
use alula_server::Worker;

use crate::serving::Serving;

/// How long streams may go on before they are told that the server is about to end.
const STREAM_GRACE: Duration = Duration::from_secs(1);

const RUN: u8 = 0;
/// No new connections; what is in flight is finished.
const DRAIN: u8 = 1;
/// Streams see their clients as gone.
const TELL: u8 = 2;
/// All connections are closed.
const ABORT: u8 = 3;

/// What the reactors of a server are to do.
#[derive(Debug)]
pub(crate) struct Control {
    stage: AtomicU8,
    state: Mutex<State>,
    ended: Condvar,
    grace: Duration,
}

#[derive(Debug, Default)]
struct State {
    wakers: Vec<Waker>,
    /// The server does not run any more.
    ended: bool,
}

impl Control {
    /// `grace`: from being asked to stop until what is still open is closed.
    pub(crate) fn new(grace: Duration) -> Self {
        Self {
            stage: AtomicU8::new(RUN),
            state: Mutex::default(),
            ended: Condvar::new(),
            grace,
        }
    }

    /// A reactor that is to be woken.
    pub(crate) fn register(&self, waker: Waker) {
        self.lock().wakers.push(waker);
    }

    /// The server has ended: nobody waits for its deadlines any more.
    pub(crate) fn end(&self) {
        self.lock().ended = true;
        self.ended.notify_all();
    }

    /// Does what the reactor `worker` has not done yet. Returns whether it has ended.
    pub(crate) fn obey(&self, worker: &Worker<Serving>, obeyed: &mut u8) -> bool {
        let stage = self.stage.load(Ordering::Acquire);
        if stage == RUN {
            return false;
        }
        if *obeyed < DRAIN {
            worker.stop_accepting();
            worker.drain();
        }
        if *obeyed < TELL && stage >= TELL {
            worker.disconnect_streams();
        }
        if *obeyed < ABORT && stage >= ABORT {
            worker.abort_all();
        }
        *obeyed = stage;
        worker.connections() == 0 && !worker.again_needed()
    }

    pub(crate) fn abort(&self) {
        self.advance(ABORT);
    }

    fn advance(&self, stage: u8) {
        if self.stage.fetch_max(stage, Ordering::AcqRel) < stage {
            for waker in &self.lock().wakers {
                waker.wake();
            }
        }
    }

    /// Waits until the server has ended. Returns false if it has not within `time`.
    fn has_ended_within(&self, time: Duration) -> bool {
        let (state, _) = self
            .ended
            .wait_timeout_while(self.lock(), time, |state| !state.ended)
            .unwrap_or_else(PoisonError::into_inner);
        state.ended
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing in here can panic while the lock is held.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Stops a server, from any thread; see [`Server::handle`](crate::Server::handle).
#[derive(Clone, Debug)]
pub struct Handle {
    control: Arc<Control>,
}

impl Handle {
    pub(crate) fn new(control: Arc<Control>) -> Self {
        Self { control }
    }

    /// Asks the server to stop: it accepts no more connections and finishes what is in flight.
    /// After a second, streams are told that their client has left; at
    /// [`Config::timeout_graceful_shutdown`](crate::Config::timeout_graceful_shutdown) what is
    /// still open is closed. Does not wait for it.
    pub fn stop(&self) {
        let control = &self.control;
        let begun = (control.stage)
            .compare_exchange(RUN, DRAIN, Ordering::AcqRel, Ordering::Acquire)
            .is_ok();
        if !begun {
            return;
        }
        for waker in &control.lock().wakers {
            waker.wake();
        }
        let clock = control.clone();
        let ticks = move || {
            let first = STREAM_GRACE.min(clock.grace);
            if clock.has_ended_within(first) {
                return;
            }
            clock.advance(TELL);
            if !clock.has_ended_within(clock.grace.saturating_sub(first)) {
                clock.advance(ABORT);
            }
        };
        let spawned = std::thread::Builder::new()
            .name("alula-stop".to_owned())
            .spawn(ticks);
        if spawned.is_err() {
            // Without a clock there is no deadline to wait for.
            control.abort();
        }
    }

    /// Closes all connections and ends the server, whatever is in flight.
    pub fn stop_now(&self) {
        self.control.abort();
    }
}
