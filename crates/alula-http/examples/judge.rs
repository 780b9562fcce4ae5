//! Reads byte strings, each behind its length (four bytes, little-endian), from standard input and
//! says of each, in a line of JSON, what a server makes of it. For the differential tests.
//!
//! Bytes are written as text, one character each. A string that ends within a request is followed
//! by a FIN, so that `error` is null only where every request is whole.

#[path = "../tests/http1/transcript.rs"]
mod transcript;

use std::{
    fmt::Write as _,
    io::{self, BufWriter, Read, Write},
};

use alula_http::Limits;
use transcript::{End, Seen, Transcript, play};

fn main() -> io::Result<()> {
    let mut input = io::stdin().lock();
    let mut output = BufWriter::new(io::stdout().lock());
    let (mut length, mut bytes) = ([0; 4], Vec::new());
    while input.read_exact(&mut length).is_ok() {
        bytes.resize(u32::from_le_bytes(length) as usize, 0);
        input.read_exact(&mut bytes)?;
        let whole = play([&bytes[..]], &Limits::default(), true);
        let bytewise = play(bytes.chunks(1), &Limits::default(), true);
        assert_eq!(
            whole,
            bytewise,
            "cut up it differs: {}",
            bytes.escape_ascii()
        );
        writeln!(output, "{}", verdict(&whole))?;
    }
    output.flush()
}

fn verdict(transcript: &Transcript) -> String {
    let requests: Vec<String> = transcript.requests.iter().map(request).collect();
    let error = match transcript.end {
        End::Refused(error) => {
            let status = error
                .status()
                .map_or("null".to_owned(), |status| status.to_string());
            format!("{{\"name\":\"{error:?}\",\"status\":{status}}}")
        }
        _ => "null".to_owned(),
    };
    let closed = transcript.end == End::Closed;
    format!(
        "{{\"requests\":[{}],\"closed\":{closed},\"error\":{error}}}",
        requests.join(",")
    )
}

fn request(seen: &Seen) -> String {
    let headers: Vec<String> = seen
        .headers
        .iter()
        .map(|(name, value)| format!("[{},{}]", text(name), text(value)))
        .collect();
    format!(
        "{{\"method\":{},\"target\":{},\"headers\":[{}],\"body\":{},\"whole\":{},\"keep_alive\":{}}}",
        text(seen.method.as_bytes()),
        text(&seen.target),
        headers.join(","),
        text(&seen.body),
        seen.whole,
        seen.keep_alive
    )
}

/// A JSON string with a character a byte.
fn text(bytes: &[u8]) -> String {
    let mut text = String::from("\"");
    for &byte in bytes {
        match byte {
            b'"' | b'\\' => text.extend(['\\', char::from(byte)]),
            b' '..=b'~' => text.push(char::from(byte)),
            _ => {
                let _ = write!(text, "\\u{byte:04x}");
            }
        }
    }
    text.push('"');
    text
}
