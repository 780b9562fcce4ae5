//! Reads a suite file as a whole.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use toml::Table;

use super::keys::{COMMAND, Keys, TEXT, command, list, number, text};
use super::{Suite, SuiteError, measures, requests, servers};

/// What every server may be told besides what the file sets.
const GIVEN: [&str; 6] = [
    "port",
    "root",
    "scratch",
    "request-bytes",
    "answer-file",
    "with",
];

/// Reads a suite file. `set` replaces placeholders that its table `[set]` has.
///
/// # Errors
///
/// If the file can't be read or is no TOML, or if a key or value in it, or a name in `set`, is not
/// accepted.
pub fn read(path: &Path, set: &BTreeMap<String, String>) -> Result<Suite, SuiteError> {
    let fail = |reason: String| SuiteError::File {
        path: path.to_owned(),
        reason,
    };
    let source = std::fs::read_to_string(path).map_err(|error| fail(error.to_string()))?;
    let table: Table = source.parse().map_err(|error: toml::de::Error| {
        let start = error.span().map_or(0, |span| span.start);
        let line = 1 + source.bytes().take(start).filter(|&b| b == b'\n').count();
        fail(format!(
            "line {line}: {}",
            error.message().replace('\n', " ")
        ))
    })?;
    let folder = std::path::absolute(path).map_err(|error| fail(error.to_string()))?;
    let folder = folder.parent().unwrap_or(Path::new("/")).to_owned();
    let mut suite = whole(Keys::new(path, "", table), &folder)?;
    suite.name = path
        .file_stem()
        .map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
    replace(&mut suite, set).map_err(fail)?;
    check_names(path, &suite)?;
    check_placeholders(path, &suite)?;
    Ok(suite)
}

fn unreadable(path: &Path, reason: String) -> SuiteError {
    SuiteError::File {
        path: path.to_owned(),
        reason,
    }
}

fn parse(path: &Path) -> Result<Table, SuiteError> {
    let source =
        std::fs::read_to_string(path).map_err(|error| unreadable(path, error.to_string()))?;
    source.parse().map_err(|error: toml::de::Error| {
        let start = error.span().map_or(0, |span| span.start);
        let line = 1 + source.bytes().take(start).filter(|&b| b == b'\n').count();
        let what = error.message().replace('\n', " ");
        unreadable(path, format!("line {line}: {what}"))
    })
}

fn whole(mut keys: Keys<'_>, folder: &Path) -> Result<Suite, SuiteError> {
    let title = keys.required("title", TEXT, text)?;
    let root = keys.text("root")?.unwrap_or_else(|| ".".to_owned());
    let root = clean(&folder.join(root));
    let ready = seconds(&mut keys, "ready-seconds", 30.0)?;
    let rounds = keys.whole("rounds", 1, 1000)?.unwrap_or(3) as usize;
    let prepare = keys.optional(
        "prepare",
        &format!("a list, each item {COMMAND}"),
        |value| value.as_array()?.iter().map(command).collect(),
    )?;
    let files = keys.optional("include", "a list of files with tables [[server]]", list)?;
    let mut servers = Vec::new();
    for file in files.unwrap_or_default() {
        let path = clean(&folder.join(file));
        let mut included = Keys::new(&path, "", parse(&path)?);
        servers.extend(servers::read(&mut included, &root, ready)?);
        included.finish()?;
    }
    servers.extend(servers::read(&mut keys, &root, ready)?);
    let suite = Suite {
        name: String::new(),
        title,
        rounds,
        seconds: seconds(&mut keys, "seconds", 2.0)?,
        warmup: seconds(&mut keys, "warm-up-seconds", 0.5)?,
        baseline: keys.text("baseline")?,
        server_core: keys.whole("server-core", 0, 4095)?,
        load_core: keys.whole("load-core", 0, 4095)?,
        prepare: prepare.unwrap_or_default(),
        set: keys.texts("set")?,
        versions: versions(&mut keys)?,
        requests: requests::read(&mut keys, &root)?,
        servers,
        measures: measures::read(&mut keys)?,
        root,
    };
    for (what, missing) in [
        ("server", suite.servers.is_empty()),
        ("request", suite.requests.is_empty()),
        ("measure", suite.measures.is_empty()),
    ] {
        if missing {
            return Err(keys.missing(what, &format!("at least one table [[{what}]]")));
        }
    }
    keys.finish()?;
    Ok(suite)
}

fn versions(keys: &mut Keys<'_>) -> Result<BTreeMap<String, Vec<String>>, SuiteError> {
    let accepted = format!("a table in which each value is {COMMAND}");
    let found = keys.optional("versions", &accepted, |value| {
        let pairs = value.as_table()?.iter();
        pairs
            .map(|(name, value)| Some((name.clone(), command(value)?)))
            .collect()
    })?;
    Ok(found.unwrap_or_default())
}

/// A path without `.` and `..`, so that it reads well; links are not followed.
fn clean(path: &Path) -> PathBuf {
    let mut cleaned = PathBuf::new();
    for part in path.components() {
        match part {
            std::path::Component::CurDir => {}
            std::path::Component::ParentDir => {
                cleaned.pop();
            }
            other => cleaned.push(other),
        }
    }
    cleaned
}

pub(super) fn seconds(
    keys: &mut Keys<'_>,
    key: &'static str,
    preset: f64,
) -> Result<Duration, SuiteError> {
    let accepted = "a number of seconds above 0, up to 3600";
    let given = keys.optional(key, accepted, |value| {
        number(value).filter(|&seconds| seconds > 0.0 && seconds <= 3600.0)
    })?;
    Ok(Duration::from_secs_f64(given.unwrap_or(preset)))
}

fn replace(suite: &mut Suite, set: &BTreeMap<String, String>) -> Result<(), String> {
    for (name, value) in set {
        let Some(place) = suite.set.get_mut(name) else {
            let known: Vec<&str> = suite.set.keys().map(String::as_str).collect();
            let known = match known.as_slice() {
                [] => "the file sets none".to_owned(),
                names => format!("the file sets {}", names.join(", ")),
            };
            return Err(format!(
                "--set {name}={value}: there is no placeholder {name}; {known}"
            ));
        };
        place.clone_from(value);
    }
    Ok(())
}

/// Every name that is referred to must exist, and none may exist twice.
fn check_names(path: &Path, suite: &Suite) -> Result<(), SuiteError> {
    let servers: Vec<&str> = suite.servers.iter().map(|it| it.name.as_str()).collect();
    let requests: Vec<&str> = suite.requests.iter().map(|it| it.name.as_str()).collect();
    let measures: Vec<&str> = suite.measures.iter().map(|it| it.name.as_str()).collect();
    for (kind, names) in [
        ("server", &servers),
        ("request", &requests),
        ("measure", &measures),
    ] {
        for (index, name) in names.iter().enumerate() {
            if names[..index].contains(name) {
                let key = format!("{kind}[{}].name", index + 1);
                return Err(refused(path, key, name, "a name that no other has"));
            }
        }
    }
    if let Some(name) = &suite.baseline {
        exists(path, || "baseline".to_owned(), name, &servers)?;
    }
    for measure in &suite.measures {
        let key = |key: &str| format!("measure \"{}\": {key}", measure.name);
        exists(path, || key("request"), &measure.request, &requests)?;
        check_mix(path, suite, measure)?;
        for name in &measure.servers {
            exists(path, || key("servers"), name, &servers)?;
        }
        if let super::Kind::Open(super::Rate::Share { of, .. }) = &measure.kind {
            exists(path, || key("rate.of"), of, &servers)?;
        }
        for target in &measure.targets {
            if let super::Against::Server(name) = &target.against {
                exists(path, || key("targets"), name, &servers)?;
            }
        }
    }
    Ok(())
}

/// A server is started once for all the requests of a mix, with the placeholders of one.
fn check_mix(path: &Path, suite: &Suite, measure: &super::Measure) -> Result<(), SuiteError> {
    let set = suite.request(&measure.request).map(|first| &first.set);
    let fit = suite.requests.iter().filter(|it| Some(&it.set) == set);
    let fit: Vec<&str> = fit.map(|it| it.name.as_str()).collect();
    for (name, _) in &measure.mix {
        let key = || format!("measure \"{}\": mix", measure.name);
        exists(path, key, name, &fit)?;
    }
    Ok(())
}

fn exists(
    path: &Path,
    key: impl FnOnce() -> String,
    name: &str,
    names: &[&str],
) -> Result<(), SuiteError> {
    if names.contains(&name) {
        return Ok(());
    }
    Err(refused(
        path,
        key(),
        name,
        &format!("one of {}", names.join(", ")),
    ))
}

fn refused(path: &Path, key: String, value: &str, accepted: &str) -> SuiteError {
    SuiteError::Value {
        path: path.to_owned(),
        key,
        value: format!("\"{value}\""),
        accepted: accepted.to_owned(),
    }
}

/// A command may only hold placeholders that somebody gives a value.
fn check_placeholders(path: &Path, suite: &Suite) -> Result<(), SuiteError> {
    let mut known: BTreeSet<&str> = GIVEN.into();
    known.extend(suite.set.keys().map(String::as_str));
    let requests = suite.requests.iter();
    known.extend(requests.flat_map(|request| request.set.keys().map(String::as_str)));
    let accepted: Vec<String> = known.iter().map(|name| format!("{{{name}}}")).collect();
    for (name, command) in &suite.versions {
        for text in command {
            let mut names = super::super::expand::names(text);
            if names.any(|name| name != "root" && !suite.set.contains_key(name)) {
                let accepted = "placeholders among {root} and those of [set]";
                return Err(refused(path, format!("versions.{name}"), text, accepted));
            }
        }
    }
    for server in &suite.servers {
        let lists = server.with.values().flatten().flatten();
        let before = server.build.iter().chain(&server.version).flatten();
        let texts = server.command.iter().chain(server.environment.values());
        for text in texts.chain(lists).chain(before) {
            for name in super::super::expand::names(text) {
                if !known.contains(name) && !server.set.contains_key(name) {
                    let key = format!("server \"{}\"", server.name);
                    let accepted = format!("placeholders among {}", accepted.join(", "));
                    return Err(refused(path, key, text, &accepted));
                }
            }
        }
    }
    Ok(())
}
