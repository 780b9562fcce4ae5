//! CPU and memory: of the generator's threads and of the server's processes, as `/proc` tells them.
//! Where there is no `/proc`, nothing is known.

use std::collections::BTreeSet;
use std::fs;

/// Seconds of a tick in `/proc/PID/stat`: Linux tells them in hundredths of a second to every
/// program (`USER_HZ`).
const TICK: f64 = 0.01;

/// What a thread has used since it began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ThreadTime {
    /// Nanoseconds on a core.
    pub(crate) running: u64,
    /// Nanoseconds in which it could have run and others did.
    pub(crate) waiting: u64,
}

impl ThreadTime {
    /// Of the calling thread.
    pub(crate) fn now() -> Option<Self> {
        let text = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
        let mut numbers = text.split_whitespace().map(str::parse);
        Some(Self {
            running: numbers.next()?.ok()?,
            waiting: numbers.next()?.ok()?,
        })
    }

    /// What has been added since `earlier`.
    pub(crate) fn since(self, earlier: Self) -> Self {
        Self {
            running: self.running.saturating_sub(earlier.running),
            waiting: self.waiting.saturating_sub(earlier.waiting),
        }
    }
}

/// What the processes of a server have used.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct ServerUse {
    pub(crate) processes: usize,
    /// Seconds of CPU, those of children that have ended and been waited for included.
    pub(crate) cpu_seconds: f64,
    /// Resident bytes.
    pub(crate) rss: u64,
}

impl ServerUse {
    /// Of `pid` and all processes below it; `None` if there is no such process.
    pub(crate) fn of(pid: u32) -> Option<Self> {
        let mut found = Self::default();
        for process in tree(pid) {
            // One that ends while we look is not there any more.
            let Some((cpu, rss)) = one(process) else {
                continue;
            };
            found.processes += 1;
            found.cpu_seconds += cpu;
            found.rss += rss;
        }
        (found.processes > 0).then_some(found)
    }
}

/// A process and all below it.
fn tree(pid: u32) -> BTreeSet<u32> {
    let mut found = BTreeSet::new();
    let mut left = vec![pid];
    while let Some(process) = left.pop() {
        if found.insert(process) {
            left.extend(children(process));
        }
    }
    found
}

/// The children of each of its threads.
fn children(pid: u32) -> Vec<u32> {
    let Ok(threads) = fs::read_dir(format!("/proc/{pid}/task")) else {
        return Vec::new();
    };
    let lists = threads
        .flatten()
        .filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    lists
        .flat_map(|list| {
            let numbers = list.split_whitespace().map(str::parse);
            numbers.filter_map(Result::ok).collect::<Vec<u32>>()
        })
        .collect()
}

/// CPU seconds and resident bytes of one process.
fn one(pid: u32) -> Option<(f64, u64)> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    Some((cpu_seconds(&stat)?, resident(&status)))
}

/// `utime`, `stime`, `cutime` and `cstime` of `proc_pid_stat(5)`. The name in parentheses may hold
/// anything.
fn cpu_seconds(stat: &str) -> Option<f64> {
    let (_, fields) = stat.rsplit_once(')')?;
    let ticks = fields.split_whitespace().skip(11).take(4).map(str::parse);
    let ticks: Vec<u64> = ticks.collect::<Result<_, _>>().ok()?;
    (ticks.len() == 4).then(|| ticks.iter().sum::<u64>() as f64 * TICK)
}

/// `VmRSS` of `proc_pid_status(5)`, in bytes; 0 for a process that has no memory any more.
fn resident(status: &str) -> u64 {
    let mut lines = status.lines();
    let line = lines.find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kilobytes.unwrap_or(0) * 1024
}

#[cfg(test)]
mod tests;
