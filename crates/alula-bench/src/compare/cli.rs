//! The command line of `alula bench compare`.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};

use super::comparison::Comparison;
use super::suite::{Suite, read};
use super::variant::Variant;
use super::verdict::Outcome;
use super::{ledger, markdown, session, variant};
use crate::cli::parse;
use crate::html;

const AFTER: &str = "\
Servers, requests, measurements and targets stand in the suite file; docs/bench.md describes it.

Exit status: 0 if every server gave every figure; 1 if one did not (or, with --strict, a target is \
missed); 2 if the command line or the suite file is wrong, or nothing can be measured; 130 if it \
was interrupted.";

/// Runs `alula bench compare` with the arguments that stand behind `compare`; the answer is the exit
/// status.
pub fn run(args: &[OsString]) -> u8 {
    let matches = match parse(command(), "alula bench compare", args) {
        Ok(matches) => matches,
        Err(status) => return status,
    };
    match execute(&matches, args) {
        Ok(status) => status,
        Err(why) => {
            eprintln!("alula bench compare: {why}");
            2
        }
    }
}

fn command() -> Command {
    let list = |name: &'static str, help: &'static str| {
        Arg::new(name)
            .long(name)
            .value_name("NAMES")
            .value_delimiter(',')
            .action(ArgAction::Append)
            .help(help)
    };
    let file = |name: &'static str, help: &'static str| {
        Arg::new(name)
            .long(name)
            .value_name("FILE")
            .value_parser(value_parser!(PathBuf))
            .help(help)
    };
    let flag = |name: &'static str, help: &'static str| {
        Arg::new(name)
            .long(name)
            .action(ArgAction::SetTrue)
            .help(help)
    };
    Command::new("alula bench compare")
        .about("Measures the servers of a suite file side by side, in interleaved rounds")
        .after_help(AFTER)
        .arg(
            Arg::new("suite")
                .value_name("SUITE.toml")
                .help("What is compared: servers, requests, measurements, targets")
                .required(true)
                .value_parser(value_parser!(PathBuf)),
        )
        .arg(list("only", "Only these measurements, separated by commas"))
        .arg(list("servers", "Only these servers, separated by commas"))
        .arg(
            Arg::new("rounds")
                .long("rounds")
                .value_name("N")
                .value_parser(value_parser!(u32).range(1..=1000))
                .help("Interleaved rounds, instead of the file's"),
        )
        .arg(
            Arg::new("seconds")
                .long("seconds")
                .value_name("S")
                .value_parser(seconds)
                .help("Length of each measurement, instead of the file's"),
        )
        .arg(
            Arg::new("set")
                .long("set")
                .value_name("NAME=VALUE")
                .action(ArgAction::Append)
                .value_parser(pair)
                .help("Another value for a placeholder that the file sets"),
        )
        .arg(
            Arg::new("variant")
                .long("variant")
                .value_name(variant::ACCEPTED)
                .action(ArgAction::Append)
                .value_parser(Variant::parse)
                .help(
                    "One more server: a copy with another value for a placeholder, such as a build",
                ),
        )
        .arg(file(
            "json",
            "Write every figure of every round; `alula bench gate` reads it",
        ))
        .arg(file("markdown", "Write the report"))
        .arg(file("html", "Write a self-contained page with plots"))
        .arg(file("ledger", "Append the report to this file"))
        .arg(flag("strict", "Exit 1 if a target is missed"))
        .arg(flag(
            "extra",
            "Also the measurements that the suite marks as extra",
        ))
        .arg(flag("list", "List what the suite measures, and end"))
}

fn seconds(text: &str) -> Result<Duration, String> {
    let accepted = "a number of seconds above 0, up to 3600, is accepted";
    match text.parse::<f64>() {
        Ok(seconds) if seconds > 0.0 && seconds <= 3600.0 => Ok(Duration::from_secs_f64(seconds)),
        _ => Err(accepted.to_owned()),
    }
}

fn pair(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err("NAME=VALUE is accepted".to_owned()),
    }
}

fn execute(matches: &ArgMatches, args: &[OsString]) -> Result<u8, String> {
    let path = matches.get_one::<PathBuf>("suite").expect("it is required");
    let set: BTreeMap<String, String> = matches
        .get_many::<(String, String)>("set")
        .unwrap_or_default()
        .cloned()
        .collect();
    let mut suite = read(path, &set).map_err(|error| error.to_string())?;
    for variant in matches.get_many::<Variant>("variant").unwrap_or_default() {
        variant.add_to(&mut suite)?;
    }
    choose(&mut suite, matches)?;
    if matches.get_flag("list") {
        return Ok(list(&suite));
    }
    for output in ["json", "markdown", "html", "ledger"] {
        if let Some(path) = matches.get_one::<PathBuf>(output) {
            check_folder(path)?;
        }
    }
    let interrupted = Arc::new(AtomicBool::new(false));
    let registered = watch_signals(&interrupted).map_err(|error| format!("signals: {error}"))?;
    let typed = typed(args);
    let compared = session::run(&suite, &typed, &interrupted, &mut std::io::stderr());
    for id in registered {
        signal_hook::low_level::unregister(id);
    }
    let comparison = compared?;
    let whole = !interrupted.load(Ordering::Relaxed);
    write(&comparison, matches, whole)?;
    Ok(if whole {
        status(&comparison, matches.get_flag("strict"))
    } else {
        130
    })
}

/// A first Ctrl-C ends the run in order; a second one ends us, and the guardians the servers.
fn watch_signals(flag: &Arc<AtomicBool>) -> std::io::Result<Vec<signal_hook::SigId>> {
    use signal_hook::consts::{SIGINT, SIGTERM};
    let mut ids = Vec::new();
    for signal in [SIGINT, SIGTERM] {
        ids.push(signal_hook::flag::register_conditional_shutdown(
            signal,
            130,
            Arc::clone(flag),
        )?);
        ids.push(signal_hook::flag::register(signal, Arc::clone(flag))?);
    }
    Ok(ids)
}

/// Leaves only what the command line asks for.
fn choose(suite: &mut Suite, matches: &ArgMatches) -> Result<(), String> {
    if let Some(&rounds) = matches.get_one::<u32>("rounds") {
        suite.rounds = rounds as usize;
    }
    if let Some(&seconds) = matches.get_one::<Duration>("seconds") {
        suite.seconds = seconds;
    }
    let names = |option: &str| -> Option<Vec<String>> {
        Some(matches.get_many::<String>(option)?.cloned().collect())
    };
    if let Some(only) = names("only") {
        let known = suite.measures.iter().map(|measure| measure.name.as_str());
        check_known("only", "measurement", &only, known)?;
        suite
            .measures
            .retain(|measure| only.contains(&measure.name));
    } else if !matches.get_flag("extra") && !matches.get_flag("list") {
        suite.measures.retain(|measure| !measure.extra);
    }
    if let Some(servers) = names("servers") {
        let known = suite.servers.iter().map(|server| server.name.as_str());
        check_known("servers", "server", &servers, known)?;
        for measure in &mut suite.measures {
            let all = suite.servers.iter().map(|server| server.name.clone());
            let taking_part = if measure.servers.is_empty() {
                all.collect()
            } else {
                measure.servers.clone()
            };
            let wanted = taking_part
                .into_iter()
                .filter(|name| servers.contains(name));
            measure.servers = wanted.collect();
        }
        suite.measures.retain(|measure| !measure.servers.is_empty());
        // One that only lends its speed to an open loop's rate stays, but is not built in vain.
        let lenders: Vec<String> = suite.measures.iter().filter_map(lender).collect();
        for server in &mut suite.servers {
            if !servers.contains(&server.name) && !lenders.contains(&server.name) {
                server.skip = Some("not among --servers".to_owned());
            }
        }
    }
    Ok(())
}

fn lender(measure: &super::suite::Measure) -> Option<String> {
    use super::suite::{Kind, Rate};
    match &measure.kind {
        Kind::Open(Rate::Share { of, .. }) => Some(of.clone()),
        _ => None,
    }
}

fn check_known<'a>(
    option: &str,
    what: &str,
    names: &[String],
    known: impl Iterator<Item = &'a str>,
) -> Result<(), String> {
    let known: Vec<&str> = known.collect();
    match names.iter().find(|name| !known.contains(&name.as_str())) {
        None => Ok(()),
        Some(name) => Err(format!(
            "--{option}: there is no {what} {name:?}; there are {}",
            known.join(", ")
        )),
    }
}

fn list(suite: &Suite) -> u8 {
    use std::fmt::Write as _;
    let mut out = String::new();
    for measure in &suite.measures {
        // Writing to a string cannot fail.
        let extra = if measure.extra { " (extra)" } else { "" };
        let _ = writeln!(out, "{:16} {}{extra}", measure.name, measure.title);
    }
    // A reader that went away wants no more.
    let _ = std::io::stdout().write_all(out.as_bytes());
    0
}

/// Nobody should learn after an hour of measuring that the result can't be written.
fn check_folder(path: &Path) -> Result<(), String> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    if folder.is_dir() {
        Ok(())
    } else {
        Err(format!(
            "{}: there is no folder {}",
            path.display(),
            folder.display()
        ))
    }
}

/// The command as a reader elsewhere may type it: folders outside of the project mean nothing there.
fn typed(args: &[OsString]) -> String {
    let mut words = vec!["alula bench compare".to_owned()];
    for word in args {
        let word = word.to_string_lossy();
        let (option, value) = word.split_once('=').unwrap_or(("", &word));
        let path = Path::new(value);
        words.push(match path.file_name().filter(|_| path.is_absolute()) {
            None => word.into_owned(),
            Some(name) if option.is_empty() => format!("…/{}", name.to_string_lossy()),
            Some(name) => format!("{option}=…/{}", name.to_string_lossy()),
        });
    }
    words.join(" ")
}

/// Writes what was asked for. Half a comparison is nothing to keep in a ledger.
fn write(comparison: &Comparison, matches: &ArgMatches, whole: bool) -> Result<(), String> {
    let text = markdown::render(comparison);
    // A reader that went away wants no more; the files may still be wanted.
    let _ = writeln!(std::io::stdout(), "{text}");
    let to = |option: &str, text: &dyn Fn() -> String| match matches.get_one::<PathBuf>(option) {
        None => Ok(()),
        Some(path) => std::fs::write(path, text())
            .map_err(|error| format!("--{option} {}: {error}", path.display())),
    };
    to("json", &|| {
        let json = serde_json::to_string_pretty(comparison);
        json.expect("a comparison has no map with other keys than texts") + "\n"
    })?;
    to("markdown", &|| {
        format!("# {}\n\n{text}\n", comparison.title)
    })?;
    to("html", &|| html::comparison(comparison))?;
    if let Some(path) = matches.get_one::<PathBuf>("ledger").filter(|_| whole) {
        let heading = format!("{}, {}", comparison.origin.date, comparison.suite);
        ledger::append(path, &heading, &text)
            .map_err(|error| format!("--ledger {}: {error}", path.display()))?;
    }
    Ok(())
}

fn status(comparison: &Comparison, strict: bool) -> u8 {
    let mut rows = comparison.tables.iter().flat_map(|table| &table.rows);
    let mut verdicts = comparison.tables.iter().flat_map(|table| &table.verdicts);
    let missed = |outcome: Outcome| matches!(outcome, Outcome::Missed { .. } | Outcome::NoFigure);
    let failed = rows.any(|row| row.failure.is_some());
    u8::from(failed || (strict && verdicts.any(|verdict| missed(verdict.outcome))))
}
