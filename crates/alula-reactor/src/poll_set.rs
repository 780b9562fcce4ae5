//! Streams watched by poll(2), reported as a queue of readiness would: once, until they have been
//! read or written until that would block.
//!
//! poll(2) tells of everything that is ready, each time anew. So a stream that was reported is not
//! asked about any more until its own reads and writes show that nothing is left, which they note in
//! a word that the stream shares with the set.

use std::io;
use std::os::fd::{AsFd, AsRawFd, RawFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

use crate::event::{Event, Readiness, Token};
use crate::sys::{self, PollFd};

/// There was nothing left to read, or no room to write: ask again.
const READ: u8 = 1;
const WRITE: u8 = 2;
/// The peer's end, or the connection's, has been reported; it is not news any more.
const END_TOLD: u8 = 4;
const HANGUP_TOLD: u8 = 8;
/// Not watched any more.
const GONE: u8 = 16;

/// What a stream and the set know of each other. Dropping it ends the watch.
#[derive(Debug)]
pub(crate) struct Watched {
    bits: Arc<AtomicU8>,
}

impl Watched {
    /// A read of up to `most` bytes has ended so. What is short has drained the socket, but for the
    /// end of the stream, which stays readable.
    pub(crate) fn note_read(&self, outcome: &io::Result<usize>, most: usize) {
        if is_short(outcome, most) && !matches!(outcome, Ok(0)) {
            self.bits.fetch_or(READ, Ordering::Relaxed);
        }
    }

    /// Likewise of a write.
    pub(crate) fn note_write(&self, outcome: &io::Result<usize>, most: usize) {
        if is_short(outcome, most) {
            self.bits.fetch_or(WRITE, Ordering::Relaxed);
        }
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        self.bits.store(GONE, Ordering::Relaxed);
    }
}

fn is_short(outcome: &io::Result<usize>, most: usize) -> bool {
    match outcome {
        Ok(n) => *n < most,
        Err(error) => error.kind() == io::ErrorKind::WouldBlock,
    }
}

#[derive(Debug)]
struct Source {
    token: Token,
    fd: RawFd,
    bits: Arc<AtomicU8>,
}

/// The streams of one reactor.
#[derive(Debug)]
pub struct PollSet {
    sources: Vec<Source>,
    /// What the system is asked: the queue's descriptor, then each source's.
    asked: Vec<PollFd>,
    /// Where the next look at the answers begins, so that what exceeds a budget comes first then.
    begin: usize,
}

impl PollSet {
    /// A set without streams. `queue` is the descriptor of the readiness queue that watches all else.
    pub(crate) fn new(queue: RawFd) -> Self {
        Self {
            sources: Vec::new(),
            asked: vec![PollFd::new(queue)],
            begin: 0,
        }
    }

    /// Watches a stream; it is told by `Watched` what its reads and writes find.
    pub(crate) fn add(&mut self, stream: &impl AsFd, token: Token) -> Watched {
        let bits = Arc::new(AtomicU8::new(READ | WRITE));
        let fd = stream.as_fd().as_raw_fd();
        self.sources.push(Source {
            token,
            fd,
            bits: Arc::clone(&bits),
        });
        self.asked.push(PollFd::new(fd));
        Watched { bits }
    }

    /// Waits, then appends at most `budget` ready streams. Returns whether the queue has something,
    /// for which then one of the budget is left: it takes its turn like the streams.
    pub(crate) fn poll(
        &mut self,
        budget: usize,
        timeout: Option<Duration>,
        events: &mut Vec<Event>,
    ) -> io::Result<bool> {
        self.prepare();
        if !sys::poll(&mut self.asked, timeout)? {
            return Ok(false);
        }
        let count = self.asked.len();
        let mut left = budget;
        let mut queue = false;
        for step in 0..count {
            let at = (self.begin + step) % count;
            let answer = self.asked[at].answer();
            if answer == 0 {
                continue;
            }
            if left == 0 {
                self.begin = at;
                break;
            }
            left -= 1;
            match at.checked_sub(1) {
                None => queue = true,
                Some(source) => events.push(self.sources[source].report(answer)),
            }
        }
        Ok(queue)
    }

    /// Forgets what is gone and says what to ask of the rest.
    fn prepare(&mut self) {
        self.asked[0].ask(sys::POLL_IN);
        let mut at = 0;
        while let Some(source) = self.sources.get(at) {
            let bits = source.bits.load(Ordering::Relaxed);
            if bits & GONE != 0 {
                self.sources.swap_remove(at);
                self.asked.swap_remove(at + 1);
                continue;
            }
            let asked = &mut self.asked[at + 1];
            // The places may have been exchanged. A descriptor below zero is passed over.
            *asked = PollFd::new(if bits & HANGUP_TOLD == 0 {
                source.fd
            } else {
                -1
            });
            asked.ask(questions(bits));
            at += 1;
        }
        if self.begin >= self.asked.len() {
            self.begin = 0;
        }
    }
}

fn questions(bits: u8) -> i16 {
    let mut questions = 0;
    if bits & READ != 0 {
        questions |= sys::POLL_IN;
    }
    if bits & WRITE != 0 {
        questions |= sys::POLL_OUT;
    }
    if bits & END_TOLD == 0 {
        questions |= sys::POLL_END;
    }
    questions
}

impl Source {
    /// What an answer means; it will not be asked again before something has changed.
    fn report(&self, answer: i16) -> Event {
        let has = |flag| answer & flag != 0;
        let (hung_up, error) = (has(sys::POLL_HANGUP), has(sys::POLL_ERROR));
        let read_closed = hung_up || has(sys::POLL_END);
        let readiness = Readiness {
            readable: has(sys::POLL_IN) || read_closed || error,
            writable: has(sys::POLL_OUT) || hung_up || error,
            read_closed,
            write_closed: hung_up || error,
            error,
        };
        let mut told = 0;
        if has(sys::POLL_END) {
            told |= END_TOLD;
        }
        if hung_up || error {
            told |= HANGUP_TOLD;
        }
        let answered =
            (u8::from(readiness.readable) * READ) | (u8::from(readiness.writable) * WRITE);
        self.bits.fetch_or(told, Ordering::Relaxed);
        self.bits.fetch_and(!answered, Ordering::Relaxed);
        Event::Ready(self.token, readiness)
    }
}
