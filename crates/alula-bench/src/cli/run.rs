//! Running what the command line asks for.

use std::ffi::OsString;
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use signal_hook::consts::SIGINT;
use signal_hook::flag;

use super::arguments::command;
use super::planned::{Outputs, Planned, plan};
use super::{FAILED, OK, USAGE, parse};
use crate::error::Error;
use crate::limit::{self, Watch};
use crate::load;
use crate::output::live::{Live, Style};
use crate::output::markdown::markdown;
use crate::output::number::{rate, time};
use crate::output::table::table;
use crate::report::{Report, Step};
use crate::{compare, gate, html};

/// See [`super::run`].
pub(super) fn run(args: &[OsString]) -> u8 {
    match args.first().and_then(|first| first.to_str()) {
        Some("compare") => return compare::run(&args[1..]),
        Some("gate") => return gate::run(&args[1..]),
        _ => {}
    }
    let matches = match parse(command(), "alula bench", args) {
        Ok(matches) => matches,
        Err(status) => return status,
    };
    match plan(&matches) {
        Ok(planned) => measure(&planned),
        Err(why) => {
            complain(&why);
            USAGE
        }
    }
}

/// Runs the plan, and writes what it gave.
fn measure(planned: &Planned) -> u8 {
    let interrupted = Arc::new(AtomicBool::new(false));
    // The second one ends the program at once.
    let again = flag::register_conditional_shutdown(SIGINT, 130, Arc::clone(&interrupted));
    let first = flag::register(SIGINT, Arc::clone(&interrupted));
    let style = Style::of_stderr(planned.outputs.quiet);
    let mut live = Live::new(style, io::stderr(), interrupted);
    let found = match &planned.slo {
        Some(slo) => limit::find(&planned.plan, slo, &mut live),
        None => load::run(&planned.plan, &mut live),
    };
    live.clear();
    for signal in [again, first].into_iter().flatten() {
        signal_hook::low_level::unregister(signal);
    }
    let report = match found {
        Ok(report) => report,
        Err(error) => {
            complain(&error.to_string());
            return if matches!(error, Error::Plan(_)) {
                USAGE
            } else {
                FAILED
            };
        }
    };
    match write(&planned.outputs, &report) {
        Err(why) => {
            complain(&why);
            FAILED
        }
        Ok(()) if succeeded(&report) => OK,
        Ok(()) => FAILED,
    }
}

/// A search for a limit goes beyond it, so that its runs may have errors: it has to find a rate.
fn succeeded(report: &Report) -> bool {
    match &report.limit {
        Some(limit) => limit.rate > 0.0,
        None => report.is_clean(),
    }
}

/// The table, unless standard output is wanted for something else, and the files.
fn write(outputs: &Outputs, report: &Report) -> Result<(), String> {
    let files = [&outputs.json, &outputs.markdown, &outputs.html];
    let dash = Path::new("-");
    if !files.into_iter().flatten().any(|path| path == dash) {
        put(dash, &table(report))?;
    }
    if let Some(path) = &outputs.json {
        let text = serde_json::to_string_pretty(report).map_err(|error| error.to_string())?;
        put(path, &(text + "\n"))?;
    }
    if let Some(path) = &outputs.markdown {
        put(path, &markdown(report))?;
    }
    if let Some(path) = &outputs.html {
        put(path, &html::page(std::slice::from_ref(report)))?;
    }
    Ok(())
}

fn put(path: &Path, text: &str) -> Result<(), String> {
    let written = if path == Path::new("-") {
        let mut output = io::stdout().lock();
        output
            .write_all(text.as_bytes())
            .and_then(|()| output.flush())
    } else {
        std::fs::write(path, text)
    };
    written.map_err(|error| format!("{}: {error}", path.display()))
}

fn complain(why: &str) {
    // Nobody reads it if it can't be printed.
    let _ = writeln!(io::stderr(), "error: {why}");
}

impl<W: Write> Watch for Live<W> {
    fn step(&mut self, step: &Step) -> ControlFlow<()> {
        self.clear();
        let verdict = match &step.missed {
            None => "kept".to_owned(),
            Some(why) => format!("missed: {why}"),
        };
        let offered = rate(step.rate);
        let p99 = time(step.latency.p99);
        self.say(&format!(
            "{offered:>12} requests/s  p99 {p99:>9}  {verdict}"
        ));
        ControlFlow::Continue(())
    }
}

#[cfg(test)]
mod tests;
