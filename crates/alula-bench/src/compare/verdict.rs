//! Medians, ratios and targets: what the figures of a table say. Pure functions.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::comparison::{Row, Table};
use super::figure::Figure;
use super::suite::{Against, Role, Target};

/// A median with the lowest and the highest value.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// The middle value; of an even number, the mean of the two in the middle.
    pub median: f64,
    /// The smallest.
    pub lowest: f64,
    /// The largest.
    pub highest: f64,
}

impl Spread {
    /// Of these values; `None` if there are none.
    pub fn of(values: &[f64]) -> Option<Self> {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let middle = sorted.len() / 2;
        let median = match sorted.len() {
            0 => return None,
            length if length % 2 == 0 => f64::midpoint(sorted[middle - 1], sorted[middle]),
            _ => sorted[middle],
        };
        Some(Self {
            median,
            lowest: sorted[0],
            highest: sorted[sorted.len() - 1],
        })
    }

    /// From the lowest to the highest.
    pub fn width(self) -> f64 {
        self.highest - self.lowest
    }
}

/// How a subject stands to a target.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// Who was held against it.
    pub subject: String,
    /// Which figure.
    pub figure: Figure,
    /// The target in words, such as `≥ 1.3 × best peer`.
    pub target: String,
    /// Who was compared with, if anyone.
    pub against: Option<String>,
    /// The subject's figure, or its ratio to the other's, taken round by round.
    pub reached: Option<Spread>,
    /// What follows.
    pub outcome: Outcome,
}

/// What follows from a figure and a target.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "is")]
pub enum Outcome {
    /// The target is reached.
    Met {
        /// By so much of the target, 0 or more.
        by: f64,
    },
    /// It is not.
    Missed {
        /// By so much of the target.
        by: f64,
        /// Some rounds reached it.
        within_spread: bool,
    },
    /// It is not, but the generator was the limit: nothing follows.
    Tie,
    /// There is nothing to compare.
    NoFigure,
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Met { by } => write!(f, "met by {:.1} %", by * 100.0),
            Self::Missed { by, within_spread } => {
                write!(f, "missed by {:.1} %", by * 100.0)?;
                f.write_str(if *within_spread {
                    ", within the spread"
                } else {
                    ""
                })
            }
            Self::Tie => f.write_str("tie (generator saturated)"),
            Self::NoFigure => f.write_str("no figure"),
        }
    }
}

/// One server's figure over another's, round by round, as a slow phase of the machine hits both.
/// `None` if one of them has none.
pub fn ratio(table: &Table, figure: Figure, server: &str, other: &str) -> Option<Spread> {
    let (mine, theirs) = (table.row(server)?, table.row(other)?);
    Spread::of(&ratios(mine, theirs, figure))
}

/// The quotients of two servers' values of the same round; nothing if one of them has failed.
pub fn ratios(mine: &Row, theirs: &Row, figure: Figure) -> Vec<f64> {
    if mine.failure.is_some() || theirs.failure.is_some() {
        return Vec::new();
    }
    let pairs = mine.rounds.iter().zip(&theirs.rounds);
    pairs
        .filter_map(|(mine, theirs)| {
            let (mine, theirs) = (mine.figures.get(&figure)?, theirs.figures.get(&figure)?);
            (*theirs > 0.0).then(|| mine / theirs)
        })
        .collect()
}

/// The peer with the best median. Subjects and ceilings are no peers.
pub fn best_peer(table: &Table, figure: Figure) -> Option<&str> {
    let peers = table.rows.iter().filter(|row| row.role == Role::Peer);
    let medians = peers.filter_map(|row| {
        let spread = Spread::of(&row.values(figure))?;
        Some((row.server.as_str(), spread.median))
    });
    let better = |one: f64, other: f64| {
        if figure.higher_is_better() {
            one > other
        } else {
            one < other
        }
    };
    let best = medians.reduce(|best, next| if better(next.1, best.1) { next } else { best });
    best.map(|(server, _)| server)
}

/// Whether requests per second of both say nothing of the servers, as the generator was the limit
/// under each.
pub fn is_tie(table: &Table, figure: Figure, server: &str, other: &str) -> bool {
    let saturated = |name: &str| table.row(name).is_some_and(Row::is_saturated);
    figure == Figure::PerSecond && saturated(server) && saturated(other)
}

/// Holds every subject against every target.
pub fn judge(table: &Table, targets: &[Target]) -> Vec<Verdict> {
    let subjects = table.rows.iter().filter(|row| row.role == Role::Subject);
    let taking_part = subjects.filter(|row| row.left_out.is_none());
    let names = taking_part.map(|row| row.server.as_str());
    names
        .flat_map(|subject| targets.iter().map(move |target| (subject, target)))
        .map(|(subject, target)| judge_one(table, target, subject))
        .collect()
}

fn judge_one(table: &Table, target: &Target, subject: &str) -> Verdict {
    let figure = target.figure;
    let sign = if figure.higher_is_better() {
        "≥"
    } else {
        "≤"
    };
    let (words, against) = match &target.against {
        Against::Nothing => (figure.show(target.bound), None),
        Against::BestPeer => {
            let best = best_peer(table, figure).map(str::to_owned);
            (format!("{} × best peer", target.bound), best)
        }
        Against::Server(name) => (format!("{} × {name}", target.bound), Some(name.clone())),
    };
    let reached = match (&target.against, &against) {
        (Against::Nothing, _) => table
            .row(subject)
            .and_then(|row| Spread::of(&row.values(figure))),
        (_, Some(other)) => ratio(table, figure, subject, other),
        (_, None) => None,
    };
    // A generator at its limit hides how much faster the subject is; never that it is slower
    // than a ceiling, but then that bound is the generator's as well.
    let saturated =
        figure == Figure::PerSecond && table.row(subject).is_some_and(Row::is_saturated);
    Verdict {
        subject: subject.to_owned(),
        figure,
        target: format!("{sign} {words}"),
        against,
        reached,
        outcome: outcome(reached, target, saturated),
    }
}

fn outcome(reached: Option<Spread>, target: &Target, saturated: bool) -> Outcome {
    let Some(reached) = reached else {
        return Outcome::NoFigure;
    };
    let distance = reached.median / target.bound - 1.0;
    let ahead = if target.figure.higher_is_better() {
        distance
    } else {
        -distance
    };
    if ahead >= 0.0 {
        return Outcome::Met { by: ahead };
    }
    if saturated {
        return Outcome::Tie;
    }
    Outcome::Missed {
        by: -ahead,
        within_spread: (reached.lowest..=reached.highest).contains(&target.bound),
    }
}

#[cfg(test)]
mod tests;
