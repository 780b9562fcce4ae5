//! The report made of what the threads have told.

use hdrhistogram::Histogram;

use super::collector::{Collected, ServerTime};
use super::record::{SECOND, Slice, histogram};
use crate::plan::{Extent, Pace, Plan};
use crate::report::{Bucket, Counts, Ended, Generator, Latency, Report, Second, Server, Settings};

/// Steps of the report's histogram to each doubling: 1.1 %.
const STEPS: f64 = 64.0;

/// A thread that is busy for this share of its time is the bottleneck.
const SATURATED: f64 = 0.95;

/// The report of a run.
pub(crate) fn report(plan: &Plan, collected: &Collected) -> Report {
    let measured = collected.outcomes.iter().map(|one| one.measured).max();
    let seconds = measured.unwrap_or(0) as f64 / 1e9;
    let mut latency = histogram();
    let mut counts = Counts::default();
    for slice in &collected.slices {
        // All have the same bounds.
        let _ = latency.add(&slice.latency);
        counts.answered += slice.answered;
        if (slice.second as f64) < seconds {
            counts.bytes_received += slice.bytes_received;
            counts.bytes_sent += slice.bytes_sent;
        }
    }
    counts.measured = latency.len();
    counts.unsent = collected.outcomes.iter().map(|one| one.unsent).sum();
    counts.connections = collected.outcomes.iter().map(|one| one.connections).sum();
    let per_second = |count: u64| {
        if seconds > 0.0 {
            count as f64 / seconds
        } else {
            0.0
        }
    };
    Report {
        name: plan.name().to_owned(),
        url: plan.target.url().to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        started: collected.started,
        settings: settings(plan),
        seconds,
        ended: ended(collected),
        counts,
        requests_per_second: per_second(counts.answered),
        bytes_per_second: per_second(counts.bytes_received),
        latency: percentiles(&latency),
        histogram: buckets(&latency),
        series: series(&collected.slices, seconds),
        errors: collected.errors,
        mismatch: collected
            .outcomes
            .iter()
            .find_map(|one| one.mismatch.as_deref().cloned()),
        generator: generator(collected),
        server: server(plan, collected.server, counts.answered),
        limit: None,
    }
}

fn settings(plan: &Plan) -> Settings {
    let (duration, requests) = match plan.extent {
        Extent::Duration(duration) => (Some(duration.as_secs_f64()), None),
        Extent::Requests(requests) => (None, Some(requests)),
    };
    Settings {
        connections: plan.connections,
        threads: plan.threads,
        rate: match plan.pace {
            Pace::Closed => None,
            Pace::Open(rate) => Some(rate),
        },
        duration,
        requests,
        warmup: plan.warmup.as_secs_f64(),
        pipeline: plan.pipeline,
        keep_alive: plan.keep_alive,
        timeout: plan.timeout.as_secs_f64(),
        requests_mix: plan
            .requests
            .iter()
            .map(|one| (one.label(), one.weight))
            .collect(),
    }
}

/// The worst of the threads' ends.
fn ended(collected: &Collected) -> Ended {
    let has = |wanted| collected.outcomes.iter().any(|one| one.ended == wanted);
    if has(Ended::Interrupted) {
        Ended::Interrupted
    } else if has(Ended::NoAnswers) {
        Ended::NoAnswers
    } else {
        Ended::Complete
    }
}

/// The second that a slice is, `length` seconds long.
pub(crate) fn second(slice: &Slice, length: f64) -> Second {
    let latency = percentiles(&slice.latency);
    Second {
        second: slice.second as f64,
        length,
        requests: slice.answered,
        p50_us: latency.p50,
        p99_us: latency.p99,
        max_us: latency.max,
        errors: slice.errors.total(),
    }
}

/// The whole seconds, or the one piece of a shorter run.
fn series(slices: &[Slice], seconds: f64) -> Vec<Second> {
    let whole = seconds.floor();
    if whole >= 1.0 {
        let slices = slices.iter().filter(|one| (one.second as f64) < whole);
        return slices.map(|one| second(one, 1.0)).collect();
    }
    match slices.split_first() {
        Some((first, rest)) if seconds > 0.0 => {
            let mut piece = first.clone();
            for one in rest {
                piece.add(one);
            }
            vec![second(&piece, seconds)]
        }
        _ => Vec::new(),
    }
}

fn percentiles(latency: &Histogram<u64>) -> Latency {
    if latency.is_empty() {
        return Latency::default();
    }
    let max = latency.max();
    // The histogram answers with the upper end of a bucket, which may be above the maximum.
    let at = |quantile| microseconds(latency.value_at_quantile(quantile).min(max));
    Latency {
        p50: at(0.5),
        p90: at(0.9),
        p99: at(0.99),
        p999: at(0.999),
        p9999: at(0.9999),
        max: microseconds(max),
        mean: (latency.mean() / 10.0).round() / 100.0,
    }
}

/// Nanoseconds in microseconds, to a hundredth.
fn microseconds(nanoseconds: u64) -> f64 {
    (nanoseconds as f64 / 10.0).round() / 100.0
}

/// The histogram in steps of some percent, for a plot: a tenth of the size.
fn buckets(latency: &Histogram<u64>) -> Vec<Bucket> {
    let mut buckets: Vec<Bucket> = Vec::new();
    let mut step = f64::NEG_INFINITY;
    for value in latency.iter_recorded() {
        let upper = value.value_iterated_to().max(1);
        let this = ((upper as f64).log2() * STEPS).floor();
        let upper_us = microseconds(upper);
        match buckets.last_mut() {
            Some(last) if this <= step => {
                last.upper_us = upper_us;
                last.count += value.count_since_last_iteration();
            }
            _ => buckets.push(Bucket {
                upper_us,
                count: value.count_since_last_iteration(),
            }),
        }
        step = this;
    }
    buckets
}

fn generator(collected: &Collected) -> Generator {
    let outcomes = &collected.outcomes;
    let known: Vec<_> = outcomes.iter().filter_map(|one| one.time).collect();
    let shares = known.iter().map(|one| one.share());
    let cpu_share = shares.reduce(f64::max);
    let running: u64 = known.iter().map(|one| one.running).sum();
    let mut lag = histogram();
    for outcome in outcomes {
        let _ = lag.add(&outcome.lag);
    }
    Generator {
        cpu_seconds: (!known.is_empty()).then(|| running as f64 / SECOND as f64),
        cpu_share,
        saturated: cpu_share.is_some_and(|share| share >= SATURATED),
        lag_p99_us: percentiles(&lag).p99,
    }
}

fn server(plan: &Plan, used: Option<ServerTime>, answered: u64) -> Option<Server> {
    let (used, pid) = (used?, plan.pid?);
    let cpu_seconds = (used.ended.cpu_seconds - used.begun.cpu_seconds).max(0.0);
    Some(Server {
        pid,
        processes: used.ended.processes,
        cpu_seconds,
        requests_per_cpu_second: if cpu_seconds > 0.0 {
            answered as f64 / cpu_seconds
        } else {
            0.0
        },
        rss_before: used.before.rss,
        rss_peak: used.rss_peak,
        rss_after: used.ended.rss,
    })
}

#[cfg(test)]
mod tests;
