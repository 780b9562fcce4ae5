use std::time::Duration;

use super::{buckets, percentiles, report};
use crate::load::collector::Collected;
use crate::load::message::Outcome;
use crate::load::meter::CoreUse;
use crate::load::record::{SECOND, Slice, histogram};
use crate::plan::{Extent, Plan};
use crate::report::Ended;

fn plan(seconds: u64) -> Plan {
    let mut plan = Plan::new("http://127.0.0.1:8000/").unwrap();
    plan.extent = Extent::Duration(Duration::from_secs(seconds));
    plan
}

fn outcome(measured: u64, share: f64) -> Outcome {
    Outcome {
        measured,
        ended: Ended::Complete,
        unsent: 0,
        connections: 1,
        mismatch: None,
        time: Some(CoreUse {
            running: (share * 1e9) as u64,
            waiting: 0,
            elapsed: SECOND,
        }),
        lag: histogram(),
    }
}

/// A second with `answered` answers that took 1 ms each.
fn slice(second: i64, answered: u64) -> Slice {
    let mut slice = Slice::new(second);
    slice.answered = answered;
    slice.bytes_received = answered * 100;
    slice.latency.record_n(1_000_000, answered).unwrap();
    slice
}

#[test]
fn figures_are_those_of_the_measured_interval() {
    let collected = Collected {
        slices: vec![slice(0, 100), slice(1, 300), slice(2, 0)],
        outcomes: vec![outcome(2 * SECOND, 0.5)],
        ..Collected::default()
    };
    let report = report(&plan(2), &collected);
    assert_eq!(report.counts.answered, 400);
    assert!((report.requests_per_second - 200.0).abs() < 1e-9);
    assert!((report.bytes_per_second - 20_000.0).abs() < 1e-9);
    let seconds: Vec<_> = report.series.iter().map(|one| one.requests).collect();
    assert_eq!(seconds, [100, 300]);
    assert!(
        (report.latency.p99 - 1000.0).abs() < 1.0,
        "{:?}",
        report.latency
    );
    assert!(report.is_clean());
}

#[test]
fn a_run_of_less_than_a_second_is_one_piece() {
    let collected = Collected {
        slices: vec![slice(0, 10), slice(1, 5)],
        outcomes: vec![outcome(SECOND / 2, 0.5)],
        ..Collected::default()
    };
    let report = report(&plan(1), &collected);
    assert_eq!(report.series.len(), 1);
    assert_eq!(report.series[0].requests, 15);
    assert!((report.series[0].length - 0.5).abs() < 1e-9);
}

#[test]
fn one_thread_without_time_left_is_enough_to_warn() {
    for (share, saturated) in [(0.94, false), (0.96, true)] {
        let collected = Collected {
            slices: vec![slice(0, 1)],
            outcomes: vec![outcome(SECOND, 0.1), outcome(SECOND, share)],
            ..Collected::default()
        };
        assert_eq!(report(&plan(1), &collected).generator.saturated, saturated);
    }
}

#[test]
fn without_any_answer_nothing_is_divided() {
    let collected = Collected {
        outcomes: vec![outcome(0, 0.0)],
        ..Collected::default()
    };
    let report = report(&plan(1), &collected);
    assert_eq!((report.requests_per_second, report.latency.p99), (0.0, 0.0));
    assert!(report.histogram.is_empty() && report.series.is_empty());
    assert!(!report.is_clean());
}

#[test]
fn percentiles_are_within_a_thousandth_and_never_above_the_maximum() {
    let mut latency = histogram();
    for value in 1..=10_000u64 {
        latency.record(value * 1000).unwrap();
    }
    let found = percentiles(&latency);
    for (value, wanted) in [
        (found.p50, 5_000.0),
        (found.p90, 9_000.0),
        (found.p99, 9_900.0),
        (found.p999, 9_990.0),
        (found.p9999, 9_999.0),
        (found.mean, 5_000.5),
    ] {
        assert!(
            (value - wanted).abs() <= wanted * 0.001,
            "{value} for {wanted}"
        );
    }
    assert!(found.p9999 <= found.max);
}

#[test]
fn buckets_lose_no_value_and_little_precision() {
    let mut latency = histogram();
    for value in 1..=100_000u64 {
        latency.record(value * 100).unwrap();
    }
    let buckets = buckets(&latency);
    assert_eq!(buckets.iter().map(|one| one.count).sum::<u64>(), 100_000);
    assert!(buckets.len() < 1100, "{}", buckets.len());
    let mut below = 0;
    for pair in buckets.windows(2) {
        assert!(pair[0].upper_us < pair[1].upper_us);
        below += pair[0].count;
        // So many values are up to the bucket's end.
        let exact = pair[0].upper_us * 10.0;
        assert!(
            (below as f64 - exact).abs() <= exact * 0.002 + 1.0,
            "{below} {exact}"
        );
    }
}
