//! How other threads reach a reactor: messages about its exchanges, and a wake-up.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use alula_reactor::Waker;
use alula_server::ExchangeId;

use crate::Response;

/// What a reactor is told about one of its exchanges.
#[derive(Debug)]
pub(crate) enum Message {
    /// Its answer.
    Answer(ExchangeId, Response),
    /// Its ticket has been dropped.
    Dropped(ExchangeId),
    /// A pipe of it has got on at its other end.
    Progress(ExchangeId),
}

/// One reactor's messages. An exchange has at most one answer, and each of its pipes one message of
/// progress, under way: that bounds it.
#[derive(Debug, Default)]
pub(crate) struct Mailbox {
    messages: Mutex<Messages>,
    /// There are messages; for a look without the lock.
    filled: AtomicBool,
    waker: OnceLock<Waker>,
}

#[derive(Debug, Default)]
struct Messages {
    waiting: Vec<Message>,
    closed: bool,
}

impl Mailbox {
    /// Whom to wake.
    pub(crate) fn set_waker(&self, waker: Waker) {
        // It is set once, by the thread that makes the reactor.
        let _ = self.waker.set(waker);
    }

    /// Leaves a message. After the reactor's end it is dropped.
    pub(crate) fn post(&self, message: Message) {
        let mut messages = self.lock();
        if messages.closed {
            drop(messages);
            return;
        }
        let wakes = messages.waiting.is_empty();
        messages.waiting.push(message);
        self.filled.store(true, Ordering::Release);
        drop(messages);
        if wakes && let Some(waker) = self.waker.get() {
            waker.wake();
        }
    }

    /// Takes the messages into an empty vector. Returns whether there were any.
    pub(crate) fn take(&self, taken: &mut Vec<Message>) -> bool {
        if !self.filled.load(Ordering::Acquire) {
            return false;
        }
        let mut messages = self.lock();
        self.filled.store(false, Ordering::Release);
        std::mem::swap(&mut messages.waiting, taken);
        drop(messages);
        !taken.is_empty()
    }

    /// Nobody takes messages any more.
    pub(crate) fn close(&self) {
        let mut messages = self.lock();
        messages.closed = true;
        let left = std::mem::take(&mut messages.waiting);
        // What they hold may post in its turn when it is dropped.
        drop(messages);
        drop(left);
    }

    fn lock(&self) -> MutexGuard<'_, Messages> {
        // Nothing in here can panic while the lock is held.
        self.messages.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The way to one exchange, from any thread.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub(crate) id: ExchangeId,
    pub(crate) mailbox: std::sync::Arc<Mailbox>,
}

impl Line {
    /// A pipe of the exchange has got on.
    pub(crate) fn progress(&self) {
        self.mailbox.post(Message::Progress(self.id));
    }
}
