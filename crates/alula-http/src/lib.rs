//! Sans-IO HTTP/1.1 for both roles: bytes in, events out. No socket, clock, thread or allocation
//! of its own beyond buffers that the caller keeps and passes in again.
//!
//! It is strict in what it takes: whatever two parsers could read differently is refused, with the
//! status to answer. It is clean in what it gives: no call of an application, however wrong, puts
//! bytes on the wire that a peer could take for a second message.
//!
//! # Layout
//!
//! - [`h1`]: the two roles, [`h1::Server`] and [`h1::Client`], and the grammar beneath them.
//! - [`head`]: what a parsed head says; positions into the caller's bytes, no copies.
//! - [`body`]: one step of a body, and how a body's length is known.
//! - [`error`]: what the peer did wrong ([`ProtocolError`]), what our caller did ([`UsageError`]).
//! - [`limits`]: every bound on what a peer may send.

#![forbid(unsafe_code)]

pub mod body;
pub mod error;
pub mod h1;
pub mod head;
pub mod limits;

pub use body::BodyStep;
pub use error::{ProtocolError, UsageError};
pub use head::{Framing, Head, Request, Response, ResponseHead, Upgrade, Version};
pub use limits::Limits;
