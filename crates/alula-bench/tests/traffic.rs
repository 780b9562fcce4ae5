//! What goes over the wire is what was asked for.

mod scripted;

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::Mutex;
use std::time::Duration;

use alula_bench::load::{Observer, Progress};
use alula_bench::plan::{Extent, Pace, Plan};
use alula_bench::report::Ended;
use alula_bench::request::{Body, Request};
use alula_bench::target::Target;
use alula_bench::{limit, load};
use alula_testkit::Scratch;
use scripted::{Reply, Server, answer, run};

fn server() -> Server {
    Server::new(|_, _| Reply::Answer(answer(b"ok")))
}

#[test]
fn kinds_of_request_come_by_weight() {
    let server = server();
    let mut plan = server.plan(400);
    let kind = |path: &str, weight| Request {
        weight,
        ..Request::get(path)
    };
    plan.requests = vec![kind("/a", 3), kind("/b", 1), kind("/c", 4)];
    plan.connections = 4;
    let report = run(&plan);
    assert!(report.is_clean());
    let seen = server.seen_behind(3);
    let count = |line: &str| seen.iter().filter(|one| one.line() == line).count();
    assert_eq!(
        (count("GET /a"), count("GET /b"), count("GET /c")),
        (150, 50, 200)
    );
    assert_eq!(seen.len(), 400);
}

#[test]
fn kinds_have_answers_of_their_own() {
    let server = Server::new(|_, request| {
        let long = request.line() == "GET /long";
        Reply::Answer(answer(if long { b"long" } else { b"s" }))
    });
    let mut plan = server.plan(40);
    plan.requests = vec![Request::get("/long"), Request::get("/s")];
    assert!(run(&plan).is_clean());
}

#[test]
fn each_number_of_a_template_is_used_once() {
    let server = server();
    let mut plan = server.plan(1200);
    plan.requests[0].method = "POST".into();
    plan.requests[0].body = Body::Template(b"{\"n\": {counter}, \"again\": {counter}}".to_vec());
    (plan.connections, plan.threads) = (5, 3);
    assert!(run(&plan).is_clean());
    let numbers: BTreeSet<u64> = server
        .seen()
        .iter()
        .map(|request| {
            assert_eq!(request.line(), "POST /path");
            let body: serde_json::Value = serde_json::from_slice(&request.body).unwrap();
            assert_eq!(body["n"], body["again"]);
            body["n"].as_u64().unwrap()
        })
        .collect();
    assert_eq!(numbers.len(), 1200);
}

#[test]
fn headers_and_body_go_out_as_given() {
    let server = server();
    let mut plan = server.plan(3);
    plan.requests[0].method = "PUT".into();
    plan.requests[0].body = Body::Fixed(vec![0, 1, 255]);
    plan.requests[0].headers = vec![("X-One".into(), "two".into())];
    assert!(run(&plan).is_clean());
    for request in server.seen() {
        let host = server.address;
        let head = format!(
            "PUT /path HTTP/1.1\r\nhost: {host}\r\nX-One: two\r\ncontent-length: 3\r\n\r\n"
        );
        assert_eq!((request.head, request.body), (head, vec![0, 1, 255]));
    }
}

#[test]
fn a_large_body_goes_out_whole() {
    // More than the kernel takes at once.
    let sent: Vec<u8> = (0..24_000_000u32).map(|at| (at % 251) as u8).collect();
    let wanted = sent.clone();
    let server = Server::new(move |_, request| {
        Reply::Answer(answer(if request.body == wanted {
            b"ok"
        } else {
            b"bad"
        }))
    });
    let mut plan = server.plan(3);
    plan.requests[0].method = "POST".into();
    plan.requests[0].body = Body::Fixed(sent);
    plan.requests[0].expect.body = Some(b"ok".to_vec());
    let report = run(&plan);
    assert!(report.is_clean(), "{:?}", report.mismatch);
    assert!(report.counts.bytes_sent > 72_000_000);
}

#[test]
fn a_unix_socket_is_spoken_to() {
    let scratch = Scratch::new().unwrap();
    let path = scratch.join("socket");
    let server = Server::unix(&path, |_, _| Reply::Answer(answer(b"ok")));
    let mut plan = Plan::new("http://127.0.0.1/").unwrap();
    plan.target = Target::unix("http://app.test/x", &path).unwrap();
    plan.requests = vec![Request::get("/x")];
    plan.connections = 1;
    plan.warmup = Duration::ZERO;
    plan.extent = Extent::Requests(50);
    assert!(run(&plan).is_clean());
    let seen = server.seen();
    assert_eq!(seen.len(), 50);
    assert_eq!(seen[0].head, "GET /x HTTP/1.1\r\nhost: app.test\r\n\r\n");
}

#[test]
fn without_keep_alive_each_request_has_its_connection() {
    for pace in [Pace::Closed, Pace::Open(2000.0)] {
        // The server keeps the connection: closing it is the client's part.
        let server = server();
        let mut plan = server.plan(100);
        plan.connections = 3;
        plan.keep_alive = false;
        plan.pace = pace;
        let report = run(&plan);
        assert!(report.is_clean(), "{:?}", report.errors);
        assert_eq!(
            (report.counts.answered, report.counts.connections),
            (100, 100)
        );
        let logs = server.logs();
        assert_eq!(logs.len(), 101);
        for log in logs {
            assert_eq!(log.requests.len(), 1);
            assert!(
                log.requests[0]
                    .request
                    .head
                    .contains("\r\nconnection: close\r\n")
            );
        }
    }
}

#[test]
fn a_connection_that_the_server_closes_between_requests_is_made_anew() {
    let server = Server::new(|number, _| {
        let ok = answer(b"ok");
        match number {
            5 | 6 | 9 => {
                let text = String::from_utf8(ok).unwrap();
                Reply::Last(
                    text.replace(" OK\r\n", " OK\r\nConnection: close\r\n")
                        .into(),
                )
            }
            _ => Reply::Answer(ok),
        }
    });
    let report = run(&server.plan(20));
    assert!(report.is_clean(), "{:?}", report.errors);
    assert_eq!((report.counts.answered, report.counts.connections), (20, 4));
}

#[test]
fn a_server_may_close_behind_an_answer_without_saying_so() {
    let server = Server::new(|number, _| match number % 3 {
        0 => Reply::Last(answer(b"ok")),
        _ => Reply::Answer(answer(b"ok")),
    });
    let mut plan = server.plan(30);
    // Between two requests there is time for the end to be seen, on most machines.
    plan.pace = Pace::Open(200.0);
    let report = run(&plan);
    // A request counts once: what was answered is no error, though its connection ended.
    assert_eq!(report.counts.answered + report.errors.total(), 30);
    assert!(report.counts.connections > 1);
}

/// Answers only when eight requests are there, each with its number among them.
fn by_eights(swapped: bool) -> Server {
    let held = Mutex::new(Vec::new());
    Server::new(move |number, request| {
        let body = answer(request.line().as_bytes());
        if number < 2 {
            // The probe's.
            return Reply::Answer(body);
        }
        let mut held = held.lock().unwrap();
        held.push(body);
        if held.len() < 8 {
            return Reply::Later;
        }
        if swapped {
            held.swap(2, 5);
        }
        Reply::Answer(held.drain(..).flatten().collect())
    })
}

fn pipelined(server: &Server) -> Plan {
    let mut plan = server.plan(80);
    plan.pipeline = 8;
    plan.requests = ["/a", "/b"].map(Request::get).to_vec();
    for request in &mut plan.requests {
        request.expect.body = Some(request.label().into_bytes());
    }
    plan
}

#[test]
fn pipelined_answers_belong_to_their_requests_in_order() {
    let server = by_eights(false);
    let mut plan = pipelined(&server);
    let report = run(&plan);
    assert!(
        report.is_clean(),
        "{:?} {:?}",
        report.errors,
        report.mismatch
    );
    assert_eq!(report.counts.answered, 80);
    let seen = server.seen_behind(2);
    let lines: Vec<String> = seen.iter().map(|one| one.line().into()).collect();
    let expected: Vec<&str> = ["GET /a", "GET /b"].into_iter().cycle().take(80).collect();
    assert_eq!(lines, expected);
    // An open loop fills the same room, from all that has fallen due.
    let server = by_eights(false);
    plan = pipelined(&server);
    plan.pace = Pace::Open(20_000.0);
    assert!(run(&plan).is_clean());
    assert_eq!(server.seen_behind(2).len(), 80);
}

#[test]
fn pipelined_answers_out_of_order_are_wrong() {
    let server = by_eights(true);
    let report = run(&pipelined(&server));
    assert_eq!((report.errors.mismatch, report.errors.total()), (20, 20));
}

/// Ends a run when it has had an answer.
struct Impatient;

impl Observer for Impatient {
    fn progress(&mut self, progress: &Progress) -> ControlFlow<()> {
        if progress.answered > 0 {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }
}

#[test]
fn a_run_that_is_ended_early_reports_what_it_has() {
    let server = server();
    let mut plan = server.plan(1);
    plan.extent = Extent::Duration(Duration::from_secs(3600));
    let report = load::run(&plan, &mut Impatient).unwrap();
    assert_eq!(report.ended, Ended::Interrupted);
    assert!(report.counts.answered > 0 && report.seconds < 1800.0);
    assert!(report.is_clean());
}

#[test]
fn the_servers_processes_are_watched() {
    let server = server();
    let mut plan = server.plan(200);
    plan.pid = Some(std::process::id());
    let report = run(&plan);
    let watched = report.server.unwrap();
    assert_eq!(watched.pid, std::process::id());
    assert!(watched.rss_before > 1_000_000 && watched.rss_peak >= watched.rss_after);
    // The largest there can be; it is nobody's.
    plan.pid = Some(u32::MAX);
    let error = load::run(&plan, &mut ()).unwrap_err().to_string();
    assert!(
        error.contains("process 4294967295 is not to be found"),
        "{error}"
    );
}

#[test]
fn a_search_reports_its_steps_and_its_best_run() {
    let server = server();
    let mut plan = server.plan(1);
    plan.pace = Pace::Open(100.0);
    let never = "max<0.001us".parse().unwrap();
    let report = limit::find(&plan, &never, &mut ()).unwrap();
    let limit = report.limit.unwrap();
    assert!(limit.rate.abs() < 1e-9);
    assert_eq!(limit.steps.len(), 16);
    assert!(limit.steps.iter().all(|step| step.missed.is_some()));
    assert_eq!(report.settings.rate, Some(1.0));

    // Three answers, then nothing: the rates that kept are those of the first runs.
    let server = Server::new(|number, _| match number {
        0..8 => Reply::Answer(answer(b"ok")),
        _ => Reply::Answer(b"HTTP/1.1 503 Busy\r\nContent-Length: 2\r\n\r\nok".to_vec()),
    });
    let mut plan = server.plan(3);
    plan.pace = Pace::Open(1000.0);
    let always = "max<3600s".parse().unwrap();
    // The probe of the third run fails: a server that answers wrongly at rest can't be searched.
    let error = limit::find(&plan, &always, &mut ())
        .unwrap_err()
        .to_string();
    assert!(error.contains("status 503"), "{error}");
}

#[test]
fn reports_survive_json() {
    let server = server();
    let report = run(&server.plan(20));
    let text = serde_json::to_string(&report).unwrap();
    let again: alula_bench::Report = serde_json::from_str(&text).unwrap();
    assert_eq!(again, report);
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert!(value["latency"]["p99.9"].as_f64().unwrap() > 0.0);
    assert_eq!(value["ended"], "complete");
}
