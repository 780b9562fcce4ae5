//! Reports as Markdown.

use std::fmt::Write;

use super::number::{rate, time};
use super::table::{how, rows, warnings};
use crate::report::Report;

/// A report as a section with a table.
pub fn markdown(report: &Report) -> String {
    let mut text = format!("## {}\n\n{}.\n\n", escape(&report.name), how(report));
    text.push_str("| figure | value |\n| --- | --: |\n");
    for (name, value) in rows(report) {
        let _ = writeln!(text, "| {} | {} |", escape(&name), escape(&value));
    }
    if let Some(limit) = &report.limit {
        let slo = escape(&limit.slo);
        let _ = write!(text, "\n| offered/s | answered/s | p99 | {slo} |\n");
        text.push_str("| --: | --: | --: | --- |\n");
        for step in &limit.steps {
            let verdict = step.missed.as_deref().unwrap_or("kept");
            let _ = writeln!(
                text,
                "| {} | {} | {} | {} |",
                rate(step.rate),
                rate(step.answered_per_second),
                time(step.latency.p99),
                escape(verdict)
            );
        }
    }
    for warning in warnings(report) {
        let _ = write!(text, "\n**Warning:** {}.\n", escape(&warning));
    }
    if let Some(mismatch) = &report.mismatch {
        let _ = write!(
            text,
            "\nFirst wrong answer: {}\n",
            escape(&mismatch.to_string())
        );
        if !mismatch.answer.is_empty() {
            text.push('\n');
            for line in mismatch.answer.lines() {
                let _ = writeln!(text, "    {line}");
            }
        }
    }
    text
}

/// Keeps a text within its cell, and from being read as HTML.
fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for one in text.chars() {
        match one {
            '|' => safe.push_str("\\|"),
            '<' => safe.push_str("&lt;"),
            '\n' => safe.push(' '),
            _ => safe.push(one),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::markdown;
    use crate::report::{Limit, Mismatch, Report, Step};

    #[test]
    fn nothing_breaks_out_of_its_cell() {
        let report = Report {
            name: "a|b\n<script>".into(),
            limit: Some(Limit {
                slo: "p99<10ms".into(),
                rate: 100.0,
                steps: vec![Step {
                    rate: 200.0,
                    missed: Some("p99 is 11 ms | more".into()),
                    ..Step::default()
                }],
            }),
            mismatch: Some(Mismatch {
                request: "GET /".into(),
                what: "status 500, expected 200".into(),
                answer: "HTTP/1.1 500\n<b>".into(),
            }),
            ..Report::default()
        };
        let text = markdown(&report);
        assert!(text.starts_with("## a\\|b &lt;script>\n"), "{text}");
        assert!(
            text.contains("| limit | 100 requests/s keep p99&lt;10ms |"),
            "{text}"
        );
        assert!(
            text.contains("| 200 | 0.0 | 0.00 µs | p99 is 11 ms \\| more |"),
            "{text}"
        );
        assert!(text.contains("    HTTP/1.1 500\n    <b>\n"), "{text}");
    }
}
