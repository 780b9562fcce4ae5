//! What the application does wrong harms its own request alone.

mod stage;

use std::sync::mpsc::channel;

use alula::{App, Config, Error, Refusal, Request, Response};
use stage::{Served, get, next, post};

#[test]
fn a_panic_is_a_500_for_that_request_alone() {
    let (tell, told) = channel();
    let app = App::new()
        .get("/", |_: &Request| "OK")
        .route("GET", "/panic", |_: &Request| -> &'static str {
            panic!("as asked")
        })
        .post("/panic", |request: &Request| -> &'static str {
            panic!("{}", request.body().len())
        })
        .log(move |event| tell.send(event.to_string()).unwrap());
    let served = Served::new(app);
    let mut other = served.connect();
    assert_eq!(get(&mut other, "/").text(), "OK");
    let mut peer = served.connect();
    assert_eq!(get(&mut peer, "/panic").status, 500);
    assert_eq!(next(&told), "GET /panic panicked");
    peer.send(&post("/panic", b"GET / HTTP/1.1\r\n\r\n"))
        .unwrap();
    assert_eq!(peer.read_response("POST").unwrap().status, 500);
    assert_eq!(next(&told), "POST /panic panicked");
    assert_eq!(get(&mut peer, "/").text(), "OK");
    assert_eq!(get(&mut other, "/").text(), "OK");
}

#[test]
fn what_must_not_go_out_does_not() {
    let (tell, told) = channel();
    let app = App::new()
        .get("/", |_: &Request| "OK")
        .get("/split", |_: &Request| {
            (200, [("x-a", "1\r\nx-b: 2")], "body")
        })
        .get("/name", |_: &Request| (200, [("x a", "1")], "body"))
        .get("/status", |_: &Request| (100, "body"))
        .get("/two", |_: &Request| {
            let lines = [("content-length", "1"), ("content-length", "4")];
            (200, lines, "body")
        })
        .log(move |event| tell.send(event.to_string()).unwrap());
    let served = Served::new(app);
    let mut peer = served.connect();
    for path in ["/split", "/name", "/status", "/two"] {
        let answer = get(&mut peer, path);
        assert_eq!(
            (answer.status, answer.text()),
            (500, "internal server error"),
            "{path}"
        );
        assert!(next(&told).starts_with("bad response: "), "{path}");
    }
    assert_eq!(get(&mut peer, "/").text(), "OK");
}

#[test]
fn no_body_goes_out_where_there_must_be_none() {
    let app = App::new()
        .get("/204", |_: &Request| (204, "body"))
        .get("/304", |_: &Request| (304, "body"))
        .get("/unit", |_: &Request| ());
    let served = Served::new(app);
    let mut peer = served.connect();
    for (path, status) in [("/204", 204), ("/304", 304), ("/unit", 204)] {
        assert_eq!(get(&mut peer, path).status, status);
    }
    assert_eq!(get(&mut peer, "/nothing").status, 404);
}

#[test]
fn refusals_keep_their_status_and_what_they_must_say() {
    let app = App::new()
        .get("/", |_: &Request| "OK")
        .refusals(|refusal: &Refusal| {
            let text = format!("<{} {}>", refusal.status(), refusal.reason());
            Response::new(text)
                .with_status(200)
                .with_content_type("text/html")
        });
    let served = Served::new(app);
    let mut peer = served.connect();
    let answer = get(&mut peer, "/x");
    assert_eq!(
        (answer.status, answer.text()),
        (404, "<404 there is nothing at this path>")
    );
    assert_eq!(answer.header("content-type"), Some("text/html"));
    peer.send(&post("/", b"x")).unwrap();
    let answer = peer.read_response("POST").unwrap();
    assert_eq!(
        (answer.status, answer.header("allow")),
        (405, Some("GET, HEAD, OPTIONS"))
    );
}

#[test]
fn a_wrong_route_or_option_is_told_when_it_binds() {
    let ok = |_: &Request<'_>| "";
    let told = |app: App, config: Config| match app.bind(config) {
        Ok(_) => panic!("it was accepted"),
        Err(error) => error,
    };
    let config = || Config::default().port(0);
    let error = told(App::new().get("users", ok), config());
    assert!(matches!(error, Error::Route(_)) && error.to_string().contains("\"users\""));
    let twice = App::new().get("/a/{b}", ok).get("/c", ok).get("/a/{d}", ok);
    let error = told(twice, config()).to_string();
    assert!(
        error.contains("GET /a/{d}") && error.contains("GET /a/{b}"),
        "{error}"
    );
    let error = told(App::new(), config().threads(0));
    assert!(matches!(error, Error::Config(_)) && error.to_string().starts_with("threads: \"0\""));
    let error = told(App::new(), config().host("no such host"));
    let text = error.to_string();
    assert!(
        text.starts_with("cannot listen on no such host:0: "),
        "{text}"
    );
}
