//! A strict reader of HTTP/1.1 responses: what it accepts is on the wire as RFC 9112 has it.

use std::fmt;

/// How the end of a body was told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyFraming {
    /// There is none: HEAD, 1xx, 204, 304.
    None,
    /// By `Content-Length`.
    Length,
    /// By the chunked coding.
    Chunked,
    /// By the end of the connection.
    Close,
}

/// One response, taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Response {
    /// The status line's minor version.
    pub minor_version: u8,
    /// The status code.
    pub status: u16,
    /// The reason phrase.
    pub reason: String,
    /// Names and values as sent, in order.
    pub headers: Vec<(String, String)>,
    /// The body, without its framing.
    pub body: Vec<u8>,
    /// How the body was framed.
    pub framing: BodyFraming,
    /// The size of every chunk, the last (empty) one left out.
    pub chunks: Vec<usize>,
    /// The trailer section of a chunked body.
    pub trailers: Vec<(String, String)>,
}

impl Response {
    /// The value of the only header of that name (in any case).
    ///
    /// # Panics
    ///
    /// If there are several.
    pub fn header(&self, name: &str) -> Option<&str> {
        let values = self.header_values(name);
        assert!(values.len() <= 1, "several {name} headers: {values:?}");
        values.first().copied()
    }

    /// The values of all headers of that name (in any case).
    pub fn header_values(&self, name: &str) -> Vec<&str> {
        let named = self
            .headers
            .iter()
            .filter(|(it, _)| it.eq_ignore_ascii_case(name));
        named.map(|(_, value)| value.as_str()).collect()
    }

    /// The body as text.
    ///
    /// # Panics
    ///
    /// If it isn't UTF-8.
    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.body).expect("the body is UTF-8")
    }
}

/// What is wrong with the bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Malformed(pub String);

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "malformed response: {}", self.0)
    }
}

impl std::error::Error for Malformed {}

fn malformed<T>(what: impl Into<String>) -> Result<T, Malformed> {
    Err(Malformed(what.into()))
}

/// Reads the response to a request with this method from the start of `bytes`: the response and its
/// length, or `None` if more bytes are needed. `ended`: no more will come. An interim response
/// (1xx) is one of its own.
///
/// # Errors
///
/// If the bytes are no response, or end too early.
pub fn read_response(
    bytes: &[u8],
    method: &str,
    ended: bool,
) -> Result<Option<(Response, usize)>, Malformed> {
    let incomplete = || {
        if ended {
            malformed(format!("ends early: {}", excerpt(bytes)))
        } else {
            Ok(None)
        }
    };
    let Some(head_end) = find(bytes, b"\r\n\r\n") else {
        return incomplete();
    };
    let mut response = read_head(&bytes[..head_end])?;
    let rest = &bytes[head_end + 4..];
    response.framing = framing(&response, method)?;
    let body_len = match response.framing {
        BodyFraming::None => Some(0),
        BodyFraming::Close => ended.then_some(rest.len()),
        BodyFraming::Length => {
            let declared = response.header("content-length").unwrap_or_default();
            let length = declared
                .parse()
                .map_err(|_| Malformed(format!("length {declared:?}")))?;
            (rest.len() >= length).then_some(length)
        }
        BodyFraming::Chunked => read_chunked(rest, &mut response)?,
    };
    let Some(body_len) = body_len else {
        return incomplete();
    };
    if matches!(response.framing, BodyFraming::Length | BodyFraming::Close) {
        response.body = rest[..body_len].to_vec();
    }
    Ok(Some((response, head_end + 4 + body_len)))
}

fn read_head(head: &[u8]) -> Result<Response, Malformed> {
    let Ok(head) = std::str::from_utf8(head) else {
        return malformed(format!("a head that is not UTF-8: {}", excerpt(head)));
    };
    let mut lines = head.split("\r\n");
    let line = lines.next().unwrap_or_default();
    let Some((version, rest)) = line.split_once(' ') else {
        return malformed(format!("the status line {line:?}"));
    };
    let minor_version = match version {
        "HTTP/1.1" => 1,
        "HTTP/1.0" => 0,
        _ => return malformed(format!("the version {version:?}")),
    };
    let Some((status, reason)) = rest.split_once(' ') else {
        return malformed(format!("no space after the status: {line:?}"));
    };
    let digits = status.len() == 3 && status.bytes().all(|byte| byte.is_ascii_digit());
    let status = status.parse().ok().filter(|_| digits);
    Ok(Response {
        minor_version,
        status: status.ok_or_else(|| Malformed(format!("the status in {line:?}")))?,
        reason: reason.to_owned(),
        headers: lines.map(read_field).collect::<Result<_, _>>()?,
        body: Vec::new(),
        framing: BodyFraming::None,
        chunks: Vec::new(),
        trailers: Vec::new(),
    })
}

fn read_field(line: &str) -> Result<(String, String), Malformed> {
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    match line.split_once(':') {
        Some((name, value)) if !name.is_empty() && name.bytes().all(is_token) => {
            if value
                .bytes()
                .any(|byte| byte.is_ascii_control() && byte != b'\t')
            {
                return malformed(format!("a control byte in {line:?}"));
            }
            Ok((name.to_owned(), value.trim_matches([' ', '\t']).to_owned()))
        }
        _ => malformed(format!("the header line {line:?}")),
    }
}

/// RFC 9112 section 6.3.
fn framing(response: &Response, method: &str) -> Result<BodyFraming, Malformed> {
    let lengths = response.header_values("content-length");
    let codings = response.header_values("transfer-encoding");
    if lengths.len() + codings.len() > 1 {
        return malformed(format!("several framings: {lengths:?}, {codings:?}"));
    }
    let forbidden = matches!(response.status, 100..=199 | 204);
    if forbidden && lengths.len() + codings.len() > 0 {
        return malformed(format!("a framing with status {}", response.status));
    }
    if forbidden || response.status == 304 || method == "HEAD" {
        return Ok(BodyFraming::None);
    }
    match codings.first() {
        Some(&"chunked") if response.minor_version == 1 => Ok(BodyFraming::Chunked),
        Some(coding) => malformed(format!("the transfer coding {coding:?}")),
        None if lengths.is_empty() => Ok(BodyFraming::Close),
        None => Ok(BodyFraming::Length),
    }
}

/// Reads a chunked body (RFC 9112 section 7.1, no extensions); returns its length with framing.
fn read_chunked(bytes: &[u8], response: &mut Response) -> Result<Option<usize>, Malformed> {
    let mut at = 0;
    loop {
        let Some(line_len) = find(&bytes[at..], b"\r\n") else {
            return Ok(None);
        };
        let line = &bytes[at..at + line_len];
        let hex = !line.is_empty() && line.iter().all(u8::is_ascii_hexdigit);
        let size = std::str::from_utf8(line).ok().filter(|_| hex);
        let size = size.and_then(|line| usize::from_str_radix(line, 16).ok());
        let Some(size) = size else {
            return malformed(format!("the chunk size {}", excerpt(line)));
        };
        at += line_len + 2;
        if size == 0 {
            break;
        }
        let Some(chunk) = bytes.get(at..at + size + 2) else {
            return Ok(None);
        };
        if !chunk.ends_with(b"\r\n") {
            return malformed(format!("no CRLF after a chunk of {size}"));
        }
        response.body.extend_from_slice(&chunk[..size]);
        response.chunks.push(size);
        at += size + 2;
    }
    loop {
        let Some(line_len) = find(&bytes[at..], b"\r\n") else {
            return Ok(None);
        };
        let line = &bytes[at..at + line_len];
        at += line_len + 2;
        if line.is_empty() {
            return Ok(Some(at));
        }
        let line = String::from_utf8_lossy(line);
        response.trailers.push(read_field(&line)?);
    }
}

fn find(bytes: &[u8], needle: &[u8]) -> Option<usize> {
    bytes
        .windows(needle.len())
        .position(|window| window == needle)
}

/// The bytes as readable text, cut short.
pub(crate) fn excerpt(bytes: &[u8]) -> String {
    let end = bytes.len().min(200);
    let more = if end < bytes.len() { "…" } else { "" };
    format!(
        "{} bytes \"{}{more}\"",
        bytes.len(),
        bytes[..end].escape_ascii()
    )
}

#[cfg(test)]
mod tests;
