use super::table;
use crate::report::{
    Counts, Ended, Errors, Generator, Latency, Limit, Mismatch, Report, Server, Settings, Step,
};

fn report() -> Report {
    Report {
        name: "http://127.0.0.1:8000/".into(),
        settings: Settings {
            connections: 32,
            threads: 1,
            pipeline: 1,
            keep_alive: true,
            ..Settings::default()
        },
        seconds: 10.0,
        counts: Counts {
            answered: 1_234_567,
            ..Counts::default()
        },
        requests_per_second: 123_456.7,
        bytes_per_second: 12_345_678.0,
        latency: Latency {
            p50: 210.0,
            p99: 1234.0,
            ..Latency::default()
        },
        generator: Generator {
            cpu_share: Some(0.5),
            ..Generator::default()
        },
        ..Report::default()
    }
}

fn has(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "no {part:?} in\n{text}");
    }
}

#[test]
fn shows_what_was_measured() {
    let text = table(&report());
    has(
        &text,
        &[
            "closed loop, 32 connections, 1 thread\n",
            "requests/s  123,457\n",
            "requests    1,234,567 in 10.00 s\n",
            "received/s  11.8 MiB\n",
            "p50         210 µs\n",
            "p99         1.23 ms\n",
            "errors      none\n",
            "generator   50 % of a core\n",
        ],
    );
    assert!(!text.contains("warning"), "{text}");
}

#[test]
fn warns_of_what_makes_figures_doubtful() {
    let mut doubtful = report();
    doubtful.settings.rate = Some(50_000.0);
    doubtful.settings.keep_alive = false;
    doubtful.generator.saturated = true;
    doubtful.counts.unsent = 4321;
    doubtful.ended = Ended::Interrupted;
    doubtful.errors = Errors {
        reset: 3,
        mismatch: 1,
        ..Errors::default()
    };
    doubtful.mismatch = Some(Mismatch {
        request: "GET /".into(),
        what: "status 503, expected 200 to 299".into(),
        answer: "HTTP/1.1 503\nx".into(),
    });
    has(
        &table(&doubtful),
        &[
            "open loop, 50,000 requests/s offered, 32 connections, 1 thread, a connection a request\n",
            "3 reset, 1 mismatch\n",
            "warning: the generator had no time left",
            "did not keep up with 50,000 requests/s: 4,321 were due",
            "warning: the run was ended early",
            "warning: a run with errors has no speed",
            "first wrong answer: GET /: status 503, expected 200 to 299\n  | HTTP/1.1 503\n  | x\n",
        ],
    );
    doubtful.ended = Ended::NoAnswers;
    has(&table(&doubtful), &["no answer came any more"]);
}

#[test]
fn shows_the_server_and_the_search() {
    let mut watched = report();
    watched.server = Some(Server {
        pid: 1,
        processes: 1,
        cpu_seconds: 9.5,
        requests_per_cpu_second: 129_954.0,
        rss_before: 1024 * 1024,
        rss_peak: 3 * 1024 * 1024,
        rss_after: 2 * 1024 * 1024,
    });
    watched.limit = Some(Limit {
        slo: "p99<10ms".into(),
        rate: 4000.0,
        steps: vec![
            Step {
                rate: 4000.0,
                ..Step::default()
            },
            Step {
                rate: 8000.0,
                missed: Some("p99 is 11.0 ms".into()),
                ..Step::default()
            },
        ],
    });
    has(
        &table(&watched),
        &[
            "server CPU     9.50 s, 129,954 requests per CPU second\n",
            "server memory  2.00 MiB, before 1.00 MiB, at most 3.00 MiB\n",
            "limit          4,000 requests/s keep p99<10ms\n",
            "rates tried for p99<10ms\n         4,000/s  p99   0.00 µs  kept\n",
            "  missed: p99 is 11.0 ms\n",
        ],
    );
}
