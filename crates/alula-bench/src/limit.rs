//! The search for the highest rate that keeps an objective.

pub mod slo;

use std::ops::ControlFlow;

pub use slo::Slo;

use crate::error::Error;
use crate::load::{self, Observer};
use crate::output::number::rate as shown_rate;
use crate::plan::{MAX_RATE, Pace, Plan};
use crate::report::{Ended, Errors, Limit, Report, Step};

/// The first rate tried, where the plan has none, in requests a second.
const FIRST_RATE: f64 = 1000.0;

/// Rates below this are not tried.
const LEAST_RATE: f64 = 1.0;

/// The search ends when the lowest rate that missed is so near to the highest that kept.
const NEAR: f64 = 1.02;

/// A server answers at least this share of what is offered, or it does not keep up, whatever the
/// latencies of a short run say.
const KEEPS_UP: f64 = 0.98;

/// Told of each step, and asked whether to go on.
pub trait Watch: Observer {
    /// A rate has been tried.
    fn step(&mut self, step: &Step) -> ControlFlow<()>;
}

impl Watch for () {
    fn step(&mut self, _step: &Step) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// Searches: doubles the rate from that of the plan (or 1,000/s) until the objective is missed, or
/// halves it until it is kept, then halves the distance between the two until they are within 2 %.
/// A rate that misses is tried once more before that is believed. Each try lasts as long as the plan
/// says.
///
/// The report is that of the highest rate that kept the objective, or of the lowest tried if none
/// did; its [`Limit`] tells of every step.
///
/// # Errors
///
/// As [`load::run`].
pub fn find(plan: &Plan, slo: &Slo, watch: &mut dyn Watch) -> Result<Report, Error> {
    let first = match plan.pace {
        Pace::Open(rate) => rate,
        Pace::Closed => FIRST_RATE,
    };
    let mut search = Search::new(first);
    let mut limit = Limit {
        slo: slo.to_string(),
        ..Limit::default()
    };
    let mut best: Option<Report> = None;
    let mut interrupted = false;
    while let Some(rate) = search.next()
        && !interrupted
    {
        let mut plan = plan.clone();
        plan.pace = Pace::Open(rate);
        let report = load::run(&plan, as_observer(watch))?;
        interrupted = report.ended == Ended::Interrupted;
        if interrupted {
            best.get_or_insert(report);
            break;
        }
        let step = step(rate, slo, &report);
        let kept = step.missed.is_none();
        interrupted = watch.step(&step).is_break();
        limit.steps.push(step);
        // A rate that kept follows a lower one that did; one that missed is shown only when there
        // is no better one.
        if kept {
            limit.rate = rate;
        }
        if kept || limit.rate == 0.0 {
            best = Some(report);
        }
        search.told(kept);
    }
    let mut report = best.ok_or_else(|| Error::Plan("no rate was tried".into()))?;
    if interrupted {
        report.ended = Ended::Interrupted;
    }
    report.limit = Some(limit);
    Ok(report)
}

/// The part of a watch that a run needs.
fn as_observer<'a>(watch: &'a mut dyn Watch) -> &'a mut (dyn Observer + 'a) {
    watch
}

fn step(rate: f64, slo: &Slo, report: &Report) -> Step {
    Step {
        rate,
        answered_per_second: report.requests_per_second,
        latency: report.latency,
        errors: report.errors,
        missed: missed(rate, slo, report).map(|why| {
            if report.generator.saturated {
                format!("{why}; the generator had no time left")
            } else {
                why
            }
        }),
    }
}

/// Why a run did not keep the objective.
fn missed(rate: f64, slo: &Slo, report: &Report) -> Option<String> {
    if report.errors.total() > 0 {
        return Some(errors(&report.errors));
    }
    if let Some(why) = slo.missed(&report.latency) {
        return Some(why);
    }
    let answered = report.requests_per_second;
    // So short a run has too few requests for a share of them to mean something.
    let slack = 2.0 / report.seconds.max(0.001);
    (answered + slack < rate * KEEPS_UP)
        .then(|| format!("only {} requests/s were answered", shown_rate(answered)))
}

fn errors(errors: &Errors) -> String {
    let rows = errors.rows();
    let kinds = rows.iter().filter(|(_, count)| *count > 0);
    let kinds: Vec<String> = kinds
        .map(|(name, count)| format!("{count} {name}"))
        .collect();
    format!("errors: {}", kinds.join(", "))
}

/// Which rate to try next.
#[derive(Debug)]
struct Search {
    /// The rate that is being tried; `None` when the search is over.
    rate: Option<f64>,
    /// It has missed once.
    again: bool,
    highest_kept: Option<f64>,
    lowest_missed: Option<f64>,
}

impl Search {
    fn new(first: f64) -> Self {
        Self {
            rate: Some(first.clamp(LEAST_RATE, MAX_RATE)),
            again: false,
            highest_kept: None,
            lowest_missed: None,
        }
    }

    fn next(&self) -> Option<f64> {
        self.rate
    }

    fn told(&mut self, kept: bool) {
        let Some(rate) = self.rate else {
            return;
        };
        if !kept && !self.again {
            self.again = true;
            return;
        }
        self.again = false;
        if kept {
            self.highest_kept = Some(rate);
        } else {
            self.lowest_missed = Some(rate);
        }
        self.rate = match (self.highest_kept, self.lowest_missed) {
            (Some(kept), None) if kept < MAX_RATE => Some((kept * 2.0).min(MAX_RATE)),
            (None, Some(missed)) if missed > LEAST_RATE => Some((missed / 2.0).max(LEAST_RATE)),
            (Some(kept), Some(missed)) if missed / kept > NEAR => Some(f64::midpoint(kept, missed)),
            _ => None,
        };
    }
}

#[cfg(test)]
mod tests;
