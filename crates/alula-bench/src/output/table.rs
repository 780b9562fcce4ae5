//! The table at the end of a run.

use std::fmt::Write;

use super::number::{bytes, count, percent, rate, time};
use crate::report::{Ended, Errors, Report};

/// A report as a table for a terminal, warnings below it.
pub fn table(report: &Report) -> String {
    let rows = rows(report);
    let width = rows.iter().map(|(name, _)| name.chars().count()).max();
    let width = width.unwrap_or(0);
    let mut text = format!("{}\n{}\n", report.name, how(report));
    for (name, value) in rows {
        let _ = writeln!(text, "  {name:<width$}  {value}");
    }
    if let Some(limit) = &report.limit {
        let _ = writeln!(text, "\nrates tried for {}", limit.slo);
        for step in &limit.steps {
            let verdict = match &step.missed {
                None => "kept".to_owned(),
                Some(why) => format!("missed: {why}"),
            };
            let offered = rate(step.rate);
            let p99 = time(step.latency.p99);
            let _ = writeln!(text, "  {offered:>12}/s  p99 {p99:>9}  {verdict}");
        }
    }
    for warning in warnings(report) {
        let _ = write!(text, "\nwarning: {warning}\n");
    }
    if let Some(mismatch) = &report.mismatch {
        let _ = write!(text, "\nfirst wrong answer: {mismatch}\n");
        for line in mismatch.answer.lines() {
            let _ = writeln!(text, "  | {line}");
        }
    }
    text
}

/// What was asked for, in a line.
pub(super) fn how(report: &Report) -> String {
    let settings = &report.settings;
    let mut text = match settings.rate {
        None => "closed loop".to_owned(),
        Some(offered) => format!("open loop, {} requests/s offered", rate(offered)),
    };
    let _ = write!(
        text,
        ", {} connections, {} thread{}",
        count(settings.connections as f64),
        settings.threads,
        if settings.threads == 1 { "" } else { "s" }
    );
    if settings.pipeline > 1 {
        let _ = write!(text, ", {} pipelined", settings.pipeline);
    }
    if !settings.keep_alive {
        text.push_str(", a connection a request");
    }
    text
}

/// Names and values, in the order in which they are shown.
pub(super) fn rows(report: &Report) -> Vec<(String, String)> {
    let mut rows = Vec::new();
    let mut row = |name: &str, value: String| rows.push((name.to_owned(), value));
    let counts = &report.counts;
    row("requests/s", rate(report.requests_per_second));
    row(
        "requests",
        format!(
            "{} in {:.2} s",
            count(counts.answered as f64),
            report.seconds
        ),
    );
    row("received/s", bytes(report.bytes_per_second));
    for (name, value) in report.latency.rows() {
        row(name, time(value));
    }
    row("errors", errors(&report.errors));
    if counts.unsent > 0 {
        row("due, not sent", count(counts.unsent as f64));
    }
    let generator = &report.generator;
    if let Some(share) = generator.cpu_share {
        let mut text = format!("{} of a core", percent(share));
        if report.settings.rate.is_some() {
            let _ = write!(text, ", sends late by {} (p99)", time(generator.lag_p99_us));
        }
        row("generator", text);
    }
    if let Some(server) = &report.server {
        let cpu = format!(
            "{:.2} s, {} requests per CPU second",
            server.cpu_seconds,
            rate(server.requests_per_cpu_second)
        );
        row("server CPU", cpu);
        let memory = format!(
            "{}, before {}, at most {}",
            bytes(server.rss_after as f64),
            bytes(server.rss_before as f64),
            bytes(server.rss_peak as f64)
        );
        row("server memory", memory);
    }
    if let Some(limit) = &report.limit {
        let text = format!("{} requests/s keep {}", rate(limit.rate), limit.slo);
        row("limit", text);
    }
    rows
}

/// All kinds of error that there were.
fn errors(errors: &Errors) -> String {
    let kinds: Vec<String> = errors
        .rows()
        .iter()
        .filter(|(_, number)| *number > 0)
        .map(|(name, number)| format!("{} {name}", count(*number as f64)))
        .collect();
    if kinds.is_empty() {
        "none".to_owned()
    } else {
        kinds.join(", ")
    }
}

/// What should make a reader doubt the figures.
pub(super) fn warnings(report: &Report) -> Vec<String> {
    let mut warnings = Vec::new();
    match report.ended {
        Ended::Complete => {}
        Ended::Interrupted => warnings.push("the run was ended early".to_owned()),
        Ended::NoAnswers => {
            warnings.push("the run was given up: no answer came any more".to_owned());
        }
    }
    if report.generator.saturated {
        warnings.push(
            "the generator had no time left: these figures are its own, not the server's \
             (give it more --threads, or cores of its own)"
                .to_owned(),
        );
    }
    if report.counts.unsent > 0 {
        let offered = report.settings.rate.map(rate).unwrap_or_default();
        warnings.push(format!(
            "the server did not keep up with {offered} requests/s: {} were due and never sent; they \
             count with the time they had waited",
            count(report.counts.unsent as f64)
        ));
    }
    if report.errors.total() > 0 {
        warnings.push("a run with errors has no speed".to_owned());
    }
    warnings
}

#[cfg(test)]
mod tests;
