use std::collections::BTreeMap;
use std::time::Duration;

use alula_testkit::Scratch;

use super::{Against, Content, Expected, Kind, Rate, Role, Suite, read};
use crate::compare::figure::Figure;

/// A suite that is accepted; tests change single lines of it.
const WHOLE: &str = r#"
title = "two"
baseline = "one"
server-core = 0
seconds = 1.5

[set]
build = "release"

[[server]]
name = "one"
role = "subject"
command = ["bin/{build}/one", "--port", "{port}", "{with}"]
with = { default = ["-q"], idle = false }

[[server]]
name = "two"
command = ["two", "{port}", "{app}"]
cwd = "below"
env = { PATHS = "{root}/lib" }
ready-seconds = 5

[[request]]
name = "plain"
path = "/plain"
expect-body = "hello"
set = { app = "raw" }

[[request]]
name = "echo"
path = "/echo"
headers = [["X-One", "1"]]
body = "abc"
expect-status = 201
expect-file = "echo.bin"

[[measure]]
name = "plain"
kind = "closed"
request = "plain"
targets = [
    { figure = "per-second", against = "best-peer", at-least = 1.5 },
    { figure = "p99", against = "two", at-most = 2 },
    { figure = "rss-busy", at-most = 1000 },
]

[[measure]]
name = "open"
kind = "open"
rate = { share = 0.5, of = "two" }
request = "echo"
connections = 7
servers = ["one"]
"#;

fn parse(text: &str) -> Result<Suite, String> {
    parse_with(text, &[])
}

fn parse_with(text: &str, set: &[(&str, &str)]) -> Result<Suite, String> {
    let scratch = Scratch::new().expect("a folder");
    let path = scratch.join("two.toml");
    std::fs::write(&path, text).expect("written");
    let pairs = set
        .iter()
        .map(|&(name, value)| (name.to_owned(), value.to_owned()));
    let set: BTreeMap<String, String> = pairs.collect();
    let shown = path.display().to_string();
    read(&path, &set).map_err(|error| error.to_string().replace(&shown, "two.toml"))
}

/// What is said of the suite with one piece replaced.
fn refused(piece: &str, by: &str) -> String {
    assert!(WHOLE.contains(piece), "{piece}");
    parse(&WHOLE.replacen(piece, by, 1)).expect_err("refused")
}

#[test]
fn every_key_is_read() {
    let suite = parse(WHOLE).expect("accepted");
    assert_eq!((suite.name.as_str(), suite.title.as_str()), ("two", "two"));
    assert_eq!(
        (suite.rounds, suite.server_core, suite.load_core),
        (3, Some(0), None)
    );
    assert_eq!(suite.seconds, Duration::from_millis(1500));
    let [one, two] = suite.servers.as_slice() else {
        panic!("two servers");
    };
    assert_eq!((one.role, two.role), (Role::Subject, Role::Peer));
    assert_eq!(one.with["default"], Some(vec!["-q".to_owned()]));
    assert_eq!(one.with["idle"], None);
    assert_eq!(one.ready, Duration::from_secs(30));
    assert_eq!(two.ready, Duration::from_secs(5));
    assert_eq!(two.directory, suite.root.join("below"));
    let [plain, echo] = suite.requests.as_slice() else {
        panic!("two requests");
    };
    assert_eq!((plain.method.as_str(), plain.status), ("GET", 200));
    assert_eq!((echo.method.as_str(), echo.status), ("POST", 201));
    assert_eq!(echo.body, Some(Content::Text("abc".to_owned())));
    assert_eq!(
        echo.expected,
        Expected::Body(Content::File(suite.root.join("echo.bin")))
    );
    assert_eq!(echo.headers, [("X-One".to_owned(), "1".to_owned())]);
    let [closed, open] = suite.measures.as_slice() else {
        panic!("two measures");
    };
    assert_eq!((closed.connections, open.connections), (32, 7));
    assert_eq!(closed.figures, [Figure::PerCpuSecond, Figure::PerSecond]);
    let against: Vec<&Against> = closed
        .targets
        .iter()
        .map(|target| &target.against)
        .collect();
    let named = Against::Server("two".to_owned());
    assert_eq!(against, [&Against::BestPeer, &named, &Against::Nothing]);
    let rate = Rate::Share {
        share: 0.5,
        of: "two".to_owned(),
    };
    assert_eq!(open.kind, Kind::Open(rate));
}

#[test]
fn paths_are_below_the_root_which_is_relative_to_the_file() {
    let suite = parse(&WHOLE.replacen("baseline", "root = \"../x/./y\"\nbaseline", 1));
    let suite = suite.expect("accepted");
    assert!(suite.root.ends_with("x/y"), "{}", suite.root.display());
    assert!(
        !suite.root.to_string_lossy().contains(".."),
        "{}",
        suite.root.display()
    );
}

#[test]
fn placeholders_can_be_set_from_outside_if_the_file_sets_them() {
    let suite = parse_with(WHOLE, &[("build", "debug")]).expect("accepted");
    assert_eq!(suite.set["build"], "debug");
    let why = parse_with(WHOLE, &[("bulid", "debug")]).expect_err("refused");
    let expected = "two.toml: --set bulid=debug: there is no placeholder bulid; \
                    the file sets build";
    assert_eq!(why, expected);
}

#[test]
#[allow(clippy::too_many_lines)] // a table
fn errors_name_file_key_value_and_what_is_accepted() {
    let cases = [
        (
            "title = \"two\"",
            "",
            "two.toml: title is missing; expected a text that is not empty",
        ),
        (
            "seconds = 1.5",
            "seconds = 0",
            "two.toml: seconds: 0 is not accepted; \
             expected a number of seconds above 0, up to 3600",
        ),
        (
            "server-core = 0",
            "server-core = -1",
            "two.toml: server-core: -1 is not accepted; \
             expected a whole number from 0 to 4095",
        ),
        (
            "role = \"subject\"",
            "role = \"hero\"",
            "two.toml: server[1].role: \"hero\" is not accepted; \
             expected \"subject\", \"peer\" or \"ceiling\"",
        ),
        (
            "cwd = \"below\"",
            "cdw = \"below\"",
            "two.toml: there is no key server[2].cdw; there are role, ready-seconds, cwd, name, \
             command, env, set, build, version, with, skip",
        ),
        (
            "command = [\"two\", \"{port}\", \"{app}\"]",
            "command = \"two\"",
            "two.toml: server[2].command: \"two\" is not accepted; \
             expected a list of texts: a program and its arguments",
        ),
        (
            "\"{app}\"",
            "\"{ap}\"",
            "two.toml: server \"two\": \"{ap}\" is not accepted; expected placeholders among \
             {answer-file}, {app}, {build}, {port}, {request-bytes}, {root}, {scratch}, {with}",
        ),
        (
            "path = \"/plain\"",
            "path = \"plain\"",
            "two.toml: request[1].path: \"plain\" is not accepted; \
             expected a path that begins with /, without spaces",
        ),
        (
            "expect-file = \"echo.bin\"",
            "",
            "two.toml: request[2].expect-body is missing; \
             expected the whole body of the answer, or expect-file, or expect-json",
        ),
        (
            "expect-file = \"echo.bin\"",
            "expect-json = { id = 1 }",
            "two.toml: request[2].expect-json: { id = 1 } is not accepted; \
             expected a table of JSON pointers, such as \"/id\", and what stands there",
        ),
        (
            "expect-file = \"echo.bin\"",
            "expect-file = \"echo.bin\"\nexpect-json = { \"/id\" = 1 }",
            "two.toml: request[2].expect-json: { \"/id\" = 1 } is not accepted; \
             expected either expect-json or the whole body, not both",
        ),
        (
            "connections = 7",
            "connections = 7\nmix = { echo = 0 }",
            "two.toml: measure[2].mix: { echo = 0 } is not accepted; expected a table of requests' \
             names and their weights, whole numbers of up to 10000 in all",
        ),
        (
            "connections = 7",
            "connections = 7\nmix = { echo = 1, plain = 2 }",
            "two.toml: measure \"open\": mix: \"plain\" is not accepted; expected one of echo",
        ),
        (
            "baseline = \"one\"",
            "baseline = \"one\"\nversions = { cc = [\"cc\", \"{app}\"] }",
            "two.toml: versions.cc: \"{app}\" is not accepted; \
             expected placeholders among {root} and those of [set]",
        ),
        (
            "[[\"X-One\", \"1\"]]",
            "[[\"Host\", \"1\"]]",
            "two.toml: request[2].headers: [[\"Host\", \"1\"]] is not accepted; expected a list \
             of [\"name\", \"value\"], without Host and Content-Length, which are set",
        ),
        (
            "request = \"plain\"",
            "request = \"pain\"",
            "two.toml: measure \"plain\": request: \"pain\" is not accepted; \
             expected one of plain, echo",
        ),
        (
            "kind = \"closed\"",
            "kind = \"close\"",
            "two.toml: measure[1].kind: \"close\" is not accepted; \
             expected \"closed\", \"open\", \"memory\", \"idle\" or \"start\"",
        ),
        (
            "against = \"two\"",
            "against = \"three\"",
            "two.toml: measure \"plain\": targets: \"three\" is not accepted; \
             expected one of one, two",
        ),
        (
            "at-most = 2",
            "at-least = 2",
            "two.toml: measure[1].targets[2].at-least: 2 is not accepted; \
             expected at-most, as of p99 less is better",
        ),
        (
            "figure = \"rss-busy\"",
            "figure = \"start\"",
            "two.toml: measure[1].targets[3].figure: \"start\" is not accepted; expected one of \
             per-cpu-second, per-second, p50, p90, p99, p99.9, p99.99, max, rss-busy",
        ),
        (
            "share = 0.5",
            "share = 1.5",
            "two.toml: measure[2].rate: { of = \"two\", share = 1.5 } is not accepted; expected \
             requests a second above 0, or { share = 0.5, of = \"SERVER\" } with a share above 0, \
             up to 1",
        ),
        (
            "of = \"two\"",
            "of = \"too\"",
            "two.toml: measure \"open\": rate.of: \"too\" is not accepted; expected one of one, two",
        ),
        (
            "name = \"two\"",
            "name = \"one\"",
            "two.toml: server[2].name: \"one\" is not accepted; expected a name that no other has",
        ),
    ];
    for (piece, by, expected) in cases {
        assert_eq!(refused(piece, by), expected);
    }
}

#[test]
fn a_mix_has_names_and_weights_and_its_requests_start_one_server() {
    let mix = |lines: &str| parse(&WHOLE.replacen("connections = 7", lines, 1));
    let suite = mix("mix = { echo = 10000 }").expect("accepted");
    assert_eq!(suite.measures[1].mix, [("echo".to_owned(), 10_000)]);
    assert_eq!(suite.measures[0].mix, []);
    assert!(mix("mix = { echo = 10001 }").is_err());
    // With the placeholders of both requests alike, both fit.
    let alike = WHOLE.replacen("set = { app = \"raw\" }", "", 1);
    let alike = alike.replacen("{app}", "raw", 1);
    let with = |weights: &str| alike.replacen("connections = 7", weights, 1);
    let suite = parse(&with("mix = { echo = 2, plain = 9998 }")).expect("accepted");
    assert_eq!(suite.measures[1].mix.len(), 2);
    assert!(parse(&with("mix = { echo = 3, plain = 9998 }")).is_err());
    let idle = "kind = \"idle\"\nrequest = \"plain\"\nmix = { plain = 1 }";
    let why = parse(&format!("{WHOLE}\n[[measure]]\nname = \"x\"\n{idle}")).expect_err("refused");
    let expected = "two.toml: measure[3].kind: \"idle\" is not accepted; \
                    expected \"closed\", \"open\" or \"memory\" if there is a mix";
    assert_eq!(why, expected);
}

#[test]
fn values_in_a_body_are_read_with_their_types() {
    let json = "expect-json = { \"/sum\" = 3, \"/ok\" = true, \"/a/0\" = \"x\", \"/f\" = 1.5 }";
    let suite = parse(&WHOLE.replacen("expect-file = \"echo.bin\"", json, 1)).expect("accepted");
    let Expected::Json(mut values) = suite.requests[1].expected.clone() else {
        panic!("no values");
    };
    values.sort_by(|one, other| one.0.cmp(&other.0));
    let expected = [
        ("/a/0", serde_json::json!("x")),
        ("/f", serde_json::json!(1.5)),
        ("/ok", serde_json::json!(true)),
        ("/sum", serde_json::json!(3)),
    ];
    let expected = expected.map(|(pointer, value)| (pointer.to_owned(), value));
    assert_eq!(values, expected);
}

#[test]
fn a_file_that_is_no_toml_says_in_which_line() {
    let why = parse("title = \"x\"\nrounds = \n").expect_err("refused");
    assert!(why.starts_with("two.toml: line 2: "), "{why}");
}

#[test]
fn both_sides_of_bounds() {
    let rounds = |count: &str| parse(&WHOLE.replacen("seconds = 1.5", count, 1));
    assert_eq!(rounds("rounds = 1").expect("accepted").rounds, 1);
    assert_eq!(rounds("rounds = 1000").expect("accepted").rounds, 1000);
    for count in ["rounds = 0", "rounds = 1001", "rounds = 1.5"] {
        assert!(rounds(count).is_err(), "{count}");
    }
    assert!(rounds("seconds = 3600").is_ok() && rounds("seconds = 3600.1").is_err());
}

#[test]
fn a_suite_without_a_server_a_request_or_a_measurement_is_none() {
    let why = parse("title = \"x\"").expect_err("refused");
    assert_eq!(
        why,
        "two.toml: server is missing; expected at least one table [[server]]"
    );
}

#[test]
fn servers_of_other_files_come_first_and_their_errors_name_those() {
    let scratch = Scratch::new().expect("a folder");
    let path = scratch.join("two.toml");
    let text = WHOLE.replacen("baseline", "include = [\"more.toml\"]\nbaseline", 1);
    std::fs::write(&path, text).expect("written");
    let more = |text: &str| {
        std::fs::write(scratch.join("more.toml"), text).expect("written");
        read(&path, &BTreeMap::new()).map_err(|error| error.to_string())
    };
    let suite = more("[[server]]\nname = \"zero\"\ncommand = [\"zero\"]\n").expect("accepted");
    let names: Vec<&str> = suite.servers.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(names, ["zero", "one", "two"]);
    let shown = scratch.join("more.toml").display().to_string();
    let why = more("[[server]]\nname = \"zero\"\n").expect_err("refused");
    assert!(
        why.starts_with(&format!("{shown}: server[1].command is missing")),
        "{why}"
    );
    let why = more("title = \"x\"\n").expect_err("refused");
    assert_eq!(
        why,
        format!("{shown}: there is no key title; there are server")
    );
}
