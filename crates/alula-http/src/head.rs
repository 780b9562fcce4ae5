//! What a parsed head says. A head owns positions, not bytes: it is read through a view together
//! with the input that it was parsed from, and reused from message to message.

mod index;
mod request;
mod response;

pub use index::Fields;
pub(crate) use index::{Index, Span};
pub use request::{Head, Request};
pub use response::{Response, ResponseHead};

/// The version of a message, as it is served.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Version {
    /// HTTP/1.0.
    Http10,
    /// HTTP/1.1, and any later 1.x (RFC 9110 section 2.5).
    #[default]
    Http11,
}

/// How the end of a request's body is known (RFC 9112 section 6.3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Framing {
    /// There is no body.
    #[default]
    None,
    /// This many bytes, at least one.
    Length(u64),
    /// Chunks up to an empty one.
    Chunked,
}

/// What a request asks the connection to become.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Upgrade {
    /// Nothing that is known here.
    #[default]
    None,
    /// A valid WebSocket handshake (RFC 6455 section 4.2.1).
    WebSocket,
    /// A WebSocket handshake with something wrong; to be answered with 400.
    InvalidWebSocket,
}
