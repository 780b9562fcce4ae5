//! Answers that are given later, from any thread.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::IntoResponse;
use crate::mailbox::{Line, Message};

/// The connection is gone: nobody is left to answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gone;

impl fmt::Display for Gone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the client's connection is gone")
    }
}

impl std::error::Error for Gone {}

/// What a reactor lets a ticket know of its client.
#[derive(Debug, Default)]
pub(crate) struct Presence {
    gone: AtomicBool,
    left: AtomicBool,
}

impl Presence {
    pub(crate) fn is_gone(&self) -> bool {
        self.gone.load(Ordering::Acquire)
    }

    pub(crate) fn set_gone(&self) {
        self.left.store(true, Ordering::Release);
        self.gone.store(true, Ordering::Release);
    }

    pub(crate) fn has_left(&self) -> bool {
        self.left.load(Ordering::Acquire)
    }

    pub(crate) fn set_left(&self) {
        self.left.store(true, Ordering::Release);
    }
}

/// The right, and the duty, to answer one request once: see
/// [`Request::hold`](crate::Request::hold).
///
/// It may be sent to any thread. Dropped without an answer (by a thread that panics, say), the
/// client gets a 500.
#[derive(Debug)]
pub struct Ticket {
    line: Option<Line>,
    presence: Arc<Presence>,
}

impl Ticket {
    pub(crate) fn new(line: Line, presence: Arc<Presence>) -> Self {
        Self {
            line: Some(line),
            presence,
        }
    }

    /// Answers the request. `Ok` says that the answer is on its way: the client can still vanish
    /// before it has read it.
    ///
    /// # Errors
    ///
    /// [`Gone`]: the connection has gone before (or the server has ended, or the handler that held
    /// the request then panicked); the answer has been dropped.
    pub fn answer(mut self, response: impl IntoResponse) -> Result<(), Gone> {
        let line = self.line.take().ok_or(Gone)?;
        if self.presence.is_gone() {
            return Err(Gone);
        }
        let message = Message::Answer(line.id, response.into_response());
        line.mailbox.post(message);
        Ok(())
    }

    /// Whether the connection is gone: an answer would find nobody.
    pub fn is_gone(&self) -> bool {
        self.presence.is_gone()
    }

    /// Whether the client has closed its half of the connection, or the server is about to end:
    /// long work for it is most likely in vain. It is still answered, if it listens.
    pub fn client_has_left(&self) -> bool {
        self.presence.has_left()
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        if let Some(line) = self.line.take()
            && !self.presence.is_gone()
        {
            line.mailbox.post(Message::Dropped(line.id));
        }
    }
}
