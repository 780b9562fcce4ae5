//! Requests that two parsers could read differently: each is refused and its connection closed.

mod stage;

use stage::Api;

/// The request, and the status of the refusal.
const UNTRUSTWORTHY: [(&str, u16); 16] = [
    ("GET /users/1 HTTP/2.0\r\nHost: a\r\n\r\n", 505),
    ("GET  /users/1 HTTP/1.1\r\nHost: a\r\n\r\n", 400),
    ("GET /users/1 HTTP/1.1\nHost: a\n\n", 400),
    ("GET /users/1#x HTTP/1.1\r\nHost: a\r\n\r\n", 400),
    ("GET /users/1 HTTP/1.1\r\nHost : a\r\n\r\n", 400),
    (
        "GET /users/1 HTTP/1.1\r\nHost: a\r\nX: 1\r\n 2\r\n\r\n",
        400,
    ),
    ("GET /users/1 HTTP/1.1\r\nHost: a\r\nX: 1\0\r\n\r\n", 400),
    ("GET /users/1 HTTP/1.1\r\nHost: a\r\nno colon\r\n\r\n", 400),
    ("GET /users/1 HTTP/1.1\r\n\r\n", 400),
    ("GET /users/1 HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400),
    (
        "POST /add HTTP/1.1\r\nHost: a\r\nContent-Length: +1\r\n\r\n1",
        400,
    ),
    (
        "POST /add HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n1",
        400,
    ),
    (
        "POST /add HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n\
         0\r\n\r\n",
        400,
    ),
    (
        "POST /add HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n",
        400,
    ),
    (
        "POST /add HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n\r\n",
        400,
    ),
    (
        "POST /add HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n12\r\n",
        400,
    ),
];

#[test]
fn untrustworthy_requests_are_refused_and_closed() {
    let api = Api::new();
    for (request, status) in UNTRUSTWORTHY {
        // What stands behind it must not be taken for a request.
        let mut peer = api.send(format!("{request}GET /users/1 HTTP/1.1\r\nHost: a\r\n\r\n"));
        let answer = peer.read_response("GET").unwrap();
        let shown = request.escape_default();
        assert_eq!(answer.status, status, "{shown}");
        assert_eq!(answer.header("connection"), Some("close"), "{shown}");
        peer.expect_end().unwrap();
    }
    api.assert_serves_others();
}

#[test]
fn a_head_that_is_too_large_is_refused() {
    let api = Api::new();
    let mut peer = api.send(format!(
        "GET /users/1 HTTP/1.1\r\nHost: a\r\nX: {}\r\n\r\n",
        "x".repeat(70_000)
    ));
    assert_eq!(peer.read_response("GET").unwrap().status, 431);
    peer.expect_end().unwrap();
}
