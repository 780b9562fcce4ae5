//! All threads' figures together, second by second, while they run.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use super::message::{Message, Outcome};
use super::observer::{Observer, Progress};
use super::record::{SECOND, Slice};
use super::summary::second;
use super::usage::ServerUse;
use crate::error::Error;
use crate::plan::{Extent, Plan};
use crate::report::Errors;

/// How often the observer is called.
const CALL: Duration = Duration::from_millis(100);

/// Collects what the threads tell.
pub(crate) struct Collector<'a> {
    plan: &'a Plan,
    epoch: Instant,
    receiver: Receiver<Message>,
    stop: &'a AtomicBool,
    /// Seconds that not all threads have told yet, with how many have.
    open: BTreeMap<i64, (usize, Slice)>,
    progress: Progress,
    collected: Collected,
    server: Watch,
}

/// What has been told when all threads are done.
#[derive(Default)]
pub(crate) struct Collected {
    /// When the run began, in seconds since 1970.
    pub(crate) started: f64,
    /// The seconds of the measured interval and what came behind it, in order.
    pub(crate) slices: Vec<Slice>,
    /// From the very start.
    pub(crate) errors: Errors,
    /// One a thread.
    pub(crate) outcomes: Vec<Outcome>,
    pub(crate) server: Option<ServerTime>,
}

/// What the server used, at four times.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ServerTime {
    pub(crate) before: ServerUse,
    /// At the begin of the measured interval.
    pub(crate) begun: ServerUse,
    /// At its end.
    pub(crate) ended: ServerUse,
    pub(crate) rss_peak: u64,
}

/// Looks at the server's processes, where that is wanted.
#[derive(Default)]
struct Watch {
    pid: Option<u32>,
    used: ServerTime,
    has_begun: bool,
    next_look: i64,
}

impl<'a> Collector<'a> {
    pub(crate) fn new(
        plan: &'a Plan,
        epoch: Instant,
        receiver: Receiver<Message>,
        stop: &'a AtomicBool,
        before: Option<ServerUse>,
    ) -> Self {
        let mut server = Watch::default();
        if let Some(before) = before {
            server.pid = plan.pid;
            server.used.before = before;
            server.used.rss_peak = before.rss;
        }
        let mut progress = Progress::default();
        match plan.extent {
            Extent::Duration(duration) => progress.duration = Some(duration.as_secs_f64()),
            Extent::Requests(count) => progress.requests = Some(count),
        }
        Self {
            plan,
            epoch,
            receiver,
            stop,
            open: BTreeMap::new(),
            progress,
            collected: Collected::default(),
            server,
        }
    }

    /// Starts the threads once all are ready, and listens until all are done.
    pub(crate) fn collect(
        mut self,
        starts: &[Sender<u64>],
        observer: &mut dyn Observer,
    ) -> Result<Collected, Error> {
        let mut ready = 0;
        let mut from = i64::MAX;
        while self.collected.outcomes.len() < starts.len() {
            match self.receiver.recv_timeout(self.patience(from)) {
                Ok(Message::Ready) => {
                    ready += 1;
                    if ready == starts.len() {
                        from = self.start(starts);
                    }
                }
                Ok(Message::Slice(slice)) => self.merge(*slice),
                Ok(Message::Done(outcome)) => self.collected.outcomes.push(*outcome),
                Ok(Message::Failed(error)) => return Err(error),
                Err(RecvTimeoutError::Timeout) => {}
                // A thread that panics tells nothing.
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(Error::Server("a load thread has failed".into()));
                }
            }
            self.look(from, observer);
        }
        for (_, (_, slice)) in std::mem::take(&mut self.open) {
            self.take(slice);
        }
        self.server.end();
        self.collected.server = self.server.pid.is_some().then_some(self.server.used);
        Ok(self.collected)
    }

    /// Lets the threads begin; returns when the measured interval does.
    fn start(&mut self, starts: &[Sender<u64>]) -> i64 {
        let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH);
        self.collected.started = since_1970.map_or(0.0, |time| time.as_secs_f64());
        let now = self.clock();
        for start in starts {
            // A thread that is gone has told why.
            let _ = start.send(now as u64);
        }
        now + self.plan.warmup.as_nanos() as i64
    }

    /// How long to wait for the next message: at most until the server is to be looked at.
    fn patience(&self, from: i64) -> Duration {
        let Some(next) = self.server.next(from, self.plan) else {
            return CALL;
        };
        let left = next.saturating_sub(self.clock()).max(0) as u64;
        CALL.min(Duration::from_nanos(left))
    }

    /// What time has brought: a look at the server, a call of the observer.
    fn look(&mut self, from: i64, observer: &mut dyn Observer) {
        if from == i64::MAX {
            self.progress.seconds = -self.plan.warmup.as_secs_f64();
        } else {
            let now = self.clock();
            self.progress.seconds = (now - from) as f64 / 1e9;
            self.server.look(now, from, self.plan);
        }
        self.progress.errors = self.collected.errors;
        if observer.progress(&self.progress).is_break() {
            self.stop.store(true, Ordering::Relaxed);
        }
    }

    fn merge(&mut self, slice: Slice) {
        let number = slice.second;
        let told = if let Some((told, sum)) = self.open.get_mut(&number) {
            sum.add(&slice);
            *told += 1;
            *told
        } else {
            self.open.insert(number, (1, slice));
            1
        };
        if told == self.plan.threads
            && let Some((_, slice)) = self.open.remove(&number)
        {
            if slice.whole {
                self.progress.passed += 1;
                self.progress.last = Some(second(&slice, slice.length));
            }
            self.take(slice);
        }
    }

    fn take(&mut self, slice: Slice) {
        self.collected.errors.add(&slice.errors);
        if slice.second >= 0 {
            self.progress.answered += slice.answered;
            self.collected.slices.push(slice);
        }
    }

    fn clock(&self) -> i64 {
        self.epoch.elapsed().as_nanos() as i64
    }
}

impl Watch {
    /// When to look next, in nanoseconds of the run's clock; `None`: never again.
    fn next(&self, from: i64, plan: &Plan) -> Option<i64> {
        self.pid?;
        if !self.has_begun {
            return Some(from);
        }
        let next = self.next_look.min(until(from, plan));
        (self.next_look < i64::MAX).then_some(next)
    }

    fn look(&mut self, now: i64, from: i64, plan: &Plan) {
        let Some(pid) = self.pid else {
            return;
        };
        if self.next(from, plan).is_none_or(|next| now < next) {
            return;
        }
        self.next_look = if now >= until(from, plan) {
            i64::MAX
        } else {
            now + SECOND as i64
        };
        let first = !std::mem::replace(&mut self.has_begun, true);
        // A server that is gone keeps its last figures.
        let Some(used) = ServerUse::of(pid) else {
            return;
        };
        self.used.rss_peak = self.used.rss_peak.max(used.rss);
        if first {
            self.used.begun = used;
        }
        self.used.ended = used;
    }

    /// The end of the run has come: the last look, where time did not bring it.
    fn end(&mut self) {
        if self.next_look < i64::MAX
            && let Some(used) = self.pid.and_then(ServerUse::of)
        {
            self.used.rss_peak = self.used.rss_peak.max(used.rss);
            self.used.ended = used;
        }
    }
}

/// The end of the measured interval, where it is known.
fn until(from: i64, plan: &Plan) -> i64 {
    match plan.extent {
        Extent::Duration(duration) => from.saturating_add(duration.as_nanos() as i64),
        Extent::Requests(_) => i64::MAX,
    }
}
