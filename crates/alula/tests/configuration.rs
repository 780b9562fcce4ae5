//! Where and how it serves.

mod stage;

use std::collections::HashSet;
use std::sync::mpsc::channel;

use alula::{App, Config, Request};
use alula_testkit::{Peer, Scratch};
use stage::{Served, get, next, post, until};

fn whereabouts(request: &Request<'_>) -> String {
    let client = request.client().map(|address| address.to_string());
    format!("{} {}", request.scheme(), client.unwrap_or_default())
}

#[test]
fn every_thread_serves() {
    let app = App::new().get("/", |_: &Request| {
        format!("{:?}", std::thread::current().id())
    });
    let served = Served::with(app, |config| config.threads(2));
    let mut seen = HashSet::new();
    // Where a connection goes is the system's choice: an odd run of luck is one in 2^200.
    for _ in 0..200 {
        seen.insert(get(&mut served.connect(), "/").text().to_owned());
    }
    assert_eq!(seen.len(), 2);
}

#[test]
fn a_unix_socket_is_served_by_every_thread_too() {
    let scratch = Scratch::new().unwrap();
    let path = scratch.join("socket");
    let config = Config::default().uds(&path).threads(2).signals(false);
    let server = App::new().get("/", whereabouts).bind(config).unwrap();
    assert_eq!(server.port(), None);
    let handle = server.handle();
    let thread = std::thread::spawn(move || server.run().unwrap());
    for _ in 0..20 {
        let mut peer = Peer::unix(&path).unwrap();
        assert_eq!(get(&mut peer, "/").text(), "http ");
    }
    handle.stop();
    thread.join().unwrap();
}

#[test]
fn one_connection_too_many_is_503() {
    let app = App::new()
        .get("/", |_: &Request| "OK")
        .post("/", |_: &Request| "OK");
    let served = Served::with(app, |config| config.limit_concurrency(3));
    let mut first = served.connect();
    let mut second = served.connect();
    assert_eq!(get(&mut first, "/").status, 200);
    assert_eq!(get(&mut second, "/").status, 200);
    let mut third = served.connect();
    assert_eq!(get(&mut third, "/").status, 503);
    third.send(&post("/", b"body")).unwrap();
    assert_eq!(third.read_response("POST").unwrap().status, 503);
    drop(third);
    // The two are served again once the third is gone, however late that is noticed.
    until(|| get(&mut second, "/").status == 200);
    assert_eq!(get(&mut first, "/").status, 200);
}

#[test]
fn a_trusted_proxy_says_who_asks() {
    let forwarded = "GET / HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 6.6.6.6\r\n\
                     x-forwarded-for: 9.9.9.9, 127.0.0.1\r\nX-Forwarded-Proto: https\r\n\r\n";
    let asked = |change: fn(Config) -> Config| {
        let served = Served::with(App::new().get("/", whereabouts), change);
        let mut peer = served.send(forwarded);
        peer.read_response("GET").unwrap().text().to_owned()
    };
    assert_eq!(asked(|config| config), "https 9.9.9.9");
    assert_eq!(
        asked(|config| config.proxy_headers(false)),
        "http 127.0.0.1"
    );
    assert_eq!(
        asked(|config| config.forwarded_allow_ips(["10.0.0.1"])),
        "http 127.0.0.1"
    );
}

#[test]
fn headers_and_limits_reach_the_engine() {
    let app = App::new().post("/", |request: &Request| request.body().len().to_string());
    let served = Served::with(app, |config| {
        config
            .header("x-a", "1")
            .header("server", "mine")
            .date_header(false)
            .limit_request_body(10)
    });
    let mut peer = served.send(post("/", b"0123456789"));
    let answer = peer.read_response("POST").unwrap();
    assert_eq!((answer.status, answer.text()), (200, "10"));
    assert_eq!(answer.header("x-a"), Some("1"));
    assert_eq!(answer.header("server"), Some("mine"));
    assert_eq!(answer.header("date"), None);
    peer.send(&post("/", b"0123456789x")).unwrap();
    assert_eq!(peer.read_response("POST").unwrap().status, 413);
}

#[test]
fn a_request_shows_all_that_it_says() {
    let (tell, told) = channel();
    let app = App::new().route("PATCH", "/a/{b}/{c:path}", move |request: &Request| {
        let pairs: Vec<_> = request.query_pairs().map(Result::unwrap).collect();
        let headers: Vec<_> = request
            .headers()
            .map(|(name, value)| format!("{name}={}", value.escape_ascii()))
            .collect();
        let head = (
            request.method(),
            request.path(),
            request.raw_path(),
            request.query(),
        );
        let params = (request.param("b"), request.param("c"));
        let debug = format!("{request:?}");
        assert!(!debug.contains("secret"), "{debug}");
        tell.send(format!("{head:?} {params:?} {pairs:?} {headers:?}"))
            .unwrap();
    });
    let served = Served::new(app);
    let head = "PATCH /a/x%20y/1/%C3%A9?k=v+w&secret HTTP/1.1\r\nHost: a\r\nX-S: secret\r\n";
    // With a body, it is a copy that is shown.
    for rest in ["\r\n", "Content-Length: 1\r\n\r\n1"] {
        let mut peer = served.send(format!("{head}{rest}"));
        assert_eq!(peer.read_response("PATCH").unwrap().status, 204);
        let seen = next(&told);
        let expected = "(\"PATCH\", \"/a/x y/1/é\", \"/a/x%20y/1/%C3%A9\", \"k=v+w&secret\") \
                        (\"x y\", \"1/é\") [(\"k\", \"v w\"), (\"secret\", \"\")] \
                        [\"Host=a\", \"X-S=secret\"";
        assert!(seen.starts_with(expected), "{seen}");
    }
}
