//! An application that answers with anything. Invariants:
//!
//! - whatever it calls with, nothing panics, and a refused call leaves neither bytes nor state;
//! - what goes out is read by the client's role as one answer: its body is what was declared or
//!   framed, and not a byte is left that could be taken for another;
//! - where the body is not what was declared, the connection is not kept.

use alula_http::{
    Head, Limits, ProtocolError,
    h1::{Defaults, Frame, Progress, Server},
};

use super::{Choices, reader};

const METHODS: [&str; 3] = ["GET", "HEAD", "POST"];
const VERSIONS: [&str; 2] = ["1.1", "1.0"];
const NAMES: [&[u8]; 6] = [
    b"content-length",
    b"transfer-encoding",
    b"Connection",
    b"date",
    b"x-a",
    b"Content-Length",
];
const VALUES: [&[u8]; 8] = [
    b"0",
    b"3",
    b"7",
    b"chunked",
    b"close",
    b"keep-alive",
    b"x, close",
    b"a\r\nb: c",
];

/// Runs the target.
pub fn run(data: &[u8]) {
    let mut choices = Choices(data);
    let method = METHODS[usize::from(choices.byte()) % METHODS.len()];
    let version = VERSIONS[usize::from(choices.byte()) % VERSIONS.len()];
    let request = format!("{method} / HTTP/{version}\r\nHost: a\r\nConnection: keep-alive\r\n\r\n");
    let mut server = Server::new();
    let progress =
        server.receive_head(request.as_bytes(), &mut Head::default(), &Limits::default());
    assert_eq!(
        progress,
        Ok(Progress::Complete {
            consumed: request.len()
        })
    );

    let mut out = Vec::new();
    let (mut sent, mut last) = (Vec::new(), Frame::default());
    for _ in 0..4 {
        head(&mut server, &mut out, &mut choices);
        if server.response_started() {
            break;
        }
        assert!(out.is_empty(), "a refused call left bytes");
    }
    while server.response_started() && !server.response_complete() {
        let data = choices.bytes(9);
        let more = choices.byte() % 4 != 0 && !choices.0.is_empty();
        let frame = server
            .send_body(&mut out, data, more)
            .expect("the body is in order");
        sent.extend_from_slice(&data[..frame.take]);
        last = Frame {
            overflow: last.overflow || frame.overflow,
            ..frame
        };
        assert!(!(last.short || last.overflow) || !server.keep_alive());
    }
    if server.response_complete() {
        assert!(server.send_body(&mut out, b"late", false).is_err());
        read(&out, method, &sent, last, server.keep_alive());
    }
}

fn head(server: &mut Server, out: &mut Vec<u8>, choices: &mut Choices<'_>) {
    let status = match choices.byte() {
        byte @ 0..100 => 200 + u16::from(byte) % 8,
        100..150 => 304,
        byte => u16::from(byte) * 3,
    };
    let lines: Vec<(&[u8], &[u8])> = (0..choices.byte() % 4)
        .map(|_| {
            let (name, value) = (usize::from(choices.byte()), usize::from(choices.byte()));
            let name = NAMES
                .get(name % 8)
                .copied()
                .unwrap_or_else(|| choices.bytes(8));
            let value = VALUES
                .get(value % 10)
                .copied()
                .unwrap_or_else(|| choices.bytes(8));
            (name, value)
        })
        .collect();
    let defaults = Defaults {
        server: Some(b"alula"),
        ..Defaults::default()
    };
    // A refusal is as good as an answer.
    let _ = server.respond(out, status, lines.into_iter(), &defaults);
}

fn read(out: &[u8], method: &str, sent: &[u8], last: Frame, keeps: bool) {
    let (mut client, _, mut rest) = reader::begin(out, method);
    let (mut body, limits) = (Vec::new(), Limits::default());
    while !client.response_complete() {
        let step = client.receive_body(rest, &limits).expect("a body");
        body.extend_from_slice(&rest[step.data]);
        rest = &rest[step.consumed..];
        if step.consumed == 0 {
            break;
        }
    }
    assert!(rest.is_empty(), "bytes are left: {}", rest.escape_ascii());
    assert_eq!(body, sent);
    // Bodies that end with the connection are whole only then.
    let whole = client.response_complete();
    // What was wrong behind the head could not be told in it.
    assert!(!whole || last.short || last.overflow || client.keep_alive() == keeps);
    let end = client.input_closed();
    assert_eq!(
        end,
        if last.short {
            Err(ProtocolError::Incomplete)
        } else {
            Ok(())
        }
    );
    assert!(whole || !keeps);
}
