//! The head parser. Invariants:
//!
//! - it never panics, and what it says does not depend on how the bytes come in;
//! - it consumes no more than there is, and asks for more only where nothing is wrong yet;
//! - a head that it accepts has the shape of RFC 9112, by a second, naive reading.

use alula_http::{
    Head, Limits, ProtocolError,
    h1::{Progress, Server},
};

use super::{Choices, cut};

/// Runs the target.
pub fn run(data: &[u8]) {
    let mut choices = Choices(data);
    let (size, bounds) = (choices.byte(), choices.byte());
    let input = choices.0;
    let limits = Limits {
        head_bytes: if bounds & 1 == 0 {
            65_536
        } else {
            usize::from(bounds)
        },
        headers: if bounds & 2 == 0 {
            128
        } else {
            usize::from(bounds >> 4)
        },
        ..Limits::default()
    };
    let mut head = Head::default();
    let whole = receive(std::iter::once(input), &mut head, &limits);
    if let Ok(Progress::Complete { consumed }) = whole {
        assert!(consumed <= input.len());
        check(&head, input, consumed);
    }
    for size in [1, size] {
        let mut other = Head::default();
        assert_eq!(
            receive(cut(input, size), &mut other, &limits),
            whole,
            "pieces of {size}"
        );
        if whole.is_ok_and(|progress| progress != Progress::Partial) {
            assert_eq!(format!("{other:?}"), format!("{head:?}"));
        }
    }
}

fn receive<'a>(
    pieces: impl Iterator<Item = &'a [u8]>,
    head: &mut Head,
    limits: &Limits,
) -> Result<Progress, ProtocolError> {
    let (mut server, mut unread) = (Server::new(), Vec::new());
    for piece in pieces {
        unread.extend_from_slice(piece);
        match server.receive_head(&unread, head, limits)? {
            Progress::Partial => {}
            complete @ Progress::Complete { .. } => return Ok(complete),
        }
    }
    Ok(Progress::Partial)
}

/// Reads the head anew, line by line.
fn check(head: &Head, input: &[u8], consumed: usize) {
    let request = head.view(input);
    let text: String = input[..consumed]
        .iter()
        .map(|&byte| char::from(byte))
        .collect();
    let text = text.trim_start_matches("\r\n");
    let lines = text
        .strip_suffix("\r\n\r\n")
        .expect("it ends with an empty line");
    let mut lines = lines.split("\r\n");
    let line = lines.next().unwrap_or_default();
    let parts: Vec<&str> = line.split(' ').collect();
    let [method, target, version] = parts[..] else {
        panic!("the request line {line:?}")
    };
    assert_eq!(method, request.method());
    assert!(is_token(method));
    assert_eq!(target.as_bytes(), request.target());
    assert!(!target.is_empty() && target.bytes().all(|byte| byte.is_ascii_graphic()));
    assert!(version.starts_with("HTTP/1.") && version.len() == 8);

    let is_absolute = !target.starts_with('/') && target != "*";
    let mut hosts = 0;
    for (name, value) in request.headers() {
        let line = lines.next().expect("a line for each header");
        let (sent_name, sent_value) = line.split_once(':').expect("a colon");
        assert!(sent_name.as_bytes() == name && is_token(sent_name));
        assert!(!sent_value.contains(|c: char| c.is_ascii_control() && c != '\t'));
        let is_host = sent_name.eq_ignore_ascii_case("host");
        hosts += u8::from(is_host);
        let value: String = value.iter().map(|&byte| char::from(byte)).collect();
        if !(is_host && is_absolute) {
            assert_eq!(sent_value.trim_matches([' ', '\t']), value);
        }
    }
    assert_eq!(lines.next(), None, "a header for each line");
    assert!(hosts == 1 || (hosts == 0 && version == "HTTP/1.0"));
}

fn is_token(text: &str) -> bool {
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !text.is_empty() && text.bytes().all(is_token)
}
