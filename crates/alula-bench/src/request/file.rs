//! Several weighted requests from a TOML or JSON file.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;

use super::{Body, Expect, Length, Request};
use crate::error::Error;

/// The most requests of a file.
const MAX_REQUESTS: usize = 1000;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    request: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    name: Option<String>,
    #[serde(default = "get")]
    method: String,
    path: String,
    #[serde(default)]
    headers: BTreeMap<String, String>,
    body: Option<String>,
    body_file: Option<PathBuf>,
    body_template: Option<String>,
    #[serde(default = "one")]
    weight: u32,
    expect_status: Option<u16>,
    expect_length: Option<LengthEntry>,
    expect_body: Option<String>,
    expect_body_file: Option<PathBuf>,
    #[serde(default)]
    expect_json: BTreeMap<String, Value>,
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "a number of bytes, \"first\" or \"any\"")]
enum LengthEntry {
    Exact(u64),
    Word(Word),
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Word {
    First,
    Any,
}

fn get() -> String {
    "GET".into()
}

fn one() -> u32 {
    1
}

/// Reads the requests of a file. One named `*.json` is an object with the key `request`; any other
/// is TOML, with a table `[[request]]` each. Files that it names are looked for beside it.
///
/// # Errors
///
/// A file that can't be read or is not what is described, with its name and what is wrong.
pub fn read(path: &Path) -> Result<Vec<Request>, Error> {
    let refuse = |why: String| Error::Plan(format!("{}: {why}", path.display()));
    let text = fs::read_to_string(path).map_err(|error| refuse(error.to_string()))?;
    let json = path.extension().is_some_and(|ending| ending == "json");
    let file: File = if json {
        serde_json::from_str(&text).map_err(|error| refuse(error.to_string()))?
    } else {
        toml::from_str(&text).map_err(|error| refuse(error.to_string()))?
    };
    let count = file.request.len();
    if !(1..=MAX_REQUESTS).contains(&count) {
        return Err(refuse(format!(
            "it has {count} requests: 1 to {MAX_REQUESTS} are accepted"
        )));
    }
    let folder = path.parent().unwrap_or(Path::new(""));
    let requests = file.request.into_iter();
    requests.map(|entry| entry.request(folder)).collect()
}

impl Entry {
    fn request(self, folder: &Path) -> Result<Request, Error> {
        let beside = |path: Option<PathBuf>| path.map(|path| bytes(&folder.join(path))).transpose();
        let bodies = [
            self.body.map(|text| Body::Fixed(text.into_bytes())),
            beside(self.body_file)?.map(Body::Fixed),
            self.body_template
                .map(|text| Body::Template(text.into_bytes())),
        ];
        let whole = [
            self.expect_body.map(String::into_bytes),
            beside(self.expect_body_file)?,
        ];
        let mut request = Request {
            name: self.name,
            method: self.method,
            path: self.path,
            headers: self.headers.into_iter().collect(),
            body: Body::None,
            weight: self.weight,
            expect: Expect {
                status: self.expect_status,
                length: match self.expect_length {
                    None | Some(LengthEntry::Word(Word::First)) => Length::First,
                    Some(LengthEntry::Word(Word::Any)) => Length::Any,
                    Some(LengthEntry::Exact(length)) => Length::Exact(length),
                },
                body: None,
                json: self.expect_json.into_iter().collect(),
            },
        };
        let only = |what: &str| {
            let text = format!("request '{}': give only one of {what}", request.label());
            Error::Plan(text)
        };
        let body = single(bodies, || only("body, body_file and body_template"))?;
        let whole = single(whole, || only("expect_body and expect_body_file"))?;
        request.body = body.unwrap_or_default();
        request.expect.body = whole;
        Ok(request)
    }
}

/// The one that is there, if one is.
fn single<T>(
    choices: impl IntoIterator<Item = Option<T>>,
    refuse: impl FnOnce() -> Error,
) -> Result<Option<T>, Error> {
    let mut given = choices.into_iter().flatten();
    match (given.next(), given.next()) {
        (_, Some(_)) => Err(refuse()),
        (first, None) => Ok(first),
    }
}

/// All of a file.
pub(crate) fn bytes(path: &Path) -> Result<Vec<u8>, Error> {
    fs::read(path).map_err(|error| Error::Plan(format!("{}: {error}", path.display())))
}

#[cfg(test)]
mod tests;
