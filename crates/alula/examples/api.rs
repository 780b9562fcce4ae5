//! A small JSON API on one thread: what a server of Alula's looks like in Rust, and what its engine
//! is tested and measured with.
//!
//! `cargo run --release -p alula --example api -- --port 8080`

use std::borrow::Cow;
use std::ops::RangeInclusive;
use std::process::ExitCode;
use std::str::FromStr;
use std::time::Duration;

use alula::json::Value;
use alula::{App, Config, IntoResponse, Poller, Refusal, Request, Response};

const USAGE: &str = "\
usage: api [--port PORT] [--reuseport] [--threads COUNT] [--idle SECONDS]
           [--send-quantum BYTES] [--input-buffer BYTES]
           [--poller queue|poll] [--busy-poll SECONDS]

  --port          where to listen; 0 picks a free port (8000)
  --reuseport     let other processes listen there too
  --threads       how many threads serve (1)
  --idle          how long a client may keep the server waiting: for a head, for
                  the next request, for room to write (5, 15 and 30)
  --send-quantum  the most bytes of one write (no bound)
  --input-buffer  the largest body of a request, 4096 to 1048576 (65536)
  --poller        how connections are watched: the system's queue, or poll(2) (queue)
  --busy-poll     how long to look for a request before sleeping, up to 0.001 (0)";

/// The largest blob.
const LARGEST_BLOB: usize = 32_768;

fn app() -> App {
    App::new()
        .get("/health", |_: &Request| Value::from([("status", "ok")]))
        .get("/users/{id}", user)
        .post("/add", add)
        .get("/search", search)
        .get("/blob/{n}", blob)
        .refusals(|refusal: &Refusal| failure(refusal.status(), refusal.reason()))
}

fn failure(status: u16, reason: impl Into<String>) -> Response {
    let body = Value::from([("error", reason.into())]);
    (status, body).into_response()
}

fn user(request: &Request<'_>) -> Result<Value, Response> {
    let id = request.param("id");
    let digits = (1..=17).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_digit());
    match id.parse::<u64>() {
        Ok(number) if digits => Ok(Value::from([("id", number)])),
        _ => Err(failure(400, format!("id {id:?} is not 1 to 17 digits"))),
    }
}

fn add(request: &Request<'_>) -> Result<Value, Response> {
    let document = request
        .json()
        .map_err(|error| failure(422, format!("the body is not JSON: {error}")))?;
    let integer = |name| {
        document
            .get(name)
            .and_then(Value::as_i64)
            .ok_or_else(|| failure(422, format!("{name:?} is not a 64-bit integer")))
    };
    let (a, b) = (integer("a")?, integer("b")?);
    match a.checked_add(b) {
        Some(sum) => Ok(Value::from([("sum", sum)])),
        None => Err(failure(422, format!("{a} + {b} is no 64-bit integer"))),
    }
}

fn search(request: &Request<'_>) -> Result<Value, Response> {
    let query = request
        .query_value("q")
        .map_err(|error| failure(400, format!("bad query: {error}")))?
        .ok_or_else(|| failure(400, "the query has no q"))?;
    let length = Value::from(query.len());
    Ok(Value::from([
        ("q", Value::from(Cow::into_owned(query))),
        ("length", length),
    ]))
}

fn blob(request: &Request<'_>) -> Result<Vec<u8>, Response> {
    let n = request.param("n");
    match n.parse() {
        Ok(length) if length <= LARGEST_BLOB => Ok((0..length).map(byte_at).collect()),
        _ => Err(failure(
            400,
            format!("{n:?} is not a whole number from 0 to {LARGEST_BLOB}"),
        )),
    }
}

/// A letter that its position says, with no period that a buffer's size is a multiple of.
fn byte_at(position: usize) -> u8 {
    b'a' + ((position + position / 26) % 25) as u8
}

/// What the arguments ask for, or what is wrong with them.
fn configure(arguments: impl Iterator<Item = String>) -> Result<Config, String> {
    let mut config = Config::default().body_buffer(65_536);
    let mut arguments = arguments;
    while let Some(argument) = arguments.next() {
        let (name, inline) = match argument.split_once('=') {
            Some((name, value)) => (name.to_owned(), Some(value.to_owned())),
            None => (argument, None),
        };
        if name == "--reuseport" && inline.is_none() {
            config = config.reuse_port(true);
            continue;
        }
        let mut value = || {
            let value = inline.clone().or_else(|| arguments.next());
            value.ok_or_else(|| format!("{name}: a value is missing"))
        };
        config = match name.as_str() {
            "--port" => config.port(number(&name, &value()?, 0..=u16::MAX)?),
            "--threads" => config.threads(number(&name, &value()?, 1..=256)?),
            "--idle" => {
                let idle = Duration::from_secs_f64(number(&name, &value()?, 0.01..=86_400.0)?);
                config
                    .timeout_keep_alive(idle)
                    .timeout_request_head(idle)
                    .timeout_write(idle)
            }
            "--send-quantum" => config.send_quantum(number(&name, &value()?, 1..=usize::MAX)?),
            "--input-buffer" => config.body_buffer(number(&name, &value()?, 4096..=1_048_576)?),
            "--busy-poll" => {
                let time = number(&name, &value()?, 0.0..=0.001)?;
                config.busy_poll(Duration::from_secs_f64(time))
            }
            "--poller" => match value()?.as_str() {
                "queue" => config.poller(Poller::Queue),
                "poll" => config.poller(Poller::Poll),
                other => return Err(format!("{name}: {other:?} is neither queue nor poll")),
            },
            _ => return Err(format!("{name}: there is no such argument")),
        };
    }
    Ok(config)
}

fn number<T>(name: &str, value: &str, bounds: RangeInclusive<T>) -> Result<T, String>
where
    T: FromStr + PartialOrd + std::fmt::Display,
{
    match value.parse() {
        Ok(number) if bounds.contains(&number) => Ok(number),
        _ => Err(format!(
            "{name}: {value:?} is not a number from {} to {}",
            bounds.start(),
            bounds.end()
        )),
    }
}

fn main() -> ExitCode {
    let config = match configure(std::env::args().skip(1)) {
        Ok(config) => config,
        Err(wrong) => {
            eprintln!("{wrong}\n\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    let served = app().bind(config).and_then(|server| {
        if let Some(port) = server.port() {
            println!("listening on {port}");
        }
        server.run()
    });
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
