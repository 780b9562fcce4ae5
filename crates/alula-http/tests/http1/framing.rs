//! The rows of the request table that concern where a request ends.

use alula_http::{Framing, Limits, ProtocolError};

use crate::{
    outcome::{accepted, get, outcome, post, refused},
    transcript::{End, play},
};

#[test]
fn content_length_is_1_to_19_digits() {
    for value in [
        "",
        "+1",
        "-1",
        "1a",
        "0x1",
        "1 1",
        "1.0",
        "12345678901234567890",
        "\u{661}",
    ] {
        refused(
            &post(&format!("Content-Length: {value}\r\n"), ""),
            ProtocolError::InvalidContentLength,
        );
    }
    assert_eq!(
        accepted(&post("Content-Length: 0\r\n", "")).framing,
        Framing::None
    );
    let seen = accepted(&post("Content-Length:  0000000000000000003 \t\r\n", "abc"));
    assert_eq!(
        (seen.framing, &seen.body[..]),
        (Framing::Length(3), &b"abc"[..])
    );
    let largest = outcome(&post("content-length: 9999999999999999999\r\n", "abc"));
    assert_eq!(
        largest.requests[0].framing,
        Framing::Length(9_999_999_999_999_999_999)
    );
    assert_eq!(largest.end, End::InBody);
}

#[test]
fn content_length_lines_must_agree_and_be_no_list() {
    let seen = accepted(&post("Content-Length: 3\r\nContent-Length: 3\r\n", "abc"));
    assert_eq!(seen.framing, Framing::Length(3));
    for second in ["4", "03"] {
        let lines = format!("Content-Length: 3\r\nA: 1\r\nContent-Length: {second}\r\n");
        refused(
            &post(&lines, "abc"),
            ProtocolError::ConflictingContentLength,
        );
    }
    for list in ["3, 3", "3,3", "3,", ",3", "3, 4"] {
        let lines = format!("Content-Length: {list}\r\n");
        refused(&post(&lines, "abc"), ProtocolError::InvalidContentLength);
    }
}

#[test]
fn transfer_encoding_and_content_length_exclude_each_other() {
    for lines in [
        "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n",
        "Content-Length: 0\r\nTransfer-Encoding: chunked\r\n",
    ] {
        refused(&post(lines, "0\r\n\r\n"), ProtocolError::LengthAndCoding);
    }
}

#[test]
fn transfer_encoding_is_exactly_one_chunked() {
    for lines in [
        "Transfer-Encoding: chunked\r\n",
        "transfer-ENCODING:\tChunked \r\n",
    ] {
        let seen = accepted(&post(lines, "3\r\nabc\r\n0\r\n\r\n"));
        assert_eq!(
            (seen.framing, &seen.body[..]),
            (Framing::Chunked, &b"abc"[..])
        );
    }
    for value in [
        "",
        "identity",
        "gzip",
        "xchunked",
        "chunkedx",
        "chunked, chunked",
        "chunked, gzip",
        "chunked,",
        ",chunked",
        "chunked;q=1",
        "\"chunked\"",
        "chun ked",
        "gzip gzip, chunked",
        "chunked, gzip, chunked",
        ", , chunked",
    ] {
        let lines = format!("Transfer-Encoding: {value}\r\n");
        refused(
            &post(&lines, "0\r\n\r\n"),
            ProtocolError::InvalidTransferEncoding,
        );
    }
    let twice = "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n";
    refused(
        &post(twice, "0\r\n\r\n"),
        ProtocolError::InvalidTransferEncoding,
    );
}

#[test]
fn an_unknown_coding_that_ends_in_chunked_is_501() {
    assert_eq!(ProtocolError::UnknownTransferCoding.status(), Some(501));
    for lines in [
        "Transfer-Encoding: gzip, chunked\r\n",
        "Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: x;q=\"1\", chunked\r\n",
        "Transfer-Encoding: a,b , Chunked\r\n",
    ] {
        refused(
            &post(lines, "0\r\n\r\n"),
            ProtocolError::UnknownTransferCoding,
        );
    }
}

#[test]
fn http_1_0_has_no_transfer_encoding() {
    let head = b"POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n";
    refused(head, ProtocolError::CodingOnHttp10);
    let head = b"POST / HTTP/1.0\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n";
    refused(head, ProtocolError::CodingOnHttp10);
}

#[test]
fn a_request_without_framing_has_no_body() {
    let transcript = outcome(&post("", "GET /2 HTTP/1.1\r\nHost: a\r\n\r\n"));
    let methods: Vec<&str> = transcript
        .requests
        .iter()
        .map(|seen| &seen.method[..])
        .collect();
    assert_eq!(methods, ["POST", "GET"]);
}

#[test]
fn pipelined_requests_are_answered_in_order_each_once() {
    let bytes = b"POST /1 HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc\
        POST /2 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\ndef\r\n0\r\n\r\n\
        \r\nGET /3 HTTP/1.1\r\nHost: a\r\n\r\nGET /4 HTT";
    let transcript = outcome(bytes);
    let targets: Vec<&[u8]> = transcript
        .requests
        .iter()
        .map(|seen| &seen.target[..])
        .collect();
    assert_eq!(targets, [b"/1", b"/2", b"/3"]);
    assert_eq!(transcript.end, End::InHead);
    let out = String::from_utf8(transcript.out).expect("text");
    let answer = |body: &str| {
        format!(
            "HTTP/1.1 200 OK\r\ncontent-type: application/octet-stream\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        )
    };
    assert_eq!(out, [answer("abc"), answer("def"), answer("OK")].concat());
}

#[test]
fn a_fin_within_a_request_is_an_error_and_between_requests_is_none() {
    let fin = |bytes: &[u8]| play([bytes], &Limits::default(), true);
    assert_eq!(fin(b"").end, End::Idle);
    assert_eq!(fin(&get("")).end, End::Idle);
    let incomplete = End::Refused(ProtocolError::Incomplete);
    for bytes in [&b"G"[..], b"GET / HTTP/1.1\r\nHost: a\r\n", b"\r\nG"] {
        assert_eq!(fin(bytes).end, incomplete);
    }
    for bytes in [
        post("Content-Length: 3\r\n", ""),
        post("Content-Length: 3\r\n", "ab"),
        post("Transfer-Encoding: chunked\r\n", "3\r\nabc\r\n"),
        post("Transfer-Encoding: chunked\r\n", "0\r\n"),
    ] {
        let transcript = fin(&bytes);
        assert_eq!(transcript.end, incomplete);
        assert!(!transcript.requests[0].whole);
    }
}
