//! The command line of `alula bench gate`.

use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};

use clap::{Arg, ArgAction, Command, value_parser};

use super::rule::{Change, Gate, State, judge};
use crate::cli::parse;
use crate::compare::Comparison;
use crate::compare::verdict::Spread;

const AFTER: &str = "\
The files are what `alula bench compare --json` writes. A row is one figure of one server in one \
measurement. Where both files have the same baseline, a row is the server's ratio to it, taken round \
by round; else it is the figure itself. The noise of a row is the wider of the two spreads (from the \
lowest round to the highest), and at least the floor, a share of the old median. A row is worse if \
its median has moved in the bad direction by more than the noise, or if the figure is gone. Requests \
per second under a saturated generator are not judged.

Exit status: 0 if no row got worse; 1 with the rows that did; 2 if the files cannot be compared \
(another suite, other conditions, fewer than 3 rounds, no row in common, no such file).";

/// Runs `alula bench gate` with the arguments that stand behind `gate`; the answer is the exit
/// status.
///
/// # Panics
///
/// Never: the parser gives every argument that it requires.
pub fn run(args: &[OsString]) -> u8 {
    let matches = match parse(command(), "alula bench gate", args) {
        Ok(matches) => matches,
        Err(status) => return status,
    };
    let path = |name| matches.get_one::<PathBuf>(name).expect("it is required");
    let floor = matches.get_one::<f64>("floor").copied().unwrap_or(0.02);
    let (old, new) = (path("old"), path("new"));
    let judged = read(old).and_then(|was| Ok((was, read(new)?)));
    let judged = judged.and_then(|(was, is)| {
        let files = format!("{} and {}", old.display(), new.display());
        judge(&was, &is, floor).map_err(|why| format!("{files} cannot be compared: {why}"))
    });
    match judged {
        Ok(gate) => {
            // A reader that went away wants no more.
            let _ = std::io::stdout().write_all(show(&gate, matches.get_flag("all")).as_bytes());
            u8::from(gate.worse().next().is_some())
        }
        Err(why) => {
            eprintln!("alula bench gate: {why}");
            2
        }
    }
}

fn command() -> Command {
    let file = |name: &'static str, title: &'static str, help: &'static str| {
        Arg::new(name)
            .value_name(title)
            .help(help)
            .required(true)
            .value_parser(value_parser!(PathBuf))
    };
    Command::new("alula bench gate")
        .about("Says which rows of a comparison got worse, beyond the noise that the rounds show")
        .after_help(AFTER)
        .arg(file("old", "OLD.json", "As it was"))
        .arg(file("new", "NEW.json", "As it is"))
        .arg(
            Arg::new("floor")
                .long("floor")
                .value_name("PERCENT")
                .value_parser(percent)
                .help("The least noise, in percent of the old median [default: 2]"),
        )
        .arg(
            Arg::new("all")
                .long("all")
                .action(ArgAction::SetTrue)
                .help("Show every row, not only those that changed"),
        )
}

fn percent(text: &str) -> Result<f64, String> {
    match text.trim_end_matches('%').parse::<f64>() {
        Ok(percent) if (0.0..=100.0).contains(&percent) => Ok(percent / 100.0),
        _ => Err("a number of percent from 0 to 100 is accepted".to_owned()),
    }
}

fn read(path: &Path) -> Result<Comparison, String> {
    let text =
        std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    serde_json::from_str(&text).map_err(|error| {
        let what = "it is not what `alula bench compare --json` writes";
        format!("{}: {what}: {error}", path.display())
    })
}

fn show(gate: &Gate, all: bool) -> String {
    let mut lines = Vec::new();
    let shown = gate
        .changes
        .iter()
        .filter(|change| all || change.state != State::Same);
    lines.extend(shown.map(one));
    lines.extend(gate.notes.iter().map(|note| format!("note: {note}")));
    let (worse, rows) = (gate.worse().count(), gate.changes.len());
    lines.push(format!("{worse} of {rows} rows got worse beyond the noise"));
    lines.join("\n") + "\n"
}

/// `worse: plain: alula: per-second 0.80 × uvicorn, was 1.00 (-20.0 %, noise 5.0 %)`.
fn one(change: &Change) -> String {
    let value = |spread: Spread| match &change.baseline {
        Some(_) => format!("{:.3}", spread.median),
        None => change.figure.show(spread.median),
    };
    let times = change
        .baseline
        .as_ref()
        .map(|name| format!(" × {name}"))
        .unwrap_or_default();
    let is = change
        .new
        .map_or_else(|| "no figure".to_owned(), |new| value(new) + &times);
    let moved = change.new.map_or_else(String::new, |new| {
        let (old, noise) = (change.old.median, change.noise);
        let moved = (new.median / old - 1.0) * 100.0;
        format!(" ({moved:+.1} %, noise {:.1} %)", noise / old * 100.0)
    });
    let (measure, server, figure) = (&change.measure, &change.server, change.figure);
    let was = value(change.old);
    format!(
        "{}: {measure}: {server}: {figure} {is}, was {was}{moved}",
        change.state
    )
}
