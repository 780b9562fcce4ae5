//! A thread that writes lines to standard output.

use std::io::{self, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Bytes that may wait to be written. A slow terminal must not make the server grow.
const ROOM: usize = 1 << 20;
/// How long the thread may hold up the server, once: it must catch up before it may do so again.
const PATIENCE: Duration = Duration::from_millis(50);
/// How long the thread gathers before it writes.
const GATHER: Duration = Duration::from_millis(5);
/// How long the end of the server waits for the last lines.
const FAREWELL: Duration = Duration::from_millis(500);

/// What the thread does.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum State {
    /// It gathers, or is about to look.
    #[default]
    Awake,
    /// It sleeps, and must be told.
    Asleep,
    /// It has taken bytes and not written them yet.
    Writing,
}

/// What the two sides share.
#[derive(Default)]
struct Shared {
    waiting: Vec<u8>,
    /// Lines dropped since the thread last took what waits. As long as there are any, all are.
    dropped: u64,
    /// Somebody has waited in vain, and the thread has not caught up since: nobody waits.
    behind: bool,
    thread: State,
    /// Somebody waits for the thread: no gathering.
    hurry: bool,
    stop: bool,
}

impl Shared {
    /// Whether anything is left to write.
    fn is_busy(&self) -> bool {
        self.thread == State::Writing || !self.waiting.is_empty() || self.dropped > 0
    }
}

/// The state, and who is told of what.
#[derive(Default)]
struct Channel {
    shared: Mutex<Shared>,
    /// For the thread.
    filled: Condvar,
    /// For the server.
    emptied: Condvar,
}

impl Channel {
    fn lock(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The thread. Dropping it writes what is left, and ends it.
pub(crate) struct Writer {
    channel: Arc<Channel>,
    thread: Option<JoinHandle<()>>,
}

impl Writer {
    /// Starts it.
    ///
    /// # Errors
    ///
    /// Where the system gives no thread.
    pub(crate) fn start() -> io::Result<Self> {
        Self::to(io::stdout())
    }

    fn to(mut out: impl Write + Send + 'static) -> io::Result<Self> {
        let channel = Arc::new(Channel::default());
        let theirs = Arc::clone(&channel);
        let thread = thread::Builder::new()
            .name("alula-access-log".to_owned())
            .spawn(move || run(&theirs, &mut out))?;
        Ok(Self {
            channel,
            thread: Some(thread),
        })
    }

    /// Takes `lines` over, which are whole ones, and leaves the buffer empty. Where there is no
    /// room it waits a little, once; then lines are dropped, without a wait, until the thread has
    /// taken what waits. How many is said in the log.
    pub(crate) fn take(&self, lines: &mut Vec<u8>) {
        let mut shared = self.channel.lock();
        let full = |shared: &mut Shared| {
            !shared.waiting.is_empty() && shared.waiting.len() + lines.len() > ROOM
        };
        if full(&mut shared) && !shared.behind {
            shared = self.wait(shared, PATIENCE, full);
        }
        if shared.dropped > 0 || full(&mut shared) {
            shared.dropped += lines.split(|byte| *byte == b'\n').skip(1).count() as u64;
            lines.clear();
            return;
        }
        if shared.waiting.is_empty() {
            std::mem::swap(&mut shared.waiting, lines);
        } else {
            shared.waiting.append(lines);
        }
        if shared.thread == State::Asleep {
            shared.thread = State::Awake;
            self.channel.filled.notify_one();
        }
    }

    /// Waits, for a short time, until everything is written; not at all for a thread that others
    /// have waited for in vain.
    pub(crate) fn sync(&self) {
        let shared = self.channel.lock();
        if !shared.behind {
            self.hurry(shared, PATIENCE);
        }
    }

    /// Has the thread write what there is, and waits for that; returns whether it has.
    fn hurry(&self, mut shared: MutexGuard<'_, Shared>, patience: Duration) -> bool {
        shared.hurry = true;
        self.channel.filled.notify_one();
        let mut shared = self.wait(shared, patience, |shared| shared.is_busy());
        shared.hurry = false;
        !shared.is_busy()
    }

    /// Waits for the thread, as long as `condition` holds.
    fn wait<'a>(
        &'a self,
        shared: MutexGuard<'a, Shared>,
        patience: Duration,
        condition: impl FnMut(&mut Shared) -> bool,
    ) -> MutexGuard<'a, Shared> {
        let emptied = &self.channel.emptied;
        let waited = emptied.wait_timeout_while(shared, patience, condition);
        let (mut shared, timeout) = waited.unwrap_or_else(PoisonError::into_inner);
        shared.behind |= timeout.timed_out();
        shared
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        let mut shared = self.channel.lock();
        shared.stop = true;
        // A pipe that nobody reads would keep the thread for ever.
        let through = self.hurry(shared, FAREWELL);
        if let Some(thread) = self.thread.take().filter(|_| through) {
            let _ = thread.join();
        }
    }
}

/// Writes what comes until it is told to stop.
fn run(channel: &Channel, out: &mut impl Write) {
    let mut taken = Vec::new();
    let mut broken = false;
    loop {
        let mut shared = channel.lock();
        while shared.waiting.is_empty() && shared.dropped == 0 {
            if shared.stop {
                return;
            }
            shared.thread = State::Asleep;
            shared.behind = false;
            shared = channel
                .filled
                .wait(shared)
                .unwrap_or_else(PoisonError::into_inner);
        }
        shared.thread = State::Awake;
        shared = gather(channel, shared);
        std::mem::swap(&mut shared.waiting, &mut taken);
        let dropped = std::mem::take(&mut shared.dropped);
        shared.thread = State::Writing;
        drop(shared);
        if dropped > 0 {
            let notice = format!("WARNING:  {dropped} access log lines dropped: output too slow\n");
            taken.extend_from_slice(notice.as_bytes());
        }
        // Nobody reads any more: go on, quietly, as a closed pipe is no reason to stop serving.
        broken = broken || out.write_all(&taken).and_then(|()| out.flush()).is_err();
        taken.clear();
        channel.lock().thread = State::Awake;
        channel.emptied.notify_all();
    }
}

/// Lets more come, so that one write carries many lines.
fn gather<'a>(channel: &'a Channel, mut shared: MutexGuard<'a, Shared>) -> MutexGuard<'a, Shared> {
    let until = Instant::now() + GATHER;
    loop {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() || shared.hurry || shared.stop || shared.waiting.len() > ROOM / 2 {
            return shared;
        }
        let waited = channel.filled.wait_timeout(shared, left);
        shared = waited.unwrap_or_else(PoisonError::into_inner).0;
    }
}
