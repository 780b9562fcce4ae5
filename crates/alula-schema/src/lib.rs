//! JSON, strictly and exactly: the codec behind validated routes.
//!
//! It knows no HTTP, no Python and no schema of its own yet: bytes to [`json::Value`] and back.
//!
//! # Layout
//!
//! - [`json`]: the parser, the writer, and the values between them.

#![forbid(unsafe_code)]

pub mod json;
