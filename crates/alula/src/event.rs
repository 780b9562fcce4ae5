//! What is worth a line in a log.

use std::fmt;
use std::io;

use alula_reactor::Peer;
use alula_server::SendError;

/// Something that the one who runs the server may want to know; see [`App::log`](crate::App::log).
#[derive(Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// The engine has refused a request or closed a connection.
    Rejected {
        /// The other end.
        peer: &'a Peer,
        /// What it was answered; `None`: nothing.
        status: Option<u16>,
        /// Why.
        reason: &'static str,
    },
    /// A handler, or what it gave to be called, has panicked; the client got a 500, or half an
    /// answer. (What panicked has been told by the panic hook.)
    Panicked {
        /// The route, as `GET /users/{id}`, or what else panicked.
        place: &'a str,
    },
    /// An answer could not go out as the application gave it.
    BadResponse {
        /// Why.
        error: SendError,
    },
    /// A streamed body has failed half-way.
    BodyFailed {
        /// Why.
        error: &'a io::Error,
    },
    /// A ticket was dropped without an answer; the client got a 500.
    TicketDropped,
    /// A connection could not be accepted; it is tried again.
    AcceptFailed {
        /// Why.
        error: &'a io::Error,
    },
}

impl Event<'_> {
    /// Whether the application or the system is to blame, and not a client.
    pub fn is_fault(&self) -> bool {
        !matches!(self, Self::Rejected { .. })
    }
}

/// The log of those who have none: faults go to the standard error stream.
pub(crate) fn print_fault(event: &Event<'_>) {
    if event.is_fault() {
        eprintln!("alula: {event}");
    }
}

impl fmt::Display for Event<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rejected {
                peer,
                status: Some(status),
                reason,
            } => write!(f, "{peer}: answered {status}: {reason}"),
            Self::Rejected { peer, reason, .. } => write!(f, "{peer}: closed: {reason}"),
            Self::Panicked { place } => write!(f, "{place} panicked"),
            Self::BadResponse { error } => write!(f, "bad response: {error}"),
            Self::BodyFailed { error } => write!(f, "a response's body failed: {error}"),
            Self::TicketDropped => f.write_str("a ticket was dropped without an answer"),
            Self::AcceptFailed { error } => write!(f, "cannot accept a connection: {error}"),
        }
    }
}
