//! The figures that a comparison shows: their names, units, and which way is better.

use std::fmt;

use serde::{Deserialize, Serialize};

/// One figure of one server in one round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum Figure {
    /// Right answers per second of the server's CPU time, user and system, all its processes.
    PerCpuSecond,
    /// Right answers per second of the clock.
    PerSecond,
    /// Half of the requests took no longer.
    P50,
    /// 90 of 100 took no longer.
    P90,
    /// 99 of 100 took no longer.
    P99,
    /// 999 of 1,000 took no longer.
    P999,
    /// 9,999 of 10,000 took no longer.
    P9999,
    /// The longest.
    Max,
    /// Resident memory before the first load.
    RssIdle,
    /// The most resident memory seen under load.
    RssBusy,
    /// Resident memory a second after the load.
    RssAfter,
    /// What one more idle connection takes of resident memory.
    RssPerConnection,
    /// The median time of an answer on a connection that was idle, among many such.
    FirstAnswer,
    /// The same by that among ten.
    FirstAnswerRatio,
    /// From the start of the process to its first right answer.
    Start,
}

/// What the figures are measured in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Requests, by a second of some kind.
    Requests,
    /// Seconds.
    Seconds,
    /// Bytes.
    Bytes,
    /// A number without a unit.
    Plain,
}

use Figure as F;

/// Every figure, its name in suite files and reports, its title and its unit.
const TABLE: [(Figure, &str, &str, Unit); 15] = [
    (
        F::PerCpuSecond,
        "per-cpu-second",
        "req / server CPU s",
        Unit::Requests,
    ),
    (F::PerSecond, "per-second", "req / s", Unit::Requests),
    (F::P50, "p50", "p50", Unit::Seconds),
    (F::P90, "p90", "p90", Unit::Seconds),
    (F::P99, "p99", "p99", Unit::Seconds),
    (F::P999, "p99.9", "p99.9", Unit::Seconds),
    (F::P9999, "p99.99", "p99.99", Unit::Seconds),
    (F::Max, "max", "max", Unit::Seconds),
    (F::RssIdle, "rss-idle", "RSS idle", Unit::Bytes),
    (F::RssBusy, "rss-busy", "RSS under load", Unit::Bytes),
    (F::RssAfter, "rss-after", "RSS after", Unit::Bytes),
    (
        F::RssPerConnection,
        "rss-per-connection",
        "RSS / idle connection",
        Unit::Bytes,
    ),
    (
        F::FirstAnswer,
        "first-answer",
        "first answer among many",
        Unit::Seconds,
    ),
    (
        F::FirstAnswerRatio,
        "first-answer-ratio",
        "first answer, many : 10",
        Unit::Plain,
    ),
    (F::Start, "start", "start to first answer", Unit::Seconds),
];

impl Figure {
    /// Every figure, in the order in which they are shown.
    pub fn all() -> impl Iterator<Item = Self> {
        TABLE.iter().map(|row| row.0)
    }

    /// The figure of that name; `None` if there is none.
    pub fn named(name: &str) -> Option<Self> {
        TABLE.iter().find(|row| row.1 == name).map(|row| row.0)
    }

    fn row(self) -> &'static (Self, &'static str, &'static str, Unit) {
        // The table is in the order of the variants, which a test asserts.
        &TABLE[self as usize]
    }

    /// Its name in suite files and reports.
    pub fn name(self) -> &'static str {
        self.row().1
    }

    /// What stands above its column.
    pub fn title(self) -> &'static str {
        self.row().2
    }

    /// What it is measured in.
    pub fn unit(self) -> Unit {
        self.row().3
    }

    /// Whether more is better; less is, of times and sizes.
    pub fn higher_is_better(self) -> bool {
        matches!(self, F::PerCpuSecond | F::PerSecond)
    }

    /// A value as a reader wants it: `134.5 k`, `1.250 ms`, `27.1 MiB`.
    pub fn show(self, value: f64) -> String {
        match self.unit() {
            Unit::Requests if value >= 1e4 => format!("{:.1} k", value / 1e3),
            Unit::Requests => format!("{value:.0}"),
            Unit::Seconds if value >= 1.0 => format!("{value:.2} s"),
            Unit::Seconds if value >= 1e-3 => format!("{:.2} ms", value * 1e3),
            Unit::Seconds => format!("{:.0} µs", value * 1e6),
            Unit::Bytes if value >= 1_048_576.0 => format!("{:.1} MiB", value / 1_048_576.0),
            Unit::Bytes => format!("{:.2} KiB", value / 1024.0),
            Unit::Plain => format!("{value:.2}"),
        }
    }
}

impl From<Figure> for String {
    fn from(figure: Figure) -> Self {
        figure.name().to_owned()
    }
}

impl TryFrom<String> for Figure {
    type Error = String;

    fn try_from(name: String) -> Result<Self, String> {
        Self::named(&name).ok_or_else(|| format!("there is no figure {name:?}"))
    }
}

impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::{Figure, TABLE};

    #[test]
    fn the_table_is_in_the_order_of_the_variants() {
        for (index, row) in TABLE.iter().enumerate() {
            assert_eq!(row.0 as usize, index, "{}", row.1);
            assert_eq!(Figure::named(row.1), Some(row.0));
            assert_eq!(row.0.name(), row.1);
        }
    }

    #[test]
    fn values_are_shown_in_a_fitting_unit() {
        let shown = [
            (Figure::PerSecond, 134_520.0, "134.5 k"),
            (Figure::PerSecond, 9_999.0, "9999"),
            (Figure::P99, 0.000_999, "999 µs"),
            (Figure::P99, 0.001_25, "1.25 ms"),
            (Figure::Start, 1.5, "1.50 s"),
            (Figure::RssIdle, 2_097_152.0, "2.0 MiB"),
            (Figure::RssPerConnection, 3072.0, "3.00 KiB"),
            (Figure::FirstAnswerRatio, 1.034, "1.03"),
        ];
        for (figure, value, expected) in shown {
            assert_eq!(figure.show(value), expected);
        }
    }
}
