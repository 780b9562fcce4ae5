//! What has been looked at is not looked at again.

use alula_http::{
    Head, Limits, ProtocolError, ResponseHead,
    h1::{Client, Defaults, Progress, Server},
};

/// A head in which every phase of the scan is long enough to stop within it.
const HEAD: &[u8] = b"\r\nDELETE /a/long/target HTTP/1.1\r\nHost: a.test\r\n\
    X-Long-Header-Name-Of-Many-Bytes: a long value of many more bytes\r\nX-B: 2\r\n\r\n";

/// `HEAD[..first]` with each byte that has been vetted made one that no scan would let pass. Two
/// are left: what form a target has is seen by its first byte, the version by its major number.
fn poisoned(first: usize) -> Vec<u8> {
    let decisive = [&b"/a/"[..], b"1.1"].map(|part| {
        HEAD.windows(part.len())
            .position(|window| window == part)
            .expect("it is in there")
    });
    let keep = |at: usize| decisive.contains(&at);
    (0..first)
        .map(|at| if keep(at) { HEAD[at] } else { 0 })
        .collect()
}

#[test]
fn a_head_is_never_scanned_again() {
    for first in 1..HEAD.len() - 1 {
        let (mut server, mut head, limits) = (Server::new(), Head::default(), Limits::default());
        let progress = server.receive_head(&HEAD[..first], &mut head, &limits);
        assert_eq!(progress, Ok(Progress::Partial));
        let mut bytes = poisoned(first);
        for &byte in &HEAD[first..HEAD.len() - 1] {
            bytes.push(byte);
            let progress = server.receive_head(&bytes, &mut head, &limits);
            assert_eq!(
                progress,
                Ok(Progress::Partial),
                "byte {} after {first}",
                bytes.len()
            );
        }
    }
}

#[test]
fn a_response_head_is_never_scanned_again() {
    const HEAD: &[u8] = b"HTTP/1.1 200 A Reason\r\nX-Header: value\r\n\r\n";
    for first in 1..HEAD.len() - 1 {
        let (mut client, mut head, limits) =
            (Client::new(), ResponseHead::default(), Limits::default());
        let host: [(&[u8], &[u8]); 1] = [(b"host", b"a")];
        client
            .request(&mut Vec::new(), "GET", b"/", host.into_iter())
            .expect("in order");
        let progress = client.receive_head(&HEAD[..first], &mut head, &limits);
        assert_eq!(progress, Ok(Progress::Partial));
        let bytes = [&vec![0; first], &HEAD[first..HEAD.len() - 1]].concat();
        let progress = client.receive_head(&bytes, &mut head, &limits);
        assert_eq!(progress, Ok(Progress::Partial), "from {first} on");
    }
}

#[test]
fn an_error_stays() {
    let (mut server, mut head, limits) = (Server::new(), Head::default(), Limits::default());
    let error = Err(ProtocolError::InvalidMethod);
    assert_eq!(server.receive_head(b"G@", &mut head, &limits), error);
    assert_eq!(
        server.receive_head(b"GET / HTTP/1.1\r\n", &mut head, &limits),
        error
    );
    assert_eq!(server.receive_body(b"", &limits).err(), error.err());
    assert_eq!(server.input_closed().err(), error.err());
    assert!(!server.keep_alive());
}

#[test]
fn a_head_has_begun_with_its_first_byte_and_until_it_is_whole() {
    let (mut server, mut head, limits) = (Server::new(), Head::default(), Limits::default());
    assert!(!server.head_begun());
    for (bytes, begun) in [(&b"\r"[..], false), (b"\r\n", false), (b"\r\nG", true)] {
        assert_eq!(
            server.receive_head(bytes, &mut head, &limits),
            Ok(Progress::Partial)
        );
        assert_eq!(server.head_begun(), begun);
    }
    let bytes = b"\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\nGET";
    let consumed = bytes.len() - 3;
    let progress = server.receive_head(bytes, &mut head, &limits);
    assert_eq!(progress, Ok(Progress::Complete { consumed }));
    assert!(!server.head_begun() && server.body_complete());

    let mut out = Vec::new();
    server
        .respond(&mut out, 204, [].into_iter(), &Defaults::default())
        .expect("in order");
    server.send_body(&mut out, b"", false).expect("in order");
    server.next_request();
    assert!(!server.head_begun() && !server.body_complete() && !server.response_started());
    assert_eq!(
        server.receive_head(b"GET", &mut head, &limits),
        Ok(Progress::Partial)
    );
    assert!(server.head_begun());
}

#[test]
fn a_body_is_handed_on_in_slices_of_the_input() {
    let (mut server, mut head, limits) = (Server::new(), Head::default(), Limits::default());
    let bytes = b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 6\r\n\r\nabcdefGET";
    let Ok(Progress::Complete { consumed }) = server.receive_head(bytes, &mut head, &limits) else {
        panic!("the head is whole");
    };
    let rest = &bytes[consumed..];
    assert_eq!(server.body_remaining(), Some(6));
    let step = server.receive_body(&rest[..2], &limits).expect("in order");
    assert_eq!((step.consumed, step.data, step.end), (2, 0..2, false));
    assert_eq!(
        (server.body_remaining(), server.body_complete()),
        (Some(4), false)
    );
    let step = server.receive_body(b"", &limits).expect("in order");
    assert_eq!((step.consumed, step.data, step.end), (0, 0..0, false));
    let step = server.receive_body(&rest[2..], &limits).expect("in order");
    assert_eq!((step.consumed, step.data, step.end), (4, 0..4, true));
    assert_eq!(
        (server.body_remaining(), server.body_complete()),
        (None, true)
    );
    let step = server.receive_body(b"GET", &limits).expect("in order");
    assert_eq!((step.consumed, step.data, step.end), (0, 0..0, true));
}

#[test]
fn a_step_of_a_chunked_body_takes_the_framing_around_its_piece() {
    let (mut server, mut head, limits) = (Server::new(), Head::default(), Limits::default());
    let bytes = b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
    server
        .receive_head(bytes, &mut head, &limits)
        .expect("in order");
    assert!(server.is_chunked_body() && server.body_remaining().is_none());
    let mut step = |bytes: &[u8]| {
        let step = server.receive_body(bytes, &limits).expect("in order");
        (step.consumed, step.data, step.end)
    };
    assert_eq!(step(b"3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"), (11, 3..6, false));
    assert_eq!(step(b"de\r\n0\r\n\r\nGET"), (9, 0..2, true));
    assert!(server.body_complete() && !server.is_chunked_body());
}

#[test]
fn a_server_is_small() {
    assert!(size_of::<Server>() <= 96);
}
