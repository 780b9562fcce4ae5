//! Accepts connections and drives them: limits, deadlines, fairness, backpressure. What answers a
//! request is a [`Handler`]; no Python, no HTTP grammar and no system call is in here.
//!
//! # Layout
//!
//! - [`Worker`]: the public face; one a thread. `turn()` from another loop, `run()` on its own.
//! - [`Handler`], [`ConnectionInfo`]: what the worker calls.
//! - [`ExchangeId`], [`Receive`], [`Flow`], [`Sent`], [`SendError`], [`Finish`]: the words between.
//! - [`Settings`]: limits and deadlines; [`config`]: the one list of options they are read from.
//! - `drive/`: the engine behind the worker: steps a connection, reads, writes, times, closes.
//! - `connection`, `buffer`, `date`: state of one connection; pooled bytes; the date header.
//! - [`guards`]: what stands in front of every route.

#![forbid(unsafe_code)]

mod buffer;
mod busy;
pub mod config;
mod connection;
mod date;
mod drive;
mod error;
mod exchange;
pub mod guards;
mod handler;
mod settings;
mod worker;

pub use exchange::{ExchangeId, Finish, Flow, Receive, SendError, Sent};
pub use handler::{ConnectionInfo, Handler};
pub use settings::Settings;
pub use worker::{Turn, Worker};
