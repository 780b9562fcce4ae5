//! What counts as worse.
//!
//! A row is one figure of one server in one measurement. Where both files have the same baseline, and
//! it has that figure in both, a row is the server's ratio to it, taken round by round, since a slow
//! phase of the machine hits both servers alike; else it is the figure itself. The noise of a row is
//! the wider of the two spreads (from the lowest round to the highest), and never less than a floor,
//! a share of the old median. A row is worse if its median has moved in the bad direction by *more*
//! than the noise, or if the figure is gone.

use std::fmt;

use crate::compare::comparison::{Comparison, FORMAT, Row, Table};
use crate::compare::figure::Figure;
use crate::compare::verdict::{Spread, ratios};

/// Fewer rounds than this show no noise.
pub const LEAST_ROUNDS: usize = 3;
/// Offered rates that differ by more than this share make two open loops another work.
const SAME_RATE: f64 = 0.1;

/// Two comparisons, held against each other.
#[derive(Clone, Debug, PartialEq)]
pub struct Gate {
    /// Every row that both have, or that is gone.
    pub changes: Vec<Change>,
    /// What could not be judged, and why.
    pub notes: Vec<String>,
}

impl Gate {
    /// The rows that got worse.
    pub fn worse(&self) -> impl Iterator<Item = &Change> {
        self.changes
            .iter()
            .filter(|change| change.state == State::Worse)
    }
}

/// One row in both files.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// The measurement.
    pub measure: String,
    /// The server.
    pub server: String,
    /// The figure.
    pub figure: Figure,
    /// The server that the values are ratios to, if they are.
    pub baseline: Option<String>,
    /// As it was.
    pub old: Spread,
    /// As it is; `None` if the figure is gone.
    pub new: Option<Spread>,
    /// The least difference of the medians that means something.
    pub noise: f64,
    /// What follows.
    pub state: State,
}

/// What follows from two values and their noise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Better, by more than the noise.
    Better,
    /// No difference that means something.
    Same,
    /// Worse, by more than the noise, or gone.
    Worse,
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Better => "better",
            Self::Same => "same",
            Self::Worse => "worse",
        })
    }
}

/// Holds a newer comparison against an older one. `floor` is a share of the old median.
///
/// # Errors
///
/// Why the two cannot be compared.
pub fn judge(old: &Comparison, new: &Comparison, floor: f64) -> Result<Gate, String> {
    check(old, new)?;
    let mut gate = Gate {
        changes: Vec::new(),
        notes: Vec::new(),
    };
    for was in &old.tables {
        let Some(is) = new.tables.iter().find(|table| table.name == was.name) else {
            gate.notes
                .push(format!("{}: only in the older file", was.name));
            continue;
        };
        if let Some(why) = other_work(was, is) {
            gate.notes.push(format!("{}: not judged, {why}", was.name));
            continue;
        }
        let baseline = old
            .baseline
            .as_deref()
            .filter(|_| old.baseline == new.baseline);
        compare_tables(was, is, baseline, floor, &mut gate)?;
    }
    let news = new.tables.iter();
    let only_new = news.filter(|table| old.tables.iter().all(|other| other.name != table.name));
    gate.notes
        .extend(only_new.map(|table| format!("{}: only in the newer file", table.name)));
    if gate.changes.is_empty() {
        return Err(format!(
            "they have no row in common ({})",
            gate.notes.join("; ")
        ));
    }
    Ok(gate)
}

/// What must be alike.
fn check(old: &Comparison, new: &Comparison) -> Result<(), String> {
    for (name, file) in [("older", old), ("newer", new)] {
        if file.format != FORMAT {
            let format = &file.format;
            return Err(format!(
                "the {name} one has the format {format:?}, expected {FORMAT:?}"
            ));
        }
    }
    let differs = |what: &str, old: String, new: String| {
        if old == new {
            Ok(())
        } else {
            Err(format!("{what} differ: {old} and {new}"))
        }
    };
    let core = |core: Option<u32>| core.map_or("any".to_owned(), |core| core.to_string());
    let (was, is) = (&old.conditions, &new.conditions);
    differs("the suites", old.suite.clone(), new.suite.clone())?;
    differs(
        "the seconds of a measurement",
        was.seconds.to_string(),
        is.seconds.to_string(),
    )?;
    differs(
        "the servers' cores",
        core(was.server_core),
        core(is.server_core),
    )?;
    differs("the load's cores", core(was.load_core), core(is.load_core))
}

/// Why two tables of one name are not of the same work.
fn other_work(was: &Table, is: &Table) -> Option<String> {
    let differs = |what: &str, old: &str, new: &str| {
        (old != new).then(|| format!("as {what} was {old} and is {new}"))
    };
    let rates = was.rate.zip(is.rate);
    let far = rates.filter(|(old, new)| (new / old - 1.0).abs() > SAME_RATE);
    differs("the kind", &was.kind, &is.kind)
        .or_else(|| differs("the request", &was.request, &is.request))
        .or_else(|| {
            let (old, new) = (was.connections.to_string(), is.connections.to_string());
            differs("the number of connections", &old, &new)
        })
        .or_else(|| {
            let (old, new) = (was.threads.to_string(), is.threads.to_string());
            differs("the number of threads", &old, &new)
        })
        .or_else(|| {
            far.map(|(old, new)| format!("as the offered rate was {old:.0} and is {new:.0}"))
        })
}

fn compare_tables(
    was: &Table,
    is: &Table,
    baseline: Option<&str>,
    floor: f64,
    gate: &mut Gate,
) -> Result<(), String> {
    for old in &was.rows {
        let Some(new) = is.row(&old.server).filter(|row| row.left_out.is_none()) else {
            if old.left_out.is_none() {
                let (table, server) = (&was.name, &old.server);
                gate.notes
                    .push(format!("{table}: {server} has no part in the newer file"));
            }
            continue;
        };
        for &figure in &was.figures {
            if figure == Figure::PerSecond && (old.is_saturated() || new.is_saturated()) {
                gate.notes.push(format!(
                    "{}: {}: requests per second not judged, as the generator was saturated",
                    was.name, old.server
                ));
                continue;
            }
            let yardstick = baseline.and_then(|name| {
                let (before, after) = (was.row(name)?, is.row(name)?);
                let has = |row: &Row| !row.values(figure).is_empty();
                (has(before) && has(after)).then_some((name, before, after))
            });
            if yardstick.is_some_and(|(name, ..)| name == old.server) {
                continue; // It is what the others are measured by.
            }
            let values = |row: &Row, other: Option<&Row>| match other {
                Some(other) => ratios(row, other, figure),
                None => row.values(figure),
            };
            let before = values(old, yardstick.map(|it| it.1));
            let after = values(new, yardstick.map(|it| it.2));
            let place = format!("{}: {}: {figure}", was.name, old.server);
            let Some((old_spread, new_spread)) = spreads(&before, &after, &place)? else {
                continue;
            };
            let noise = noise(old_spread, new_spread, floor);
            gate.changes.push(Change {
                measure: was.name.clone(),
                server: old.server.clone(),
                figure,
                baseline: yardstick.map(|it| it.0.to_owned()),
                old: old_spread,
                new: new_spread,
                noise,
                state: state(figure, old_spread, new_spread, noise),
            });
        }
    }
    Ok(())
}

/// The spreads of a row; `None` if it had no figure before.
fn spreads(
    before: &[f64],
    after: &[f64],
    place: &str,
) -> Result<Option<(Spread, Option<Spread>)>, String> {
    let Some(old) = Spread::of(before) else {
        return Ok(None);
    };
    for (file, values) in [("older", before), ("newer", after)] {
        if (1..LEAST_ROUNDS).contains(&values.len()) {
            return Err(format!(
                "{place}: the {file} file has {} round(s); at least {LEAST_ROUNDS} show the noise",
                values.len()
            ));
        }
    }
    Ok(Some((old, Spread::of(after))))
}

/// The wider of the two spreads, and never less than the floor.
pub fn noise(old: Spread, new: Option<Spread>, floor: f64) -> f64 {
    let widest = new.map_or(0.0, Spread::width).max(old.width());
    widest.max(floor * old.median)
}

/// Whether the medians differ by more than the noise, and in which direction.
pub fn state(figure: Figure, old: Spread, new: Option<Spread>, noise: f64) -> State {
    let Some(new) = new else {
        return State::Worse;
    };
    let gain = if figure.higher_is_better() {
        new.median - old.median
    } else {
        old.median - new.median
    };
    if gain > noise {
        State::Better
    } else if -gain > noise {
        State::Worse
    } else {
        State::Same
    }
}

#[cfg(test)]
mod tests;
