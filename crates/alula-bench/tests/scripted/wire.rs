//! One connection of the scripted server.

use std::io::{self, Read, Write};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use super::{Entry, Log, Shared};

/// A request as it came.
#[derive(Clone, Debug, Default)]
pub(crate) struct Request {
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl Request {
    /// Method and target.
    pub(crate) fn line(&self) -> &str {
        self.head.split(" HTTP/1.1\r\n").next().unwrap()
    }
}

/// What to do with a request.
#[derive(Clone, Debug)]
pub(crate) enum Reply {
    /// Write these bytes.
    Answer(Vec<u8>),
    /// Write these bytes, each piece when the client has read the one before, as far as that can be
    /// arranged.
    Pieces(Vec<Vec<u8>>),
    /// Write these bytes and close.
    Last(Vec<u8>),
    /// Nothing, and nothing ever after, until the client closes.
    Silence,
    /// Nothing yet: the next reply is for both.
    Later,
}

/// An answer with status 200 and a Content-Length.
pub(crate) fn answer(body: &[u8]) -> Vec<u8> {
    let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", body.len());
    [head.as_bytes(), body].concat()
}

/// Serves a connection on a thread of its own.
pub(super) fn serve(stream: impl Read + Write + Send + 'static, shared: &Arc<Shared>) {
    let log = shared.log();
    let shared = Arc::clone(shared);
    shared.opened();
    std::thread::spawn(move || {
        // The client may go at any time; the log tells how far it came.
        let _ = converse(stream, &shared, &log);
        log.lock().unwrap().closed = Some(Instant::now());
        shared.ended();
    });
}

fn converse(mut stream: impl Read + Write, shared: &Shared, log: &Mutex<Log>) -> io::Result<()> {
    let mut input = Vec::new();
    while let Some(request) = receive(&mut stream, &mut input)? {
        let read = Instant::now();
        let number = shared.count.fetch_add(1, Ordering::SeqCst);
        let reply = (shared.script)(number, &request);
        let entry = Entry {
            request,
            read,
            answered: Instant::now(),
        };
        log.lock().unwrap().requests.push(entry);
        match reply {
            Reply::Later => {}
            Reply::Answer(bytes) => stream.write_all(&bytes)?,
            Reply::Pieces(pieces) => {
                for piece in pieces {
                    stream.write_all(&piece)?;
                    std::thread::yield_now();
                }
            }
            Reply::Last(bytes) => return stream.write_all(&bytes),
            Reply::Silence => {
                while stream.read(&mut [0; 1024])? > 0 {}
                return Ok(());
            }
        }
    }
    Ok(())
}

/// Reads a request; `None` at the end of the input.
fn receive(stream: &mut impl Read, input: &mut Vec<u8>) -> io::Result<Option<Request>> {
    let mut buffer = [0; 16 * 1024];
    loop {
        if let Some(request) = take(input) {
            return Ok(Some(request));
        }
        match stream.read(&mut buffer)? {
            0 => return Ok(None),
            got => input.extend_from_slice(&buffer[..got]),
        }
    }
}

fn take(input: &mut Vec<u8>) -> Option<Request> {
    let end = input.windows(4).position(|four| four == b"\r\n\r\n")? + 4;
    let head = String::from_utf8(input[..end].to_vec()).unwrap();
    let length = head
        .lines()
        .filter_map(|line| line.split_once(": "))
        .find(|(name, _)| name.eq_ignore_ascii_case("content-length"))
        .map_or(0, |(_, value)| value.parse().unwrap());
    if input.len() < end + length {
        return None;
    }
    let body = input[end..end + length].to_vec();
    input.drain(..end + length);
    Some(Request { head, body })
}
