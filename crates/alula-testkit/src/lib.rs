//! Scripted peers and byte splitters for Alula's tests. The standard library only.
//!
//! It knows just enough HTTP to read a response strictly; it shares no code with what it tests.
//!
//! # Layout
//!
//! - [`split`]: the same bytes whole, split at every byte, a byte at a time
//! - [`mod@pattern`]: bodies in which a repeated, lost or swapped piece shows
//! - [`peer`]: a blocking client with a deadline on every read
//! - [`response`]: a strict reader of HTTP/1.1 responses
//! - [`scratch`]: a folder that is removed when the test ends

#![forbid(unsafe_code)]

pub mod pattern;
pub mod peer;
pub mod response;
pub mod scratch;
pub mod split;

pub use pattern::{first_difference, pattern};
pub use peer::Peer;
pub use response::{BodyFraming, Malformed, Response, read_response};
pub use scratch::Scratch;
pub use split::{Split, pieces};
