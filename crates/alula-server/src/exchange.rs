//! The words a handler and the engine exchange about one request and its answer.

use core::fmt;

use alula_http::UsageError;

/// Names one request and its answer on one connection.
///
/// It stays unique for the life of the worker: an answer for an exchange that is over finds
/// nobody and is told so.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct ExchangeId {
    pub(crate) slot: u32,
    pub(crate) number: u64,
}

impl ExchangeId {
    /// The connection's slot: small and dense, an index for per-exchange data. At most one exchange
    /// is attached to a slot at a time, but the handler of an answered one may still run.
    pub fn slot(self) -> usize {
        self.slot as usize
    }

    /// The exchange's number, unique in its worker.
    pub fn number(self) -> u64 {
        self.number
    }
}

/// What [`receive`](crate::Worker::receive) found.
#[derive(Debug, PartialEq, Eq)]
pub enum Receive<T> {
    /// A piece of the body (empty for a request without one), and whether more follows.
    Body {
        /// What the caller made of the bytes.
        value: T,
        /// Whether the body goes on.
        more: bool,
    },
    /// Nothing yet; [`readable`](crate::Handler::readable) or
    /// [`disconnected`](crate::Handler::disconnected) follows.
    Pending,
    /// The client is gone (or has closed its half after the whole request), or the answer is
    /// complete: there will never be more.
    Disconnected,
}

/// Whether a sender may go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// Go on.
    Ready,
    /// Too much waits, or it is others' turn: wait for [`writable`](crate::Handler::writable).
    Wait,
}

/// What [`send_body`](crate::Worker::send_body) did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sent {
    /// Bytes of the data that the engine has taken over. Where they are fewer than were given
    /// (then `flow` is [`Flow::Wait`]), hand over the rest with
    /// [`send_rest`](crate::Worker::send_rest) once writable.
    pub taken: usize,
    /// Whether the sender may go on.
    pub flow: Flow,
}

/// Why a send failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SendError {
    /// The client is gone, or the exchange is over (its answer complete, or ended by the engine).
    Gone,
    /// More body than the declared Content-Length: the declared bytes went out, the rest was
    /// dropped, and the connection closes.
    Overflow,
    /// The body ended before its declared Content-Length: the connection closes.
    Short,
    /// The last piece has not been handed over whole: the connection closes.
    Overlap,
    /// The call itself was wrong; nothing was sent.
    Usage(UsageError),
}

impl fmt::Display for SendError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Gone => f.write_str("the client has disconnected"),
            Self::Overflow => f.write_str("Response content longer than Content-Length"),
            Self::Short => f.write_str("Response content shorter than Content-Length"),
            Self::Overlap => f.write_str("the last piece of the body has not been sent whole"),
            Self::Usage(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for SendError {}

impl From<UsageError> for SendError {
    fn from(error: UsageError) -> Self {
        Self::Usage(error)
    }
}

/// How an exchange stood when its handler was through with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finish {
    /// Nothing left to do: the answer was complete (the exchange detached then), or the client
    /// left earlier, or the engine had ended it.
    Over,
    /// No answer had been begun: a 500 was sent.
    Unstarted,
    /// The answer was not complete: the connection closes without its end.
    Unfinished,
}
