//! What is shown while a run goes on.

use std::fmt::Write as _;
use std::io::{self, IsTerminal, Write};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::number::{count, rate, time};
use crate::load::{Observer, Progress};
use crate::report::Second;

/// How it is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Not at all.
    Quiet,
    /// A line each second.
    Lines,
    /// A few lines, drawn again and again over themselves.
    Redrawn,
}

impl Style {
    /// What suits standard error.
    pub fn of_stderr(quiet: bool) -> Self {
        match (quiet, io::stderr().is_terminal()) {
            (true, _) => Self::Quiet,
            (false, true) => Self::Redrawn,
            (false, false) => Self::Lines,
        }
    }
}

/// Shows a run on any output, and ends it when it is told to.
pub struct Live<W> {
    style: Style,
    output: W,
    interrupted: Arc<AtomicBool>,
    /// Seconds shown so far.
    shown: u64,
    /// Lines that the next drawing covers.
    drawn: usize,
}

impl<W: Write> Live<W> {
    /// `interrupted`: the run ends once it is set.
    pub fn new(style: Style, output: W, interrupted: Arc<AtomicBool>) -> Self {
        Self {
            style,
            output,
            interrupted,
            shown: 0,
            drawn: 0,
        }
    }

    /// Prints a line that stays.
    pub fn say(&mut self, line: &str) {
        if self.style != Style::Quiet {
            let text = self.wipe() + line + "\n";
            self.put(&text);
        }
    }

    /// Takes away what was drawn, and makes ready for another run.
    pub fn clear(&mut self) {
        let text = self.wipe();
        self.put(&text);
        self.shown = 0;
    }

    fn line(&mut self, progress: &Progress) {
        let Some(last) = progress.last else {
            return;
        };
        if progress.passed == self.shown {
            return;
        }
        self.shown = progress.passed;
        let when = if last.second < 0.0 {
            "warm-up".to_owned()
        } else {
            format!("{:.0} s", last.second + 1.0)
        };
        let errors = count(progress.errors.total() as f64);
        let text = format!("{when:>7}  {}  errors {errors}\n", figures(&last));
        self.put(&text);
    }

    fn draw(&mut self, progress: &Progress) {
        let mut text = self.wipe();
        let mut lines = vec![bar(progress)];
        if let Some(last) = progress.last {
            lines.push(figures(&last));
        }
        let failed: Vec<String> = progress
            .errors
            .rows()
            .iter()
            .filter(|(_, number)| *number > 0)
            .map(|(name, number)| format!("{} {name}", count(*number as f64)))
            .collect();
        if !failed.is_empty() {
            lines.push(format!("errors: {}", failed.join(", ")));
        }
        self.drawn = lines.len();
        for line in lines {
            let _ = writeln!(text, "{line}");
        }
        self.put(&text);
    }

    /// What moves the cursor to the first line drawn, and clears from there.
    fn wipe(&mut self) -> String {
        match std::mem::take(&mut self.drawn) {
            0 => String::new(),
            lines => format!("\x1b[{lines}A\x1b[J"),
        }
    }

    fn put(&mut self, text: &str) {
        // Nobody looks any more if this fails; the run goes on.
        let _ = self.output.write_all(text.as_bytes());
        let _ = self.output.flush();
    }
}

impl<W: Write> Observer for Live<W> {
    fn progress(&mut self, progress: &Progress) -> ControlFlow<()> {
        match self.style {
            Style::Quiet => {}
            Style::Lines => self.line(progress),
            Style::Redrawn => self.draw(progress),
        }
        if self.interrupted.load(Ordering::Relaxed) {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }
}

/// The figures of a second.
fn figures(second: &Second) -> String {
    format!(
        "{:>9} requests/s  p50 {:>7}  p99 {:>7}  max {:>7}",
        rate(second.requests as f64 / second.length),
        time(second.p50_us),
        time(second.p99_us),
        time(second.max_us),
    )
}

/// How far the run has come.
fn bar(progress: &Progress) -> String {
    const WIDTH: usize = 30;
    if progress.seconds < 0.0 {
        return format!("warming up, {:.1} s to go", -progress.seconds);
    }
    let (share, text) = match (progress.duration, progress.requests) {
        (Some(duration), _) => (
            progress.seconds / duration,
            format!("{:.1} of {duration:.1} s", progress.seconds.min(duration)),
        ),
        (None, Some(requests)) => (
            progress.answered as f64 / requests as f64,
            format!("{:.1} s", progress.seconds),
        ),
        (None, None) => (0.0, format!("{:.1} s", progress.seconds)),
    };
    let filled = (share.clamp(0.0, 1.0) * WIDTH as f64) as usize;
    format!("[{:<WIDTH$}] {text}", "#".repeat(filled))
}

#[cfg(test)]
mod tests;
