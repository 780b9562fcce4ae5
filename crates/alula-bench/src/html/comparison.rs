//! The page of a comparison.

use super::bars::{Bar, chart};
use super::document;
use super::markup::{keys, list, table};
use super::run::{Run, heading, plots};
use crate::compare::comparison::{Comparison, Row, Table};
use crate::compare::figure::Figure;
use crate::compare::markdown::{notes, ordered};
use crate::compare::verdict::Spread;
use crate::report::Report;

/// One page: for each measurement bars, a table and, where there was a load, plots of each server's
/// middle round.
pub fn comparison(comparison: &Comparison) -> String {
    let mut body = list(&origin(comparison));
    for table in &comparison.tables {
        body.push_str(&heading(&format!("{}: {}", table.name, table.title)));
        body.push_str(&one(table));
    }
    body.push_str(&verdicts(comparison));
    document(&comparison.title, &body)
}

fn origin(comparison: &Comparison) -> Vec<String> {
    let (origin, conditions) = (&comparison.origin, &comparison.conditions);
    let versions = comparison.versions.iter();
    let versions: Vec<String> = versions
        .map(|(name, what)| format!("{name} {what}"))
        .collect();
    let mut lines = vec![
        format!("commit {}, {}", origin.commit, origin.date),
        origin.machine.clone(),
        format!(
            "{}: {} interleaved rounds of {} s",
            origin.command, conditions.rounds, conditions.seconds
        ),
        versions.join(", "),
    ];
    lines.extend(comparison.notes.iter().cloned());
    lines
}

fn one<'a>(table: &'a Table) -> String {
    let rows = ordered(table);
    let mut html = String::new();
    // A server keeps its colour through all pictures of a page, whatever place it takes.
    let colour = |row: &Row| {
        let place = table
            .rows
            .iter()
            .position(|other| other.server == row.server);
        place.unwrap_or(0)
    };
    let pairs = rows.iter().map(|row| (colour(row), row.server.as_str()));
    let mut legend: Vec<(usize, &str)> = pairs.collect();
    legend.sort_unstable();
    html.push_str(&keys(&legend));
    for &figure in table.figures.iter().take(2) {
        html.push_str(&bars(figure, &rows, &colour));
    }
    html.push_str(&figures(table, &rows));
    let run = |row: &&'a Row| {
        Some(Run {
            name: &row.server,
            colour: colour(row),
            report: middle(row)?,
        })
    };
    let middles: Vec<Run<'_>> = rows.iter().filter_map(run).collect();
    if !middles.is_empty() {
        html.push_str(&plots(&middles));
    }
    html.push_str(&list(&notes(table)));
    html
}

fn bars(figure: Figure, rows: &[&Row], colour: &dyn Fn(&Row) -> usize) -> String {
    let bars = rows.iter().filter_map(|row| {
        let value = Spread::of(&row.values(figure))?;
        Some(Bar {
            name: row.server.clone(),
            value,
            text: figure.show(value.median),
            colour: colour(row),
        })
    });
    let better = if figure.higher_is_better() {
        "more"
    } else {
        "less"
    };
    let label = format!("{} ({better} is better)", figure.title());
    let bars: Vec<Bar> = bars.collect();
    format!(
        "<h3>{}</h3>\n{}",
        super::markup::escape(&label),
        chart(&label, &bars)
    )
}

fn figures(shown: &Table, rows: &[&Row]) -> String {
    let mut head = vec!["server".to_owned()];
    head.extend(shown.figures.iter().map(|figure| figure.title().to_owned()));
    let row = |row: &&Row| {
        let mut cells = vec![row.server.clone()];
        cells.extend(shown.figures.iter().map(|&figure| {
            let spread = Spread::of(&row.values(figure));
            spread.map_or_else(String::new, |spread| {
                let (low, high) = (figure.show(spread.lowest), figure.show(spread.highest));
                format!("{} ({low}–{high})", figure.show(spread.median))
            })
        }));
        cells
    };
    table(&head, &rows.iter().map(row).collect::<Vec<_>>())
}

/// The report of the round in the middle, by its 99th percentile.
fn middle(row: &Row) -> Option<&Report> {
    let reports = row
        .rounds
        .iter()
        .filter_map(|round| round.report.as_deref());
    let mut reports: Vec<&Report> = reports.collect();
    reports.sort_by(|one, other| one.latency.p99.total_cmp(&other.latency.p99));
    reports.get(reports.len() / 2).copied()
}

fn verdicts(comparison: &Comparison) -> String {
    let mut rows = Vec::new();
    for shown in &comparison.tables {
        for verdict in &shown.verdicts {
            let reached =
                verdict
                    .reached
                    .map_or_else(String::new, |reached| match verdict.against {
                        None => verdict.figure.show(reached.median),
                        Some(_) => format!("{:.2}", reached.median),
                    });
            rows.push(vec![
                shown.title.clone(),
                verdict.figure.title().to_owned(),
                verdict.subject.clone(),
                verdict.target.clone(),
                reached,
                verdict.outcome.to_string(),
            ]);
        }
    }
    if rows.is_empty() {
        return String::new();
    }
    let head = ["work", "figure", "server", "target", "reached", "verdict"];
    heading("Targets") + &table(&head.map(str::to_owned), &rows)
}
