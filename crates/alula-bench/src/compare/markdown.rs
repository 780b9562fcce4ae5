//! A comparison as Markdown: what is printed, and what goes into the ledger.

use super::comparison::{Comparison, Row, Shares, Table};
use super::figure::Figure;
use super::verdict::{Spread, best_peer, is_tie, ratio};

/// The whole report.
pub fn render(comparison: &Comparison) -> String {
    let mut parts = vec![header(comparison)];
    let baseline = comparison.baseline.as_deref();
    parts.extend(comparison.tables.iter().map(|table| one(table, baseline)));
    parts.extend(targets(comparison));
    parts.join("\n\n")
}

/// What a reader needs to run it again: where, with what, how.
pub fn header(comparison: &Comparison) -> String {
    let (origin, conditions) = (&comparison.origin, &comparison.conditions);
    let versions = comparison.versions.iter();
    let versions: Vec<String> = versions
        .map(|(name, what)| format!("{name} {what}"))
        .collect();
    let place = |what: &str, core: Option<u32>| match core {
        Some(core) => format!("{what} on core {core}"),
        None => format!("{what} on any core"),
    };
    let mut lines = vec![
        format!("- commit {}, {}", origin.commit, origin.date),
        format!("- {}", origin.machine),
        format!(
            "- `{}`: {} interleaved rounds of {} s, {}, {}",
            origin.command,
            conditions.rounds,
            conditions.seconds,
            place("each server", conditions.server_core),
            place("the load", conditions.load_core)
        ),
        format!("- {}", versions.join(", ")),
    ];
    lines.extend(comparison.notes.iter().map(|note| format!("- {note}")));
    lines.join("\n")
}

/// A column: what stands above it, and what in it for a row.
type Column<'a> = (String, Box<dyn Fn(&Row) -> String + 'a>);

/// One measurement: medians, spread and ratios; best first.
pub fn one(table: &Table, baseline: Option<&str>) -> String {
    let columns = columns(table, baseline);
    let mut lines = vec![
        format!("### {}: {}", table.name, table.title),
        String::new(),
    ];
    let titles = columns.iter().map(|(title, _)| title.clone());
    lines.push(line(std::iter::once("server".to_owned()).chain(titles)));
    let rules = columns.iter().map(|_| "--:".to_owned());
    lines.push(line(std::iter::once("---".to_owned()).chain(rules)));
    for row in ordered(table) {
        let cells = columns.iter().map(|(_, cell)| cell(row));
        lines.push(line(std::iter::once(row.server.clone()).chain(cells)));
    }
    let notes = notes(table);
    if !notes.is_empty() {
        lines.push(String::new());
        lines.extend(notes.iter().map(|note| format!("- {note}")));
    }
    lines.join("\n")
}

fn columns<'a>(table: &'a Table, baseline: Option<&'a str>) -> Vec<Column<'a>> {
    let mut columns: Vec<Column<'a>> = Vec::new();
    for (index, &figure) in table.figures.iter().enumerate() {
        let unit = figure.title().to_owned();
        columns.push((unit, Box::new(move |row| spread(figure, row))));
        let best = best_peer(table, figure);
        if let Some(best) = best.filter(|_| index < 2) {
            let cell = move |row: &Row| ratio_cell(table, figure, row, best);
            columns.push(("× best peer".to_owned(), Box::new(cell)));
        }
        if let Some(other) = baseline.filter(|name| index < 2 && table.row(name).is_some()) {
            let cell = move |row: &Row| ratio_cell(table, figure, row, other);
            columns.push((format!("× {other}"), Box::new(cell)));
        }
    }
    let mut rounds = table.rows.iter().flat_map(|row| &row.rounds);
    if rounds.any(|round| round.shares.generator.is_some()) {
        let server = |row: &Row| share(row, |shares| shares.server);
        columns.push(("server core".to_owned(), Box::new(server)));
        let generator = |row: &Row| share(row, |shares| shares.generator);
        columns.push(("generator core".to_owned(), Box::new(generator)));
    }
    columns
}

/// The rows with figures, best first.
pub fn ordered(table: &Table) -> Vec<&Row> {
    let Some(&figure) = table.figures.first() else {
        return Vec::new();
    };
    let median = |row: &Row| Spread::of(&row.values(figure)).map(|spread| spread.median);
    let mut rows: Vec<(&Row, f64)> = table
        .rows
        .iter()
        .filter_map(|row| Some((row, median(row)?)))
        .collect();
    rows.sort_by(|one, other| one.1.total_cmp(&other.1));
    if figure.higher_is_better() {
        rows.reverse();
    }
    rows.into_iter().map(|(row, _)| row).collect()
}

/// `134.5 k (134.4 k–135.5 k)`.
fn spread(figure: Figure, row: &Row) -> String {
    let values = row.values(figure);
    let Some(spread) = Spread::of(&values) else {
        return String::new();
    };
    let median = figure.show(spread.median);
    if values.len() == 1 {
        return median;
    }
    let (lowest, highest) = (figure.show(spread.lowest), figure.show(spread.highest));
    format!("{median} ({lowest}–{highest})")
}

fn ratio_cell(table: &Table, figure: Figure, row: &Row, other: &str) -> String {
    if row.server == other {
        return String::new();
    }
    if is_tie(table, figure, &row.server, other) {
        return "tie".to_owned();
    }
    ratio(table, figure, &row.server, other).map_or_else(String::new, |found| {
        if found.lowest.to_bits() == found.highest.to_bits() {
            format!("{:.2}", found.median)
        } else {
            format!(
                "{:.2} ({:.2}–{:.2})",
                found.median, found.lowest, found.highest
            )
        }
    })
}

fn share(row: &Row, of: impl Fn(&Shares) -> Option<f64>) -> String {
    let shares: Vec<f64> = row
        .rounds
        .iter()
        .filter_map(|round| of(&round.shares))
        .collect();
    Spread::of(&shares).map_or_else(String::new, |spread| {
        format!("{:.0} %", spread.median * 100.0)
    })
}

/// What a reader of a table has to know.
pub fn notes(table: &Table) -> Vec<String> {
    let mut notes = table.notes.clone();
    let saturated: Vec<&str> = table
        .rows
        .iter()
        .filter(|row| row.is_saturated())
        .map(|row| row.server.as_str())
        .collect();
    match saturated.as_slice() {
        [] => {}
        [only] => notes.push(format!(
            "the generator was saturated under {only}: its requests per second are the generator's"
        )),
        several => notes.push(format!(
            "the generator was saturated under {}: between these, requests per second are a tie",
            several.join(", ")
        )),
    }
    for row in &table.rows {
        if let Some(why) = &row.failure {
            notes.push(format!("{}: no figure ({why})", row.server));
        }
        if let Some(why) = &row.left_out {
            notes.push(format!("{}: left out ({why})", row.server));
        }
    }
    notes
}

/// Every target, with what was reached; `None` if there are no targets.
fn targets(comparison: &Comparison) -> Option<String> {
    let titles = [
        "work", "figure", "server", "target", "against", "reached", "verdict",
    ];
    let mut lines = vec![
        "### Targets".to_owned(),
        String::new(),
        line(titles.iter().map(|title| (*title).to_owned())),
        line(titles.iter().map(|_| "---".to_owned())),
    ];
    let before = lines.len();
    for table in &comparison.tables {
        for verdict in &table.verdicts {
            let reached =
                verdict
                    .reached
                    .map_or_else(String::new, |reached| match verdict.against {
                        None => verdict.figure.show(reached.median),
                        Some(_) => format!(
                            "{:.2} ({:.2}–{:.2})",
                            reached.median, reached.lowest, reached.highest
                        ),
                    });
            lines.push(line([
                table.title.clone(),
                verdict.figure.title().to_owned(),
                verdict.subject.clone(),
                verdict.target.clone(),
                verdict.against.clone().unwrap_or_default(),
                reached,
                verdict.outcome.to_string(),
            ]));
        }
    }
    (lines.len() > before).then(|| lines.join("\n"))
}

/// A line of a table; a bar in a cell would end the cell.
fn line(cells: impl IntoIterator<Item = String>) -> String {
    let cells: Vec<String> = cells
        .into_iter()
        .map(|cell| cell.replace('|', "\\|"))
        .collect();
    format!("| {} |", cells.join(" | "))
}

#[cfg(test)]
mod tests;
