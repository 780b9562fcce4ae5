//! A load generator for HTTP servers, and what is needed to compare them.
//!
//! [`load::run`] runs one [`Plan`] and gives a [`Report`]. Every answer is checked; the engine's own
//! share of the machine is part of the report, so that a figure that is the generator's and not the
//! server's can be told.
//!
//! It speaks HTTP/1.1, over TCP and Unix sockets. It is no client library: it knows no redirects,
//! cookies or compression, and a request goes out exactly as it was asked for.
//!
//! # Layout
//!
//! - [`cli`]: the command line; [`output`]: tables, Markdown, the live view
//! - [`plan`]: what a run is to do; [`target`]: where; [`request`]: what is sent and expected
//! - [`load`]: the engine; [`limit`]: the search for the highest rate that keeps an objective
//! - [`report`]: what was measured; [`html`]: a page of it
//! - [`compare`]: several servers side by side; [`gate`]: whether one got worse
//! - [`error`]: why there is no report

#![forbid(unsafe_code)]
#![allow(
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    clippy::cast_possible_wrap,
    reason = "figures: counts and nanoseconds far below 2^53, none of them negative"
)]

pub mod cli;
pub mod compare;
pub mod error;
pub mod gate;
pub mod html;
pub mod limit;
pub mod load;
pub mod output;
pub mod plan;
pub mod report;
pub mod request;
pub mod target;

#[cfg(test)]
extern crate self as alula_bench;
#[cfg(test)]
#[path = "../tests/sample/mod.rs"]
mod sample;

pub use error::Error;
pub use plan::Plan;
pub use report::Report;
