//! One measurement of one running server.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::asked::Asked;
use super::comparison::{Round, Shares};
use super::exchange::Wrong;
use super::figure::Figure;
use super::idle;
use super::process::{Failed, Running};
use super::procfs::{busy_ticks, resident_bytes};
use super::suite::{Kind, Measure};
use crate::load::{self, Observer, Progress};
use crate::plan::{Extent, Pace, Plan};
use crate::report::{Ended, Report};

/// Ticks a second in `/proc/stat`: `USER_HZ`, which Linux has fixed at 100 (time(7)).
const TICKS: f64 = 100.0;
/// How long a server may take to write the lines of answers that it has given.
const LOG_PATIENCE: Duration = Duration::from_secs(5);
/// Of those lines so many may be missing: those of answers to requests under way at the end.
const LOG_SHARE: f64 = 0.99;
/// What a server is given to let go of memory after a load.
const SETTLE: Duration = Duration::from_secs(1);

/// What is the same for every measurement of a comparison.
#[derive(Clone, Copy, Debug)]
pub struct Conditions<'a> {
    /// Length of one measurement.
    pub seconds: Duration,
    /// Load before it that counts for nothing.
    pub warmup: Duration,
    /// The core that the server is on, if it is pinned.
    pub server_core: Option<u32>,
    /// The core that we are on, if we are pinned.
    pub load_core: Option<u32>,
    /// The user wants an end.
    pub interrupted: &'a AtomicBool,
}

/// Why a round has no figures.
#[derive(Debug)]
pub enum Failure {
    /// The user wants an end: nothing is wrong with the server.
    Interrupted,
    /// A wrong answer, an error, a timeout: the server has no speed.
    NoSpeed(String),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Interrupted => f.write_str("interrupted"),
            Self::NoSpeed(why) => f.write_str(why),
        }
    }
}

impl From<Wrong> for Failure {
    fn from(wrong: Wrong) -> Self {
        Self::NoSpeed(format!("a wrong answer: {wrong}"))
    }
}

impl From<Failed> for Failure {
    fn from(failed: Failed) -> Self {
        match failed {
            Failed::Interrupted => Self::Interrupted,
            other => Self::NoSpeed(other.to_string()),
        }
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        Self::NoSpeed(error.to_string())
    }
}

/// Measures a server once. `rate` is that of an open loop.
///
/// # Errors
///
/// If there is no honest figure.
pub fn measure(
    running: &Running,
    measure: &Measure,
    asked: &Asked<'_>,
    rate: Option<f64>,
    conditions: &Conditions<'_>,
) -> Result<Round, Failure> {
    match measure.kind {
        Kind::Start => Ok(Round {
            figures: [(Figure::Start, running.until_answer.as_secs_f64())].into(),
            ..Round::default()
        }),
        Kind::Idle => {
            let figures = idle::measure(running, asked.first, measure.connections, conditions)?;
            Ok(Round {
                figures,
                ..Round::default()
            })
        }
        Kind::Closed | Kind::Open(_) | Kind::Memory => {
            loaded(running, measure, asked, rate, conditions)
        }
    }
}

fn loaded(
    running: &Running,
    measure: &Measure,
    asked: &Asked<'_>,
    rate: Option<f64>,
    conditions: &Conditions<'_>,
) -> Result<Round, Failure> {
    asked.check(running.port)?;
    let lines = running.lines()?;
    let (report, watch) = run_load(running, measure, asked, rate, conditions)?;
    if measure.logged {
        await_lines(running, lines, report.counts.answered)?;
    }
    let mut figures = figures(&report);
    if measure.kind == Kind::Memory {
        running.wait(SETTLE)?;
        let after = resident_bytes(running.pid);
        figures.extend(after.map(|bytes| (Figure::RssAfter, float(bytes))));
    }
    asked.check(running.port)?;
    figures.retain(|figure, _| measure.kind.figures().contains(figure));
    Ok(Round {
        figures,
        saturated: report.generator.saturated,
        shares: watch.shares(&report),
        report: Some(Box::new(report)),
    })
}

/// What a server answers in a closed loop, in requests a second: what a rate can be a share of.
///
/// # Errors
///
/// If it has no speed.
pub fn capacity(
    running: &Running,
    measure: &Measure,
    asked: &Asked<'_>,
    conditions: &Conditions<'_>,
) -> Result<f64, Failure> {
    let (report, _) = run_load(running, measure, asked, None, conditions)?;
    Ok(report.requests_per_second)
}

fn run_load<'a>(
    running: &Running,
    measure: &Measure,
    asked: &Asked<'_>,
    rate: Option<f64>,
    conditions: &'a Conditions<'a>,
) -> Result<(Report, Watch<'a>), Failure> {
    let requests = asked.for_load();
    let url = format!("http://127.0.0.1:{}{}", running.port, requests[0].path);
    let no_speed = |error: crate::Error| Failure::NoSpeed(error.to_string());
    let mut plan = Plan::new(&url).map_err(no_speed)?;
    plan.requests = requests;
    plan.connections = measure.connections;
    plan.threads = measure.threads.min(measure.connections);
    plan.pace = rate.map_or(Pace::Closed, Pace::Open);
    plan.extent = Extent::Duration(conditions.seconds);
    plan.warmup = conditions.warmup;
    plan.pid = Some(running.pid);
    let mut watch = Watch::new(conditions);
    let report = load::run(&plan, &mut watch).map_err(no_speed)?;
    if conditions.interrupted.load(Ordering::Relaxed) {
        return Err(Failure::Interrupted);
    }
    if report.is_clean() && report.ended == Ended::Complete {
        return Ok((report, watch));
    }
    Err(Failure::NoSpeed(what_went_wrong(&report)))
}

fn what_went_wrong(report: &Report) -> String {
    let errors = report.errors.rows().into_iter();
    let errors: Vec<String> = errors
        .filter(|&(_, count)| count > 0)
        .map(|(kind, count)| format!("{count} {kind}"))
        .collect();
    let errors = match errors.as_slice() {
        [] => "no answer at all".to_owned(),
        errors => errors.join(", "),
    };
    match &report.mismatch {
        Some(mismatch) => format!("{errors}; first, {mismatch}"),
        None => errors,
    }
}

fn figures(report: &Report) -> BTreeMap<Figure, f64> {
    let latency = &report.latency;
    let mut figures = BTreeMap::from([
        (Figure::PerSecond, report.requests_per_second),
        (Figure::P50, latency.p50 / 1e6),
        (Figure::P90, latency.p90 / 1e6),
        (Figure::P99, latency.p99 / 1e6),
        (Figure::P999, latency.p999 / 1e6),
        (Figure::P9999, latency.p9999 / 1e6),
        (Figure::Max, latency.max / 1e6),
    ]);
    if let Some(server) = &report.server {
        if server.cpu_seconds > 0.0 {
            figures.insert(Figure::PerCpuSecond, server.requests_per_cpu_second);
        }
        figures.insert(Figure::RssIdle, float(server.rss_before));
        figures.insert(Figure::RssBusy, float(server.rss_peak));
    }
    figures
}

#[allow(clippy::cast_precision_loss)] // sizes and counts, far below 2^53
pub(super) fn float(number: u64) -> f64 {
    number as f64
}

/// With the access log on, each answer must have left its line.
fn await_lines(running: &Running, before: u64, answered: u64) -> Result<(), Failure> {
    let wanted = float(answered) * LOG_SHARE;
    let begun = Instant::now();
    loop {
        let written = running.lines()? - before;
        if float(written) >= wanted {
            return Ok(());
        }
        if begun.elapsed() > LOG_PATIENCE {
            let text = format!("{written} lines logged for {answered} answers");
            return Err(Failure::NoSpeed(text));
        }
        running.wait(Duration::from_millis(100))?;
    }
}

/// Watches the cores while a load runs, and ends it when the user wants so.
struct Watch<'a> {
    conditions: &'a Conditions<'a>,
    first: Option<Sample>,
    last: Option<Sample>,
}

/// Time that each core had been in use by then, in ticks.
#[derive(Clone, Copy)]
struct Sample {
    at: Instant,
    server_core: Option<u64>,
    load_core: Option<u64>,
}

impl<'a> Watch<'a> {
    fn new(conditions: &'a Conditions<'a>) -> Self {
        Self {
            conditions,
            first: None,
            last: None,
        }
    }

    fn shares(&self, report: &Report) -> Shares {
        let server = report
            .server
            .map(|server| server.cpu_seconds / report.seconds);
        let generator = report.generator.cpu_seconds.map(|cpu| cpu / report.seconds);
        let (Some(first), Some(last)) = (self.first, self.last) else {
            return Shares {
                server,
                generator,
                ..Shares::default()
            };
        };
        let elapsed = (last.at - first.at).as_secs_f64();
        let others = |first: Option<u64>, last: Option<u64>, ours: Option<f64>| {
            let busy = float(last?.saturating_sub(first?)) / TICKS / elapsed;
            // Of less than some tenths of a second, ticks tell nothing.
            (elapsed > 0.4).then(|| (busy - ours.unwrap_or(0.0)).max(0.0))
        };
        Shares {
            server,
            generator,
            others_on_server_core: others(first.server_core, last.server_core, server),
            others_on_load_core: others(first.load_core, last.load_core, generator),
        }
    }
}

impl Observer for Watch<'_> {
    fn progress(&mut self, progress: &Progress) -> ControlFlow<()> {
        if progress.seconds >= 0.0 {
            let sample = Sample {
                at: Instant::now(),
                server_core: self.conditions.server_core.and_then(busy_ticks),
                load_core: self.conditions.load_core.and_then(busy_ticks),
            };
            self.first.get_or_insert(sample);
            self.last = Some(sample);
        }
        if self.conditions.interrupted.load(Ordering::Relaxed) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
}
