//! What a run has measured, as data: what `--json` writes, and what the other outputs show.
//!
//! Times are in microseconds and counts are of the measured interval (behind the warm-up) unless
//! said otherwise; errors and mismatches count from the very start, since a wrong answer in the
//! warm-up is as wrong.

use std::fmt;

use serde::{Deserialize, Serialize};

/// One run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// What the run is called; the URL, if nobody gave it a name.
    pub name: String,
    /// Where the requests went.
    pub url: String,
    /// Version of this generator.
    pub version: String,
    /// When the run began, in seconds since 1970.
    pub started: f64,
    /// What was asked for.
    pub settings: Settings,
    /// Length of the measured interval, in seconds.
    pub seconds: f64,
    /// How the run came to its end.
    pub ended: Ended,
    /// How many of what.
    pub counts: Counts,
    /// Right answers that came in the measured interval, per second of it.
    pub requests_per_second: f64,
    /// Bytes received in the measured interval, heads included, per second of it.
    pub bytes_per_second: f64,
    /// Of the requests that began (open loop: were due) in the measured interval.
    pub latency: Latency,
    /// The same, in buckets; those that nothing fell into are left out.
    pub histogram: Vec<Bucket>,
    /// The run second by second; only whole seconds, or the one piece of a shorter run.
    pub series: Vec<Second>,
    /// What went wrong, by kind.
    pub errors: Errors,
    /// The first answer that was not as expected.
    pub mismatch: Option<Mismatch>,
    /// The generator itself.
    pub generator: Generator,
    /// The server's processes, if they were watched.
    pub server: Option<Server>,
    /// How the rate was searched for, if it was.
    pub limit: Option<Limit>,
}

impl Report {
    /// Whether every answer was right, no connection failed, and there was an answer at all.
    pub fn is_clean(&self) -> bool {
        self.errors.total() == 0 && self.counts.answered > 0 && self.ended != Ended::NoAnswers
    }
}

/// What was asked for.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// Open connections, over all threads.
    pub connections: usize,
    /// Threads, each with connections of its own.
    pub threads: usize,
    /// Requests a second that fell due; `None` in a closed loop.
    pub rate: Option<f64>,
    /// Seconds that were to be measured; `None` if requests were counted instead.
    pub duration: Option<f64>,
    /// Requests that were to be measured.
    pub requests: Option<u64>,
    /// Seconds before the measured interval.
    pub warmup: f64,
    /// Requests under way on one connection at once.
    pub pipeline: usize,
    /// Whether a connection serves more than one request.
    pub keep_alive: bool,
    /// Seconds after which an answer is given up.
    pub timeout: f64,
    /// The kinds of request, such as `GET /users/42`, with their weights.
    pub requests_mix: Vec<(String, u32)>,
}

/// How a run came to its end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ended {
    /// As planned.
    #[default]
    Complete,
    /// Early, because the user or the caller wanted so.
    Interrupted,
    /// Early, because no answer came for so long that none was to be expected.
    NoAnswers,
}

/// How many of what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Right answers that came in the measured interval; where requests are counted, those to the
    /// requests that began in it.
    pub answered: u64,
    /// Latencies in the histogram: requests that began in the measured interval and were answered,
    /// and those of `unsent`.
    pub measured: u64,
    /// Open loop: requests that were due and waited for a free connection when the run ended. The
    /// histogram holds them with the time they had waited by then, less than they would have taken.
    pub unsent: u64,
    /// Bytes received in the measured interval, heads included.
    pub bytes_received: u64,
    /// Bytes sent in the measured interval, heads included.
    pub bytes_sent: u64,
    /// Connections made, from the start.
    pub connections: u64,
}

/// Percentiles, maximum and mean, in microseconds; all 0 without any measurement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Latency {
    /// Half of the requests took no longer.
    pub p50: f64,
    /// 90 of 100 took no longer.
    pub p90: f64,
    /// 99 of 100 took no longer.
    pub p99: f64,
    /// 999 of 1,000 took no longer.
    #[serde(rename = "p99.9")]
    pub p999: f64,
    /// 9,999 of 10,000 took no longer.
    #[serde(rename = "p99.99")]
    pub p9999: f64,
    /// The longest.
    pub max: f64,
    /// The sum by the count.
    pub mean: f64,
}

impl Latency {
    /// The names and values, in the order in which they are shown.
    pub fn rows(&self) -> [(&'static str, f64); 7] {
        [
            ("p50", self.p50),
            ("p90", self.p90),
            ("p99", self.p99),
            ("p99.9", self.p999),
            ("p99.99", self.p9999),
            ("max", self.max),
            ("mean", self.mean),
        ]
    }
}

/// One bucket of a histogram: so many values above the bucket before and up to `upper_us`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Bucket {
    /// The largest value that falls into it, in microseconds.
    pub upper_us: f64,
    /// How many did.
    pub count: u64,
}

/// One second of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Second {
    /// Where it begins, in seconds from the start of the measured interval.
    pub second: f64,
    /// Its length in seconds: 1, or less if the run was shorter.
    pub length: f64,
    /// Right answers that came in it.
    pub requests: u64,
    /// Of those answers, in microseconds.
    pub p50_us: f64,
    /// Of those answers, in microseconds.
    pub p99_us: f64,
    /// The longest of them, in microseconds.
    pub max_us: f64,
    /// Errors in it, of every kind.
    pub errors: u64,
}

/// What went wrong, by kind. A request counts once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Errors {
    /// A connection could not be made.
    pub connect: u64,
    /// A connection was reset, or failed in another way.
    pub reset: u64,
    /// No whole answer within the timeout.
    pub timeout: u64,
    /// The server closed before the answer was whole.
    pub closed_early: u64,
    /// The answer was not HTTP/1.1, or bytes came that answer nothing.
    pub malformed: u64,
    /// The answer was another one than expected.
    pub mismatch: u64,
}

impl Errors {
    /// All of them.
    pub fn total(&self) -> u64 {
        self.rows().iter().map(|(_, count)| count).sum()
    }

    /// The names and counts, in the order in which they are shown.
    pub fn rows(&self) -> [(&'static str, u64); 6] {
        [
            ("connect", self.connect),
            ("reset", self.reset),
            ("timeout", self.timeout),
            ("closed early", self.closed_early),
            ("malformed", self.malformed),
            ("mismatch", self.mismatch),
        ]
    }

    /// Adds those of another thread or time.
    pub fn add(&mut self, other: &Self) {
        self.connect += other.connect;
        self.reset += other.reset;
        self.timeout += other.timeout;
        self.closed_early += other.closed_early;
        self.malformed += other.malformed;
        self.mismatch += other.mismatch;
    }
}

/// An answer that was not as expected.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mismatch {
    /// The request, such as `GET /users/42`.
    pub request: String,
    /// What was wrong, such as `status 503, expected 200`.
    pub what: String,
    /// The first bytes of the answer, as far as they were at hand.
    pub answer: String,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.request, self.what)
    }
}

/// The generator itself, in the measured interval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Generator {
    /// Seconds of CPU that its threads used, without those spent waiting for what was not yet due;
    /// `None` where the system does not tell.
    pub cpu_seconds: Option<f64>,
    /// The busiest thread's share of a core: CPU, and waiting for a core that others had.
    pub cpu_share: Option<f64>,
    /// The busiest thread had no time left: the figures are the generator's, not the server's.
    pub saturated: bool,
    /// Open loop: how late requests were sent that were due and had a free connection, in
    /// microseconds; the 99th percentile.
    pub lag_p99_us: f64,
}

/// The server's processes: the one named and all below it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Server {
    /// The one named.
    pub pid: u32,
    /// How many there were at the end.
    pub processes: usize,
    /// Seconds of CPU in the measured interval.
    pub cpu_seconds: f64,
    /// Right answers for each of them.
    pub requests_per_cpu_second: f64,
    /// Resident memory before the first request, in bytes; pages that processes share count for
    /// each.
    pub rss_before: u64,
    /// The most that was seen during the run, in bytes.
    pub rss_peak: u64,
    /// At the end of the run, in bytes.
    pub rss_after: u64,
}

/// How the highest rate that keeps an objective was searched for.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Limit {
    /// The objective, such as `p99<10ms`.
    pub slo: String,
    /// The highest rate that kept it, in requests a second; 0 if none did.
    pub rate: f64,
    /// What was tried, in that order.
    pub steps: Vec<Step>,
}

/// One rate that was tried.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// Requests a second that fell due.
    pub rate: f64,
    /// Right answers a second that came.
    pub answered_per_second: f64,
    /// As in a report.
    pub latency: Latency,
    /// As in a report.
    pub errors: Errors,
    /// Why the objective was missed; `None` if it was kept.
    pub missed: Option<String>,
}
