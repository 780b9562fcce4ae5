//! Whether the percentiles are true: against the timestamps of the server itself.
//!
//! Nothing here depends on how quick the machine is. What the server saw bounds each latency from
//! both sides, whatever happened in between; bounds that are sorted bound sorted latencies, and so
//! percentiles.

#![allow(
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "counts and microseconds far below 2^53"
)]

mod scripted;

use std::time::{Duration, Instant};

use alula_bench::Report;
use alula_bench::load;
use alula_bench::plan::{Extent, Pace, Plan};
use scripted::{Bracket, Log, Reply, Server, answer, run, wait};

/// The histogram's precision, and that of the numbers in a report.
const PRECISION: f64 = 0.0011;

/// 1 ms each, and now and then a stall of 100 ms.
fn server() -> Server {
    Server::new(|number, _| {
        let stall = number % 120 == 60;
        wait(Duration::from_millis(if stall { 100 } else { 1 }));
        Reply::Answer(answer(b"ok"))
    })
}

/// Bounds of one request's latency.
struct Bounds {
    lower: Duration,
    upper: Duration,
}

/// Fails unless every percentile is within what the bounds allow.
fn agree(report: &Report, bounds: &[Bounds]) {
    assert_eq!(report.counts.measured, bounds.len() as u64);
    let sorted = |part: fn(&Bounds) -> Duration| {
        let mut part: Vec<f64> = bounds
            .iter()
            .map(|one| part(one).as_secs_f64() * 1e6)
            .collect();
        part.sort_by(f64::total_cmp);
        part
    };
    let (lower, upper) = (sorted(|one| one.lower), sorted(|one| one.upper));
    let latency = &report.latency;
    for (share, value) in [
        (0.5, latency.p50),
        (0.9, latency.p90),
        (0.99, latency.p99),
        (0.999, latency.p999),
        (1.0, latency.max),
    ] {
        let rank = ((share * bounds.len() as f64).ceil() as usize).max(1) - 1;
        let (least, most) = (lower[rank], upper[rank]);
        assert!(
            value >= least * (1.0 - PRECISION) - 1.0 && value <= most * (1.0 + PRECISION) + 1.0,
            "{share}: {value} µs, by the server {least} to {most} µs"
        );
    }
}

/// In a closed loop a request goes out behind the answer before it, and the next one behind its
/// own.
fn closed_bounds(log: &Log, begun: Instant) -> Vec<Bounds> {
    let requests = &log.requests;
    let bounds = requests.iter().enumerate().map(|(index, one)| {
        let next = requests.get(index + 1).map(|next| next.read);
        let before = index.checked_sub(1).map(|before| requests[before].answered);
        let end = next.or(log.closed).unwrap();
        Bounds {
            lower: one.answered - one.read,
            upper: end - before.unwrap_or(begun),
        }
    });
    bounds.collect()
}

fn closed(connections: usize, threads: usize) {
    let server = server();
    let mut plan = server.plan(300);
    plan.connections = connections;
    plan.threads = threads;
    let begun = Instant::now();
    let report = run(&plan);
    assert!(report.is_clean(), "{:?}", report.errors);
    assert_eq!(report.counts.answered, 300);
    let logs = server.logs();
    assert_eq!(logs.len(), 1 + connections);
    let bounds: Vec<Bounds> = logs[1..]
        .iter()
        .flat_map(|log| closed_bounds(log, begun))
        .collect();
    agree(&report, &bounds);
}

#[test]
fn a_closed_loop_agrees_with_the_server() {
    closed(1, 1);
}

#[test]
fn so_it_does_on_many_connections_and_two_threads() {
    closed(6, 2);
}

#[test]
fn an_open_loop_agrees_with_the_server() {
    let server = server();
    let mut plan = server.plan(300);
    // Slower than the server on the whole, not while it stalls.
    plan.pace = Pace::Open(500.0);
    let mut bracket = Bracket::new();
    let report = load::run(&plan, &mut bracket).unwrap();
    assert!(report.is_clean(), "{:?}", report.errors);
    let logs = server.logs();
    let requests = &logs[1].requests;
    assert_eq!(requests.len(), 300);
    // Request k is due 2 k ms behind the start; one connection sends it behind the answer before.
    let bounds: Vec<Bounds> = (0..300)
        .map(|index| {
            let due = Duration::from_millis(2 * index as u64);
            let next = requests.get(index + 1).map(|next| next.read);
            let end = next.or(logs[1].closed).unwrap();
            let answered = requests[index].answered;
            Bounds {
                lower: answered.saturating_duration_since(bracket.latest + due),
                upper: end.saturating_duration_since(bracket.earliest + due),
            }
        })
        .collect();
    agree(&report, &bounds);
    // Those that fell due during a stall waited for it, however the machine fares: of two stalls the
    // first 15 each make a tenth of all, and waited 70 ms at least.
    assert!(report.latency.p90 >= 70_000.0, "{:?}", report.latency);
}

/// A server of one connection that takes 5 ms each, offered one each millisecond for 300 ms.
fn overload(plan: &mut Plan) {
    plan.pace = Pace::Open(1000.0);
    plan.extent = Extent::Duration(Duration::from_millis(300));
}

#[test]
fn an_overloaded_server_shows_its_queue() {
    let server = Server::new(|_, _| {
        wait(Duration::from_millis(5));
        Reply::Answer(answer(b"ok"))
    });
    let mut plan = server.plan(1);
    overload(&mut plan);
    let report = run(&plan);
    let counts = &report.counts;
    assert_eq!(report.errors.total(), 0);
    // Every request that was due is there, answered or not.
    assert_eq!(counts.measured, 300);
    let sent = server.seen().len() as u64;
    assert_eq!(counts.unsent, 300 - sent);
    assert!(counts.unsent >= 230, "{counts:?}");
    // Request k was answered 5 (k + 1) ms behind the start at the earliest, or waited until the end.
    let mut least: Vec<u64> = (0..300).map(|k| (4 * k + 5).min(300 - k)).collect();
    least.sort_unstable();
    for (rank, value) in [
        (150, report.latency.p50),
        (270, report.latency.p90),
        (297, report.latency.p99),
        (300, report.latency.max),
    ] {
        let least = least[rank - 1] as f64 * 1000.0;
        assert!(
            value >= least * (1.0 - PRECISION),
            "{rank}: {value} µs, at least {least}"
        );
    }
}

#[test]
fn a_request_under_way_at_the_end_is_waited_for() {
    let server = Server::new(|number, _| {
        wait(Duration::from_millis(if number == 1 { 300 } else { 0 }));
        Reply::Answer(answer(b"ok"))
    });
    let mut plan = server.plan(1);
    plan.extent = Extent::Duration(Duration::from_millis(50));
    let report = run(&plan);
    // Its answer is none of the interval's, its latency is.
    assert_eq!((report.counts.answered, report.counts.measured), (0, 1));
    assert!(report.latency.max >= 299_000.0, "{:?}", report.latency);
    assert!((report.seconds - 0.05).abs() < 1e-6, "{}", report.seconds);
}

#[test]
fn the_warm_up_is_not_measured() {
    let server = Server::new(|number, _| {
        // The probe, the warm-up's first request, and those behind it.
        wait(Duration::from_millis(if number == 1 { 200 } else { 1 }));
        Reply::Answer(answer(b"ok"))
    });
    let mut plan = server.plan(20);
    plan.warmup = Duration::from_millis(100);
    let report = run(&plan);
    assert_eq!((report.counts.answered, report.counts.measured), (20, 20));
    let measured = &server.logs()[1].requests[1..];
    assert!(measured.len() >= 20, "{}", measured.len());
    let longest = measured
        .iter()
        .map(|one| one.answered - one.read)
        .max()
        .unwrap();
    assert!(report.latency.max >= longest.as_secs_f64() * 1e6 * (1.0 - PRECISION) - 1.0);
}
