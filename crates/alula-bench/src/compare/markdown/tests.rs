use std::collections::BTreeMap;

use super::{notes, one, render};
use crate::compare::comparison::{Comparison, Conditions, Origin, Round, Row, Shares, Table};
use crate::compare::figure::Figure;
use crate::compare::suite::{Against, Role, Target};
use crate::compare::verdict::judge;
use crate::sample;

fn row(server: &str, role: Role, values: &[f64]) -> Row {
    let round = |&value: &f64| Round {
        figures: [(Figure::PerSecond, value), (Figure::P99, 100.0 / value)].into(),
        saturated: false,
        shares: Shares {
            server: Some(0.5),
            generator: Some(0.25),
            ..Shares::default()
        },
        report: None,
    };
    sample::row(server, role, values.iter().map(round).collect())
}

fn table() -> Table {
    let rows = vec![
        row("slow", Role::Peer, &[100.0, 200.0, 100.0]),
        row("ours", Role::Subject, &[300.0, 400.0, 200.0]),
        row("quick", Role::Peer, &[200.0, 200.0, 200.0]),
    ];
    Table {
        title: "plain | text".to_owned(),
        ..sample::table(vec![Figure::PerSecond, Figure::P99], rows)
    }
}

#[test]
fn rows_are_ordered_and_ratios_are_of_rounds() {
    let text = one(&table(), Some("slow"));
    let lines: Vec<&str> = text.lines().collect();
    let expected = [
        "### plain: plain | text",
        "",
        "| server | req / s | × best peer | × slow | p99 | × best peer | × slow | server core \
         | generator core |",
        "| --- | --: | --: | --: | --: | --: | --: | --: | --: |",
        "| ours | 300 (200–400) | 1.50 (1.00–2.00) | 2.00 (2.00–3.00) \
         | 333.33 ms (250.00 ms–500.00 ms) | 0.67 (0.50–1.00) | 0.50 (0.33–0.50) | 50 % | 25 % |",
        "| quick | 200 (200–200) |  | 2.00 (1.00–2.00) | 500.00 ms (500.00 ms–500.00 ms) |  \
         | 0.50 (0.50–1.00) | 50 % | 25 % |",
        "| slow | 100 (100–200) | 0.50 (0.50–1.00) |  | 1.00 s (500.00 ms–1.00 s) \
         | 2.00 (1.00–2.00) |  | 50 % | 25 % |",
    ];
    assert_eq!(lines, expected);
}

#[test]
fn a_tie_has_no_ratio_and_is_explained() {
    let mut table = table();
    for row in &mut table.rows[1..] {
        for round in &mut row.rounds {
            round.saturated = true;
        }
    }
    let text = one(&table, Some("slow"));
    assert!(
        text.contains("| ours | 300 (200–400) | tie | 2.00"),
        "{text}"
    );
    let note = "the generator was saturated under ours, quick: between these, requests per second \
                are a tie";
    assert_eq!(notes(&table), [note]);
}

#[test]
fn who_has_no_figure_is_named_with_the_reason() {
    let mut table = table();
    table.rows[0].failure = Some("status 503".to_owned());
    table.rows[2].left_out = Some("not here".to_owned());
    table.rows[2].rounds.clear();
    let text = one(&table, None);
    assert!(
        !text.contains("| slow |") && !text.contains("| quick |"),
        "{text}"
    );
    let expected = ["slow: no figure (status 503)", "quick: left out (not here)"];
    assert_eq!(notes(&table), expected);
}

#[test]
fn the_report_says_where_with_what_how_and_every_verdict() {
    let mut table = table();
    let targets = [
        Target {
            figure: Figure::PerSecond,
            against: Against::BestPeer,
            bound: 2.0,
        },
        Target {
            figure: Figure::PerSecond,
            against: Against::Nothing,
            bound: 150.0,
        },
    ];
    table.verdicts = judge(&table, &targets);
    let comparison = Comparison {
        origin: Origin {
            date: "2026-11-30 21:02:52".to_owned(),
            commit: "0123456789ab".to_owned(),
            machine: "A machine".to_owned(),
            command: "alula bench compare test.toml".to_owned(),
        },
        conditions: Conditions {
            rounds: 3,
            seconds: 2.0,
            warmup_seconds: 0.5,
            server_core: Some(0),
            load_core: None,
        },
        versions: BTreeMap::from([("ours".to_owned(), "1.0".to_owned())]),
        notes: vec!["a note".to_owned()],
        ..sample::comparison(table)
    };
    let text = render(&comparison);
    let lines: Vec<&str> = text.lines().collect();
    let expected = [
        "- commit 0123456789ab, 2026-11-30 21:02:52",
        "- A machine",
        "- `alula bench compare test.toml`: 3 interleaved rounds of 2 s, each server on core 0, \
         the load on any core",
        "- ours 1.0",
        "- a note",
    ];
    assert_eq!(&lines[..5], expected);
    let expected = [
        "| plain \\| text | req / s | ours | ≥ 2 × best peer | quick | 1.50 (1.00–2.00) | missed by \
         25.0 %, within the spread |",
        "| plain \\| text | req / s | ours | ≥ 150 |  | 300 | met by 100.0 % |",
    ];
    assert_eq!(&lines[lines.len() - 2..], expected);
    // What the gate reads is what was written.
    let json = serde_json::to_string(&comparison).expect("written");
    assert_eq!(
        serde_json::from_str::<Comparison>(&json).expect("read"),
        comparison
    );
}
