//! Request bodies that are taken piece by piece.

mod stage;

use std::io::{self, Read, Write};
use std::sync::mpsc::{Sender, channel};

use alula::{App, Body, Incoming, Request};
use alula_testkit::{Split, first_difference, pattern};
use stage::{Served, get, next, post, shown};

fn chunked(path: &str, body: &[u8]) -> Vec<u8> {
    let head = format!("POST {path} HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
    let mut bytes = head.into_bytes();
    for chunk in body.chunks(30_000) {
        bytes.extend(format!("{:x}\r\n", chunk.len()).as_bytes());
        bytes.extend_from_slice(chunk);
        bytes.extend(b"\r\n");
    }
    bytes.extend(b"0\r\n\r\n");
    bytes
}

/// Tells the first position that is wrong, or the length.
fn check(_: &Request<'_>, body: Incoming) -> alula::Response {
    body.fold(
        (0, None),
        |(length, wrong), piece| {
            *wrong = wrong.or(first_difference(piece, *length));
            *length += piece.len();
        },
        |(length, wrong)| format!("{length} {wrong:?}"),
    )
}

fn echo(_: &Request<'_>, body: Incoming) -> Body {
    let (mut writer, answer) = Body::pipe();
    let mut reader = body.into_reader();
    std::thread::spawn(move || {
        if io::copy(&mut reader, &mut writer).is_ok() {
            writer.finish();
        }
    });
    answer
}

fn app() -> App {
    App::new()
        .get("/", |_: &Request| "OK")
        .streaming("POST", "/check", check)
        .streaming("POST", "/echo", echo)
        .streaming("POST", "/early", |_: &Request, _: Incoming| "unread")
        .streaming(
            "POST",
            "/most/{bytes}",
            |request: &Request, body: Incoming| {
                let most: usize = request.param("bytes").parse().unwrap();
                let piece = move |total: &mut usize, piece: &[u8]| {
                    *total += piece.len();
                    if *total > most {
                        Err((413, "enough"))
                    } else {
                        Ok(())
                    }
                };
                body.try_fold(0, piece, |total| total.to_string())
            },
        )
}

#[test]
fn a_fold_sees_every_byte_once() {
    let served = Served::new(app());
    for size in [0, 1, 100_000, 5_000_000] {
        let body = pattern(size);
        for bytes in [post("/check", &body), chunked("/check", &body)] {
            let mut peer = served.send(bytes);
            let answer = peer.read_response("POST").unwrap();
            assert_eq!(answer.text(), format!("{size} None"));
            assert_eq!(get(&mut peer, "/").text(), "OK");
        }
    }
    let mut peer = served.connect();
    peer.send_split(&chunked("/check", &pattern(50)), Split::Bytes)
        .unwrap();
    assert_eq!(peer.read_response("POST").unwrap().text(), "50 None");
    // The bound of gathered bodies is not theirs, and a request without a body has an empty one.
    peer.send(b"POST /check HTTP/1.1\r\nHost: a\r\n\r\n")
        .unwrap();
    assert_eq!(peer.read_response("POST").unwrap().text(), "0 None");
}

#[test]
fn both_directions_stream_at_once() {
    let served = Served::new(app());
    let body = pattern(20_000_000);
    for bytes in [post("/echo", &body), chunked("/echo", &body)] {
        let mut peer = std::net::TcpStream::connect(served.address).unwrap();
        let mut sender = peer.try_clone().unwrap();
        let sending = std::thread::spawn(move || sender.write_all(&bytes).unwrap());
        let mut received = Vec::new();
        let mut buffer = vec![0; 64 * 1024];
        while !received.ends_with(b"\r\n0\r\n\r\n") {
            let read = peer.read(&mut buffer).unwrap();
            assert!(read > 0, "the end after {} bytes", received.len());
            received.extend_from_slice(&buffer[..read]);
        }
        sending.join().unwrap();
        let whole = alula_testkit::read_response(&received, "POST", true);
        let (answer, _) = whole.unwrap().unwrap();
        assert_eq!(
            (answer.body.len(), first_difference(&answer.body, 0)),
            (20_000_000, None)
        );
    }
}

#[test]
fn an_upload_that_nobody_reads_is_not_taken_in() {
    let (give, readers) = channel();
    let app = app().streaming("POST", "/hold", move |request: &Request, body: Incoming| {
        give.send((body.into_reader(), request.hold())).unwrap();
    });
    let served = Served::new(app);
    let head = "POST /hold HTTP/1.1\r\nHost: a\r\nContent-Length: 60000000\r\n\r\n";
    let mut peer = served.send(head);
    let body = pattern(60_000_000);
    let mut sent = peer.send_until_full(&body).unwrap();
    for _ in 0..20 {
        assert_eq!(get(&mut served.connect(), "/").text(), "OK");
        sent += peer.send_until_full(&body[sent..]).unwrap();
    }
    assert!(sent < 30_000_000, "{sent} bytes were taken");
    // Once somebody reads, all of it comes.
    let (mut reader, ticket) = next(&readers);
    let reading = std::thread::spawn(move || {
        let mut read = Vec::new();
        reader.read_to_end(&mut read).unwrap();
        ticket
            .answer(format!("{} {:?}", read.len(), first_difference(&read, 0)))
            .unwrap();
    });
    peer.send(&body[sent..]).unwrap();
    assert_eq!(peer.read_response("POST").unwrap().text(), "60000000 None");
    reading.join().unwrap();
}

#[test]
fn a_fold_may_refuse_the_rest() {
    let served = Served::new(app());
    let mut peer = served.send(post("/most/10", b"0123456789"));
    assert_eq!(shown(&peer.read_response("POST").unwrap()), (200, "10"));
    // What is left is little, and is thrown away.
    peer.send(&post("/most/10", &vec![b'x'; 100_000])).unwrap();
    assert_eq!(shown(&peer.read_response("POST").unwrap()), (413, "enough"));
    assert_eq!(get(&mut peer, "/").text(), "OK");
    // Here it is not even there.
    let head = "POST /most/10 HTTP/1.1\r\nHost: a\r\nContent-Length: 10000000\r\n\r\n01234567890";
    let mut peer = served.send(head);
    assert_eq!(peer.read_response("POST").unwrap().status, 413);
    peer.expect_end().unwrap();
}

#[test]
fn a_panic_in_a_fold_is_a_500_and_no_byte_of_the_body_becomes_a_request() {
    let app = app()
        .streaming("POST", "/piece", |_: &Request, body: Incoming| {
            body.fold((), |(), _| panic!("as asked"), |()| "")
        })
        .streaming("POST", "/end", |_: &Request, body: Incoming| {
            let end = |()| -> &'static str { panic!("as asked") };
            body.fold((), |(), _| {}, end)
        })
        .log(|_| {});
    let served = Served::new(app);
    let mut peer = served.connect();
    for path in ["/piece", "/end"] {
        peer.send(&post(path, b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"))
            .unwrap();
        assert_eq!(peer.read_response("POST").unwrap().status, 500, "{path}");
        assert_eq!(get(&mut peer, "/").text(), "OK");
    }
}

#[test]
fn an_unread_body_is_asked_for_by_nobody() {
    let (give, held) = channel();
    let app = app().streaming("POST", "/held", move |request: &Request, body: Incoming| {
        give.send((body, request.hold())).unwrap();
    });
    let served = Served::new(app);
    let waiting = "Content-Length: 5\r\nExpect: 100-continue\r\n\r\n";
    let mut peer = served.send(format!("POST /early HTTP/1.1\r\nHost: a\r\n{waiting}"));
    let answer = peer.read_response("POST").unwrap();
    assert_eq!(shown(&answer), (200, "unread"));
    peer.expect_end().unwrap();
    let mut peer = served.send(format!("POST /held HTTP/1.1\r\nHost: a\r\n{waiting}"));
    let (_body, ticket) = next(&held);
    assert_eq!(get(&mut served.connect(), "/").text(), "OK");
    ticket.answer("unread").unwrap();
    assert_eq!(shown(&peer.read_response("POST").unwrap()), (200, "unread"));
    for path in ["/check", "/echo"] {
        let mut peer = served.send(format!("POST {path} HTTP/1.1\r\nHost: a\r\n{waiting}"));
        assert_eq!(peer.read_response("POST").unwrap().status, 100, "{path}");
        peer.send(b"abcde").unwrap();
        assert_eq!(peer.read_response("POST").unwrap().status, 200);
    }
}

/// Tells what became of the reader.
fn report(tell: Sender<io::ErrorKind>, body: Incoming) -> std::thread::JoinHandle<()> {
    let mut reader = body.into_reader();
    std::thread::spawn(move || {
        let failed = io::copy(&mut reader, &mut io::sink()).expect_err("cut off");
        tell.send(failed.kind()).unwrap();
    })
}

#[test]
fn a_body_that_is_cut_off_never_looks_whole() {
    let (tell, told) = channel();
    let app = app().streaming(
        "POST",
        "/report",
        move |request: &Request, body: Incoming| {
            report(tell.clone(), body);
            drop(request.hold());
        },
    );
    let served = Served::new(app.log(|_| {}));
    let whole = chunked("/report", &pattern(1000));
    let mut peer = served.send(&whole[..whole.len() - 5]);
    // The handler's own answer, a dropped ticket, comes first and ends the reading.
    assert_eq!(peer.read_response("POST").unwrap().status, 500);
    assert_eq!(next(&told), io::ErrorKind::UnexpectedEof);
    let mut peer = served.send(&chunked("/check", &pattern(1000))[..600]);
    peer.shutdown_write().unwrap();
    assert_eq!(peer.read_response("POST").unwrap().status, 400);
    let mut peer = served.send(&chunked("/echo", &pattern(1000))[..600]);
    peer.shutdown_write().unwrap();
    let answered = peer.read_to_end().unwrap();
    assert!(
        !answered.ends_with(b"0\r\n\r\n"),
        "{}",
        answered.escape_ascii()
    );
}

#[test]
fn a_body_can_not_be_folded_for_another_request() {
    let stash = std::sync::Mutex::new(None::<Incoming>);
    let app = App::new()
        .streaming("POST", "/swap", move |_: &Request, body: Incoming| {
            let mut stash = stash.lock().unwrap();
            match stash.replace(body) {
                Some(other) => other.fold(0, |n, piece| *n += piece.len(), |n| n.to_string()),
                None => alula::Response::status(202),
            }
        })
        .log(|_| {});
    let served = Served::new(app);
    let mut peer = served.connect();
    for status in [202, 500, 500] {
        peer.send(&post("/swap", b"12345")).unwrap();
        assert_eq!(peer.read_response("POST").unwrap().status, status);
    }
}
