//! The load itself.
//!
//! # Layout
//!
//! - [`observer`]: who watches a run, and may end it
//! - `prepared`: a plan turned into bytes and expectations, once, shared by all threads
//! - `exchange`: one response on its way in; `check`: whether it is the right one
//! - `probe`: the first exchange, which finds what the answers are to be
//! - `worker`: one thread with one reactor; `connection`: one of its connections
//! - `pace`: when the next request goes out; `mix`: which one it is
//! - `record`: what a thread has measured; `message`: how it tells
//! - `collector`: all threads' figures together; `summary`: the report made of them
//! - `usage`, `meter`: CPU and memory, of the threads and of the server's processes

mod check;
mod collector;
mod connection;
mod exchange;
mod message;
mod meter;
mod mix;
pub mod observer;
mod pace;
mod prepared;
mod probe;
mod record;
mod summary;
mod usage;
mod worker;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Instant;

pub use observer::{Observer, Progress};

pub(crate) use self::check::wrong_value;
use self::collector::Collector;
use self::prepared::Prepared;
use self::usage::ServerUse;
use self::worker::{Endpoint, Task};
use crate::error::Error;
use crate::plan::{Extent, Plan};
use crate::report::Report;
use crate::target::Address;

/// Runs a plan to its end, or until the observer breaks off, and reports.
///
/// Blocks; the calling thread only collects and calls the observer, about ten times a second. One
/// request of each kind goes out before the run and is counted nowhere: its answer fixes the length
/// that later ones must have, where the plan says so.
///
/// # Errors
///
/// If the plan makes no sense, the server can't be reached, or its very first answer is not as
/// expected. Whatever goes wrong later is counted in the report.
pub fn run(plan: &Plan, observer: &mut dyn Observer) -> Result<Report, Error> {
    plan.check()?;
    let mut prepared = Prepared::new(plan)?;
    let before = server_use(plan)?;
    let chosen = probe::probe(plan, &mut prepared)?;
    let endpoint = match (chosen, plan.target.address()) {
        (Some(address), _) => Endpoint::Inet(address),
        (None, Address::Unix(path)) => Endpoint::Unix(path.clone()),
        (None, Address::Inet(_)) => unreachable!("the probe has chosen an address"),
    };
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        // Whatever happens here, the threads come to their end.
        let _stopper = Stopper(&stop);
        let epoch = Instant::now();
        let (sender, receiver) = channel();
        let mut starts = Vec::with_capacity(plan.threads);
        for index in 0..plan.threads {
            let (start, told) = channel();
            starts.push(start);
            let task = Task {
                plan,
                prepared: &prepared,
                endpoint: endpoint.clone(),
                index,
                connections: share(plan.connections as u64, index, plan.threads) as usize,
                quota: quota(plan, index),
                epoch,
                start: told,
                stop: &stop,
                sender: sender.clone(),
            };
            spawn(scope, task)?;
        }
        drop(sender);
        let collector = Collector::new(plan, epoch, receiver, &stop, before);
        let collected = collector.collect(&starts, observer)?;
        Ok(summary::report(plan, &collected))
    })
}

fn spawn<'scope>(
    scope: &'scope thread::Scope<'scope, '_>,
    task: Task<'scope>,
) -> Result<(), Error> {
    let builder = thread::Builder::new().name(format!("load-{}", task.index));
    builder
        .spawn_scoped(scope, move || worker::run(task))
        .map_err(|error| Error::system("cannot begin a thread", error))?;
    Ok(())
}

/// The part of thread `index`, where `total` is dealt to `threads`.
fn share(total: u64, index: usize, threads: usize) -> u64 {
    let (threads, index) = (threads as u64, index as u64);
    total / threads + u64::from(index < total % threads)
}

fn quota(plan: &Plan, index: usize) -> Option<u64> {
    match plan.extent {
        Extent::Duration(_) => None,
        Extent::Requests(total) => Some(share(total, index, plan.threads)),
    }
}

fn server_use(plan: &Plan) -> Result<Option<ServerUse>, Error> {
    let Some(pid) = plan.pid else {
        return Ok(None);
    };
    match ServerUse::of(pid) {
        Some(used) => Ok(Some(used)),
        None => Err(Error::Plan(format!(
            "process {pid} is not to be found in /proc: the id of a running process is accepted"
        ))),
    }
}

/// Ends the run's threads when it is dropped.
struct Stopper<'a>(&'a AtomicBool);

impl Drop for Stopper<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
