//! A comparison from its preparation to its result.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use super::comparison::{Comparison, Conditions, FORMAT, Origin};
use super::exchange::Exchange;
use super::expand::expand;
use super::machine;
use super::markdown;
use super::pin::Pinning;
use super::rounds::{Absence, Rounds, program};
use super::suite::Suite;

/// Files that are open besides one a connection.
const SPARE_FILES: usize = 200;

/// Runs a suite. `command` is what the report says was typed; progress is told line by line.
///
/// If the user wants an end, the result is what there was by then.
///
/// # Errors
///
/// What to tell the user, if nothing could be measured at all.
pub fn run(
    suite: &Suite,
    command: &str,
    interrupted: &AtomicBool,
    progress: &mut dyn Write,
) -> Result<Comparison, String> {
    let pinning = Pinning::find();
    for core in [suite.server_core, suite.load_core] {
        pinning.check(core).map_err(|error| {
            format!(
                "core {}: {error}",
                core.map_or_else(String::new, |core| core.to_string())
            )
        })?;
    }
    let absent = prepare(suite, interrupted, progress)?;
    let exchanges = exchanges(suite)?;
    let most = suite
        .measures
        .iter()
        .map(|measure| measure.connections)
        .max();
    machine::allow_descriptors(most.unwrap_or(0) + SPARE_FILES)?;
    let scratch = Scratch::new()?;
    let mut comparison = empty(suite, command, &pinning, &absent);
    let _ = writeln!(progress, "{}", markdown::header(&comparison));
    let pinned = pinning.pin_self(suite.load_core)?;
    let mut rounds = Rounds {
        suite,
        absent: &absent,
        exchanges: &exchanges,
        scratch: &scratch.path,
        pinning: &pinning,
        interrupted,
        progress,
    };
    for measure in &suite.measures {
        if interrupted.load(Ordering::Relaxed) {
            break;
        }
        let _ = writeln!(rounds.progress, "\n{}: {}", measure.name, measure.title);
        comparison.tables.push(rounds.run(measure));
    }
    drop(pinned);
    if interrupted.load(Ordering::Relaxed) {
        let note = "interrupted: what was under way then, and all behind it, is missing";
        comparison.notes.push(note.to_owned());
    }
    Ok(comparison)
}

/// Runs what has to run before everything; the servers that have no part, and why.
fn prepare(
    suite: &Suite,
    interrupted: &AtomicBool,
    progress: &mut dyn Write,
) -> Result<BTreeMap<String, Absence>, String> {
    for command in &suite.prepare {
        let _ = writeln!(progress, "prepare: {}", command.join(" "));
        finish(command, &suite.root)?;
    }
    let mut absent = BTreeMap::new();
    for server in &suite.servers {
        if interrupted.load(Ordering::Relaxed) {
            break;
        }
        if let Some(why) = &server.skip {
            absent.insert(server.name.clone(), Absence::LeftOut(why.clone()));
        } else if let Some(command) = &server.build {
            let command = expanded(suite, &server.set, command);
            let _ = writeln!(progress, "build {}: {}", server.name, command.join(" "));
            if let Err(why) = finish(&command, &suite.root) {
                let _ = writeln!(progress, "  {why}");
                absent.insert(server.name.clone(), Absence::Failed(why));
            }
        }
    }
    Ok(absent)
}

/// A command that runs before any server is started: only what the files set is known by then.
/// `own`: what is set for the server that it is about.
fn expanded(suite: &Suite, own: &BTreeMap<String, String>, command: &[String]) -> Vec<String> {
    let mut values = suite.set.clone();
    values.extend(own.clone());
    values.insert("root".to_owned(), suite.root.display().to_string());
    command.iter().map(|word| expand(word, &values)).collect()
}

/// Runs a command to its end; its output goes to our standard error.
fn finish(command: &[String], root: &Path) -> Result<(), String> {
    let shown = command.join(" ");
    let run = Command::new(program(&command[0], root))
        .args(&command[1..])
        .current_dir(root)
        .stdin(Stdio::null())
        .stdout(Stdio::from(std::io::stderr()))
        .status();
    match run {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("`{shown}` failed ({status})")),
        Err(error) => Err(format!("`{shown}` can't be run: {error}")),
    }
}

/// The requests that measurements ask for.
fn exchanges(suite: &Suite) -> Result<BTreeMap<String, Exchange>, String> {
    let mut exchanges = BTreeMap::new();
    let measures = suite.measures.iter();
    let names = measures.flat_map(|measure| {
        let mix = measure.mix.iter().map(|(name, _)| name);
        std::iter::once(&measure.request).chain(mix)
    });
    for name in names {
        if let Some(request) = suite.request(name)
            && !exchanges.contains_key(&request.name)
        {
            exchanges.insert(request.name.clone(), Exchange::load(request)?);
        }
    }
    Ok(exchanges)
}

fn empty(
    suite: &Suite,
    command: &str,
    pinning: &Pinning,
    absent: &BTreeMap<String, Absence>,
) -> Comparison {
    let pinned = |core: Option<u32>| core.filter(|_| pinning.is_possible());
    let mut notes = Vec::new();
    if !pinning.is_possible() && suite.server_core.or(suite.load_core).is_some() {
        notes.push("there is no program taskset: servers and load ran on any core".to_owned());
    }
    Comparison {
        format: FORMAT.to_owned(),
        suite: suite.name.clone(),
        title: suite.title.clone(),
        origin: Origin {
            date: machine::now(),
            commit: machine::commit(&suite.root),
            machine: machine::describe(),
            command: command.to_owned(),
        },
        conditions: Conditions {
            rounds: suite.rounds,
            seconds: suite.seconds.as_secs_f64(),
            warmup_seconds: suite.warmup.as_secs_f64(),
            server_core: pinned(suite.server_core),
            load_core: pinned(suite.load_core),
        },
        baseline: suite.baseline.clone(),
        versions: versions(suite, absent),
        tables: Vec::new(),
        notes,
    }
}

/// The version of each server that tells it, of what else the suite names, and ours.
fn versions(suite: &Suite, absent: &BTreeMap<String, Absence>) -> BTreeMap<String, String> {
    let own = env!("CARGO_PKG_VERSION").to_owned();
    let mut versions = BTreeMap::from([("alula-bench".to_owned(), own)]);
    let mut note = |name: &str, own: &BTreeMap<String, String>, command: &[String]| {
        let version = version(&expanded(suite, own, command), &suite.root);
        versions.insert(name.to_owned(), version.unwrap_or_else(|| "?".to_owned()));
    };
    for (name, command) in &suite.versions {
        note(name, &BTreeMap::new(), command);
    }
    for server in &suite.servers {
        if let Some(command) = &server.version
            && !absent.contains_key(&server.name)
        {
            note(&server.name, &server.set, command);
        }
    }
    versions
}

/// The first word with a digit at its front, of what the command prints.
fn version(command: &[String], root: &Path) -> Option<String> {
    let output = Command::new(program(&command[0], root))
        .args(&command[1..])
        .current_dir(root)
        .stdin(Stdio::null())
        .output()
        .ok()?;
    let said = [output.stdout, output.stderr].concat();
    first_version(&String::from_utf8_lossy(&said))
}

fn first_version(said: &str) -> Option<String> {
    let words = said.split(|c: char| c.is_whitespace() || matches!(c, ',' | '=' | '/' | '"'));
    let mut words = words.map(|word| word.trim_start_matches(['v', '(']));
    let version = words.find(|word| word.starts_with(|first: char| first.is_ascii_digit()))?;
    Some(version.trim_end_matches([')', ';', '.']).to_owned())
}

/// A folder for logs and answers, removed at the end.
#[derive(Debug)]
struct Scratch {
    path: PathBuf,
}

impl Scratch {
    fn new() -> Result<Self, String> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("alula-bench-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        match std::fs::create_dir(&path) {
            Ok(()) => Ok(Self { path }),
            Err(error) => Err(format!("{}: {error}", path.display())),
        }
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // A folder that stays behind harms nobody.
        let _ = std::fs::remove_dir_all(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::first_version;

    #[test]
    fn a_version_is_the_first_word_with_a_digit_in_front() {
        let cases = [
            ("alula 0.1.0", Some("0.1.0")),
            ("Running uvicorn 0.54.0 with CPython 3.13", Some("0.54.0")),
            ("v20.1", Some("20.1")),
            ("gcc (Debian 12.2.0-14) 12.2.0", Some("12.2.0-14")),
            ("version = \"4.12.1\"", Some("4.12.1")),
            ("none", None),
        ];
        for (said, version) in cases {
            assert_eq!(first_version(said).as_deref(), version);
        }
    }
}
