//! The machine that is measured on: what it is, and its limit on open files.

use std::path::Path;
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

use super::pin::on_path;

/// Processor, cores, memory, system; no names.
pub fn describe() -> String {
    let cpuinfo = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = field(&cpuinfo, "model name").unwrap_or("unknown processor");
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let all = cpuinfo
        .lines()
        .filter(|line| line.starts_with("processor"))
        .count();
    let virtual_ = if cpuinfo.contains(" hypervisor") {
        ", virtual"
    } else {
        ""
    };
    let meminfo = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let kibibytes = field(&meminfo, "MemTotal").and_then(|text| text.split(' ').next());
    let kibibytes: Option<u64> = kibibytes.and_then(|text| text.parse().ok());
    let memory = kibibytes.map_or_else(String::new, |size| {
        // To the nearest, as the system keeps some for itself.
        format!(", {} GiB", (size + (1 << 19)) >> 20)
    });
    let kernel = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let system = match kernel.trim() {
        "" => std::env::consts::OS.to_owned(),
        release => format!("Linux {release}"),
    };
    format!(
        "{model}, {} cores{virtual_}{memory}, {system}",
        all.max(cores)
    )
}

/// The value of `name : value` or `name: value`.
fn field<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let line = text.lines().find(|line| line.starts_with(name))?;
    line.split_once(':').map(|(_, value)| value.trim())
}

/// The short commit of the work tree that a folder is in, with `+changes` if the tree differs from
/// it; `unknown` outside of one.
pub fn commit(folder: &Path) -> String {
    let git = |arguments: &[&str]| {
        let output = Command::new("git")
            .arg("-C")
            .arg(folder)
            .args(arguments)
            .output();
        let output = output.ok().filter(|output| output.status.success())?;
        Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    let Some(commit) = git(&["rev-parse", "--short=12", "HEAD"]) else {
        return "unknown".to_owned();
    };
    match git(&["status", "--porcelain", "--untracked-files=no"]).as_deref() {
        Some("") => commit,
        _ => format!("{commit}+changes"),
    }
}

/// Date and time, UTC: `2026-11-30 21:02:52`.
pub fn now() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    date_of(since.map_or(0, |time| time.as_secs()))
}

/// The date of so many seconds since 1970; Howard Hinnant's `civil_from_days`.
fn date_of(seconds: u64) -> String {
    let (days, rest) = (seconds / 86_400 + 719_468, seconds % 86_400);
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 {
        shifted + 3
    } else {
        shifted - 9
    };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    let (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60);
    format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}")
}

/// Makes sure that this process and its children may open so many files.
///
/// # Errors
///
/// What to tell the user, if that is not allowed.
pub fn allow_descriptors(wanted: usize) -> Result<(), String> {
    let limits = std::fs::read_to_string("/proc/self/limits").unwrap_or_default();
    let line = limits
        .lines()
        .find(|line| line.starts_with("Max open files"));
    let mut numbers = line.unwrap_or_default().split_ascii_whitespace().skip(3);
    let Some(soft) = numbers.next() else {
        return Ok(()); // The system does not tell: it will say so itself when it is too late.
    };
    let soft: usize = soft.parse().unwrap_or(usize::MAX);
    if soft >= wanted {
        return Ok(());
    }
    let hard: usize = numbers
        .next()
        .and_then(|hard| hard.parse().ok())
        .unwrap_or(usize::MAX);
    let refused = format!("{wanted} open files are needed, {soft} are allowed: raise ulimit -n");
    let Some(program) = on_path("prlimit") else {
        return Err(refused);
    };
    let own = std::process::id().to_string();
    let limit = format!("--nofile={wanted}:{}", hard.max(wanted));
    let run = Command::new(program).args(["--pid", &own, &limit]).output();
    match run {
        Ok(output) if output.status.success() => Ok(()),
        _ => Err(refused),
    }
}

#[cfg(test)]
mod tests {
    use super::{allow_descriptors, commit, date_of};

    #[test]
    fn dates_are_those_of_the_calendar() {
        let dates = [
            (0, "1970-01-01 00:00:00"),
            (951_782_399, "2000-02-28 23:59:59"),
            (951_782_400, "2000-02-29 00:00:00"),
            (4_107_542_400, "2100-03-01 00:00:00"),
            (1_796_158_972, "2026-12-01 21:02:52"),
        ];
        for (seconds, date) in dates {
            assert_eq!(date_of(seconds), date);
        }
    }

    #[test]
    fn a_folder_outside_of_any_tree_has_no_commit() {
        assert_eq!(commit(std::path::Path::new("/")), "unknown");
    }

    #[test]
    fn a_few_files_are_always_allowed() {
        assert_eq!(allow_descriptors(16), Ok(()));
    }
}
