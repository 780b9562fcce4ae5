//! Serves so many requests, half of them with a chunked body, half of them answered in two pieces.
//! For counting instructions: `bench/callgrind example alula-http exchange`.

use alula_http::{
    Head, Limits,
    h1::{Defaults, Progress, Server},
};

const GET: &[u8] = b"GET /items/7?q=x HTTP/1.1\r\nHost: example.org\r\nAccept: */*\r\n\
    User-Agent: test\r\nCookie: a=b; c=d\r\nX-Request-Id: 0123456789abcdef\r\n\r\n";
const POST: &[u8] =
    b"POST /items HTTP/1.1\r\nHost: example.org\r\nTransfer-Encoding: chunked\r\n\r\n\
    4\r\nabcd\r\n5;x=y\r\nefghi\r\n0\r\nX-Trailer: z\r\n\r\n";

/// One connection and what it needs.
#[derive(Default)]
pub(crate) struct Exchanges {
    server: Server,
    head: Head,
    out: Vec<u8>,
}

impl Exchanges {
    /// Four requests.
    pub(crate) fn round(&mut self) {
        for (input, pieces) in [(GET, false), (GET, true), (POST, false), (POST, true)] {
            self.exchange(input, pieces);
        }
    }

    fn exchange(&mut self, input: &[u8], pieces: bool) {
        let (server, limits) = (&mut self.server, Limits::default());
        let Ok(Progress::Complete { mut consumed }) =
            server.receive_head(input, &mut self.head, &limits)
        else {
            panic!("the head is whole");
        };
        assert!(self.head.view(input).headers().len() > 1);
        while !server.body_complete() {
            let step = server.receive_body(&input[consumed..], &limits);
            consumed += step.expect("the body is in order").consumed;
        }
        assert_eq!(consumed, input.len());
        self.out.clear();
        self.answer(pieces);
        self.server.next_request();
    }

    fn answer(&mut self, pieces: bool) {
        let defaults = Defaults {
            date: Some(b"Sun, 06 Nov 1994 08:49:37 GMT"),
            server: Some(b"alula"),
            extra: b"x-extra: 1\r\n",
        };
        let headers: [(&[u8], &[u8]); 2] = [(b"content-type", b"text/plain"), (b"x-a", b"b")];
        let (server, out) = (&mut self.server, &mut self.out);
        server
            .respond(out, 200, headers.into_iter(), &defaults)
            .expect("the head is in order");
        server.send_body(out, b"abcdef", pieces).expect("a piece");
        if pieces {
            server.send_body(out, b"ghi", false).expect("the last one");
        }
    }
}

#[allow(dead_code, reason = "a test includes this file")]
fn main() {
    let count = std::env::args().nth(1).and_then(|text| text.parse().ok());
    let count: usize = count.expect("usage: exchange COUNT");
    let mut exchanges = Exchanges::default();
    for _ in 0..count / 4 {
        exchanges.round();
    }
}
