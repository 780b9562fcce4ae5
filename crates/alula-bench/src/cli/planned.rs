//! What was given on the command line, as a plan.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::ArgMatches;

use super::values;
use crate::limit::Slo;
use crate::plan::{Extent, Pace, Plan};
use crate::request::file::{bytes, read};
use crate::request::{Body, Length, Request};
use crate::target::Target;

/// Where a report goes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Outputs {
    pub(super) json: Option<PathBuf>,
    pub(super) markdown: Option<PathBuf>,
    pub(super) html: Option<PathBuf>,
    pub(super) quiet: bool,
}

/// All that a command line asks for.
#[derive(Debug)]
pub(super) struct Planned {
    pub(super) plan: Plan,
    /// The objective, where the limit is to be found.
    pub(super) slo: Option<Slo>,
    pub(super) outputs: Outputs,
}

/// The given options, with an error that names the option and its value.
struct Given<'a>(&'a ArgMatches);

impl<'a> Given<'a> {
    fn text(&self, name: &str) -> Option<&'a str> {
        self.0.get_one::<String>(name).map(String::as_str)
    }

    fn path(&self, name: &str) -> Option<PathBuf> {
        self.text(name).map(PathBuf::from)
    }

    fn value<T>(
        &self,
        name: &str,
        parse: impl Fn(&str) -> Result<T, String>,
    ) -> Result<Option<T>, String> {
        self.text(name)
            .map(|text| named(name, text, &parse))
            .transpose()
    }

    fn values<T>(
        &self,
        name: &str,
        parse: impl Fn(&str) -> Result<T, String>,
    ) -> Result<Vec<T>, String> {
        let texts = self.0.get_many::<String>(name).into_iter().flatten();
        texts.map(|text| named(name, text, &parse)).collect()
    }

    fn count(&self, name: &str) -> Result<usize, String> {
        let number = self.value(name, |text| values::number(text, 1))?;
        Ok(usize::try_from(number.unwrap_or(1)).unwrap_or(usize::MAX))
    }

    fn time(&self, name: &str) -> Result<Duration, String> {
        Ok(self.value(name, values::time)?.unwrap_or_default())
    }
}

fn named<T>(
    name: &str,
    text: &str,
    parse: impl Fn(&str) -> Result<T, String>,
) -> Result<T, String> {
    parse(text).map_err(|why| format!("--{name} '{text}': {why}"))
}

/// Makes the plan.
pub(super) fn plan(matches: &ArgMatches) -> Result<Planned, String> {
    let given = Given(matches);
    let url = given.text("url").unwrap_or_default();
    let target = match given.path("unix") {
        Some(socket) => Target::unix(url, &socket),
        None => Target::parse(url),
    };
    let target = target.map_err(|error| error.to_string())?;
    let duration = given.value("duration", values::time)?;
    let requests = given.value("requests", |text| values::number(text, 1))?;
    let plan = Plan {
        name: given.text("name").map(str::to_owned),
        requests: match given.path("requests-file") {
            Some(path) => read(&path).map_err(|error| error.to_string())?,
            None => vec![request(&given, target.path())?],
        },
        target,
        connections: given.count("connections")?,
        threads: given.count("threads")?,
        pace: match given.value("rate", values::rate)? {
            Some(rate) => Pace::Open(rate),
            None => Pace::Closed,
        },
        extent: match (duration, requests) {
            (_, Some(requests)) => Extent::Requests(requests),
            (Some(duration), None) => Extent::Duration(duration),
            (None, None) => Extent::Duration(Duration::from_secs(10)),
        },
        warmup: given.time("warmup")?,
        pipeline: given.count("pipeline")?,
        keep_alive: !matches.get_flag("no-keepalive"),
        timeout: given.time("timeout")?,
        pid: given.value("pid", |text| {
            let number = values::number(text, 1)?;
            u32::try_from(number).map_err(|_| "the id of a process is accepted".to_owned())
        })?,
    };
    plan.check().map_err(|error| error.to_string())?;
    let slo = given.value("slo", |text| {
        text.parse()
            .map_err(|error: crate::Error| error.to_string())
    })?;
    Ok(Planned {
        plan,
        slo,
        outputs: Outputs {
            json: given.path("json"),
            markdown: given.path("markdown"),
            html: given.path("html"),
            quiet: matches.get_flag("quiet"),
        },
    })
}

fn request(given: &Given<'_>, path: &str) -> Result<Request, String> {
    let file = |name: &str| -> Result<Option<Vec<u8>>, String> {
        let read = |text: &str| bytes(Path::new(text)).map_err(|error| error.to_string());
        given.text(name).map(read).transpose()
    };
    let mut request = Request::get(path);
    if let Some(text) = given.text("body") {
        request.body = Body::Fixed(text.into());
    } else if let Some(text) = given.text("body-template") {
        request.body = Body::Template(text.into());
    } else if let Some(bytes) = file("body-file")? {
        request.body = Body::Fixed(bytes);
    }
    request.method = match given.text("method") {
        Some(method) => method.to_owned(),
        None if request.body == Body::None => "GET".to_owned(),
        None => "POST".to_owned(),
    };
    request.headers = given.values("header", values::header)?;
    let expect = &mut request.expect;
    expect.status = given.value("expect-status", values::status)?;
    expect.length = given
        .value("expect-length", values::length)?
        .unwrap_or(Length::First);
    expect.body = match given.text("expect-body") {
        Some(text) => Some(text.into()),
        None => file("expect-body-file")?,
    };
    expect.json = given.values("expect-json", values::pointed)?;
    Ok(request)
}
