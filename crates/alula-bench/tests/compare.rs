//! `alula bench compare` on tiny real servers, over real sockets.

mod tiny;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::AtomicBool;

use alula_bench::compare::comparison::{Comparison, Table};
use alula_bench::compare::figure::Figure;
use alula_bench::compare::suite::read;
use alula_bench::compare::{self, session};
use tiny::{Life, TinySuite, have};

/// Not a test: the server that the tests compare. See the module `tiny`.
#[test]
#[ignore = "the server that the tests start"]
fn tiny_server() {
    tiny::serve();
}

/// Not a test: a comparison in a process that can be killed.
#[test]
#[ignore = "the comparison that the tests start"]
fn comparison_in_a_process() {
    if let Some(suite) = std::env::var_os("TINY_SUITE") {
        let ledger = Path::new(&suite).with_file_name("ledger.md");
        let arguments = [suite, "--ledger".into(), ledger.into()];
        std::process::exit(i32::from(compare::run(&arguments)));
    }
}

fn run(suite: &TinySuite) -> Comparison {
    let suite = read(&suite.write(), &BTreeMap::new()).expect("a suite");
    let interrupted = AtomicBool::new(false);
    session::run(&suite, "tiny", &interrupted, &mut Vec::new()).expect("a comparison")
}

fn only_table(comparison: &Comparison) -> &Table {
    let [table] = comparison.tables.as_slice() else {
        panic!("{} tables", comparison.tables.len());
    };
    table
}

fn failure<'a>(table: &'a Table, server: &str) -> &'a str {
    let row = table.row(server).expect("a row");
    assert!(
        row.values(Figure::PerSecond).is_empty(),
        "{server} has a speed"
    );
    row.failure.as_deref().expect("a failure")
}

/// All that was started is gone, now.
fn all_gone(suite: &TinySuite) -> usize {
    let lives = suite.lives();
    let count = lives.len();
    for mut life in lives {
        // The system closes a dead process' sockets before its parent learns of it.
        assert!(life.has_ended(), "a server outlived its round");
    }
    count
}

#[test]
fn rounds_are_interleaved_and_every_server_is_started_anew() {
    let suite = TinySuite::new("rounds = 3")
        .server("a", "right", "role = \"subject\"")
        .server("b", "right", "")
        .server("c", "right", "")
        .closed(
            "targets = [{ figure = \"per-second\", against = \"best-peer\", at-least = 0.001 }]",
        );
    let comparison = run(&suite);
    assert_eq!(
        suite.started(),
        ["a", "b", "c", "a", "b", "c", "a", "b", "c"]
    );
    let table = only_table(&comparison);
    for row in &table.rows {
        assert_eq!(
            (row.rounds.len(), &row.failure),
            (3, &None),
            "{}",
            row.server
        );
        for figure in [Figure::PerSecond, Figure::P50, Figure::P99, Figure::Max] {
            assert!(
                row.values(figure).iter().all(|&value| value > 0.0),
                "{figure}"
            );
        }
    }
    assert!(
        table.verdicts[0].outcome.to_string().starts_with("met"),
        "{:?}",
        table.verdicts
    );
    assert_eq!(all_gone(&suite), 9);
}

/// A request whose answers differ but for a value, and a measurement that asks for it as well.
fn mixed(name: &str, behaviour: &str) -> TinySuite {
    TinySuite::new("rounds = 1")
        .with(
            "[[request]]\nname = \"json\"\npath = \"/json\"\n\
             expect-json = { \"/right\" = true }\n",
        )
        .server(name, behaviour, "")
        .closed("mix = { plain = 3, json = 1 }")
}

#[test]
fn a_mix_is_asked_by_weight_and_each_answer_is_checked() {
    let comparison = run(&mixed("a", "right"));
    let table = only_table(&comparison);
    let row = table.row("a").expect("a row");
    assert_eq!(row.failure, None);
    let report = row.rounds[0].report.as_ref().expect("a report");
    let mix = [("json".to_owned(), 1), ("plain".to_owned(), 3)];
    assert_eq!(report.settings.requests_mix, mix);
    assert_eq!(table.request, "json 1, plain 3");
    assert_eq!(table.notes[0], "asked by weight: json 1, plain 3");

    // Right twice for the one, when it is ready and checked, and wrong for the other.
    let comparison = run(&mixed("liar", "right:1"));
    let why = failure(only_table(&comparison), "liar");
    let expected = "a wrong answer: request \"json\": JSON value at '/right' is false";
    assert!(why.starts_with(expected), "{why}");
}

#[test]
fn versions_of_what_is_no_server_are_noted() {
    let suite = TinySuite::new(
        "rounds = 1\n[versions]\nengine = [\"echo\", \"Engine 1.2.3 at {root}\"]\n\
         none = [\"true\"]\n",
    )
    .server("a", "right", "")
    .closed("");
    let comparison = run(&suite);
    assert_eq!(comparison.versions["engine"], "1.2.3");
    assert_eq!(comparison.versions["none"], "?");
}

#[test]
fn a_server_that_answers_wrongly_has_no_speed_and_the_others_do() {
    // Right until it is ready and checked, and wrong in the middle of the load.
    let suite = TinySuite::new("rounds = 2")
        .server("liar", "right:20", "")
        .server("honest", "right", "")
        .closed("");
    let comparison = run(&suite);
    let table = only_table(&comparison);
    let why = failure(table, "liar");
    assert!(why.contains("mismatch"), "{why}");
    assert_eq!(suite.started(), ["liar", "honest", "honest"]);
    assert_eq!(
        table
            .row("honest")
            .expect("a row")
            .values(Figure::PerSecond)
            .len(),
        2
    );
    assert_eq!(all_gone(&suite), 3);
}

#[test]
fn a_wrong_answer_to_the_check_before_the_load_is_enough() {
    let suite = TinySuite::new("rounds = 1")
        .server("liar", "right:2", "")
        .closed("");
    let comparison = run(&suite);
    let why = failure(only_table(&comparison), "liar");
    let expected = "a wrong answer: a body of 10 bytes, expected 10; from byte 9 on it is \"X\", \
                    expected \"j\"";
    assert!(why.starts_with(expected), "{why}");
}

#[test]
fn a_server_that_never_gets_ready_is_named_with_what_it_wrote() {
    let suite = TinySuite::new("rounds = 1")
        .server("silent", "silent", "ready-seconds = 0.5")
        .server("wrong", "late:1000000", "ready-seconds = 0.5")
        .server("ends", "ends", "")
        .with(
            "[[server]]\nname = \"missing\"\ncommand = [\"no-such-program\"]\n\
             [[server]]\nname = \"broken\"\nbuild = [\"false\"]\ncommand = [\"true\"]\n\
             [[server]]\nname = \"elsewhere\"\nskip = \"it needs another machine\"\n\
             command = [\"true\"]\n",
        )
        .closed("");
    let comparison = run(&suite);
    let table = only_table(&comparison);
    let why = failure(table, "silent");
    assert!(
        why.starts_with("no right answer within 0.5 s: nobody listens on its port"),
        "{why}"
    );
    assert!(why.ends_with("still looking for the flux"), "{why}");
    let why = failure(table, "wrong");
    assert!(
        why.starts_with("no right answer within 0.5 s: a body of 10 bytes"),
        "{why}"
    );
    let why = failure(table, "ends");
    assert!(
        why.starts_with("it ended by itself (exit status: 3): "),
        "{why}"
    );
    assert!(why.ends_with("first line | cannot find the flux"), "{why}");
    let why = failure(table, "missing");
    assert!(
        why.starts_with("it can't be started: no-such-program: "),
        "{why}"
    );
    assert_eq!(failure(table, "broken"), "`false` failed (exit status: 1)");
    let elsewhere = table.row("elsewhere").expect("a row");
    assert_eq!(
        elsewhere.left_out.as_deref(),
        Some("it needs another machine")
    );
    assert_eq!(elsewhere.failure, None);
    all_gone(&suite);
}

#[test]
fn a_child_that_left_its_group_is_ended_with_its_server() {
    if !have(&["setsid", "grep"]) || !Path::new("/proc/self/environ").exists() {
        return;
    }
    let suite = TinySuite::new("rounds = 1")
        .server("parent", "parent", "")
        .with("[[measure]]\nname = \"start\"\nkind = \"start\"\nrequest = \"plain\"\n");
    let comparison = run(&suite);
    assert_eq!(only_table(&comparison).rows[0].failure, None);
    for life in [suite.life(), suite.life()] {
        life.await_end();
    }
}

/// A comparison in a process of its own, of a server and its child; both live.
fn comparison_with_lives(suite: &TinySuite) -> (std::process::Child, [Life; 2]) {
    let child = Command::new(std::env::current_exe().expect("a program"))
        .args([
            "--exact",
            "comparison_in_a_process",
            "--ignored",
            "--nocapture",
        ])
        .env("TINY_SUITE", suite.write())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("a comparison");
    let lives = [suite.life(), suite.life()];
    (child, lives)
}

fn long_suite() -> TinySuite {
    TinySuite::new("rounds = 1")
        .with_seconds("3000")
        .server("parent", "parent", "")
        .closed("")
}

#[test]
fn servers_are_ended_even_if_the_comparison_is_killed() {
    if !have(&["setsid", "grep"]) || !Path::new("/proc/self/environ").exists() {
        return;
    }
    let suite = long_suite();
    let (mut child, lives) = comparison_with_lives(&suite);
    child.kill().expect("killed");
    child.wait().expect("ended");
    for life in lives {
        life.await_end();
    }
}

#[test]
fn ctrl_c_ends_the_servers_says_130_and_spares_the_ledger() {
    if !have(&["setsid", "grep"]) || !Path::new("/proc/self/environ").exists() {
        return;
    }
    let suite = long_suite();
    let (mut child, lives) = comparison_with_lives(&suite);
    let kill = ["-c", "kill -s INT \"$1\"", "kill", &child.id().to_string()];
    assert!(
        Command::new("/bin/sh")
            .args(kill)
            .status()
            .expect("a shell")
            .success()
    );
    assert_eq!(child.wait().expect("ended").code(), Some(130));
    assert!(
        !suite.scratch.join("ledger.md").exists(),
        "half a comparison is nothing to keep"
    );
    for life in lives {
        life.await_end();
    }
}

#[test]
fn a_server_is_on_its_core() {
    if !have(&["taskset"]) {
        return;
    }
    let suite = TinySuite::new("rounds = 1\nserver-core = 0")
        .with(
            "[[server]]\nname = \"core\"\nready-seconds = 5\n\
             command = [\"/bin/sh\", \"-c\", \"grep Cpus_allowed_list /proc/self/status; exit 4\"]\n",
        )
        .closed("");
    let comparison = run(&suite);
    assert_eq!(comparison.conditions.server_core, Some(0));
    let why = failure(only_table(&comparison), "core");
    assert!(why.ends_with("Cpus_allowed_list:\t0"), "{why}");
}

#[test]
fn the_command_writes_every_output_and_only_appends_to_the_ledger() {
    let suite = TinySuite::new("rounds = 1\nbaseline = \"two\"")
        .server("one", "right", "role = \"subject\"")
        .server("two", "right", "version = [\"echo\", \"two 1.2.3\"]")
        .closed("");
    let file = |name: &str| suite.scratch.join(name);
    std::fs::write(file("ledger.md"), "# Ledger\n").expect("written");
    let arguments = |only: &str| -> Vec<OsString> {
        let mut arguments = vec![suite.write().into_os_string()];
        for (option, name) in [
            ("--json", "json"),
            ("--html", "html"),
            ("--ledger", "ledger.md"),
        ] {
            arguments.extend([option.into(), file(name).into_os_string()]);
        }
        arguments.extend(["--servers".into(), only.into()]);
        arguments
    };
    assert_eq!(compare::run(&arguments("one,two")), 0);
    let first = std::fs::read_to_string(file("ledger.md")).expect("a ledger");
    assert!(first.starts_with("# Ledger\n\n## "), "{first}");
    assert!(
        first.contains("two 1.2.3") && first.contains("| one | "),
        "{first}"
    );
    assert_eq!(compare::run(&arguments("one")), 0);
    let second = std::fs::read_to_string(file("ledger.md")).expect("a ledger");
    assert!(second.starts_with(&first) && second.len() > first.len());
    let json = std::fs::read_to_string(file("json")).expect("figures");
    let read: Comparison = serde_json::from_str(&json).expect("a comparison");
    assert_eq!(
        (read.suite.as_str(), read.tables[0].rows.len()),
        ("tiny", 1)
    );
    let page = std::fs::read_to_string(file("html")).expect("a page");
    assert!(page.contains("<svg") && page.contains("Latency by percentile"));
}

#[test]
fn a_variant_is_one_more_server_with_another_value() {
    let suite = TinySuite::new("rounds = 2\nbaseline = \"one\"")
        .server("one", "{behaviour}", "role = \"subject\"")
        .server("two", "right", "")
        .with("[set]\nbehaviour = \"right\"\n")
        .closed("servers = [\"one\"]");
    let json = suite.scratch.join("json");
    let run = |variant: &str| {
        let path = suite.write().into();
        let json = json.clone().into();
        compare::run(&[
            path,
            "--variant".into(),
            variant.into(),
            "--json".into(),
            json,
        ])
    };
    assert_eq!(run("liar=one:behaviour=right:20"), 1);
    let text = std::fs::read_to_string(&json).expect("figures");
    let found: Comparison = serde_json::from_str(&text).expect("a comparison");
    let table = only_table(&found);
    let names: Vec<&str> = table.rows.iter().map(|row| row.server.as_str()).collect();
    assert_eq!(names, ["one", "liar"]);
    assert_eq!(table.row("one").expect("a row").rounds.len(), 2);
    assert!(failure(table, "liar").contains("mismatch"));
    for wrong in [
        "x=none:behaviour=1",
        "two=one:behaviour=1",
        "x=one:none=1",
        "x=one",
        "=one:a=b",
    ] {
        assert_eq!(run(wrong), 2, "{wrong}");
    }
}

#[test]
fn exit_statuses() {
    let failing = TinySuite::new("rounds = 1")
        .server("ends", "ends", "")
        .closed("");
    assert_eq!(compare::run(&[failing.write().into()]), 1);
    let target = "targets = [{ figure = \"p99\", against = \"two\", at-most = 0.000001 }]";
    let missed = TinySuite::new("rounds = 1")
        .server("one", "right", "role = \"subject\"")
        .server("two", "right", "")
        .closed(target);
    assert_eq!(compare::run(&[missed.write().into()]), 0);
    assert_eq!(compare::run(&[missed.write().into(), "--strict".into()]), 1);
    let unknown = [missed.write().into(), "--only".into(), "plane".into()];
    assert_eq!(compare::run(&unknown), 2);
    assert_eq!(compare::run(&["/nowhere/suite.toml".into()]), 2);
    assert_eq!(compare::run(&["--help".into()]), 0);
    let extra = TinySuite::new("rounds = 1")
        .server("two", "right", "")
        .server("ends", "ends", "")
        .closed("servers = [\"two\"]")
        .with(
            "[[measure]]\nname = \"more\"\nkind = \"start\"\nrequest = \"plain\"\nextra = true\n",
        );
    assert_eq!(compare::run(&[extra.write().into()]), 0);
    assert_eq!(compare::run(&[extra.write().into(), "--extra".into()]), 1);
    let only = [extra.write().into(), "--only".into(), "more".into()];
    assert_eq!(compare::run(&only), 1);
    let nowhere = [
        missed.write().into(),
        "--json".into(),
        "/nowhere/x.json".into(),
    ];
    assert_eq!(compare::run(&nowhere), 2);
}

#[test]
fn an_open_loop_offers_a_share_of_a_servers_capacity() {
    let suite = TinySuite::new("rounds = 1")
        .server("one", "right", "")
        .with(
            "[[measure]]\nname = \"open\"\nkind = \"open\"\nrequest = \"plain\"\nconnections = 4\n\
             rate = { share = 0.25, of = \"one\" }\n",
        );
    let comparison = run(&suite);
    let table = only_table(&comparison);
    assert_eq!(table.rows[0].failure, None);
    let note = &table.notes[0];
    let capacity = note
        .split("0.25 of the ")
        .nth(1)
        .and_then(|rest| rest.split(' ').next());
    let capacity: f64 = capacity.expect("a capacity").parse().expect("a number");
    let rate = table.rate.expect("a rate");
    assert!(
        capacity > 0.0 && (rate / capacity - 0.25).abs() < 0.01,
        "{rate}: {note}"
    );
    // Three rounds for the capacity, one for the figures.
    assert_eq!(suite.started().len(), 4);
}

#[test]
fn a_server_that_is_not_ready_at_once_is_asked_again() {
    let suite = TinySuite::new("rounds = 1")
        .server("late", "late:5", "")
        .closed("");
    let comparison = run(&suite);
    let row = &only_table(&comparison).rows[0];
    assert_eq!((&row.failure, row.rounds.len()), (&None, 1));
}

#[test]
fn a_dropped_idle_connection_leaves_no_figure() {
    // Until it is ready 1 request, checked 2, on ten connections 10, timed 200, on twenty more 20:
    // the last of these, numbered from 0, is closed.
    let suite = TinySuite::new("rounds = 1")
        .server("forgetful", "forgetful:232", "")
        .with(
            "[[measure]]\nname = \"idle\"\nkind = \"idle\"\nrequest = \"plain\"\n\
             connections = 30\n",
        );
    let comparison = run(&suite);
    let why = failure(only_table(&comparison), "forgetful");
    assert!(
        why.starts_with("1 of 30 idle connections were dropped"),
        "{why}"
    );
}

#[test]
fn answers_without_a_line_in_the_log_leave_no_figure() {
    let suite = TinySuite::new("rounds = 1")
        .server("silent", "right", "")
        .closed("logged = true");
    let comparison = run(&suite);
    let why = failure(only_table(&comparison), "silent");
    assert!(why.contains(" lines logged for "), "{why}");
}

#[test]
fn memory_idle_connections_and_the_start_are_measured() {
    let measure = |kind: &str, more: &str| {
        format!("[[measure]]\nname = \"{kind}\"\nkind = \"{kind}\"\nrequest = \"plain\"\n{more}\n")
    };
    let suite = TinySuite::new("rounds = 1")
        .server("one", "right", "with = { idle = false }")
        .server("two", "right", "")
        .with(&measure("memory", "connections = 2"))
        .with(&measure("idle", "connections = 30\nwith = \"idle\""))
        .with(&measure("start", "rounds = 2"));
    let comparison = run(&suite);
    let [memory, idle, start] = comparison.tables.as_slice() else {
        panic!("three tables");
    };
    let values = |table: &Table, figure| table.row("two").expect("a row").values(figure);
    if Path::new("/proc/self/status").exists() {
        for figure in [Figure::RssIdle, Figure::RssBusy, Figure::RssAfter] {
            assert!(values(memory, figure)[0] > 100_000.0, "{figure}");
        }
        assert_eq!(values(idle, Figure::RssPerConnection).len(), 1);
    }
    assert!(values(idle, Figure::FirstAnswer)[0] > 0.0);
    assert!(idle.row("one").expect("a row").left_out.is_some());
    assert_eq!(values(start, Figure::Start).len(), 2);
}
