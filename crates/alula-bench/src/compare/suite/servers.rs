//! Reads the tables `[[server]]`.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use toml::Value;

use super::keys::{COMMAND, Keys, TEXT, command, list, number, text};
use super::{Role, Server, SuiteError};

pub(super) fn read(
    keys: &mut Keys<'_>,
    root: &Path,
    ready: Duration,
) -> Result<Vec<Server>, SuiteError> {
    let tables = keys.tables("server")?;
    tables
        .into_iter()
        .map(|table| server(table, root, ready))
        .collect()
}

fn server(mut keys: Keys<'_>, root: &Path, ready: Duration) -> Result<Server, SuiteError> {
    let accepted = "\"subject\", \"peer\" or \"ceiling\"";
    let role = keys.optional("role", accepted, |value| match value.as_str()? {
        "subject" => Some(Role::Subject),
        "peer" => Some(Role::Peer),
        "ceiling" => Some(Role::Ceiling),
        _ => None,
    })?;
    let accepted = "a number of seconds above 0, up to 3600";
    let ready_seconds = keys.optional("ready-seconds", accepted, |value| {
        number(value).filter(|&seconds| seconds > 0.0 && seconds <= 3600.0)
    })?;
    let directory = keys.text("cwd")?;
    let server = Server {
        name: keys.required("name", TEXT, text)?,
        role: role.unwrap_or(Role::Peer),
        command: keys.required("command", COMMAND, command)?,
        directory: directory.map_or_else(|| root.to_owned(), |below| root.join(below)),
        environment: keys.texts("env")?,
        set: keys.texts("set")?,
        build: keys.command("build")?,
        version: keys.command("version")?,
        ready: ready_seconds.map_or(ready, Duration::from_secs_f64),
        with: with(&mut keys)?,
        skip: keys.text("skip")?,
    };
    keys.finish()?;
    Ok(server)
}

fn with(keys: &mut Keys<'_>) -> Result<BTreeMap<String, Option<Vec<String>>>, SuiteError> {
    let accepted = "a table in which each value is a list of arguments, or false";
    let found = keys.optional("with", accepted, |value| {
        let pairs = value.as_table()?.iter();
        pairs
            .map(|(name, value)| {
                let arguments = match value {
                    Value::Boolean(false) => None,
                    value => Some(list(value)?),
                };
                Some((name.clone(), arguments))
            })
            .collect()
    })?;
    Ok(found.unwrap_or_default())
}
