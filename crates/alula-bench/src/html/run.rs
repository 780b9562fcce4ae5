//! The page of single runs.

use std::fmt::Write as _;

use super::document;
use super::lines::{Axis, Line, plot};
use super::markup::{escape, keys, list, table};
use super::scale::Scale;
use crate::compare::figure::Figure;
use crate::report::Report;

/// One page for one or more runs, with their latencies and their throughput over time in the same
/// plots.
pub fn page(reports: &[Report]) -> String {
    let title = match reports {
        [only] => only.name.clone(),
        several => format!("{} runs", several.len()),
    };
    let mut body = figures(reports);
    body.push_str(&list(&problems(reports)));
    let runs: Vec<Run<'_>> = reports.iter().enumerate().map(Run::numbered).collect();
    let names: Vec<(usize, &str)> = runs.iter().map(|run| (run.colour, run.name)).collect();
    body.push_str(&keys(&names));
    body.push_str(&plots(&runs));
    body.push_str(&list(&conditions(reports)));
    document(&title, &body)
}

/// A run in a plot with others.
pub(super) struct Run<'a> {
    pub(super) name: &'a str,
    pub(super) colour: usize,
    pub(super) report: &'a Report,
}

impl<'a> Run<'a> {
    fn numbered((colour, report): (usize, &'a Report)) -> Self {
        Self {
            name: &report.name,
            colour,
            report,
        }
    }
}

/// The two plots of some runs: latency by percentile, throughput over time.
pub(super) fn plots(runs: &[Run<'_>]) -> String {
    let mut html = String::new();
    // Writing to a string cannot fail.
    let _ = write!(html, "<h3>Latency by percentile</h3>\n{}", latency(runs));
    let _ = write!(html, "<h3>Throughput over time</h3>\n{}", throughput(runs));
    html
}

fn latency(runs: &[Run<'_>]) -> String {
    let lines: Vec<Line> = runs
        .iter()
        .map(|run| Line {
            name: run.name.to_owned(),
            colour: run.colour,
            points: percentiles(run.report),
        })
        .collect();
    let points = || lines.iter().flat_map(|line| &line.points);
    if points().next().is_none() {
        return "<p class=\"note\">Nothing was measured.</p>\n".to_owned();
    }
    let lowest = points().map(|point| point.1).fold(f64::INFINITY, f64::min);
    let highest = points().map(|point| point.1).fold(0.0, f64::max);
    let far = points().map(|point| point.0).fold(1.0, f64::max);
    let scale = Scale::around(lowest, highest);
    let marks = scale.marks().into_iter();
    let y = Axis {
        title: "latency".to_owned(),
        scale,
        marks: marks.map(|mark| (mark, Figure::P50.show(mark))).collect(),
    };
    let x = Axis {
        title: "of 100 requests, so many took no longer".to_owned(),
        scale: Scale::Linear { from: 0.0, to: far },
        marks: nines(far),
    };
    plot("Latency by percentile", &x, &y, &lines)
}

/// How many powers of ten a share is from the whole, and the latency there in seconds. Half of the
/// requests are at 0.3, 99 of 100 at 2.
fn percentiles(report: &Report) -> Vec<(f64, f64)> {
    let total: u64 = report.histogram.iter().map(|bucket| bucket.count).sum();
    let mut seen = 0;
    let mut points = Vec::new();
    for bucket in &report.histogram {
        // Where the bucket begins, so that the last one, at the whole, has a place too.
        let rest = total - seen;
        seen += bucket.count;
        if bucket.count > 0 {
            let highest = bucket.upper_us.min(report.latency.max);
            let latency = if highest > 0.0 {
                highest
            } else {
                bucket.upper_us
            };
            points.push(((float(total) / float(rest)).log10(), latency / 1e6));
            // Behind the last bucket is nothing: its line ends at the slowest request.
            let behind = float((rest - bucket.count).max(1));
            points.push(((float(total) / behind).log10(), latency / 1e6));
        }
    }
    points
}

#[allow(clippy::cast_precision_loss)] // counts of requests, far below 2^53
fn float(number: u64) -> f64 {
    number as f64
}

fn nines(far: f64) -> Vec<(f64, String)> {
    let mut marks = vec![(0.0, "0".to_owned()), (2f64.log10(), "50".to_owned())];
    let all = [
        "90",
        "99",
        "99.9",
        "99.99",
        "99.999",
        "99.9999",
        "99.99999",
        "99.999999",
    ];
    let mut at = 1.0;
    for text in all {
        if at <= far {
            marks.push((at, text.to_owned()));
        }
        at += 1.0;
    }
    marks
}

fn throughput(runs: &[Run<'_>]) -> String {
    let line = |run: &Run<'_>| {
        let whole = run
            .report
            .series
            .iter()
            .filter(|second| second.length > 0.0);
        Line {
            name: run.name.to_owned(),
            colour: run.colour,
            points: whole
                .map(|second| {
                    let middle = second.second + second.length / 2.0;
                    (middle, float(second.requests) / second.length)
                })
                .collect(),
        }
    };
    let mut lines: Vec<Line> = runs.iter().map(line).collect();
    for line in &mut lines {
        // A run of one second has one point, which is no line.
        if let [(at, value)] = line.points[..] {
            line.points = vec![(0.0, value), (at * 2.0, value)];
        }
    }
    let points = || lines.iter().flat_map(|line| &line.points);
    if points().next().is_none() {
        return "<p class=\"note\">Nothing was measured.</p>\n".to_owned();
    }
    let seconds = points().map(|point| point.0).fold(0.0, f64::max);
    let highest = points().map(|point| point.1).fold(0.0, f64::max);
    let axis = |title: &str, scale: Scale, show: &dyn Fn(f64) -> String| Axis {
        title: title.to_owned(),
        scale,
        marks: scale
            .marks()
            .into_iter()
            .map(|mark| (mark, show(mark)))
            .collect(),
    };
    let x = axis("seconds", Scale::from_zero(seconds), &|mark| {
        format!("{}", round(mark))
    });
    let y = axis("requests / s", Scale::from_zero(highest), &|mark| {
        Figure::PerSecond.show(mark)
    });
    plot("Throughput over time", &x, &y, &lines)
}

/// Without the dust of binary fractions.
fn round(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}

fn figures(reports: &[Report]) -> String {
    let mut head = vec![
        "run".to_owned(),
        "requests / s".to_owned(),
        "MB / s".to_owned(),
    ];
    let names = Report::default().latency.rows();
    head.extend(names.iter().map(|(name, _)| (*name).to_owned()));
    head.push("errors".to_owned());
    head.push("server CPU".to_owned());
    let row = |report: &Report| {
        let mut cells = vec![
            report.name.clone(),
            Figure::PerSecond.show(report.requests_per_second),
            format!("{:.1}", report.bytes_per_second / 1e6),
        ];
        let latency = report.latency.rows().into_iter();
        cells.extend(latency.map(|(_, value)| Figure::P50.show(value / 1e6)));
        cells.push(report.errors.total().to_string());
        cells.push(report.server.map_or_else(String::new, |server| {
            format!(
                "{} req / CPU s",
                Figure::PerSecond.show(server.requests_per_cpu_second)
            )
        }));
        cells
    };
    table(&head, &reports.iter().map(row).collect::<Vec<_>>())
}

/// What makes the figures worth less, or nothing.
fn problems(reports: &[Report]) -> Vec<String> {
    let mut problems = Vec::new();
    for report in reports {
        let name = &report.name;
        for (kind, count) in report
            .errors
            .rows()
            .into_iter()
            .filter(|&(_, count)| count > 0)
        {
            problems.push(format!("{name}: {count} errors: {kind}"));
        }
        if let Some(mismatch) = &report.mismatch {
            problems.push(format!("{name}: the first wrong answer: {mismatch}"));
        }
        if report.generator.saturated {
            problems.push(format!(
                "{name}: the generator was the bottleneck, not the server"
            ));
        }
    }
    problems
}

fn conditions(reports: &[Report]) -> Vec<String> {
    let line = |report: &Report| {
        let settings = &report.settings;
        let pace = match settings.rate {
            Some(rate) => format!("open loop at {rate} requests/s"),
            None => "closed loop".to_owned(),
        };
        format!(
            "{}: {}, {} connections, {} threads, {pace}, {:.1} s behind {} s of warm-up, \
             alula bench {}",
            report.name,
            report.url,
            settings.connections,
            settings.threads,
            report.seconds,
            settings.warmup,
            report.version
        )
    };
    reports.iter().map(line).collect()
}

/// A heading.
pub(super) fn heading(text: &str) -> String {
    format!("<h2>{}</h2>\n", escape(text))
}
