use super::succeeded;
use crate::report::{Counts, Ended, Errors, Limit, Report};

#[test]
fn a_run_succeeds_only_if_it_is_clean() {
    let clean = Report {
        counts: Counts {
            answered: 1,
            ..Counts::default()
        },
        ..Report::default()
    };
    assert!(succeeded(&clean));
    let silent = Report::default();
    assert!(!succeeded(&silent));
    let mut failing = clean.clone();
    failing.errors = Errors {
        mismatch: 1,
        ..Errors::default()
    };
    assert!(!succeeded(&failing));
    let mut given_up = clean.clone();
    given_up.ended = Ended::NoAnswers;
    assert!(!succeeded(&given_up));
    // A search goes on until there are errors.
    failing.limit = Some(Limit {
        rate: 10.0,
        ..Limit::default()
    });
    assert!(succeeded(&failing));
    failing.limit = Some(Limit::default());
    assert!(!succeeded(&failing));
}
