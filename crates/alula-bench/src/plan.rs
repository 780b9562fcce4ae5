//! What a run is to do: the library's side of the command line.

use std::time::Duration;

use crate::error::Error;
use crate::request::Request;
use crate::target::Target;

/// The most connections of a run.
pub const MAX_CONNECTIONS: usize = 100_000;

/// The most requests under way on one connection.
pub const MAX_PIPELINE: usize = 1024;

/// The highest rate, in requests a second.
pub const MAX_RATE: f64 = 100e6;

/// A run. [`Plan::new`] has the command line's defaults; every field may be changed.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// What the report is to be called; the URL if `None`.
    pub name: Option<String>,
    /// Where the requests go.
    pub target: Target,
    /// What is sent, by weight. At least one.
    pub requests: Vec<Request>,
    /// Open connections over all threads; at least one a thread.
    pub connections: usize,
    /// Threads, each with connections of its own.
    pub threads: usize,
    /// When the next request goes out.
    pub pace: Pace,
    /// When the run ends.
    pub extent: Extent,
    /// Time before the measured interval.
    pub warmup: Duration,
    /// Requests under way on one connection at once.
    pub pipeline: usize,
    /// Whether a connection serves more than one request. If not, latency counts from before the
    /// connection is made.
    pub keep_alive: bool,
    /// After so long an answer is given up, and its connection with it.
    pub timeout: Duration,
    /// The server's process: it and all below it are watched.
    pub pid: Option<u32>,
}

/// When the next request goes out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pace {
    /// When the last one is answered (closed loop). Latency counts from the send.
    Closed,
    /// So many a second, whatever the server does (open loop). Latency counts from when the request
    /// was due: one that finds no free connection waits, and its wait counts.
    Open(f64),
}

/// When the run ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// After so long behind the warm-up; answers still under way are waited for.
    Duration(Duration),
    /// After so many requests behind the warm-up.
    Requests(u64),
}

impl Plan {
    /// GET of a URL with the command line's defaults: 32 connections, one thread, closed loop, 1 s
    /// of warm-up, 10 s measured, 5 s timeout.
    ///
    /// # Errors
    ///
    /// If the URL is not one that can be asked; see [`Target::parse`].
    pub fn new(url: &str) -> Result<Self, Error> {
        let target = Target::parse(url)?;
        let request = Request::get(target.path());
        Ok(Self {
            name: None,
            target,
            requests: vec![request],
            connections: 32,
            threads: 1,
            pace: Pace::Closed,
            extent: Extent::Duration(Duration::from_secs(10)),
            warmup: Duration::from_secs(1),
            pipeline: 1,
            keep_alive: true,
            timeout: Duration::from_secs(5),
            pid: None,
        })
    }

    /// Whether it can be run.
    ///
    /// # Errors
    ///
    /// The first field whose value is out of its bounds.
    pub fn check(&self) -> Result<(), Error> {
        let within = |what: &str, value: usize, from: usize, to: usize| {
            if (from..=to).contains(&value) {
                return Ok(());
            }
            let text = format!("{what} is {value}: {from} to {to} is accepted");
            Err(Error::Plan(text))
        };
        within("threads", self.threads, 1, 1024)?;
        within(
            "connections",
            self.connections,
            self.threads,
            MAX_CONNECTIONS,
        )?;
        within("pipeline", self.pipeline, 1, MAX_PIPELINE)?;
        let positive = |what: &str, time: Duration| {
            if time.is_zero() || time > Duration::from_secs(86_400) {
                let text = format!("{what} is {time:?}: more than 0, up to a day, is accepted");
                return Err(Error::Plan(text));
            }
            Ok(())
        };
        positive("timeout", self.timeout)?;
        match self.extent {
            Extent::Duration(duration) => positive("duration", duration)?,
            Extent::Requests(0) => {
                return Err(Error::Plan("requests is 0: at least 1 is accepted".into()));
            }
            Extent::Requests(_) => {}
        }
        if !self.warmup.is_zero() {
            positive("warm-up", self.warmup)?;
        }
        match self.pace {
            Pace::Open(rate) if !(rate > 0.0 && rate <= MAX_RATE) => {
                let text = format!("rate is {rate}: more than 0, up to {MAX_RATE}, is accepted");
                return Err(Error::Plan(text));
            }
            _ => {}
        }
        if self.pipeline > 1 && !self.keep_alive {
            let text = "pipeline is more than 1 without keep-alive: choose one of them";
            return Err(Error::Plan(text.into()));
        }
        self.requests.iter().try_for_each(Request::check)
    }

    /// What the report is called.
    pub fn name(&self) -> &str {
        self.name.as_deref().unwrap_or(self.target.url())
    }
}

#[cfg(test)]
mod tests;
