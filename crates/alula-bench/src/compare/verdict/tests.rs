use super::{Outcome, Spread, best_peer, is_tie, judge, ratio};
use crate::compare::comparison::Table;
use crate::compare::figure::Figure;
use crate::compare::suite::{Against, Role, Target};
use crate::sample;

/// A table with one figure; a server's role follows from its name.
fn table(figure: Figure, servers: &[(&str, &[f64])]) -> Table {
    let role = |server: &str| match server {
        "alula" => Role::Subject,
        "ceiling" => Role::Ceiling,
        _ => Role::Peer,
    };
    let row = |&(server, values): &(&str, &[f64])| {
        sample::row(server, role(server), sample::rounds(figure, values))
    };
    sample::table(vec![figure], servers.iter().map(row).collect())
}

fn judged(table: &Table, against: Against, bound: f64) -> Outcome {
    let target = Target {
        figure: table.figures[0],
        against,
        bound,
    };
    judge(table, &[target])[0].outcome
}

fn close(one: f64, other: f64) -> bool {
    (one - other).abs() < 1e-9
}

#[test]
fn medians_of_odd_and_even_numbers() {
    let spread = |values: &[f64]| Spread::of(values).map(|it| (it.median, it.lowest, it.highest));
    assert_eq!(spread(&[]), None);
    assert_eq!(spread(&[7.0]), Some((7.0, 7.0, 7.0)));
    assert_eq!(spread(&[9.0, 1.0, 4.0]), Some((4.0, 1.0, 9.0)));
    assert_eq!(spread(&[9.0, 1.0, 4.0, 5.0]), Some((4.5, 1.0, 9.0)));
}

#[test]
fn a_slow_phase_of_the_machine_cancels_out() {
    let rows: [(&str, &[f64]); 2] = [("alula", &[150.0, 90.0, 150.0]), ("x", &[50.0, 30.0, 50.0])];
    let table = table(Figure::PerCpuSecond, &rows);
    let found = ratio(&table, Figure::PerCpuSecond, "alula", "x").expect("both have figures");
    assert_eq!((found.median, found.lowest, found.highest), (3.0, 3.0, 3.0));
}

#[test]
fn the_median_of_ratios_is_not_the_ratio_of_medians() {
    let rows: [(&str, &[f64]); 2] = [("alula", &[10.0, 20.0, 90.0]), ("x", &[10.0, 40.0, 30.0])];
    let table = table(Figure::PerSecond, &rows);
    let found = ratio(&table, Figure::PerSecond, "alula", "x").expect("both have figures");
    assert_eq!((found.median, found.lowest, found.highest), (1.0, 0.5, 3.0));
}

#[test]
fn a_round_without_the_figure_shifts_no_pair() {
    let rows: [(&str, &[f64]); 2] = [("alula", &[10.0, 20.0, 30.0]), ("x", &[10.0, 20.0, 30.0])];
    let mut table = table(Figure::PerCpuSecond, &rows);
    table.rows[0].rounds[0].figures.clear();
    let found = ratio(&table, Figure::PerCpuSecond, "alula", "x").expect("both have figures");
    assert_eq!((found.lowest, found.highest), (1.0, 1.0));
}

#[test]
fn the_best_peer_depends_on_the_direction_and_is_no_subject_or_ceiling() {
    let rows: [(&str, &[f64]); 4] = [
        ("alula", &[9.0]),
        ("x", &[1.0]),
        ("y", &[2.0]),
        ("ceiling", &[0.1]),
    ];
    let speed = table(Figure::PerSecond, &rows);
    assert_eq!(best_peer(&speed, Figure::PerSecond), Some("y"));
    let tail = table(Figure::P99, &rows);
    assert_eq!(best_peer(&tail, Figure::P99), Some("x"));
    assert_eq!(best_peer(&tail, Figure::P50), None);
}

#[test]
fn a_bound_that_is_just_reached_is_met() {
    let rows: [(&str, &[f64]); 3] = [("alula", &[14.0]), ("x", &[10.0]), ("ceiling", &[99.0])];
    let met = judged(&table(Figure::PerSecond, &rows), Against::BestPeer, 1.4);
    assert_eq!(met, Outcome::Met { by: 0.0 });
    let Outcome::Met { by } = judged(&table(Figure::PerSecond, &rows), Against::BestPeer, 1.12)
    else {
        panic!("14 is above 1.12 × 10");
    };
    assert!(close(by, 0.25), "{by}");
    let tail: [(&str, &[f64]); 2] = [("alula", &[5.0]), ("x", &[10.0])];
    let met = judged(&table(Figure::P99, &tail), Against::BestPeer, 0.5);
    assert_eq!(met, Outcome::Met { by: 0.0 });
}

#[test]
fn a_miss_says_by_how_much_in_either_direction() {
    let missed = |figure, bound| {
        let rows: [(&str, &[f64]); 2] = [("alula", &[10.0; 3]), ("x", &[10.0; 3])];
        match judged(&table(figure, &rows), Against::BestPeer, bound) {
            Outcome::Missed { by, within_spread } => (by, within_spread),
            other => panic!("{other:?}"),
        }
    };
    let (by, within) = missed(Figure::PerSecond, 1.25);
    assert!(close(by, 0.2) && !within, "{by}");
    let (by, within) = missed(Figure::P99, 0.5);
    assert!(close(by, 1.0) && !within, "{by}");
}

#[test]
fn a_miss_within_the_spread_says_so() {
    let rows: [(&str, &[f64]); 2] = [("alula", &[9.0, 9.0, 10.0]), ("x", &[10.0; 3])];
    let outcome = judged(&table(Figure::PerSecond, &rows), Against::BestPeer, 1.0);
    assert_eq!(outcome.to_string(), "missed by 10.0 %, within the spread");
    let rows: [(&str, &[f64]); 2] = [("alula", &[9.0, 9.0, 9.9]), ("x", &[10.0; 3])];
    let outcome = judged(&table(Figure::PerSecond, &rows), Against::BestPeer, 1.0);
    assert_eq!(outcome.to_string(), "missed by 10.0 %");
}

#[test]
fn a_bound_on_the_figure_itself_needs_no_other() {
    let rows: [(&str, &[f64]); 1] = [("alula", &[2_097_152.0, 2_097_153.0, 2_097_154.0])];
    let table = table(Figure::RssIdle, &rows);
    let judged = |bound| judged(&table, Against::Nothing, bound);
    assert!(matches!(judged(2_097_153.0), Outcome::Met { .. }));
    assert!(matches!(
        judged(2_097_152.9),
        Outcome::Missed {
            within_spread: true,
            ..
        }
    ));
}

#[test]
fn a_saturated_generator_makes_a_tie_of_requests_per_second_only() {
    for (figure, expected) in [
        (Figure::PerSecond, "tie (generator saturated)"),
        (Figure::PerCpuSecond, "missed by 10.0 %"),
    ] {
        let rows: [(&str, &[f64]); 2] = [("alula", &[9.0; 3]), ("x", &[10.0; 3])];
        let mut table = table(figure, &rows);
        table.rows[0].rounds[0].saturated = true;
        // One round of three is not most of them.
        let outcome = judged(&table, Against::BestPeer, 1.0);
        assert_eq!(outcome.to_string(), "missed by 10.0 %");
        table.rows[0].rounds[1].saturated = true;
        let outcome = judged(&table, Against::BestPeer, 1.0);
        assert_eq!(outcome.to_string(), expected);
        // A target that is reached all the same is met.
        assert!(matches!(
            judged(&table, Against::BestPeer, 0.5),
            Outcome::Met { .. }
        ));
    }
}

#[test]
fn two_are_a_tie_only_if_the_generator_was_the_limit_under_both() {
    let rows: [(&str, &[f64]); 2] = [("alula", &[9.0]), ("x", &[10.0])];
    let mut table = table(Figure::PerSecond, &rows);
    let tie = |table: &Table| is_tie(table, Figure::PerSecond, "alula", "x");
    table.rows[0].rounds[0].saturated = true;
    assert!(!tie(&table));
    table.rows[1].rounds[0].saturated = true;
    assert!(tie(&table));
    assert!(!is_tie(&table, Figure::PerCpuSecond, "alula", "x"));
}

#[test]
fn a_server_that_failed_a_round_has_no_figure() {
    let rows: [(&str, &[f64]); 3] = [("alula", &[3.0]), ("x", &[1.0]), ("y", &[2.0])];
    let mut table = table(Figure::PerSecond, &rows);
    table.rows[2].failure = Some("1 wrong answer".to_owned());
    assert_eq!(best_peer(&table, Figure::PerSecond), Some("x"));
    table.rows[0].failure = Some("1 wrong answer".to_owned());
    assert_eq!(judged(&table, Against::BestPeer, 1.0), Outcome::NoFigure);
}

#[test]
fn a_subject_that_was_left_out_is_not_judged() {
    let rows: [(&str, &[f64]); 2] = [("alula", &[]), ("x", &[1.0])];
    let mut table = table(Figure::PerSecond, &rows);
    let target = Target {
        figure: Figure::PerSecond,
        against: Against::Server("x".to_owned()),
        bound: 1.0,
    };
    assert_eq!(judge(&table, std::slice::from_ref(&target)).len(), 1);
    table.rows[0].left_out = Some("not here".to_owned());
    assert_eq!(judge(&table, &[target]), []);
}
