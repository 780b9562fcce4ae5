//! One request's line.

use std::fmt::Write as _;

use alula_http::h1::status::reason;

/// What a line says, until the status is known.
#[derive(Debug)]
pub(crate) struct Line {
    /// Client, method and path with query, one behind the other.
    text: String,
    client: usize,
    method: usize,
    old: bool,
}

impl Line {
    /// A line for a request; `old` for HTTP/1.0. The path is the decoded one, and is quoted here.
    pub(crate) fn new(client: &str, method: &str, path: &str, query: &[u8], old: bool) -> Self {
        let mut text =
            String::with_capacity(client.len() + method.len() + path.len() + query.len() + 1);
        text.push_str(client);
        text.push_str(method);
        quote(path, &mut text);
        if !query.is_empty() {
            text.push('?');
            text.push_str(&String::from_utf8_lossy(query));
        }
        Self {
            text,
            client: client.len(),
            method: method.len(),
            old,
        }
    }

    fn parts(&self) -> (&str, &str, &str) {
        let (client, rest) = self.text.split_at(self.client);
        let (method, path) = rest.split_at(self.method);
        (client, method, path)
    }

    fn version(&self) -> &'static str {
        if self.old { "1.0" } else { "1.1" }
    }

    /// What a Python access logger is given.
    pub(crate) fn fields(&self, status: u16) -> (&str, &str, &str, &str, u16) {
        let (client, method, path) = self.parts();
        (client, method, path, self.version(), status)
    }

    /// Appends the line as uvicorn's default configuration formats it.
    pub(crate) fn append(&self, status: u16, colours: bool, out: &mut Vec<u8>) {
        let (client, method, path) = self.parts();
        let version = self.version();
        let (level, bold, colour, plain) = if colours {
            (
                "\x1b[32mINFO\x1b[0m:     ",
                "\x1b[1m",
                of_status(status),
                "\x1b[0m",
            )
        } else {
            ("INFO:     ", "", "", "")
        };
        for piece in [
            level, client, " - \"", bold, method, " ", path, " HTTP/", version, plain, "\" ",
            colour,
        ] {
            out.extend_from_slice(piece.as_bytes());
        }
        let digits = [
            b'0' + (status / 100 % 10) as u8,
            b'0' + (status / 10 % 10) as u8,
        ];
        out.extend_from_slice(&digits);
        out.push(b'0' + (status % 10) as u8);
        out.push(b' ');
        out.extend_from_slice(reason(status).as_bytes());
        if !colour.is_empty() {
            out.extend_from_slice(plain.as_bytes());
        }
        out.push(b'\n');
    }
}

/// The colour of a status, by its first digit.
fn of_status(status: u16) -> &'static str {
    match status / 100 {
        1 => "\x1b[97m",
        2 => "\x1b[32m",
        3 => "\x1b[33m",
        4 => "\x1b[31m",
        5 => "\x1b[91m",
        _ => "",
    }
}

/// As `urllib.parse.quote`: everything but letters, digits and `_.-~/` becomes `%XX`.
fn quote(path: &str, out: &mut String) {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_.-~/".contains(&byte);
    if path.bytes().all(plain) {
        out.push_str(path);
        return;
    }
    for byte in path.bytes() {
        if plain(byte) {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
}
