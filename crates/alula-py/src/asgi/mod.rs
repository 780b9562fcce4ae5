//! The ASGI side: requests in, an application called, its messages out.
//!
//! # Layout
//!
//! - [`handler`]: what the engine calls.
//! - [`scope`], [`headers`]: the dictionary that an application is given.
//! - [`exchange`]: one request and its answer, as `receive` and `send` share it.
//! - [`receive`], [`send`]: what awaiting them does; [`messages`]: the dictionaries they exchange.
//! - [`conclude`]: what is left to do when an application is through.
//! - [`waiting`]: exchanges that wait for the engine.

pub(crate) mod conclude;
pub(crate) mod exchange;
pub(crate) mod handler;
pub(crate) mod headers;
pub(crate) mod messages;
pub(crate) mod receive;
pub(crate) mod scope;
pub(crate) mod send;
pub(crate) mod waiting;
