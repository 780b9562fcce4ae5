//! Every answer is checked, and what goes wrong is counted by its kind.

mod scripted;

use std::io::{Read, Write};
use std::net::TcpListener;
use std::time::Duration;

use alula_bench::plan::Pace;
use alula_bench::report::{Ended, Errors};
use alula_bench::request::{Body, Length};
use alula_bench::{Error, Plan, load};
use scripted::{Reply, Request, Server, answer, run};
use serde_json::json;

/// Answers rightly but for one request of the run.
fn but_for(number: usize, wrong: Reply) -> Server {
    Server::new(move |at, _| {
        if at == number {
            wrong.clone()
        } else {
            Reply::Answer(answer(b"abcdef"))
        }
    })
}

/// The errors of 20 requests, of which one is answered otherwise.
fn errors(wrong: Reply, change: impl FnOnce(&mut Plan)) -> (Errors, Option<String>) {
    let server = but_for(7, wrong);
    let mut plan = server.plan(20);
    change(&mut plan);
    let report = run(&plan);
    assert_eq!(report.is_clean(), report.errors.total() == 0);
    assert_eq!(report.counts.answered + report.errors.total(), 20);
    let mismatch = report.mismatch.map(|one| {
        assert!(!one.answer.is_empty());
        one.to_string()
    });
    (report.errors, mismatch)
}

#[track_caller]
fn mismatch(wrong: Reply, what: &str, change: impl FnOnce(&mut Plan)) {
    let (found, shown) = errors(wrong, change);
    let one = Errors {
        mismatch: 1,
        ..Errors::default()
    };
    assert_eq!(found, one);
    assert_eq!(shown.unwrap(), format!("GET /path: {what}"));
}

fn right(answer: &[u8], change: impl FnOnce(&mut Plan)) {
    let answer = answer.to_vec();
    let (found, shown) = errors(Reply::Answer(answer), change);
    assert_eq!((found, shown), (Errors::default(), None));
}

#[test]
fn another_status_is_wrong() {
    let busy = b"HTTP/1.1 503 Busy\r\nContent-Length: 6\r\n\r\nabcdef";
    mismatch(
        Reply::Answer(busy.to_vec()),
        "status 503, expected 200 to 299",
        |_| {},
    );
    let accepted = b"HTTP/1.1 202 Accepted\r\nContent-Length: 6\r\n\r\nabcdef";
    right(accepted, |_| {});
    mismatch(
        Reply::Answer(accepted.to_vec()),
        "status 202, expected 200",
        |plan| plan.requests[0].expect.status = Some(200),
    );
}

#[test]
fn another_length_is_wrong() {
    let short = answer(b"abcde");
    let what = "body of 5 bytes, expected 6";
    mismatch(Reply::Answer(short.clone()), what, |_| {});
    mismatch(Reply::Answer(short.clone()), what, |plan| {
        plan.requests[0].expect.length = Length::Exact(6);
    });
    right(&short, |plan| plan.requests[0].expect.length = Length::Any);
    let chunked =
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n4\r\ndefg\r\n0\r\n\r\n";
    mismatch(
        Reply::Answer(chunked.to_vec()),
        "body of 7 bytes, expected 6",
        |_| {},
    );
}

#[test]
fn another_byte_is_wrong() {
    let swapped = Reply::Answer(answer(b"abdcef"));
    mismatch(
        swapped.clone(),
        "byte 2 of the body is 'd', expected 'c'",
        |plan| plan.requests[0].expect.body = Some(b"abcdef".to_vec()),
    );
    // The default looks at the length alone.
    assert_eq!(errors(swapped, |_| {}).0, Errors::default());
}

#[test]
fn another_json_value_is_wrong() {
    let server = Server::new(|at, _| {
        let sum = if at == 3 { 4 } else { 3 };
        Reply::Answer(answer(
            format!("{{\"n\": {at}, \"sum\": {sum}}}").as_bytes(),
        ))
    });
    let mut plan = server.plan(20);
    plan.requests[0].expect.json = vec![("/sum".into(), json!(3))];
    let report = run(&plan);
    assert_eq!(report.errors.mismatch, 1);
    assert_eq!(
        report.mismatch.unwrap().to_string(),
        "GET /path: JSON value at '/sum' is 4, expected 3"
    );
}

#[test]
fn an_answer_may_come_in_any_pieces() {
    let whole: [&[u8]; 4] = [
        &answer(b"abcdef"),
        b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nabcdef",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n4;x=y\r\ncdef\r\n0\r\nA: b\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 6\r\n\r\nabcdef",
    ];
    for bytes in whole {
        for size in [1, 7, bytes.len()] {
            let pieces = bytes.chunks(size).map(<[u8]>::to_vec).collect();
            let found = errors(Reply::Pieces(pieces), |plan| {
                plan.requests[0].expect.body = Some(b"abcdef".to_vec());
            });
            assert_eq!(found, (Errors::default(), None), "{size} of {bytes:?}");
        }
    }
}

#[test]
fn an_answer_may_last_until_the_server_closes() {
    let server = Server::new(|_, _| Reply::Last(b"HTTP/1.0 200 OK\r\n\r\nabcdef".to_vec()));
    let mut plan = server.plan(20);
    plan.requests[0].expect.body = Some(b"abcdef".to_vec());
    let report = run(&plan);
    assert_eq!(report.errors, Errors::default());
    assert_eq!(
        (report.counts.answered, report.counts.connections),
        (20, 20)
    );
}

#[test]
fn a_long_answer_is_checked_to_its_end() {
    let body: Vec<u8> = (0..700_000u32).map(|at| (at * 7 % 251) as u8).collect();
    let mut broken = body.clone();
    broken[699_999] ^= 1;
    let sent = body.clone();
    let server =
        Server::new(move |at, _| Reply::Answer(answer(if at == 4 { &broken } else { &sent })));
    let mut plan = server.plan(10);
    plan.requests[0].expect.body = Some(body);
    let report = run(&plan);
    assert_eq!((report.counts.answered, report.errors.mismatch), (9, 1));
    let shown = report.mismatch.unwrap().what;
    assert!(shown.starts_with("byte 699999 of the body is"), "{shown}");
    assert!(report.counts.bytes_received > 7_000_000);
}

#[test]
fn a_reset_is_counted() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let server = std::thread::spawn(move || {
        let (mut probe, _) = listener.accept().unwrap();
        probe.read_exact(&mut [0; 4]).unwrap();
        probe.write_all(&answer(b"ok")).unwrap();
        // Closing with bytes unread is a reset.
        let (mut first, _) = listener.accept().unwrap();
        first.read_exact(&mut [0; 4]).unwrap();
        drop(first);
        let (mut second, _) = listener.accept().unwrap();
        second.read_exact(&mut [0; 4]).unwrap();
        second.write_all(&answer(b"ok")).unwrap();
        // Until the client is done.
        while second.read(&mut [0; 64]).unwrap_or(0) > 0 {}
    });
    let mut plan = Plan::new(&url).unwrap();
    plan.connections = 1;
    plan.warmup = Duration::ZERO;
    plan.extent = alula_bench::plan::Extent::Requests(2);
    let report = run(&plan);
    let one = Errors {
        reset: 1,
        ..Errors::default()
    };
    assert_eq!(report.errors, one);
    assert_eq!((report.counts.answered, report.counts.connections), (1, 2));
    server.join().unwrap();
}

#[test]
fn an_early_close_is_counted() {
    let one = Errors {
        closed_early: 1,
        ..Errors::default()
    };
    for bytes in [
        &b""[..],
        b"HTTP/1.1 200 OK\r\nContent-Le",
        &answer(b"abcdef")[..42],
    ] {
        assert_eq!(errors(Reply::Last(bytes.to_vec()), |_| {}).0, one);
    }
}

#[test]
fn what_is_no_answer_is_counted() {
    let one = Errors {
        malformed: 1,
        ..Errors::default()
    };
    let surplus = [&answer(b"abcdef")[..], b"x"].concat();
    let chunk = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n";
    for bytes in [&b"HTTP/2 200\r\n\r\n"[..], b"hello\r\n\r\n", chunk] {
        assert_eq!(errors(Reply::Answer(bytes.to_vec()), |_| {}).0, one);
    }
    // The answer before the surplus is right, and counts: then there is one more than asked for.
    let server = but_for(7, Reply::Answer(surplus));
    let report = run(&server.plan(20));
    assert_eq!(report.errors, one);
    assert_eq!(report.counts.answered, 20);
}

#[test]
fn a_timeout_is_counted_and_its_connection_given_up() {
    let one = Errors {
        timeout: 1,
        ..Errors::default()
    };
    let silent = errors(Reply::Silence, |plan| {
        plan.timeout = Duration::from_millis(500);
    });
    assert_eq!(silent.0, one);
    let half = answer(b"abcdef")[..30].to_vec();
    let server = Server::new(move |at, _| match at {
        2 => Reply::Pieces(vec![half.clone()]),
        _ => Reply::Answer(answer(b"abcdef")),
    });
    let mut plan = server.plan(5);
    plan.timeout = Duration::from_millis(500);
    let report = run(&plan);
    assert_eq!(report.errors, one);
    assert_eq!((report.counts.answered, report.counts.connections), (4, 2));
}

#[test]
fn a_server_that_is_gone_is_counted_and_the_run_ends() {
    let mut server = Server::new(|_, _| Reply::Last(answer(b"ok")));
    let mut plan = server.plan(1_000_000);
    plan.timeout = Duration::from_millis(200);
    plan.requests[0].headers = vec![("connection".into(), "close".into())];
    let probe = load::run(&server.plan(1), &mut ()).unwrap();
    assert!(probe.is_clean());
    server.stop_listening();
    // Refused at once, it is no run.
    let error = load::run(&plan, &mut ()).unwrap_err();
    assert!(matches!(error, Error::Server(_)), "{error:?}");
    let text = error.to_string();
    let address = server.address.to_string();
    assert!(
        text.contains(&address) && text.contains("refused"),
        "{text}"
    );
}

#[test]
fn a_server_that_goes_during_the_run_is_counted_and_the_run_ends() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let server = std::thread::spawn(move || {
        for _ in 0..2 {
            let (mut stream, _) = listener.accept().unwrap();
            stream.read_exact(&mut [0; 4]).unwrap();
            let last = b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok";
            stream.write_all(last).unwrap();
        }
    });
    let mut plan = Plan::new(&url).unwrap();
    plan.connections = 1;
    plan.warmup = Duration::ZERO;
    plan.timeout = Duration::from_millis(300);
    plan.extent = alula_bench::plan::Extent::Requests(1_000_000);
    let report = run(&plan);
    server.join().unwrap();
    assert_eq!(report.ended, Ended::NoAnswers);
    assert!(report.errors.connect > 0, "{:?}", report.errors);
    assert!(!report.is_clean());
}

#[test]
fn a_first_answer_that_is_wrong_is_no_run() {
    let server = Server::new(|_, _| {
        Reply::Answer(b"HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\nnone".to_vec())
    });
    let Err(Error::Answer(wrong)) = load::run(&server.plan(1), &mut ()) else {
        panic!("the first answer is checked");
    };
    assert_eq!(
        wrong.to_string(),
        "GET /path: status 404, expected 200 to 299"
    );
    assert!(wrong.answer.ends_with("none"), "{}", wrong.answer);
    let silent = Server::new(|_, _| Reply::Silence);
    let mut plan = silent.plan(1);
    plan.timeout = Duration::from_millis(100);
    let error = load::run(&plan, &mut ()).unwrap_err().to_string();
    assert!(error.contains("no whole answer within 100ms"), "{error}");
}

#[test]
fn an_open_loop_counts_errors_alike() {
    let server = but_for(7, Reply::Last(Vec::new()));
    let mut plan = server.plan(20);
    plan.pace = Pace::Open(1000.0);
    let report = run(&plan);
    assert_eq!(report.errors.closed_early, 1);
    assert_eq!((report.errors.total(), report.counts.answered), (1, 19));
}

#[test]
fn a_template_lifts_the_check_of_the_length() {
    let server = Server::new(|_, request: &Request| Reply::Answer(answer(&request.body)));
    let mut plan = server.plan(20);
    plan.requests[0].method = "POST".into();
    plan.requests[0].body = Body::Template(b"{counter}".to_vec());
    let report = run(&plan);
    assert!(report.is_clean(), "{:?}", report.mismatch);
}
