use super::{LEAST_RATE, Search, Slo, missed, step};
use crate::report::{Errors, Latency, Report};

/// The rates that are tried on a server that keeps the objective up to `limit`.
fn tried(first: f64, limit: f64) -> Vec<f64> {
    let mut search = Search::new(first);
    let mut tried = Vec::new();
    while let Some(rate) = search.next() {
        tried.push(rate);
        search.told(rate <= limit);
        assert!(tried.len() < 100, "the search comes to an end");
    }
    tried
}

#[test]
fn closes_in_on_the_limit_from_both_sides() {
    for (first, limit) in [(1000.0, 23_456.0), (1000.0, 321.0), (5.0, 5.0), (1.0, 1e6)] {
        let tried = tried(first, limit);
        let kept = tried.iter().copied().filter(|rate| *rate <= limit);
        let best = kept.fold(0.0, f64::max);
        assert!(best <= limit && limit / best < 1.02, "{limit}: {tried:?}");
    }
}

#[test]
fn tries_a_rate_that_misses_once_more() {
    assert_eq!(
        &tried(1000.0, 1500.0)[..4],
        [1000.0, 2000.0, 2000.0, 1500.0]
    );
    let mut search = Search::new(1000.0);
    search.told(false);
    search.told(true);
    assert_eq!(search.next(), Some(2000.0));
}

#[test]
fn gives_up_when_nothing_keeps_the_objective() {
    let tried = tried(4.0, 0.0);
    assert_eq!(tried, [4.0, 4.0, 2.0, 2.0, LEAST_RATE, LEAST_RATE]);
}

#[test]
fn errors_and_a_server_that_falls_behind_miss_any_objective() {
    let slo: Slo = "p99<10ms".parse().unwrap();
    let good = Report {
        seconds: 10.0,
        requests_per_second: 981.0,
        latency: Latency {
            p99: 9000.0,
            ..Latency::default()
        },
        ..Report::default()
    };
    assert_eq!(missed(1000.0, &slo, &good), None);
    let slow = Report {
        requests_per_second: 979.0,
        ..good.clone()
    };
    let why = missed(1000.0, &slo, &slow).unwrap();
    assert_eq!(why, "only 979 requests/s were answered");
    let late = Report {
        latency: Latency {
            p99: 11_000.0,
            ..Latency::default()
        },
        ..good.clone()
    };
    assert_eq!(missed(1000.0, &slo, &late).unwrap(), "p99 is 11.0 ms");
    let broken = Report {
        errors: Errors {
            timeout: 2,
            ..Errors::default()
        },
        ..good
    };
    assert_eq!(missed(1000.0, &slo, &broken).unwrap(), "errors: 2 timeout");
}

#[test]
fn a_miss_that_may_be_the_generators_says_so() {
    let slo: Slo = "p99<10ms".parse().unwrap();
    let mut report = Report {
        seconds: 10.0,
        requests_per_second: 500.0,
        ..Report::default()
    };
    let text = "only 500 requests/s were answered";
    assert_eq!(step(1000.0, &slo, &report).missed.unwrap(), text);
    report.generator.saturated = true;
    let text = "only 500 requests/s were answered; the generator had no time left";
    assert_eq!(step(1000.0, &slo, &report).missed.unwrap(), text);
    assert_eq!(step(500.0, &slo, &report).missed, None);
}
