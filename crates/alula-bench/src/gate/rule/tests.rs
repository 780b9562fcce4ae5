use super::{Gate, State, judge, noise, state};
use crate::compare::comparison::Comparison;
use crate::compare::figure::Figure;
use crate::compare::suite::Role;
use crate::compare::verdict::Spread;
use crate::sample;

type Values<'a> = &'a [(&'a str, &'a [f64])];

fn comparison(figure: Figure, baseline: Option<&str>, servers: Values<'_>) -> Comparison {
    let row = |&(server, values): &(&str, &[f64])| {
        sample::row(server, Role::Peer, sample::rounds(figure, values))
    };
    let table = sample::table(vec![figure], servers.iter().map(row).collect());
    Comparison {
        baseline: baseline.map(str::to_owned),
        ..sample::comparison(table)
    }
}

fn gate(figure: Figure, old: &[f64], new: &[f64]) -> Result<Gate, String> {
    let old = comparison(figure, None, &[("one", old)]);
    judge(&old, &comparison(figure, None, &[("one", new)]), 0.02)
}

fn only_state(figure: Figure, old: &[f64], new: &[f64]) -> State {
    gate(figure, old, new).expect("comparable").changes[0].state
}

#[test]
fn the_noise_is_the_wider_spread_and_at_least_the_floor() {
    let spread = |lowest, median, highest| Spread {
        median,
        lowest,
        highest,
    };
    let (narrow, wide) = (spread(99.0, 100.0, 102.0), spread(90.0, 100.0, 106.0));
    let found = [
        noise(narrow, Some(wide), 0.02),
        noise(wide, Some(narrow), 0.02),
        noise(narrow, Some(narrow), 0.02),
        noise(narrow, Some(narrow), 0.05),
        noise(narrow, None, 0.0),
    ];
    for (found, expected) in found.into_iter().zip([16.0, 16.0, 3.0, 5.0, 3.0]) {
        assert!(
            (found - expected).abs() < 1e-9,
            "{found}, expected {expected}"
        );
    }
}

#[test]
fn both_sides_of_the_noise() {
    let at = |median| Spread {
        median,
        lowest: median,
        highest: median,
    };
    let (old, noise) = (at(100.0), 10.0);
    for (new, speed, time) in [
        (89.9, State::Worse, State::Better),
        (90.0, State::Same, State::Same),
        (110.0, State::Same, State::Same),
        (110.1, State::Better, State::Worse),
    ] {
        assert_eq!(
            state(Figure::PerSecond, old, Some(at(new)), noise),
            speed,
            "{new}"
        );
        assert_eq!(state(Figure::P99, old, Some(at(new)), noise), time, "{new}");
    }
    assert_eq!(state(Figure::PerSecond, old, None, noise), State::Worse);
}

#[test]
fn rounds_that_scatter_hide_a_difference_and_steady_ones_show_it() {
    let steady: [f64; 3] = [99.0, 100.0, 101.0];
    assert_eq!(
        only_state(Figure::PerSecond, &steady, &[96.0, 97.0, 98.0]),
        State::Worse
    );
    assert_eq!(
        only_state(Figure::PerSecond, &steady, &[94.0, 97.0, 98.0]),
        State::Same
    );
    assert_eq!(
        only_state(Figure::P99, &steady, &[96.0, 97.0, 98.0]),
        State::Better
    );
    // Without any scatter the floor of 2 % holds: on both sides of it.
    let exact = [100.0; 3];
    assert_eq!(
        only_state(Figure::PerSecond, &exact, &[98.0; 3]),
        State::Same
    );
    assert_eq!(
        only_state(Figure::PerSecond, &exact, &[97.9; 3]),
        State::Worse
    );
}

#[test]
fn a_slow_phase_of_the_machine_is_no_change_where_there_is_a_baseline() {
    let old: Values<'_> = &[("base", &[100.0; 3]), ("one", &[200.0; 3])];
    let new: Values<'_> = &[("base", &[50.0; 3]), ("one", &[100.0; 3])];
    let judged = |baseline: Option<&str>| {
        let old = comparison(Figure::PerSecond, baseline, old);
        judge(&old, &comparison(Figure::PerSecond, baseline, new), 0.02).expect("comparable")
    };
    let with = judged(Some("base"));
    assert_eq!(with.changes.len(), 1, "the baseline itself is not judged");
    assert_eq!(
        (with.changes[0].state, with.changes[0].old.median),
        (State::Same, 2.0)
    );
    let without = judged(None);
    assert_eq!(without.worse().count(), 2);
}

#[test]
fn a_figure_that_is_gone_is_worse() {
    let old = comparison(Figure::PerSecond, None, &[("one", &[1.0; 3])]);
    let mut new = old.clone();
    new.tables[0].rows[0].failure = Some("1 wrong answer".to_owned());
    let gate = judge(&old, &new, 0.02).expect("comparable");
    assert_eq!(
        (gate.changes[0].state, gate.changes[0].new),
        (State::Worse, None)
    );
}

#[test]
fn a_server_that_has_no_part_is_noted() {
    let old: Values<'_> = &[("one", &[1.0; 3]), ("two", &[1.0; 3])];
    let old = comparison(Figure::PerSecond, None, old);
    let mut new = old.clone();
    new.tables[0].rows[1].left_out = Some("not here".to_owned());
    let gate = judge(&old, &new, 0.02).expect("comparable");
    assert_eq!(gate.changes.len(), 1);
    assert_eq!(gate.notes, ["plain: two has no part in the newer file"]);
}

#[test]
fn requests_per_second_of_a_saturated_generator_are_not_judged() {
    let old: Values<'_> = &[("one", &[1.0; 3]), ("two", &[1.0; 3])];
    let old = comparison(Figure::PerSecond, None, old);
    let mut new = comparison(
        Figure::PerSecond,
        None,
        &[("one", &[0.5; 3]), ("two", &[1.0; 3])],
    );
    for round in &mut new.tables[0].rows[0].rounds {
        round.saturated = true;
    }
    let gate = judge(&old, &new, 0.02).expect("comparable");
    assert_eq!(gate.worse().count(), 0);
    assert!(gate.notes[0].contains("saturated"), "{:?}", gate.notes);
}

/// A change to a file, and what is said of it.
type Case<'a> = (&'a dyn Fn(&mut Comparison), &'a str);

#[test]
fn what_cannot_be_compared_is_refused() {
    let old = comparison(Figure::PerSecond, None, &[("one", &[1.0; 3])]);
    let refused = |change: &dyn Fn(&mut Comparison)| {
        let mut new = old.clone();
        change(&mut new);
        judge(&old, &new, 0.02).expect_err("not comparable")
    };
    let cases: [Case<'_>; 6] = [
        (
            &|new| "x".clone_into(&mut new.format),
            "the newer one has the format \"x\"",
        ),
        (
            &|new| "x".clone_into(&mut new.suite),
            "the suites differ: test and x",
        ),
        (
            &|new| new.conditions.seconds = 9.0,
            "the seconds of a measurement differ: 0 and 9",
        ),
        (
            &|new| new.conditions.load_core = Some(1),
            "the load's cores differ: any and 1",
        ),
        (
            &|new| new.tables[0].connections = 1,
            "number of connections was 32 and is 1",
        ),
        (
            &|new| new.tables.clear(),
            "no row in common (plain: only in the older file)",
        ),
    ];
    for (change, expected) in cases {
        let why = refused(change);
        assert!(why.contains(expected), "{why}");
    }
}

#[test]
fn two_rounds_are_too_few_and_three_are_enough() {
    let why = gate(Figure::PerSecond, &[1.0; 2], &[1.0; 3]).expect_err("too few");
    assert!(
        why.contains("one: per-second: the older file has 2 round(s)"),
        "{why}"
    );
    let why = gate(Figure::PerSecond, &[1.0; 3], &[1.0; 2]).expect_err("too few");
    assert!(why.contains("the newer file has 2 round(s)"), "{why}");
    assert!(gate(Figure::PerSecond, &[1.0; 3], &[1.0; 3]).is_ok());
}
