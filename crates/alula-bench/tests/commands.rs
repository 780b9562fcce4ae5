//! The program as it is called from a shell.

mod scripted;

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Command, Output, Stdio};

use alula_testkit::Scratch;
use scripted::{Reply, Server, answer};
use serde_json::Value;

fn program() -> Command {
    Command::new(env!("CARGO_BIN_EXE_alula-bench"))
}

fn call(args: &[&str]) -> Output {
    program().args(args).output().unwrap()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

fn server() -> Server {
    Server::new(|number, request| match request.line() {
        "GET /wrong" if number > 2 => {
            Reply::Answer(b"HTTP/1.1 500 Oh\r\nContent-Length: 3\r\n\r\nbad".to_vec())
        }
        "POST /echo" => Reply::Answer(answer(&request.body)),
        _ => Reply::Answer(answer(b"{\"sum\": 3}")),
    })
}

#[test]
fn a_clean_run_prints_a_table() {
    let server = server();
    let url = server.url("/");
    let output = call(&[&url, "-c", "2", "-n", "50", "--warmup", "0", "-q"]);
    let (table, errors) = (text(&output.stdout), text(&output.stderr));
    assert_eq!((output.status.code(), errors), (Some(0), ""), "{table}");
    for part in [&url, "requests    50 in ", "p99.99", "errors      none"] {
        assert!(table.contains(part), "no {part:?} in\n{table}");
    }
    assert_eq!(server.seen().len(), 50);
}

#[test]
fn a_wrong_answer_fails_the_run_and_is_shown() {
    let server = server();
    let url = server.url("/wrong");
    let output = call(&[&url, "-c", "1", "-n", "20", "--warmup", "0", "-q"]);
    let table = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1));
    for part in [
        "18 mismatch",
        "first wrong answer: GET /wrong: status 500, expected 200 to 299",
        "  | bad",
        "a run with errors has no speed",
    ] {
        assert!(table.contains(part), "no {part:?} in\n{table}");
    }
}

#[test]
fn every_option_reaches_the_wire() {
    let server = server();
    let url = server.url("/echo");
    let output = call(&[
        &url,
        "-c",
        "1",
        "-n",
        "5",
        "--warmup",
        "0s",
        "-q",
        "-H",
        "X-A: b",
        "--body-template",
        "{\"n\": {counter}}",
        "--expect-status",
        "200",
        "--timeout",
        "2s",
        "--rate",
        "500",
        "--json",
        "-",
        "--name",
        "echo",
    ]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["name"], "echo");
    assert_eq!(report["counts"]["answered"], 5);
    assert_eq!(report["settings"]["rate"], 500.0);
    let seen = server.seen();
    assert_eq!(seen.len(), 5);
    assert!(seen[0].head.contains("\r\nX-A: b\r\n"), "{}", seen[0].head);
}

#[test]
fn files_are_written_and_requests_read_from_one() {
    let scratch = Scratch::new().unwrap();
    let mix = scratch.join("mix.toml");
    let kinds = "[[request]]\npath = \"/a\"\nexpect_json = { \"/sum\" = 3 }\n\
                 [[request]]\npath = \"/echo\"\nmethod = \"POST\"\nbody = \"x\"\nexpect_body = \"x\"";
    fs::write(&mix, kinds).unwrap();
    let server = server();
    let path = |name: &str| scratch.join(name).to_str().unwrap().to_owned();
    let (json, markdown, html) = (path("r.json"), path("r.md"), path("r.html"));
    let output = call(&[
        &server.url("/"),
        "-c",
        "1",
        "-n",
        "10",
        "--warmup",
        "0",
        "-q",
        "--requests-file",
        mix.to_str().unwrap(),
        "--json",
        &json,
        "--markdown",
        &markdown,
        "--html",
        &html,
    ]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("requests/s"));
    let report: Value = serde_json::from_str(&fs::read_to_string(json).unwrap()).unwrap();
    assert_eq!(report["settings"]["requests_mix"][1][0], "POST /echo");
    let markdown = fs::read_to_string(markdown).unwrap();
    assert!(markdown.contains("| requests | 10 in "), "{markdown}");
    let html = fs::read_to_string(html).unwrap();
    assert!(html.to_lowercase().starts_with("<!doctype html"), "{html}");
}

#[test]
fn a_run_can_be_broken_off() {
    let server = server();
    let mut child = program()
        .args([
            &server.url("/"),
            "-c",
            "1",
            "-d",
            "1h",
            "--warmup",
            "0",
            "--json",
            "-",
        ])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // Its first second has passed.
    let mut line = String::new();
    let mut errors = BufReader::new(child.stderr.take().unwrap());
    errors.read_line(&mut line).unwrap();
    assert!(
        line.contains("1 s") && line.contains("requests/s"),
        "{line}"
    );
    let id = child.id().to_string();
    let killed = Command::new("kill").args(["-INT", &id]).status().unwrap();
    assert!(killed.success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["ended"], "interrupted");
    assert!(report["counts"]["answered"].as_u64().unwrap() > 0);
}

#[test]
fn a_wrong_command_line_is_named() {
    let url = "http://127.0.0.1:9/";
    let cases: [(&[&str], &str); 14] = [
        (&[url, "--conections", "3"], "'--conections'"),
        (
            &[url, "-c", "0"],
            "--connections '0': a whole number, at least 1",
        ),
        (&[url, "-c", "1", "-t", "2"], "connections is 1: 2 to"),
        (
            &[url, "-d", "soon"],
            "--duration 'soon': a number with us, ms, s, m or h",
        ),
        (
            &[url, "-d", "1s", "-n", "1"],
            "'--duration <TIME>' cannot be used with '--requests <N>'",
        ),
        (&[url, "--rate", "-1"], "--rate '-1': a number above 0"),
        (&[url, "-H", "nonsense"], "--header 'nonsense': NAME: VALUE"),
        (&[url, "-H", "a: b\nc"], "header value is not valid"),
        (&[url, "-m", "G T"], "the method is not valid"),
        (
            &[url, "--expect-status", "42"],
            "--expect-status '42': 200 to 999",
        ),
        (
            &[url, "--body", "a", "--body-file", "b"],
            "cannot be used with",
        ),
        (
            &[url, "--requests-file", "/nowhere/mix.toml"],
            "/nowhere/mix.toml: ",
        ),
        (&[url, "--find-limit"], "--slo <BOUNDS>"),
        (
            &[url, "--find-limit", "--slo", "p98<1ms"],
            "objective 'p98<1ms'",
        ),
    ];
    for (args, why) in cases {
        let output = call(args);
        let errors = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {errors}");
        assert!(errors.contains(why), "{args:?}: {errors}");
        assert_eq!(text(&output.stdout), "");
    }
    let output = call(&["https://127.0.0.1/"]);
    assert_eq!(output.status.code(), Some(2));
    let errors = text(&output.stderr);
    assert!(
        errors.contains("TLS is not spoken yet; http://HOST[:PORT]"),
        "{errors}"
    );
}

#[test]
fn a_server_that_is_not_there_is_named() {
    let mut server = server();
    server.stop_listening();
    let output = call(&[&server.url("/"), "-q"]);
    assert_eq!(output.status.code(), Some(1));
    let errors = text(&output.stderr);
    let expected = format!("error: cannot connect to {}: ", server.address);
    assert!(errors.starts_with(&expected), "{errors}");
}

#[test]
fn help_tells_of_every_option() {
    let output = call(&["--help"]);
    assert_eq!(output.status.code(), Some(0));
    let help = text(&output.stdout);
    for name in [
        "--connections",
        "--threads",
        "--duration",
        "--requests",
        "--warmup",
        "--rate",
        "--pipeline",
        "--no-keepalive",
        "--timeout",
        "--unix",
        "--pid",
        "--find-limit",
        "--slo",
        "--method",
        "--header",
        "--body",
        "--body-file",
        "--body-template",
        "--requests-file",
        "--expect-status",
        "--expect-length",
        "--expect-body",
        "--expect-body-file",
        "--expect-json",
        "--name",
        "--json",
        "--markdown",
        "--html",
        "--quiet",
        "alula bench compare SUITE.toml",
        "alula bench gate OLD.json NEW.json",
    ] {
        assert!(help.contains(name), "no {name} in\n{help}");
    }
    // Without any argument the help is an answer to a mistake.
    assert_eq!(call(&[]).status.code(), Some(2));
    for subcommand in ["compare", "gate"] {
        let output = call(&[subcommand, "--help"]);
        assert_eq!(output.status.code(), Some(0));
        assert!(text(&output.stdout).contains(subcommand));
    }
}
