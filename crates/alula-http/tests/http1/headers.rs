//! The rows of the request table that concern header lines and what they mean.

use alula_http::{ProtocolError, Upgrade};

use crate::outcome::{accepted, get, header, post, refused, refused_at_once};

#[test]
fn bare_line_ends_in_the_head_are_400() {
    for bytes in [
        "GET / HTTP/1.1\r\n\n",
        "GET / HTTP/1.1\r\nA: 1\n",
        "GET / HTTP/1.1\r\nA\n",
        "GET / HTTP/1.1\r\nA:\n",
        "\n",
    ] {
        refused_at_once(bytes.as_bytes(), ProtocolError::BareLf);
    }
    for bytes in [
        "GET / HTTP/1.1\r\nA: 1\rB",
        "GET / HTTP/1.1\r\nA: 1\r\r",
        "GET / HTTP/1.1\r\n\rA",
        "\r\r",
        "\rG",
    ] {
        refused_at_once(bytes.as_bytes(), ProtocolError::BareCr);
    }
}

#[test]
fn control_bytes_in_a_value_are_400() {
    for byte in (0..=0x1F).chain([0x7F]) {
        // At the front, and where the scan takes many bytes at a time.
        for value in [
            &b""[..],
            b"x",
            b"0123456",
            b"0123456789abcdef0123456789abcdef012",
        ] {
            let line = [b"GET / HTTP/1.1\r\nA: ", value, &[byte]].concat();
            match byte {
                b'\t' | b'\r' => {}
                b'\n' => refused_at_once(&line, ProtocolError::BareLf),
                _ => refused_at_once(&line, ProtocolError::InvalidHeaderValue),
            }
        }
    }
}

#[test]
fn obs_fold_is_400() {
    refused_at_once(b"GET / HTTP/1.1\r\nA: 1\r\n ", ProtocolError::FoldedLine);
    refused_at_once(b"GET / HTTP/1.1\r\nA: 1\r\n\t", ProtocolError::FoldedLine);
    refused_at_once(b"GET / HTTP/1.1\r\n ", ProtocolError::FoldedLine);
}

#[test]
fn white_space_before_the_colon_is_400() {
    refused_at_once(b"GET / HTTP/1.1\r\nA ", ProtocolError::SpaceBeforeColon);
    refused_at_once(b"GET / HTTP/1.1\r\nHost\t", ProtocolError::SpaceBeforeColon);
}

#[test]
fn an_empty_or_non_token_header_name_is_400() {
    refused_at_once(b"GET / HTTP/1.1\r\n:", ProtocolError::InvalidHeaderName);
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    for byte in (0..=255).filter(|&byte| !is_token(byte) && !b" \t\r\n:".contains(&byte)) {
        for name in [&b""[..], b"Ab", b"Abcdefghijklmnopqrs"] {
            let line = [b"GET / HTTP/1.1\r\n", name, &[byte]].concat();
            refused_at_once(&line, ProtocolError::InvalidHeaderName);
        }
    }
    let seen = accepted(&get("!#$%&'*+-.^_`|~0aZ: 1\r\n"));
    assert_eq!(header(&seen, "!#$%&'*+-.^_`|~0aZ"), [b"1"]);
}

#[test]
fn a_header_line_without_colon_is_400() {
    refused_at_once(b"GET / HTTP/1.1\r\nHost\r", ProtocolError::MissingColon);
}

#[test]
fn http_1_1_needs_exactly_one_host() {
    refused(b"GET / HTTP/1.1\r\n\r\n", ProtocolError::MissingHost);
    refused(
        b"GET http://a/ HTTP/1.1\r\n\r\n",
        ProtocolError::MissingHost,
    );
    refused(
        b"GET / HTTP/1.1\r\nHost: a\r\nhost: a\r\n\r\n",
        ProtocolError::RepeatedHost,
    );
    refused(
        b"GET / HTTP/1.0\r\nHost: a\r\nHOST: b\r\n\r\n",
        ProtocolError::RepeatedHost,
    );
    assert!(accepted(b"GET / HTTP/1.0\r\n\r\n").headers.is_empty());
}

#[test]
fn host_must_be_a_valid_authority() {
    for host in [
        "a/b", "a b", "user@a", "a:b", "a:80:80", "a:65536", "a:000080", "[::1", "[::1]x", "[::g]",
        "[]", "[v.x]", "[v1.]", "a%2", "a%zz", "\u{e9}", "::1", "a?b", "a\\b", "a:-1", "a: 80",
    ] {
        let head = format!("GET / HTTP/1.1\r\nHost: {host}\r\n\r\n");
        refused(head.as_bytes(), ProtocolError::InvalidHost);
    }
    for host in [
        "",
        "a",
        "a.test:",
        "a.test:0",
        "a.test:65535",
        "127.0.0.1:8000",
        "[::1]",
        "[::1]:8000",
        "[::ffff:1.2.3.4]",
        "[v1.a:b]:1",
        "a_b-c~d",
        "a%2Fb",
        "EXAMPLE.test",
    ] {
        let seen = accepted(format!("GET / HTTP/1.1\r\nHost: {host}\r\n\r\n").as_bytes());
        assert_eq!(header(&seen, "Host"), [host.as_bytes()]);
    }
}

#[test]
fn the_connection_header_is_a_token_list() {
    let keeps = |lines: &str| accepted(&get(lines)).keep_alive;
    assert!(keeps(""));
    assert!(keeps("Connection: keep-alive\r\n"));
    assert!(keeps("Connection: x-close, closed\r\n"));
    for lines in [
        "Connection: close\r\n",
        "Connection: foo,\tCLOSE\r\n",
        "Connection: keep-alive, Close\r\n",
        "Connection: close, keep-alive\r\n",
        "Connection: a\r\nconnection: close\r\n",
        "Connection: ,close,\r\n",
    ] {
        assert!(!keeps(lines), "{lines:?}");
    }
}

#[test]
fn http_1_0_is_closed_unless_it_asks_to_be_kept() {
    let keeps =
        |lines: &str| accepted(format!("GET / HTTP/1.0\r\n{lines}\r\n").as_bytes()).keep_alive;
    assert!(!keeps(""));
    assert!(keeps("Connection: Keep-Alive\r\n"));
    assert!(!keeps("Connection: keep-alive, close\r\n"));
}

#[test]
fn the_only_expectation_is_100_continue() {
    let seen = accepted(&post(
        "Expect: 100-Continue\r\nContent-Length: 3\r\n",
        "abc",
    ));
    assert!(seen.expects_continue);
    assert_eq!(ProtocolError::UnknownExpectation.status(), Some(417));
    for value in ["200-ok", "100-continue, x", "100-continued"] {
        refused(
            &post(&format!("Expect: {value}\r\n"), ""),
            ProtocolError::UnknownExpectation,
        );
    }
    let old = b"POST / HTTP/1.0\r\nExpect: x, 100-continue\r\nContent-Length: 1\r\n\r\na";
    assert!(!accepted(old).expects_continue);
}

#[test]
fn an_unknown_upgrade_is_ignored() {
    for lines in [
        "Upgrade: foo/1\r\nConnection: upgrade\r\n",
        "Upgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\nConnection: Upgrade, HTTP2-Settings\r\n",
        "Upgrade: websocket\r\n",
        "Upgrade: websockets\r\nConnection: upgrade\r\n",
    ] {
        assert_eq!(accepted(&get(lines)).upgrade, Upgrade::None, "{lines:?}");
    }
}

#[test]
fn a_websocket_handshake_is_vetted() {
    const KEY: &str = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
    const VERSION: &str = "Sec-WebSocket-Version: 13\r\n";
    const UPGRADE: &str = "Upgrade: h2c, WebSocket\r\nConnection: keep-alive, Upgrade\r\n";
    let upgrade = |lines: &[&str]| accepted(&get(&lines.concat())).upgrade;
    assert_eq!(upgrade(&[UPGRADE, KEY, VERSION]), Upgrade::WebSocket);
    for lines in [
        vec![UPGRADE, VERSION],
        vec![UPGRADE, KEY],
        vec![UPGRADE, KEY, KEY, VERSION],
        vec![UPGRADE, KEY, VERSION, VERSION],
        vec![UPGRADE, KEY, "Sec-WebSocket-Version: 8\r\n"],
        vec![
            UPGRADE,
            VERSION,
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ\r\n",
        ],
        vec![
            UPGRADE,
            VERSION,
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQAA\r\n",
        ],
        vec![
            UPGRADE,
            VERSION,
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZ_==\r\n",
        ],
    ] {
        assert_eq!(upgrade(&lines), Upgrade::InvalidWebSocket, "{lines:?}");
    }
    let posted = accepted(&post(&[UPGRADE, KEY, VERSION].concat(), ""));
    assert_eq!(posted.upgrade, Upgrade::InvalidWebSocket);
    let with_body = get(&[UPGRADE, KEY, VERSION, "Content-Length: 1\r\n"].concat());
    assert_eq!(
        accepted(&[&with_body[..], b"a"].concat()).upgrade,
        Upgrade::InvalidWebSocket
    );
    let old = ["GET / HTTP/1.0\r\n", UPGRADE, KEY, VERSION, "\r\n"].concat();
    assert_eq!(accepted(old.as_bytes()).upgrade, Upgrade::None);
}

#[test]
fn header_names_and_values_are_handed_on_as_sent() {
    let lines =
        "X-Dup: 1\r\nx_under: a b\r\nX-Dup:2\r\nX-Empty:\r\nX-Tab: \t a\tb \t \r\nX-Blank:  \r\n";
    let seen = accepted(&get(lines));
    let sent: Vec<(&[u8], &[u8])> = seen
        .headers
        .iter()
        .map(|(name, value)| (&name[..], &value[..]))
        .collect();
    let expected: [(&[u8], &[u8]); 7] = [
        (b"Host", b"a.test"),
        (b"X-Dup", b"1"),
        (b"x_under", b"a b"),
        (b"X-Dup", b"2"),
        (b"X-Empty", b""),
        (b"X-Tab", b"a\tb"),
        (b"X-Blank", b""),
    ];
    assert_eq!(sent, expected);
}

#[test]
fn bytes_above_0x7f_in_a_value_are_opaque() {
    let value: Vec<u8> = (0x80..=0xFF).collect();
    let head = [
        &b"GET / HTTP/1.1\r\nHost: a\r\nX-A: "[..],
        &value,
        b"\r\n\r\n",
    ]
    .concat();
    assert_eq!(header(&accepted(&head), "X-A"), [&value[..]]);
}
