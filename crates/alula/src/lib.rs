//! The engine without Python: routes, closures, and no async runtime.
//!
//! ```no_run
//! use alula::{App, Config, Request, json::Value};
//!
//! fn main() -> Result<(), alula::Error> {
//!     App::new()
//!         .get("/", |_: &Request| "hello")
//!         .get("/users/{id}", |request: &Request| {
//!             match request.param("id").parse::<u64>() {
//!                 Ok(id) => Ok(Value::from([("id", id)])),
//!                 Err(_) => Err((400, "an id is a number")),
//!             }
//!         })
//!         .serve(Config::default().port(8080))
//! }
//! ```
//!
//! A handler is a closure that takes a [`Request`] and returns something that [`IntoResponse`]
//! makes a response of. It runs on the thread of the reactor that has read the request, so it must
//! not wait: what takes long is [held](Request::hold) and answered by another thread. A response's
//! body may be [pulled or piped](Body), a request's body [taken piece by piece](App::streaming): in
//! fixed memory, both ways at once if need be. A handler that panics is a 500, and nothing else.
//!
//! Every limit and deadline of the engine applies: slow heads, trickling bodies, clients that don't
//! read, bodies and heads that are too large, requests that two parsers could read differently.
//!
//! It is no framework: no middleware, templates or extractors. TLS, HTTP/2 and WebSocket are left
//! to a proxy in front, for now.
//!
//! # Layout
//!
//! - [`App`]: routes, handlers and how it refuses and logs; [`Config`]: where and how to serve.
//! - [`Server`], [`Handle`]: a bound server, and what stops it.
//! - [`Request`], [`Headers`], [`QueryPairs`]: what a handler sees; [`Ticket`]: an answer for
//!   later.
//! - [`Response`], [`IntoResponse`], [`Body`], [`Piece`]: what it returns.
//! - [`Writer`], [`Incoming`], [`Reader`]: bodies in fixed memory.
//! - [`Refusal`], [`Event`], [`Error`]: what is said without a handler, to clients and to
//!   operators.
//! - [`json`]: values, parser and writer.
//! - `serving/`: between the engine and the handlers; `mailbox`: how other threads reach a reactor.
//! - `control`, `signals`: how a server ends; `reactor_thread`: which threads must not wait.

#![forbid(unsafe_code)]

mod app;
mod body;
mod config;
mod control;
mod error;
mod event;
mod head;
mod incoming;
mod mailbox;
mod pipe;
mod query;
mod reactor_thread;
mod refusal;
mod request;
mod response;
mod routes;
mod server;
mod serving;
mod signals;
mod ticket;

pub use alula_http::Version;
pub use alula_reactor::{Peer, Poller};
pub use alula_router::RouteError;
pub use alula_schema::json;
pub use alula_server::SendError;
pub use alula_server::config::ConfigError;
pub use app::App;
pub use body::{Body, Piece};
pub use config::Config;
pub use control::Handle;
pub use error::Error;
pub use event::Event;
pub use head::Headers;
pub use incoming::{Incoming, Reader};
pub use pipe::Writer;
pub use query::{BadEncoding, QueryPairs};
pub use refusal::Refusal;
pub use request::Request;
pub use response::{IntoResponse, Response};
pub use server::Server;
pub use ticket::{Gone, Ticket};
