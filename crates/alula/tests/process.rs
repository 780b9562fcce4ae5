//! The example as a process: its arguments, and its end.

mod stage;

use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Output, Stdio};

use alula::{App, Config};
use alula_testkit::Peer;
use stage::{Api, get, until};

/// What becomes of the example where it can't serve: its exit code, and what it says.
fn refused(arguments: &[&str]) -> (Option<i32>, String) {
    let mut child = Command::new(stage::example())
        .args(arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    out.read_line(&mut line).unwrap();
    if !line.is_empty() {
        child.kill().unwrap();
    }
    let Output { status, stderr, .. } = child.wait_with_output().unwrap();
    assert_eq!(line, "", "{arguments:?}");
    (status.code(), String::from_utf8(stderr).unwrap())
}

fn signal(api: &Api, name: &str) {
    let pid = api.pid().to_string();
    let sent = Command::new("kill").args([name, &pid]).status().unwrap();
    assert!(sent.success());
}

#[test]
fn a_bad_argument_is_named_and_ends_with_2() {
    for (arguments, named) in [
        (&["--prot", "1"][..], "--prot: there is no such argument"),
        (&["8080"], "8080: there is no such argument"),
        (&["--port"], "--port: a value is missing"),
        (
            &["--port", "65536"],
            "--port: \"65536\" is not a number from 0 to 65535",
        ),
        (
            &["--port=x"],
            "--port: \"x\" is not a number from 0 to 65535",
        ),
        (&["--reuseport=1"], "--reuseport"),
        (&["--threads", "0"], "--threads: \"0\" is not"),
        (
            &["--idle", "nan"],
            "--idle: \"nan\" is not a number from 0.01",
        ),
        (&["--send-quantum", "0"], "--send-quantum: \"0\" is not"),
        (
            &["--input-buffer", "4095"],
            "--input-buffer: \"4095\" is not",
        ),
        (&["--input-buffer", "1048577"], "to 1048576"),
        (
            &["--poller", "epoll"],
            "--poller: \"epoll\" is neither queue nor poll",
        ),
        (
            &["--busy-poll", "0.01"],
            "--busy-poll: \"0.01\" is not a number from 0 to 0.001",
        ),
    ] {
        let (code, error) = refused(arguments);
        assert_eq!(code, Some(2), "{arguments:?}");
        assert!(error.contains(named), "{error}");
    }
}

#[test]
fn a_port_that_is_taken_is_named() {
    let ways: [&[&str]; 2] = [&[], &["--threads", "2"]];
    for holder in ways {
        let api = Api::with(holder);
        let port = api.address.port().to_string();
        let expected = format!("cannot listen on 127.0.0.1:{port}: ");
        for more in ways {
            let (code, error) = refused(&[&["--port", &port], more].concat());
            assert_eq!(code, Some(1));
            assert!(error.starts_with(&expected), "{error}");
        }
    }
}

#[test]
fn a_port_can_be_shared_by_those_who_all_agree() {
    let first = Api::with(&["--reuseport"]);
    let port = first.address.port().to_string();
    // Of two `--port`s the last one counts.
    let second = Api::with(&["--reuseport", "--port", &port]);
    assert_eq!(first.address, second.address);
    first.assert_serves_others();
}

#[test]
fn a_signal_ends_it_in_order() {
    for name in ["-TERM", "-INT"] {
        let mut api = Api::with(&["--threads", "2"]);
        let mut peers: Vec<_> = (0..8).map(|_| api.connect()).collect();
        for peer in &mut peers {
            assert_eq!(get(peer, "/users/1").status, 200);
        }
        signal(&api, name);
        // Each may still ask once, in the moment's grace, and is told.
        for peer in &mut peers {
            let answer = get(peer, "/users/1");
            assert_eq!(answer.status, 200);
        }
        drop(peers);
        assert_eq!(api.ended(), Some(0), "{name}");
        assert!(Peer::tcp(api.address).is_err());
    }
}

#[test]
fn a_signal_does_what_it_always_did_once_the_server_has_ended() {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "serves_and_waits", "--ignored", "--nocapture"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let out = BufReader::new(child.stdout.take().unwrap());
    assert!(out.lines().any(|line| line.unwrap().ends_with("has ended")));
    let pid = child.id().to_string();
    let sent = Command::new("kill").args(["-TERM", &pid]).status().unwrap();
    assert!(sent.success());
    // `wait` closes its input, which ends it if the signal has not.
    assert_eq!(child.wait().unwrap().signal(), Some(15));
}

#[test]
#[ignore = "the test above runs it as a process of its own"]
fn serves_and_waits() {
    for _ in 0..2 {
        let server = App::new().bind(Config::default().port(0)).unwrap();
        server.handle().stop();
        server.run().unwrap();
    }
    println!("has ended");
    let end = std::io::stdin().read(&mut [0]);
    assert_eq!(end.unwrap(), 0);
}

#[test]
fn the_second_signal_ends_it_at_once() {
    let mut api = Api::new();
    // It keeps the server from ending for as long as it may: its request is under way.
    let mut begun = api.send("POST /add HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n{");
    api.assert_serves_others();
    signal(&api, "-INT");
    until(|| Peer::tcp(api.address).is_err());
    signal(&api, "-TERM");
    assert_eq!(api.ended(), Some(0));
    // Closed without an answer, in whatever way.
    assert!(begun.read_response("POST").is_err());
}
