use std::sync::mpsc::{Receiver, channel};

use super::{Failure, Record, SECOND, Slice};
use crate::load::message::Message;
use crate::report::Mismatch;

/// A run that begins at `now`, measured from 2.5 s to 4.5 s of its clock.
fn record(now: u64) -> (Record, Receiver<Message>) {
    let (sender, receiver) = channel();
    let mut record = Record::new(sender);
    record.begin(now, 5 * SECOND / 2, 9 * SECOND / 2);
    (record, receiver)
}

fn slices(receiver: &Receiver<Message>) -> Vec<Slice> {
    let told = receiver.try_iter();
    told.map(|message| match message {
        Message::Slice(slice) => *slice,
        _ => panic!("a slice is all that a record tells"),
    })
    .collect()
}

#[test]
fn seconds_end_where_the_measured_interval_begins() {
    let (mut record, receiver) = record(SECOND);
    for at in [1.1, 1.4, 1.6, 2.4, 2.6, 3.4, 3.5] {
        let at = (at * 1e9) as u64;
        record.answered(at - 1000, at);
    }
    record.finish();
    let found: Vec<_> = slices(&receiver)
        .iter()
        .map(|slice| {
            (
                slice.second,
                slice.answered,
                slice.latency.len(),
                slice.whole,
            )
        })
        .collect();
    let expected = [
        (-2, 2, 2, true),
        (-1, 2, 2, true),
        (0, 2, 2, true),
        (1, 1, 1, false),
    ];
    assert_eq!(found, expected);
}

#[test]
fn a_request_counts_where_it_begins_and_an_answer_where_it_comes() {
    let (mut record, receiver) = record(2 * SECOND);
    let (from, until) = (5 * SECOND / 2, 9 * SECOND / 2);
    record.answered(from - 1, from);
    record.answered(from, from + 1);
    record.answered(until - 1, until - 1);
    record.answered(until - 1, until);
    record.answered(until, until + 1);
    record.finish();
    let measured = slices(&receiver);
    let measured = measured.iter().filter(|slice| slice.second >= 0);
    let (answered, latencies) = measured.fold((0, 0), |(answered, latencies), slice| {
        (answered + slice.answered, latencies + slice.latency.len())
    });
    assert_eq!((answered, latencies), (3, 3));
}

#[test]
fn the_first_second_of_a_warm_up_may_be_short() {
    let (mut record, receiver) = record(5 * SECOND / 4);
    record.advance(7 * SECOND / 2);
    let told = slices(&receiver);
    let lengths: Vec<_> = told.iter().map(|one| (one.second, one.length)).collect();
    assert_eq!(lengths, [(-2, 0.25), (-1, 1.0), (0, 1.0)]);
}

#[test]
fn a_silent_second_is_told_too() {
    let (mut record, receiver) = record(5 * SECOND / 2);
    record.advance(5 * SECOND / 2 + 3 * SECOND);
    let seconds: Vec<_> = slices(&receiver).iter().map(|slice| slice.second).collect();
    assert_eq!(seconds, [0, 1, 2]);
}

#[test]
fn errors_are_kept_apart_and_the_first_wrong_answer_is_kept() {
    let (mut record, receiver) = record(SECOND);
    record.failed(Failure::Connect, 1);
    record.failed(Failure::Reset, 2);
    record.failed(Failure::Timeout, 3);
    record.failed(Failure::ClosedEarly, 4);
    record.failed(Failure::Malformed, 5);
    for what in ["one", "other"] {
        let what = what.to_owned();
        let mismatch = Mismatch {
            what,
            ..Mismatch::default()
        };
        record.wrong("GET /", Box::new(mismatch));
    }
    assert_eq!(record.mismatch.as_ref().unwrap().to_string(), "GET /: one");
    record.finish();
    let errors = slices(&receiver)[0].errors;
    let counts: Vec<u64> = errors.rows().iter().map(|(_, count)| *count).collect();
    assert_eq!(counts, [1, 2, 3, 4, 5, 2]);
    assert_eq!(errors.total(), 17);
}
