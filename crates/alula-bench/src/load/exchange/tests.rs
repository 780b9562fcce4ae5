use alula_http::h1::Client;
use alula_http::{ProtocolError, ResponseHead};
use alula_testkit::{Split, pieces};

use super::{Check, Exchange, Expected, Step};
use crate::request::Expect;

/// How an exchange has come out.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Outcome {
    /// Answered: what was wrong, whether the connection stays, and what came behind.
    Answered(Option<String>, bool, Vec<u8>),
    Failed(ProtocolError),
    Unfinished,
}

/// Feeds an answer in pieces, and the end of the input behind it if `closed`.
fn outcome(input: &[u8], split: Split, closed: bool) -> Outcome {
    let expected = Expected::new(&Expect {
        body: Some(b"abcdef".to_vec()),
        ..Expect::default()
    });
    let mut client = Client::new();
    let host = [(&b"host"[..], &b"a"[..])];
    client
        .request(&mut Vec::new(), "GET", b"/", host.into_iter())
        .unwrap();
    client.send_body(&mut Vec::new(), b"", false).unwrap();
    let mut exchange = Exchange::new(client);
    let (mut check, mut head) = (Check::default(), ResponseHead::default());
    let mut left = Vec::new();
    let mut pieces = pieces(input, split);
    while let Some(piece) = pieces.next() {
        left.extend_from_slice(piece);
        let mut rest = &left[..];
        match exchange.advance(&mut rest, &mut head, &mut check, &expected) {
            Err(error) => return Outcome::Failed(error),
            Ok(Step::More) => left = rest.to_vec(),
            Ok(Step::Answered) => {
                let mut behind = rest.to_vec();
                behind.extend(pieces.flatten());
                let wrong = check.end(&expected, b"").map(|wrong| wrong.what);
                return Outcome::Answered(wrong, exchange.keeps_alive(), behind);
            }
        }
    }
    match exchange.closed() {
        _ if !closed => Outcome::Unfinished,
        Err(error) => Outcome::Failed(error),
        Ok(_) => {
            let wrong = check.end(&expected, b"").map(|wrong| wrong.what);
            Outcome::Answered(wrong, exchange.keeps_alive(), left)
        }
    }
}

#[track_caller]
fn comes_out(input: &[u8], closed: bool, wanted: &Outcome) {
    for split in Split::all(input.len()) {
        assert_eq!(&outcome(input, split, closed), wanted, "{split}");
    }
}

fn right(keeps_alive: bool) -> Outcome {
    Outcome::Answered(None, keeps_alive, Vec::new())
}

#[test]
fn answers_come_out_alike_however_they_are_cut() {
    let plain = b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nabcdef";
    comes_out(plain, false, &right(true));
    let chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\
                    2\r\nab\r\n4;x=y\r\ncdef\r\n0\r\nA: b\r\n\r\n";
    comes_out(chunked, false, &right(true));
    let interim = b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n\
                    HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nabcdef";
    comes_out(interim, false, &right(true));
    let last = b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 6\r\n\r\nabcdef";
    comes_out(last, false, &right(false));
    let until_close = b"HTTP/1.0 200 OK\r\n\r\nabcdef";
    comes_out(until_close, false, &Outcome::Unfinished);
    comes_out(until_close, true, &right(false));
}

#[test]
fn what_comes_behind_an_answer_is_left() {
    let two = b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nabcdefHTTP/1.1 404";
    let wanted = Outcome::Answered(None, true, b"HTTP/1.1 404".to_vec());
    comes_out(two, false, &wanted);
}

#[test]
fn a_wrong_byte_is_found_however_it_is_cut() {
    let input =
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nabcX\r\n2\r\nef\r\n0\r\n\r\n";
    let what = "byte 3 of the body is 'X', expected 'd'".to_owned();
    comes_out(
        input,
        false,
        &Outcome::Answered(Some(what), true, Vec::new()),
    );
}

#[test]
fn what_is_no_whole_answer_fails() {
    let failed = Outcome::Failed;
    let short = b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nabcde";
    comes_out(short, true, &failed(ProtocolError::Incomplete));
    let head = b"HTTP/1.1 200 OK\r\nContent-Le";
    comes_out(head, true, &failed(ProtocolError::Incomplete));
    let chunk = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n";
    comes_out(chunk, false, &failed(ProtocolError::InvalidChunkSize));
    comes_out(
        b"SSH-2.0-x\r\n",
        false,
        &failed(ProtocolError::InvalidStatusLine),
    );
}
