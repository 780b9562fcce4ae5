//! A readiness loop: sockets, timers and wakers, without any protocol.
//!
//! A [`Reactor`] either owns its thread ([`Reactor::run`]) or lives inside another event loop: that
//! loop watches [`Reactor::fd`] and calls [`Reactor::turn`], which never waits if told so and hands
//! out a bounded number of events. Everything is edge-triggered: a source is reported once and then
//! has to be read or written until it would block (a short read counts as that).
//!
//! It is not an async runtime and has no tasks, threads or locks.
//!
//! # Layout
//!
//! - [`reactor`]: the loop itself, one poll a turn
//! - [`event`]: what a turn reports: [`Event`], [`Readiness`], [`Token`]
//! - `poll_set`: streams watched by poll(2) instead of a queue
//! - [`timer`]: one deadline a token, cheap to move
//! - [`waker`]: wakes a reactor from another thread
//! - [`address`]: [`Peer`], an Internet or a Unix address
//! - [`stream`]: a connection, TCP or Unix
//! - [`listener`]: a listening socket, TCP or Unix, bound here or inherited
//! - [`acceptor`]: a registered listener that survives descriptor exhaustion
//! - `sys`: what depends on the operating system

#![deny(unsafe_code)]

#[cfg(not(unix))]
compile_error!(
    "alula runs on Linux and macOS; Windows is not supported (use WSL, or another ASGI server)"
);

pub mod acceptor;
pub mod address;
pub mod event;
pub mod listener;
mod poll_set;
pub mod reactor;
pub mod stream;
mod sys;
pub mod timer;
pub mod waker;

pub use acceptor::{Accepted, Acceptor};
pub use address::Peer;
pub use event::{Event, Readiness, Token};
pub use listener::Listener;
pub use reactor::{Poller, Reactor, Source, Waiting};
pub use stream::Stream;
pub use sys::look;
pub use timer::Timers;
pub use waker::Waker;
