//! Responses that are pulled or written piece by piece.

mod stage;

use std::io::{self, Read, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;

use alula::{App, Body, Request, Response, Writer};
use alula_testkit::{BodyFraming, first_difference, pattern};
use stage::{Served, ask, get, next, until};

const PIECE: usize = 10_000;

/// The pattern's pieces, up to `size`.
fn pieces(size: usize) -> impl Iterator<Item = Vec<u8>> + Send {
    let whole = pattern(size);
    let count = size.div_ceil(PIECE);
    (0..count).map(move |at| whole[at * PIECE..size.min((at + 1) * PIECE)].to_vec())
}

fn size_of(request: &Request<'_>) -> usize {
    request.param("size").parse().unwrap()
}

/// Writes the pattern on a thread of its own.
fn write_pattern(mut writer: Writer, size: usize) {
    std::thread::spawn(move || {
        // A client that leaves ends it early.
        if writer.write_all(&pattern(size)).is_ok() {
            writer.finish();
        }
    });
}

fn app() -> App {
    App::new()
        .get("/", |_: &Request| "OK")
        .get("/pieces/{size}", |request: &Request| {
            Body::stream(pieces(size_of(request)))
        })
        .get("/reader/{size}", |request: &Request| {
            let size = size_of(request);
            Response::new(Body::reader(io::Cursor::new(pattern(size))))
                .with_header("content-length", size.to_string())
        })
        .get("/pipe/{size}", |request: &Request| {
            let (writer, body) = Body::pipe();
            write_pattern(writer, size_of(request));
            body
        })
}

#[test]
fn streams_arrive_whole_however_they_are_made_and_written() {
    for quantum in [None, Some(1500)] {
        let served = Served::with(app(), |config| match quantum {
            Some(bytes) => config.send_quantum(bytes),
            None => config,
        });
        let mut peer = served.connect();
        for size in [0, 1, PIECE, 400_000] {
            for (kind, framing) in [
                ("pieces", BodyFraming::Chunked),
                ("reader", BodyFraming::Length),
                ("pipe", BodyFraming::Chunked),
            ] {
                let answer = get(&mut peer, &format!("/{kind}/{size}"));
                assert_eq!((answer.status, answer.body.len()), (200, size), "{kind}");
                assert_eq!(first_difference(&answer.body, 0), None, "{kind}");
                // A pipe that is finished before it is looked at is known whole.
                let length = kind == "pipe" && answer.framing == BodyFraming::Length;
                assert!(
                    length || size == 0 || answer.framing == framing,
                    "{kind} {size}"
                );
            }
        }
        assert_eq!(get(&mut peer, "/").text(), "OK");
    }
}

#[test]
fn a_large_stream_waits_for_a_slow_reader_and_loses_nothing() {
    let served = Served::new(app());
    let size = 12_000_000;
    for kind in ["pieces", "reader", "pipe"] {
        let mut slow = served.send(format!("GET /{kind}/{size} HTTP/1.1\r\nHost: a\r\n\r\n"));
        for _ in 0..20 {
            assert_eq!(get(&mut served.connect(), "/").text(), "OK");
        }
        let answer = slow.read_response("GET").unwrap();
        assert_eq!(
            (answer.body.len(), first_difference(&answer.body, 0)),
            (size, None),
            "{kind}"
        );
        assert_eq!(get(&mut slow, "/").text(), "OK");
    }
}

#[test]
fn version_1_0_gets_no_chunks() {
    let served = Served::new(app());
    let mut old = served.send("GET /pieces/50000 HTTP/1.0\r\n\r\n");
    let answer = old.read_response("GET").unwrap();
    assert_eq!(
        (answer.framing, answer.body.len()),
        (BodyFraming::Close, 50_000)
    );
    old.expect_end().unwrap();
}

#[test]
fn nothing_is_pulled_for_a_client_that_does_not_read() {
    let pulled = Arc::new(AtomicUsize::new(0));
    let count = pulled.clone();
    let app = app().get("/endless", move |_: &Request| {
        let count = count.clone();
        Body::stream(std::iter::repeat_with(move || {
            count.fetch_add(1, Ordering::Relaxed);
            vec![b'x'; 64 * 1024]
        }))
    });
    let served = Served::new(app);
    let mut greedy = served.send("GET /endless HTTP/1.1\r\nHost: a\r\n\r\n");
    greedy.read_until(b"\r\n\r\n").unwrap();
    // It is either blocked by now or has had its turn as often as anybody else.
    for _ in 0..1000 {
        assert_eq!(get(&mut served.connect(), "/").text(), "OK");
    }
    let bytes = pulled.load(Ordering::Relaxed) * 64 * 1024;
    assert!(bytes < 30_000_000, "{bytes} bytes were made for nobody");
}

#[test]
fn the_writer_waits_for_a_client_that_does_not_read_and_learns_that_it_has_gone() {
    let written = Arc::new(AtomicUsize::new(0));
    let (tell, told) = channel();
    let count = written.clone();
    let app = app().get("/endless", move |_: &Request| {
        let (mut writer, body) = Body::pipe();
        let (tell, count) = (tell.clone(), count.clone());
        std::thread::spawn(move || {
            let failed = loop {
                match writer.write(&[b'x'; 1000]) {
                    Ok(bytes) => drop(count.fetch_add(bytes, Ordering::Relaxed)),
                    Err(error) => break error,
                }
            };
            tell.send((failed.kind(), writer.is_gone())).unwrap();
        });
        body
    });
    let served = Served::new(app);
    let mut greedy = served.send("GET /endless HTTP/1.1\r\nHost: a\r\n\r\n");
    greedy.read_until(b"\r\n\r\n").unwrap();
    for _ in 0..1000 {
        assert_eq!(get(&mut served.connect(), "/").text(), "OK");
    }
    let bytes = written.load(Ordering::Relaxed);
    assert!(bytes < 30_000_000, "{bytes} bytes were written for nobody");
    greedy.reset().unwrap();
    assert_eq!(next(&told), (io::ErrorKind::BrokenPipe, true));
}

#[test]
fn a_stream_of_nothing_leaves_room_for_others() {
    let app = app().get("/nothings", |_: &Request| {
        Body::stream(std::iter::repeat(""))
    });
    let served = Served::new(app);
    let mut peer = served.send("GET /nothings HTTP/1.1\r\nHost: a\r\n\r\n");
    peer.read_until(b"\r\n\r\n").unwrap();
    for _ in 0..10 {
        assert_eq!(get(&mut served.connect(), "/").text(), "OK");
    }
}

#[test]
fn a_silent_stream_learns_that_its_client_leaves() {
    let (give, writers) = channel();
    let app = app().get("/events", move |_: &Request| {
        let (mut writer, body) = Body::pipe();
        writer.write_all(b"data: 1\n\n").unwrap();
        give.send(writer).unwrap();
        body
    });
    let served = Served::new(app);
    let mut peer = served.send("GET /events HTTP/1.1\r\nHost: a\r\n\r\n");
    peer.read_until(b"data: 1\n\n").unwrap();
    let mut writer = next(&writers);
    assert!(!writer.client_has_left());
    peer.shutdown_write().unwrap();
    until(|| writer.client_has_left());
    // It has closed only its half, and reads on.
    assert!(!writer.is_gone());
    writer.write_all(b"data: 2\n\n").unwrap();
    writer.finish();
    assert!(
        peer.read_to_end()
            .unwrap()
            .ends_with(b"data: 2\n\n\r\n0\r\n\r\n")
    );
}

#[test]
fn a_body_that_fails_is_cut_off_and_never_looks_whole() {
    let (tell, told) = channel();
    let (give, writers) = channel::<Writer>();
    let app = app()
        .get("/failing", |_: &Request| {
            let pieces = [Ok("half"), Err(io::Error::other("as asked"))];
            Body::stream(pieces)
        })
        .get("/unfinished", |_: &Request| {
            let (mut writer, body) = Body::pipe();
            writer.write_all(b"half").unwrap();
            body
        })
        .get("/dropped", move |_: &Request| {
            let (writer, body) = Body::pipe();
            give.send(writer).unwrap();
            body
        })
        .get("/at-once", |_: &Request| {
            Body::stream([io::Result::<String>::Err(io::Error::other("as asked"))])
        })
        .get("/panicking", |_: &Request| {
            let pieces = ["half", "rest"].into_iter();
            Body::stream(pieces.inspect(|piece| assert_eq!(*piece, "half", "as asked")))
        })
        .log(move |event| tell.send(event.to_string()).unwrap());
    let served = Served::new(app);
    for path in ["/failing", "/panicking"] {
        let mut peer = served.send(format!("GET {path} HTTP/1.1\r\nHost: a\r\n\r\n"));
        let bytes = peer.read_to_end().unwrap();
        assert!(
            bytes.ends_with(b"\r\n4\r\nhalf\r\n"),
            "{}",
            bytes.escape_ascii()
        );
    }
    assert_eq!(next(&told), "a response's body failed: as asked");
    let mut peer = served.send("GET /dropped HTTP/1.1\r\nHost: a\r\n\r\n");
    let mut writer = next(&writers);
    writer.write_all(b"one").unwrap();
    peer.read_until(b"\r\n3\r\none\r\n").unwrap();
    writer.write_all(b"two").unwrap();
    drop(writer);
    assert_eq!(peer.read_to_end().unwrap(), b"3\r\ntwo\r\n");
    // Nothing has gone out yet: it can still be told.
    for path in ["/at-once", "/unfinished"] {
        assert_eq!(get(&mut served.connect(), path).status, 500, "{path}");
    }
}

#[test]
fn head_pulls_nothing() {
    let pulled = Arc::new(AtomicUsize::new(0));
    let count = pulled.clone();
    let app = app().get("/counted", move |_: &Request| {
        let count = count.clone();
        Body::stream(["a", "b"].into_iter().inspect(move |_| {
            count.fetch_add(1, Ordering::Relaxed);
        }))
    });
    let served = Served::new(app);
    let mut peer = served.connect();
    for path in ["/counted", "/pipe/100000"] {
        let answer = ask(&mut peer, "HEAD", path);
        assert_eq!((answer.status, answer.body.len()), (200, 0));
    }
    assert_eq!(pulled.load(Ordering::Relaxed), 0);
    assert_eq!(get(&mut peer, "/counted").text(), "ab");
}

#[test]
fn more_or_less_than_the_declared_length_closes() {
    let declared = |length: &'static str| {
        move |_: &Request<'_>| Response::new("1234").with_header("content-length", length)
    };
    let (tell, told) = channel();
    let app = App::new()
        .get("/long", declared("2"))
        .get("/short", declared("6"))
        .log(move |event| tell.send(event.to_string()).unwrap());
    let served = Served::new(app);
    let mut peer = served.send("GET /long HTTP/1.1\r\nHost: a\r\n\r\n");
    assert_eq!(peer.read_response("GET").unwrap().text(), "12");
    peer.expect_end().unwrap();
    assert!(next(&told).contains("longer than Content-Length"));
    let mut peer = served.send("GET /short HTTP/1.1\r\nHost: a\r\n\r\n");
    assert!(peer.read_to_end().unwrap().ends_with(b"\r\n\r\n1234"));
    assert!(next(&told).contains("shorter than Content-Length"));
}

#[test]
fn a_reader_is_asked_for_little_at_a_time() {
    struct Watched(Arc<AtomicUsize>, usize);
    impl Read for Watched {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            self.0.fetch_max(into.len(), Ordering::Relaxed);
            let read = into.len().min(self.1);
            into[..read].fill(b'x');
            self.1 -= read;
            Ok(read)
        }
    }
    let most = Arc::new(AtomicUsize::new(0));
    let asked = most.clone();
    let app = App::new().get("/", move |_: &Request| {
        Body::reader(Watched(asked.clone(), 1_000_000))
    });
    let served = Served::new(app);
    assert_eq!(get(&mut served.connect(), "/").body.len(), 1_000_000);
    assert_eq!(most.load(Ordering::Relaxed), 16 * 1024);
}
