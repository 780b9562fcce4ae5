//! A comparison as small as can be, for tests within the crate and outside: what a test is about it
//! puts in itself.

#![allow(dead_code, reason = "each test file uses its part")]

use std::collections::BTreeMap;

use alula_bench::compare::comparison::{Comparison, Conditions, FORMAT, Origin, Round, Row, Table};
use alula_bench::compare::figure::Figure;
use alula_bench::compare::suite::Role;
use alula_bench::report::{Bucket, Latency, Report, Second};

/// A server without a failure.
pub(crate) fn row(server: &str, role: Role, rounds: Vec<Round>) -> Row {
    Row {
        server: server.to_owned(),
        role,
        rounds,
        failure: None,
        left_out: None,
    }
}

/// A round for each value of one figure.
pub(crate) fn rounds(figure: Figure, values: &[f64]) -> Vec<Round> {
    let round = |&value: &f64| Round {
        figures: [(figure, value)].into(),
        ..Round::default()
    };
    values.iter().map(round).collect()
}

/// A closed loop of 32 connections.
pub(crate) fn table(figures: Vec<Figure>, rows: Vec<Row>) -> Table {
    Table {
        name: "plain".to_owned(),
        title: "plain".to_owned(),
        kind: "closed".to_owned(),
        request: "GET /".to_owned(),
        connections: 32,
        threads: 1,
        rate: None,
        figures,
        rows,
        verdicts: Vec::new(),
        notes: Vec::new(),
    }
}

/// One table, of which nothing more is known.
pub(crate) fn comparison(table: Table) -> Comparison {
    Comparison {
        format: FORMAT.to_owned(),
        suite: "test".to_owned(),
        title: "A test".to_owned(),
        origin: Origin::default(),
        conditions: Conditions::default(),
        baseline: None,
        versions: BTreeMap::new(),
        tables: vec![table],
        notes: Vec::new(),
    }
}

/// A run of three seconds.
pub(crate) fn report(name: &str) -> Report {
    let bucket = |upper_us, count| Bucket { upper_us, count };
    let second = |second, requests| Second {
        second,
        length: 1.0,
        requests,
        ..Second::default()
    };
    Report {
        name: name.to_owned(),
        latency: Latency {
            max: 9_000.0,
            ..Latency::default()
        },
        histogram: vec![bucket(100.0, 900), bucket(2_000.0, 99), bucket(9_500.0, 1)],
        series: vec![
            second(0.0, 12_000),
            second(1.0, 13_000),
            second(2.0, 11_000),
        ],
        ..Report::default()
    }
}
