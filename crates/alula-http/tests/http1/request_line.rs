//! The rows of the request table that concern the request line.

use alula_http::{Framing, Limits, ProtocolError, Version};

use crate::{
    outcome::{accepted, header, outcome, refused_at_once},
    transcript::{End, play},
};

#[test]
fn serves_a_plain_request() {
    let seen = accepted(b"GET /items/4?q=1&r HTTP/1.1\r\nHost: a.test\r\nAccept: */*\r\n\r\n");
    assert_eq!(seen.method, "GET");
    assert_eq!(seen.target, b"/items/4?q=1&r");
    assert_eq!(seen.path, b"/items/4");
    assert_eq!(seen.query, b"q=1&r");
    assert_eq!(seen.version, Version::Http11);
    assert_eq!(seen.framing, Framing::None);
    assert_eq!(header(&seen, "Host"), [b"a.test"]);
    assert_eq!(header(&seen, "Accept"), [b"*/*"]);
    assert!(seen.keep_alive && !seen.expects_continue);
}

#[test]
fn another_major_version_is_505() {
    for version in ["0.9", "2.0", "3.1", "9.9"] {
        let line = format!("GET / HTTP/{version}");
        refused_at_once(line.as_bytes(), ProtocolError::UnsupportedVersion);
    }
    assert_eq!(ProtocolError::UnsupportedVersion.status(), Some(505));
}

#[test]
fn a_later_minor_version_is_served_as_1_1() {
    for version in ["1.1", "1.2", "1.9"] {
        let seen = accepted(format!("GET / HTTP/{version}\r\nHost: a\r\n\r\n").as_bytes());
        assert_eq!(seen.version, Version::Http11);
        assert!(seen.keep_alive);
    }
    assert_eq!(accepted(b"GET / HTTP/1.0\r\n\r\n").version, Version::Http10);
}

#[test]
fn a_malformed_version_is_400() {
    for line in [
        "GET / h",
        "GET / H\x00",
        "GET / HTTP/1,",
        "GET / HTTP/x",
        "GET / HTTP/11",
        "GET / HTTP/1.x",
        "GET / HTTP/1.1 ",
        "GET / HTTP/1.10",
        "GET / HTTP ",
        "GET / \r",
        "GET / x",
    ] {
        refused_at_once(line.as_bytes(), ProtocolError::InvalidVersion);
    }
    refused_at_once(b"GET / HTTP/1.1\n", ProtocolError::BareLf);
    refused_at_once(b"GET / HTTP/1.1\r\r", ProtocolError::BareCr);
}

#[test]
fn separators_other_than_one_space_are_400() {
    refused_at_once(b"GET\t", ProtocolError::InvalidRequestLine);
    refused_at_once(b"GET\r", ProtocolError::InvalidRequestLine);
    refused_at_once(b"GET  ", ProtocolError::InvalidRequestLine);
    refused_at_once(b"GET /\t", ProtocolError::InvalidRequestLine);
    refused_at_once(b"GET /\r", ProtocolError::InvalidRequestLine);
    refused_at_once(b"GET /  ", ProtocolError::InvalidVersion);
    refused_at_once(b"GET /a b", ProtocolError::InvalidVersion);
    refused_at_once(b"GET / HTTP/1.1\t", ProtocolError::InvalidVersion);
    refused_at_once(b"GET\n", ProtocolError::BareLf);
    refused_at_once(b"GET /\n", ProtocolError::BareLf);
}

#[test]
fn a_method_that_is_no_token_is_400() {
    for line in [
        &b"GE@"[..],
        b"G\x00",
        b"GET\"",
        b"GET/",
        b"@",
        b" ",
        b"\x00",
        b"\x80",
        b":",
    ] {
        refused_at_once(line, ProtocolError::InvalidMethod);
    }
    for method in ["get", "BREW", "M-SEARCH", "!#$%&'*+-.^_`|~09"] {
        let seen = accepted(format!("{method} / HTTP/1.1\r\nHost: a\r\n\r\n").as_bytes());
        assert_eq!(seen.method, method);
    }
}

#[test]
fn an_empty_target_or_a_forbidden_byte_in_it_is_400() {
    refused_at_once(b"GET  ", ProtocolError::InvalidRequestLine);
    for byte in (0..=255_u8).filter(|byte| !byte.is_ascii_graphic() || *byte == b'#') {
        let line = [b"GET /a", &[byte][..]].concat();
        match byte {
            b' ' => {}
            b'\t' | b'\r' => refused_at_once(&line, ProtocolError::InvalidRequestLine),
            b'\n' => refused_at_once(&line, ProtocolError::BareLf),
            _ => refused_at_once(&line, ProtocolError::InvalidTarget),
        }
    }
    let visible: String = ('!'..='~')
        .filter(|&byte| byte != '#' && byte != '?')
        .collect();
    let seen = accepted(format!("GET /{visible} HTTP/1.1\r\nHost: a\r\n\r\n").as_bytes());
    assert_eq!(seen.path, format!("/{visible}").as_bytes());
}

#[test]
fn a_few_empty_lines_before_the_request_are_skipped() {
    let request = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n";
    for count in 1..=4 {
        let seen = accepted(&["\r\n".repeat(count).as_bytes(), request].concat());
        assert_eq!(
            (&seen.target[..], header(&seen, "Host")),
            (&b"/"[..], vec![&b"a"[..]])
        );
    }
    refused_at_once(b"\r\n\r\n\r\n\r\n\r", ProtocolError::TooManyEmptyLines);
    // They are no head: an idle connection stays idle.
    assert_eq!(
        play([&b"\r\n\r\n"[..]], &Limits::default(), true).end,
        End::Idle
    );
}

#[test]
fn absolute_form_is_taken_apart_and_its_authority_wins() {
    let seen = accepted(
        b"GET HTTP://user-less.test:81/p/q?x=http://y/?z HTTP/1.1\r\nA: 1\r\nHost: other\r\n\r\n",
    );
    assert_eq!(seen.path, b"/p/q");
    assert_eq!(seen.query, b"x=http://y/?z");
    assert_eq!(header(&seen, "Host"), [b"user-less.test:81"]);
    assert_eq!(header(&seen, "A"), [b"1"]);

    let seen = accepted(b"GET https://a.test?q HTTP/1.1\r\nHost: a.test\r\n\r\n");
    assert_eq!((&seen.path[..], &seen.query[..]), (&b"/"[..], &b"q"[..]));
    let seen = accepted(b"GET http://a.test HTTP/1.1\r\nHost: a.test\r\n\r\n");
    assert_eq!((&seen.path[..], &seen.query[..]), (&b"/"[..], &b""[..]));

    for target in [
        "http:///p",
        "http://",
        "http://:80/",
        "http://u@a/",
        "http:/a",
        "http:a",
        "ftp://a/",
        "a/b",
        "a",
        "?q",
        "http://a:x/",
        "http://[::1/",
        "://a/",
    ] {
        let line = format!("GET {target} ");
        refused_at_once(line.as_bytes(), ProtocolError::InvalidTargetForm);
    }
}

#[test]
fn the_asterisk_is_for_options_alone() {
    let seen = accepted(b"OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n");
    assert_eq!((&seen.path[..], &seen.target[..]), (&b"*"[..], &b"*"[..]));
    for line in [
        &b"GET * "[..],
        b"options * ",
        b"OPTIONS ** ",
        b"OPTIONS *? ",
    ] {
        refused_at_once(line, ProtocolError::InvalidTargetForm);
    }
}

#[test]
fn authority_form_is_for_connect_which_is_501() {
    assert_eq!(ProtocolError::ConnectUnsupported.status(), Some(501));
    for target in ["a.test:443", "[::1]:443"] {
        let line = format!("CONNECT {target} ");
        refused_at_once(line.as_bytes(), ProtocolError::ConnectUnsupported);
    }
    for line in [
        "CONNECT / ",
        "CONNECT a.test ",
        "CONNECT http://a:1 ",
        "CONNECT :443 ",
        "GET a.test:443 ",
    ] {
        refused_at_once(line.as_bytes(), ProtocolError::InvalidTargetForm);
    }
}

#[test]
fn the_http_2_preface_closes_silently() {
    let transcript = outcome(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
    assert_eq!(transcript.end, End::Refused(ProtocolError::Http2Preface));
    assert!(transcript.out.is_empty());
    assert_eq!(ProtocolError::Http2Preface.status(), None);
    refused_at_once(b"PRI * HTTP/1.1", ProtocolError::InvalidTargetForm);
    refused_at_once(b"PRI * HTTP/2.1", ProtocolError::UnsupportedVersion);
    refused_at_once(b"PRI / HTTP/2.0", ProtocolError::UnsupportedVersion);
}

#[test]
fn tls_on_a_plain_port_is_400_at_once() {
    refused_at_once(b"\x16", ProtocolError::TlsOnPlainPort);
    assert_eq!(ProtocolError::TlsOnPlainPort.status(), Some(400));
}
