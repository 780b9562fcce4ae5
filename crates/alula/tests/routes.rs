//! The example's routes, and its errors.

mod stage;

use stage::{Api, ask, get, post, shown};

#[test]
fn health_and_users() {
    let api = Api::new();
    let mut peer = api.connect();
    let health = get(&mut peer, "/health");
    assert_eq!(shown(&health), (200, r#"{"status":"ok"}"#));
    assert_eq!(health.header("content-type"), Some("application/json"));
    assert_eq!(shown(&get(&mut peer, "/users/42")), (200, r#"{"id":42}"#));
    let longest = get(&mut peer, "/users/12345678901234567");
    assert_eq!(shown(&longest), (200, r#"{"id":12345678901234567}"#));
    for (id, told) in [
        ("123456789012345678", "123456789012345678"),
        ("x", "x"),
        ("-1", "-1"),
        ("%2B1", "+1"),
        ("1%2F2", "1/2"),
    ] {
        let answer = get(&mut peer, &format!("/users/{id}"));
        let text = format!(r#"{{"error":"id \"{told}\" is not 1 to 17 digits"}}"#);
        assert_eq!(shown(&answer), (400, text.as_str()));
    }
    assert_eq!(get(&mut peer, "/users/%ff").status, 400);
}

#[test]
fn add_takes_two_integers() {
    let api = Api::new();
    let mut peer = api.connect();
    let mut add = |body: &str| {
        peer.send(&post("/add", body.as_bytes())).unwrap();
        let answer = peer.read_response("POST").unwrap();
        (answer.status, answer.text().to_owned())
    };
    let sum = |text: &str| (200, format!(r#"{{"sum":{text}}}"#));
    assert_eq!(add(r#"{"a":1,"b":2}"#), sum("3"));
    assert_eq!(add("{ \"b\" : -2 , \"x\": [], \"a\" : 1 }\n"), sum("-1"));
    let most = i64::MAX;
    assert_eq!(
        add(&format!(r#"{{"a":{most},"b":0}}"#)),
        sum(&most.to_string())
    );
    let error = |text: &str| (422, format!(r#"{{"error":"{text}"}}"#));
    assert_eq!(
        add(&format!(r#"{{"a":{most},"b":1}}"#)),
        error(&format!("{most} + 1 is no 64-bit integer"))
    );
    let no_a = error(r#"\"a\" is not a 64-bit integer"#);
    for body in [
        r#"{"b":2}"#,
        r#"{"a":1.0,"b":2}"#,
        r#"{"a":"1","b":2}"#,
        r#"{"a":9223372036854775808,"b":2}"#,
        "[1,2]",
    ] {
        assert_eq!(add(body), no_a, "{body}");
    }
    assert_eq!(add(r#"{"a":1}"#), error(r#"\"b\" is not a 64-bit integer"#));
}

#[test]
fn add_tells_what_is_wrong_with_a_body_that_is_no_json() {
    let api = Api::new();
    let mut peer = api.connect();
    peer.send(&post("/add", b"{\n  \"a\": 1,\n  \"b\": x}"))
        .unwrap();
    let answer = peer.read_response("POST").unwrap();
    let text =
        r#"{"error":"the body is not JSON: line 3, column 8: expected a value, found \"x\""}"#;
    assert_eq!(shown(&answer), (422, text));
    peer.send(&post("/add", b"")).unwrap();
    let answer = peer.read_response("POST").unwrap();
    assert!(
        answer.text().contains("line 1, column 1: expected"),
        "{}",
        answer.text()
    );
}

#[test]
fn search_decodes_its_query() {
    let api = Api::new();
    let mut peer = api.connect();
    let mut search = |query: &str| {
        let answer = get(&mut peer, &format!("/search{query}"));
        (answer.status, answer.text().to_owned())
    };
    let found = |q: &str, length: usize| (200, format!(r#"{{"q":"{q}","length":{length}}}"#));
    assert_eq!(search("?q=abc"), found("abc", 3));
    assert_eq!(search("?x=1&q=a+b%2B%26%c3%A9"), found("a b+&\u{e9}", 7));
    assert_eq!(search("?q="), found("", 0));
    assert_eq!(search("?q=1&q=2"), found("1", 1));
    for query in ["", "?", "?Q=1", "?x=q"] {
        assert_eq!(
            search(query),
            (400, r#"{"error":"the query has no q"}"#.to_owned())
        );
    }
    for query in ["?q=%", "?q=%4", "?q=%gg", "?q=%ff"] {
        let (status, text) = search(query);
        assert_eq!(status, 400, "{query}");
        assert!(text.starts_with(r#"{"error":"bad query: \"%"#), "{text}");
    }
}

#[test]
fn blobs_say_their_positions() {
    let api = Api::new();
    let mut peer = api.connect();
    for length in [0, 1, 26, 1000, 32_768] {
        let answer = get(&mut peer, &format!("/blob/{length}"));
        assert_eq!((answer.status, answer.body.len()), (200, length));
        let expected = |at: usize| b'a' + ((at + at / 26) % 25) as u8;
        let wrong = (0..length).find(|at| answer.body[*at] != expected(*at));
        assert_eq!(wrong, None, "of {length}");
    }
    for n in ["32769", "-1", "x", "99999999999999999999"] {
        assert_eq!(get(&mut peer, &format!("/blob/{n}")).status, 400, "{n}");
    }
}

#[test]
fn what_there_is_not_is_404_and_keeps_the_connection() {
    let api = Api::new();
    let mut peer = api.connect();
    for path in [
        "/",
        "/user",
        "/users",
        "/users/",
        "/users/1/2",
        "/health/",
        "/HEALTH",
    ] {
        let answer = get(&mut peer, path);
        let text = r#"{"error":"there is nothing at this path"}"#;
        assert_eq!(shown(&answer), (404, text), "{path}");
    }
    assert_eq!(get(&mut peer, "/health").status, 200);
}

#[test]
fn a_wrong_method_is_405_with_what_is_allowed() {
    let api = Api::new();
    let mut peer = api.connect();
    for (method, path, allow) in [
        ("PUT", "/health", "GET, HEAD, OPTIONS"),
        ("GET", "/add", "POST, OPTIONS"),
        ("get", "/health", "GET, HEAD, OPTIONS"),
    ] {
        let answer = ask(&mut peer, method, path);
        assert_eq!((answer.status, answer.header("allow")), (405, Some(allow)));
        assert_eq!(answer.header("connection"), None);
        let text = format!(r#"{{"error":"this path takes {allow}"}}"#);
        assert_eq!(answer.text(), text);
    }
    // A body that nobody asked for is no request.
    peer.send(&post("/health", b"GET /x HTTP/1.1\r\n\r\n"))
        .unwrap();
    assert_eq!(peer.read_response("POST").unwrap().status, 405);
    assert_eq!(get(&mut peer, "/health").status, 200);
}

#[test]
fn head_is_get_without_the_body() {
    let api = Api::new();
    let mut peer = api.connect();
    for path in ["/health", "/blob/32768", "/users/x", "/nothing"] {
        let whole = get(&mut peer, path);
        let head = ask(&mut peer, "HEAD", path);
        assert_eq!(head.status, whole.status);
        assert_eq!(
            head.header("content-length"),
            whole.header("content-length"),
            "{path}"
        );
        assert_eq!(head.header("content-type"), whole.header("content-type"));
        assert!(head.body.is_empty());
    }
    assert_eq!(ask(&mut peer, "HEAD", "/add").status, 405);
    assert_eq!(get(&mut peer, "/health").status, 200);
}

#[test]
fn options_tells_what_is_allowed() {
    let api = Api::new();
    let mut peer = api.connect();
    let answer = ask(&mut peer, "OPTIONS", "/add");
    assert_eq!(
        (answer.status, answer.header("allow")),
        (204, Some("POST, OPTIONS"))
    );
    let answer = ask(&mut peer, "OPTIONS", "/blob/x");
    assert_eq!(answer.header("allow"), Some("GET, HEAD, OPTIONS"));
    assert_eq!(ask(&mut peer, "OPTIONS", "/nothing").status, 404);
    assert_eq!(ask(&mut peer, "OPTIONS", "*").status, 204);
}
