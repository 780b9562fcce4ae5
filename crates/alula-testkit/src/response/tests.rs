use super::{BodyFraming, Malformed, Response, read_response};

fn whole(bytes: &[u8], method: &str, ended: bool) -> (Response, usize) {
    let read = read_response(bytes, method, ended);
    read.expect("well-formed").expect("complete")
}

#[test]
fn reads_a_body_by_length_and_leaves_the_next_response() {
    let bytes = b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nX-A: b\r\n\r\nabcHTTP/1.1 ";
    let (response, len) = whole(bytes, "GET", false);
    assert_eq!((response.status, response.reason.as_str()), (200, "OK"));
    assert_eq!(
        (response.text(), response.header("x-a")),
        ("abc", Some("b"))
    );
    assert_eq!(
        (response.framing, len),
        (BodyFraming::Length, bytes.len() - 9)
    );
}

#[test]
fn reads_chunks_and_trailers() {
    let bytes = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n\
        3\r\nabc\r\nA\r\n0123456789\r\n0\r\nx-sum: 7\r\n\r\n";
    for end in 0..bytes.len() {
        assert_eq!(
            read_response(&bytes[..end], "GET", false),
            Ok(None),
            "{end} bytes"
        );
        assert!(
            read_response(&bytes[..end], "GET", true).is_err(),
            "{end} bytes, then the end"
        );
    }
    let (response, len) = whole(bytes, "GET", false);
    assert_eq!(
        (response.text(), &response.chunks[..]),
        ("abc0123456789", &[3, 10][..])
    );
    assert_eq!(response.trailers, [("x-sum".to_owned(), "7".to_owned())]);
    assert_eq!((response.framing, len), (BodyFraming::Chunked, bytes.len()));
}

#[test]
fn a_body_without_framing_lasts_to_the_end() {
    let bytes = b"HTTP/1.0 200 OK\r\nconnection: close\r\n\r\nabc";
    assert_eq!(read_response(bytes, "GET", false), Ok(None));
    let (response, _) = whole(bytes, "GET", true);
    assert_eq!(
        (response.text(), response.framing),
        ("abc", BodyFraming::Close)
    );
}

#[test]
fn head_and_bodiless_statuses_have_no_body() {
    let (response, len) = whole(
        b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nnext",
        "HEAD",
        false,
    );
    assert_eq!((response.framing, len), (BodyFraming::None, 38));
    for status in ["100 Continue", "204 No Content", "304 Not Modified"] {
        let bytes = format!("HTTP/1.1 {status}\r\n\r\nnext");
        let (response, len) = whole(bytes.as_bytes(), "GET", false);
        assert_eq!((response.body.len(), len), (0, bytes.len() - 4), "{status}");
    }
}

#[test]
fn refuses_what_two_readers_could_take_differently() {
    let wrong: [&[u8]; 12] = [
        b"HTTP/2 200 OK\r\n\r\n",
        b"HTTP/1.1 20 OK\r\n\r\n",
        b"HTTP/1.1 +20 OK\r\n\r\n",
        b"HTTP/1.1 200\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nspace : x\r\n\r\n",
        b"HTTP/1.1 200 OK\r\na: b\nc: d\r\n\r\n",
        b"HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 1\r\n\r\na",
        b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\ntransfer-encoding: chunked\r\n\r\n",
        b"HTTP/1.1 204 No Content\r\ncontent-length: 0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabcd\r\n",
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n+3\r\nabc\r\n",
    ];
    for bytes in wrong {
        let read = read_response(bytes, "GET", false);
        assert!(
            matches!(read, Err(Malformed(_))),
            "{}: {read:?}",
            bytes.escape_ascii()
        );
    }
}
