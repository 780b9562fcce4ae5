//! HTTP/1.1 (RFC 9112), both roles. A role holds state, never bytes: the caller owns the input,
//! hands it in from its first unread byte, and owns the output, which is only appended to.
//!
//! # Layout
//!
//! - [`Server`], [`Client`]: the roles.
//! - [`grammar`]: bytes, tokens, numbers, authorities; [`target`]: the forms of a request target.
//! - `fields`, `request_line`, `status_line`: the resumable scan that vets each byte once.
//! - `parse`: a vetted head into positions; `meaning`: what its headers say about the connection.
//! - `chunked`: the chunk decoder; `outgoing`: framing of a body on its way out.
//! - `encode`: heads into bytes; `status`: the standard reason phrases; `upgrade`: the WebSocket
//!   handshake.

pub(crate) mod chunked;
mod client;
mod encode;
mod fields;
pub mod grammar;
mod meaning;
mod outgoing;
mod parse;
mod request_line;
mod server;
pub mod status;
mod status_line;
pub mod target;
mod upgrade;

pub use client::Client;
pub use encode::Defaults;
pub use outgoing::Frame;
pub use server::Server;

/// What a call of `receive_head` has come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// The head is not whole yet: call again with more bytes behind the same ones.
    Partial,
    /// The head is whole.
    Complete {
        /// Bytes of the input that are done with.
        consumed: usize,
    },
}
