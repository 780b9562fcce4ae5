//! One request and its only right answer, byte for byte.

use std::fmt;
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::time::Duration;

use alula_http::h1::{Client, Progress};
use alula_http::{Limits, ResponseHead, UsageError};
use serde_json::Value;

use super::suite::{Content, Expected, Request};
use crate::load::wrong_value;
use crate::request::{Body, Expect, Length, Request as Load};

/// The `Host` header of every request: the same for any port, so that every server gets the very
/// same bytes.
const HOST: &str = "127.0.0.1";
/// How long an answer may take that nobody competes for.
const PATIENCE: Duration = Duration::from_secs(10);
/// How much of a wrong body is shown.
const SHOWN: usize = 80;

/// A request with its bytes at hand.
#[derive(Clone, Debug, PartialEq)]
pub struct Exchange {
    /// Its name in the suite.
    pub name: String,
    /// The bytes that go over the wire.
    pub wire: Vec<u8>,
    status: u16,
    /// The whole body; empty if `json` says what has to be in it.
    expected: Vec<u8>,
    json: Vec<(String, Value)>,
    head_only: bool,
    load: Load,
}

/// The server answered something else, or not at all.
#[derive(Debug)]
pub enum Wrong {
    /// Nobody listens.
    Refused,
    /// The connection failed.
    Connection(io::Error),
    /// Something else came.
    Answer(String),
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused => f.write_str("nobody listens on its port"),
            Self::Connection(error) => write!(f, "the connection failed: {error}"),
            Self::Answer(what) => f.write_str(what),
        }
    }
}

impl From<io::Error> for Wrong {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::ConnectionRefused => Self::Refused,
            _ => Self::Connection(error),
        }
    }
}

impl Exchange {
    /// Reads the files that the request names.
    ///
    /// # Errors
    ///
    /// What to tell the user: a file that can't be read, or a header that can't be sent.
    pub fn load(request: &Request) -> Result<Self, String> {
        let fail = |what: String| format!("request \"{}\": {what}", request.name);
        let body = request.body.as_ref().map(bytes).transpose().map_err(fail)?;
        let (expected, json) = match &request.expected {
            Expected::Body(body) => (bytes(body).map_err(fail)?, Vec::new()),
            Expected::Json(values) => (Vec::new(), values.clone()),
        };
        let mut headers = vec![("host".to_owned(), HOST.to_owned())];
        headers.extend(request.headers.iter().cloned());
        let wire = encode(request, &headers, body.as_deref())
            .map_err(|error| fail(format!("it can't be sent: {error}")))?;
        let load = Load {
            name: Some(request.name.clone()),
            method: request.method.clone(),
            path: request.path.clone(),
            headers,
            body: body.map_or(Body::None, Body::Fixed),
            weight: 1,
            expect: Expect {
                status: Some(request.status),
                length: Length::First,
                body: json.is_empty().then(|| expected.clone()),
                json: json.clone(),
            },
        };
        Ok(Self {
            name: request.name.clone(),
            wire,
            status: request.status,
            expected,
            json,
            head_only: request.method == "HEAD",
            load,
        })
    }

    /// The request as the load generator takes it.
    pub fn for_load(&self) -> Load {
        self.load.clone()
    }

    /// A whole answer for a ceiling, with the headers that a server usually sends; without a body
    /// if only values in it are expected, so that no ceiling gives a right one.
    pub fn constant_answer(&self) -> Vec<u8> {
        let head = format!(
            "HTTP/1.1 {} Answer\r\ndate: Thu, 01 Jan 2026 00:00:00 GMT\r\nserver: ceiling\r\n\
             content-type: text/plain; charset=utf-8\r\ncontent-length: {}\r\n\r\n",
            self.status,
            self.expected.len()
        );
        let mut answer = head.into_bytes();
        answer.extend_from_slice(&self.expected);
        answer
    }

    /// Asks twice on one new connection, so that keep-alive is checked as well.
    ///
    /// # Errors
    ///
    /// Whatever is not the right answer.
    pub fn check(&self, port: u16) -> Result<(), Wrong> {
        let mut connection = connect(port)?;
        self.ask(&mut connection)?;
        self.ask(&mut connection)
    }

    /// Asks once on a new connection.
    ///
    /// # Errors
    ///
    /// Whatever is not the right answer.
    pub fn ask_once(&self, port: u16) -> Result<(), Wrong> {
        self.ask(&mut connect(port)?)
    }

    /// Sends the request and checks the answer: status, and exact body or the values in it.
    ///
    /// # Errors
    ///
    /// Whatever is not the right answer.
    pub fn ask(&self, connection: &mut TcpStream) -> Result<(), Wrong> {
        connection.write_all(&self.wire)?;
        let (status, body) = self.receive(connection)?;
        if status != self.status {
            let shown = shorten(&body);
            let wanted = self.status;
            let text = format!("status {status}, expected {wanted}; its body: {shown}");
            return Err(Wrong::Answer(text));
        }
        if !self.json.is_empty() && !self.head_only {
            let wrong = wrong_value(&body, body.len() as u64, &self.json);
            let shown = |what| Wrong::Answer(format!("{what}; the body: {}", shorten(&body)));
            return wrong.map_or(Ok(()), |what| Err(shown(what)));
        }
        if self.head_only || body == self.expected {
            return Ok(());
        }
        Err(Wrong::Answer(difference(&body, &self.expected)))
    }

    /// Status and body of one answer.
    fn receive(&self, connection: &mut TcpStream) -> Result<(u16, Vec<u8>), Wrong> {
        let mut client = Client::new();
        let method = if self.head_only { "HEAD" } else { "GET" };
        let headers = [(&b"host"[..], &b"-"[..])].into_iter();
        let begun = client.request(&mut Vec::new(), method, b"/", headers);
        let begun = begun.and_then(|()| client.send_body(&mut Vec::new(), b"", false));
        begun.expect("a request that may go out");
        let broken = |error: alula_http::ProtocolError| Wrong::Answer(format!("broken: {error}"));
        let limits = Limits::default();
        let (mut input, mut body) = (Vec::new(), Vec::new());
        let mut head = ResponseHead::default();
        let mut closed = false;
        let status;
        loop {
            if let Progress::Complete { consumed } = client
                .receive_head(&input, &mut head, &limits)
                .map_err(broken)?
            {
                let (interim, code) = (head.view(&input).is_interim(), head.view(&input).status());
                input.drain(..consumed);
                if !interim {
                    status = code;
                    break;
                }
                continue;
            }
            if closed {
                return Err(early());
            }
            closed = !fill(connection, &mut input)?;
        }
        while !client.response_complete() {
            let step = client.receive_body(&input, &limits).map_err(broken)?;
            body.extend_from_slice(&input[step.data]);
            input.drain(..step.consumed);
            // A server that sends without end must not fill our memory.
            if body.len() > self.expected.len() + (1 << 20) {
                return Err(Wrong::Answer(difference(&body, &self.expected)));
            }
            if step.end || step.consumed > 0 {
                continue;
            }
            if closed {
                return Err(early());
            }
            if !fill(connection, &mut input)? {
                closed = true;
                client.input_closed().map_err(|_| early())?;
            }
        }
        if input.is_empty() {
            return Ok((status, body));
        }
        let text = format!("bytes behind the answer: {}", shorten(&input));
        Err(Wrong::Answer(text))
    }
}

/// A connection to a port of this machine, with a bound on every wait.
///
/// # Errors
///
/// As `connect(2)`.
pub fn connect(port: u16) -> io::Result<TcpStream> {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let connection = TcpStream::connect_timeout(&address, PATIENCE)?;
    connection.set_read_timeout(Some(PATIENCE))?;
    connection.set_write_timeout(Some(PATIENCE))?;
    connection.set_nodelay(true)?;
    Ok(connection)
}

fn bytes(content: &Content) -> Result<Vec<u8>, String> {
    match content {
        Content::Text(text) => Ok(text.clone().into_bytes()),
        Content::File(path) => {
            std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))
        }
    }
}

/// The request as the load generator sends it, to the byte.
fn encode(
    request: &Request,
    headers: &[(String, String)],
    body: Option<&[u8]>,
) -> Result<Vec<u8>, UsageError> {
    let mut wire = Vec::new();
    let mut client = Client::new();
    let headers = headers
        .iter()
        .map(|(name, value)| (name.as_bytes(), value.as_bytes()));
    client.request(&mut wire, &request.method, request.path.as_bytes(), headers)?;
    client.send_body(&mut wire, body.unwrap_or_default(), false)?;
    Ok(wire)
}

fn early() -> Wrong {
    Wrong::Answer("the connection was closed before the answer was whole".to_owned())
}

/// Appends what has come; `false` at the end of the stream.
fn fill(connection: &mut TcpStream, input: &mut Vec<u8>) -> io::Result<bool> {
    let mut buffer = [0; 16 * 1024];
    let count = connection.read(&mut buffer)?;
    input.extend_from_slice(&buffer[..count]);
    Ok(count > 0)
}

/// Where two bodies part.
fn difference(body: &[u8], expected: &[u8]) -> String {
    let pairs = body.iter().zip(expected);
    let at = pairs.take_while(|(mine, theirs)| mine == theirs).count();
    format!(
        "a body of {} bytes, expected {}; from byte {at} on it is {}, expected {}",
        body.len(),
        expected.len(),
        shorten(&body[at..]),
        shorten(&expected[at..])
    )
}

fn shorten(bytes: &[u8]) -> String {
    let (shown, more) = match bytes.get(..SHOWN) {
        Some(start) => (start, "…"),
        None => (bytes, ""),
    };
    format!("{:?}{more}", String::from_utf8_lossy(shown))
}

#[cfg(test)]
mod tests;
