//! What is compared: the contents of a suite file.
//!
//! `docs/bench.md` describes the file for those who write one. Everything here has been checked:
//! names that are referred to exist, bounds are kept, texts with placeholders have known ones.

mod error;
mod keys;
mod measures;
mod requests;
mod servers;
mod whole;

pub use error::SuiteError;
pub use whole::read;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::figure::Figure;

/// A suite file.
#[derive(Clone, Debug, PartialEq)]
pub struct Suite {
    /// The file's name without its ending.
    pub name: String,
    /// What it is about, in a line.
    pub title: String,
    /// The folder that commands run in and that relative paths are below.
    pub root: PathBuf,
    /// How often each server is measured; at least one.
    pub rounds: usize,
    /// Length of one measurement.
    pub seconds: Duration,
    /// Load before each measurement that counts for nothing.
    pub warmup: Duration,
    /// The server that others are shown against, if any.
    pub baseline: Option<String>,
    /// The core that servers run on; anywhere if `None`.
    pub server_core: Option<u32>,
    /// The core that the load comes from; anywhere if `None`.
    pub load_core: Option<u32>,
    /// What else is part of what is measured, and the command that tells its version.
    pub versions: BTreeMap<String, Vec<String>>,
    /// Commands that run once before everything.
    pub prepare: Vec<Vec<String>>,
    /// Placeholders with the same value for all: name and value.
    pub set: BTreeMap<String, String>,
    /// Who takes part.
    pub servers: Vec<Server>,
    /// What is asked.
    pub requests: Vec<Request>,
    /// What is measured.
    pub measures: Vec<Measure>,
}

impl Suite {
    /// The server of that name.
    pub fn server(&self, name: &str) -> Option<&Server> {
        self.servers.iter().find(|server| server.name == name)
    }

    /// The request of that name.
    pub fn request(&self, name: &str) -> Option<&Request> {
        self.requests.iter().find(|request| request.name == name)
    }
}

/// What a server is in the comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Held against the targets.
    Subject,
    /// What the subject is compared with.
    Peer,
    /// No server but a bound: a constant answer. Never the best peer.
    Ceiling,
}

/// A server: how it is built, told its version, and started.
#[derive(Clone, Debug, PartialEq)]
pub struct Server {
    /// Its name in tables.
    pub name: String,
    /// What it is in the comparison.
    pub role: Role,
    /// Program and arguments, with placeholders; `{with}` alone becomes the list of that name.
    pub command: Vec<String>,
    /// Where it runs.
    pub directory: PathBuf,
    /// Added to the environment.
    pub environment: BTreeMap<String, String>,
    /// Placeholders with another value for this server: name and value.
    pub set: BTreeMap<String, String>,
    /// Runs once before everything.
    pub build: Option<Vec<String>>,
    /// Prints the version, which is the first word that begins with a digit.
    pub version: Option<Vec<String>>,
    /// How long it may take until it gives the right answer.
    pub ready: Duration,
    /// Arguments for measures that ask for them by name; `None`: it can't do that, and has no part.
    pub with: BTreeMap<String, Option<Vec<String>>>,
    /// Why it is left out, if it is.
    pub skip: Option<String>,
}

/// One request and its only right answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// Its name in the suite.
    pub name: String,
    /// `GET`, `POST`, ….
    pub method: String,
    /// Path and query.
    pub path: String,
    /// Headers besides Host and Content-Length.
    pub headers: Vec<(String, String)>,
    /// What is sent as body, if one is.
    pub body: Option<Content>,
    /// The right status.
    pub status: u16,
    /// The right body.
    pub expected: Expected,
    /// Placeholders that hold for this request: name and value.
    pub set: BTreeMap<String, String>,
}

/// What the body of an answer has to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expected {
    /// This, to the byte.
    Body(Content),
    /// A JSON document with these values: a pointer (RFC 6901) and what stands there.
    Json(Vec<(String, serde_json::Value)>),
}

/// The bytes of a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// As they stand in the suite file.
    Text(String),
    /// Those of a file, which `prepare` may have made.
    File(PathBuf),
}

/// A measurement: one table of the report.
#[derive(Clone, Debug, PartialEq)]
pub struct Measure {
    /// Its name, for `--only` and for the gate.
    pub name: String,
    /// What stands above its table.
    pub title: String,
    /// What is done.
    pub kind: Kind,
    /// The name of the request that is asked; with a mix the one that shows that a server is ready.
    pub request: String,
    /// Names and weights of the requests that are asked in its place; none if empty.
    pub mix: Vec<(String, u32)>,
    /// Connections under load; of the kind `idle`, those that idle.
    pub connections: usize,
    /// Threads of the generator.
    pub threads: usize,
    /// Only measured when it is asked for.
    pub extra: bool,
    /// At least so many rounds.
    pub rounds: Option<usize>,
    /// The name of the arguments that servers get for it.
    pub with: String,
    /// Each answer must have left a line in the server's output.
    pub logged: bool,
    /// The servers that have a part in it; all if empty.
    pub servers: Vec<String>,
    /// The figures that are shown; the first one orders the table.
    pub figures: Vec<Figure>,
    /// What is aimed at.
    pub targets: Vec<Target>,
}

/// What is done to a running server.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// Each connection sends, waits for the answer, sends again.
    Closed,
    /// A fixed rate; latency counts from when a request was due.
    Open(Rate),
    /// Memory before, under and after load.
    Memory,
    /// Connections that have had an answer and then idle.
    Idle,
    /// Nothing but the start.
    Start,
}

impl Kind {
    /// Its name in suite files and reports.
    pub fn name(&self) -> &'static str {
        match self {
            Kind::Closed => "closed",
            Kind::Open(_) => "open",
            Kind::Memory => "memory",
            Kind::Idle => "idle",
            Kind::Start => "start",
        }
    }

    /// The figures that it gives.
    pub fn figures(&self) -> &'static [Figure] {
        use Figure as F;
        match self {
            Kind::Closed => &[
                F::PerCpuSecond,
                F::PerSecond,
                F::P50,
                F::P90,
                F::P99,
                F::P999,
                F::P9999,
                F::Max,
                F::RssBusy,
            ],
            Kind::Open(_) => &[
                F::P50,
                F::P90,
                F::P99,
                F::P999,
                F::P9999,
                F::Max,
                F::PerCpuSecond,
                F::PerSecond,
                F::RssBusy,
            ],
            Kind::Memory => &[F::RssIdle, F::RssBusy, F::RssAfter],
            Kind::Idle => &[F::RssPerConnection, F::FirstAnswerRatio, F::FirstAnswer],
            Kind::Start => &[F::Start],
        }
    }
}

/// The offered rate of an open loop.
#[derive(Clone, Debug, PartialEq)]
pub enum Rate {
    /// So many requests a second.
    Fixed(f64),
    /// A share of what a server answers in a closed loop, here and now.
    Share {
        /// Of its rate, between 0 and 1.
        share: f64,
        /// Whose.
        of: String,
    },
}

/// A bound on a subject's figure, or on its ratio to another's.
#[derive(Clone, Debug, PartialEq)]
pub struct Target {
    /// Which figure.
    pub figure: Figure,
    /// Whose figure divides it.
    pub against: Against,
    /// At least so much if more is better, else at most.
    pub bound: f64,
}

/// What a target compares with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Against {
    /// Nothing: the bound is on the figure itself, in requests, seconds or bytes.
    Nothing,
    /// The peer with the best median.
    BestPeer,
    /// A server by name.
    Server(String),
}

#[cfg(test)]
mod tests;
