//! What a comparison has found, as data: what `--json` writes and the gate reads.
//!
//! Requests are per second, times in seconds, memory in bytes.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::figure::Figure;
use super::suite::Role;
use super::verdict::Verdict;
use crate::report::Report;

/// What the field `format` says: what the file is, and its version.
pub const FORMAT: &str = "alula-bench comparison 1";

/// A suite that has been run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// [`FORMAT`].
    pub format: String,
    /// The suite's name.
    pub suite: String,
    /// What it is about.
    pub title: String,
    /// When it was run and where.
    pub origin: Origin,
    /// How it was run.
    pub conditions: Conditions,
    /// The server that others are shown against.
    pub baseline: Option<String>,
    /// The version of each server that tells it, and of this generator.
    pub versions: BTreeMap<String, String>,
    /// What was measured.
    pub tables: Vec<Table>,
    /// What a reader has to know besides.
    pub notes: Vec<String>,
}

/// When and where a comparison was run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// Date and time, UTC.
    pub date: String,
    /// Of the work tree that the suite file is in, marked if the tree differs from it.
    pub commit: String,
    /// Processor, cores, memory, system.
    pub machine: String,
    /// As it was typed.
    pub command: String,
}

/// How a comparison was run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Conditions {
    /// Interleaved rounds, at least.
    pub rounds: usize,
    /// Length of one measurement.
    pub seconds: f64,
    /// Load before each that counts for nothing.
    pub warmup_seconds: f64,
    /// Where the servers ran; `None`: anywhere.
    pub server_core: Option<u32>,
    /// Where the load came from; `None`: anywhere.
    pub load_core: Option<u32>,
}

/// One measurement of all servers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Table {
    /// The measurement's name.
    pub name: String,
    /// What stands above it.
    pub title: String,
    /// What was done: `closed`, `open`, `memory`, `idle` or `start`.
    pub kind: String,
    /// What was asked, such as `GET /users/42`.
    pub request: String,
    /// Connections under load, or idle.
    pub connections: usize,
    /// Threads of the generator.
    pub threads: usize,
    /// Offered requests a second, in an open loop.
    pub rate: Option<f64>,
    /// The figures that are shown; the first one orders the rows.
    pub figures: Vec<Figure>,
    /// Who took part.
    pub rows: Vec<Row>,
    /// How the subjects stand to the targets.
    pub verdicts: Vec<Verdict>,
    /// What a reader has to know besides.
    pub notes: Vec<String>,
}

/// One server in a table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// Its name.
    pub server: String,
    /// What it is in the comparison.
    pub role: Role,
    /// What each round gave.
    pub rounds: Vec<Round>,
    /// Why it has no figures: something went wrong.
    pub failure: Option<String>,
    /// Why it has no figures: it was left out on purpose.
    pub left_out: Option<String>,
}

/// One server in one round.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Round {
    /// The figures by name.
    pub figures: BTreeMap<Figure, f64>,
    /// The generator had no time left: requests per second are its own, not the server's.
    pub saturated: bool,
    /// Of the time measured: what the server, the generator and others used of the cores.
    pub shares: Shares,
    /// The generator's whole report; not written, only shown.
    #[serde(skip)]
    pub report: Option<Box<Report>>,
}

/// Shares of the two cores; `None` where it is not known or means nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Shares {
    /// What the server used of one core.
    pub server: Option<f64>,
    /// What the generator used of one core.
    pub generator: Option<f64>,
    /// What others used of the server's core.
    pub others_on_server_core: Option<f64>,
    /// What others used of the load's core.
    pub others_on_load_core: Option<f64>,
}

impl Table {
    /// The row of that server.
    pub fn row(&self, server: &str) -> Option<&Row> {
        self.rows.iter().find(|row| row.server == server)
    }
}

impl Row {
    /// One figure, round by round; nothing if a round of it failed, as such a server has no speed.
    pub fn values(&self, figure: Figure) -> Vec<f64> {
        if self.failure.is_some() {
            return Vec::new();
        }
        let figures = self.rounds.iter().map(|round| &round.figures);
        figures
            .filter_map(|figures| figures.get(&figure).copied())
            .collect()
    }

    /// Whether the generator, not this server, was the limit in most rounds.
    pub fn is_saturated(&self) -> bool {
        let saturated = self.rounds.iter().filter(|round| round.saturated).count();
        saturated * 2 > self.rounds.len()
    }
}
