use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::{Live, Style};
use crate::load::{Observer, Progress};
use crate::report::{Errors, Second};

fn progress(passed: u64, second: f64) -> Progress {
    Progress {
        seconds: second + 1.05,
        duration: Some(10.0),
        last: Some(Second {
            second,
            length: 1.0,
            requests: 12_345,
            p50_us: 210.0,
            p99_us: 1500.0,
            ..Second::default()
        }),
        passed,
        ..Progress::default()
    }
}

fn shown(style: Style, told: &[Progress]) -> String {
    let mut output = Vec::new();
    let mut live = Live::new(style, &mut output, Arc::default());
    for progress in told {
        assert!(live.progress(progress).is_continue());
    }
    live.clear();
    String::from_utf8(output).unwrap()
}

#[test]
fn a_line_a_second() {
    let mut failing = progress(3, 1.0);
    failing.errors = Errors {
        reset: 2,
        ..Errors::default()
    };
    let told = [
        Progress::default(),
        progress(1, -1.0),
        progress(2, 0.0),
        progress(2, 0.0),
        failing,
    ];
    let figures = "   12,345 requests/s  p50  210 µs  p99 1.50 ms  max 0.00 µs";
    let wanted = [
        format!("warm-up  {figures}  errors 0\n"),
        format!("    1 s  {figures}  errors 0\n"),
        format!("    2 s  {figures}  errors 2\n"),
    ];
    assert_eq!(shown(Style::Lines, &told), wanted.concat());
}

#[test]
fn a_drawing_covers_the_one_before() {
    let waiting = Progress {
        seconds: -0.5,
        ..Progress::default()
    };
    let text = shown(Style::Redrawn, &[waiting, progress(1, 3.95)]);
    let (first, rest) = text.split_once("\x1b[1A\x1b[J").unwrap();
    assert_eq!(first, "warming up, 0.5 s to go\n");
    let (second, end) = rest.split_once("\x1b[2A\x1b[J").unwrap();
    assert!(
        second.starts_with("[###############               ] 5.0 of 10.0 s\n"),
        "{second}"
    );
    assert!(second.contains("12,345 requests/s"), "{second}");
    assert_eq!(end, "", "the end leaves nothing behind");
}

#[test]
fn quiet_is_quiet_and_still_can_be_ended() {
    assert_eq!(shown(Style::Quiet, &[progress(1, 0.0)]), "");
    let interrupted = Arc::new(AtomicBool::new(false));
    let mut live = Live::new(Style::Quiet, Vec::new(), Arc::clone(&interrupted));
    assert_eq!(
        live.progress(&Progress::default()),
        ControlFlow::Continue(())
    );
    interrupted.store(true, Ordering::Relaxed);
    assert_eq!(live.progress(&Progress::default()), ControlFlow::Break(()));
}
