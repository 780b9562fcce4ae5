//! What is expected of bytes, however they are cut.

use alula_http::{Limits, ProtocolError};
use alula_testkit::{
    read_response,
    split::{Split, pieces},
};

use crate::transcript::{End, Seen, Transcript, play};

/// What becomes of the bytes; the same however they are cut.
pub(crate) fn outcome(bytes: &[u8]) -> Transcript {
    let whole = play([bytes], &Limits::default(), false);
    for split in Split::all(bytes.len()) {
        let cut = play(pieces(bytes, split), &Limits::default(), false);
        assert_eq!(cut, whole, "{split} of {}", bytes.escape_ascii());
    }
    whole
}

/// The one request of the bytes.
pub(crate) fn accepted(bytes: &[u8]) -> Seen {
    outcome(bytes).only()
}

/// The bytes are refused, with the error's answer and a close, before any request is seen.
pub(crate) fn refused(bytes: &[u8], error: ProtocolError) {
    let transcript = outcome(bytes);
    assert!(transcript.requests.is_empty());
    expect_refusal(&transcript, error, bytes);
}

/// The body that follows `head` is refused; the request was never whole.
pub(crate) fn body_refused(head: &[u8], body: &[u8], error: ProtocolError) {
    let bytes = [head, body].concat();
    let transcript = outcome(&bytes);
    assert!(
        transcript.requests.iter().all(|seen| !seen.whole),
        "{}",
        bytes.escape_ascii()
    );
    expect_refusal(&transcript, error, &bytes);
}

fn expect_refusal(transcript: &Transcript, error: ProtocolError, bytes: &[u8]) {
    assert_eq!(
        transcript.end,
        End::Refused(error),
        "{}",
        bytes.escape_ascii()
    );
    let Some(status) = error.status() else {
        assert!(transcript.out.is_empty());
        return;
    };
    let answer = read_response(&transcript.out, "GET", true);
    let (answer, length) = answer.expect("well-formed").expect("whole");
    assert_eq!(length, transcript.out.len(), "one answer");
    assert_eq!(answer.status, status);
    assert_eq!(answer.header("connection"), Some("close"));
    assert_eq!(answer.text(), error.reason());
}

/// The bytes are refused with their last byte and not before.
pub(crate) fn refused_at_once(bytes: &[u8], error: ProtocolError) {
    refused(bytes, error);
    let before = play([&bytes[..bytes.len() - 1]], &Limits::default(), false);
    assert!(
        matches!(before.end, End::Idle | End::InHead),
        "{} is refused too early",
        bytes.escape_ascii()
    );
}

/// A GET with these lines in its head, behind Host.
pub(crate) fn get(lines: &str) -> Vec<u8> {
    format!("GET / HTTP/1.1\r\nHost: a.test\r\n{lines}\r\n").into_bytes()
}

/// A POST with these lines in its head, behind Host, and `rest` behind the head.
pub(crate) fn post(lines: &str, rest: &str) -> Vec<u8> {
    format!("POST / HTTP/1.1\r\nHost: a.test\r\n{lines}\r\n{rest}").into_bytes()
}

pub(crate) fn header<'a>(seen: &'a Seen, name: &str) -> Vec<&'a [u8]> {
    let named = seen
        .headers
        .iter()
        .filter(|(sent, _)| sent == name.as_bytes());
    named.map(|(_, value)| &value[..]).collect()
}
