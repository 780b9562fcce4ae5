//! Every bound on what a peer may send.

/// The bounds of one connection; a message beyond one of them is refused with a
/// [`ProtocolError`](crate::ProtocolError) that carries the status to answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of a head, from the first of its first line to the last of the empty line that ends
    /// it. Beyond: 414 while still in the first line, 431 after.
    pub head_bytes: usize,
    /// Header lines of a head. Beyond: 431.
    pub headers: usize,
    /// Bytes of the trailer lines behind a chunked body, line ends included, the final empty line
    /// not. Beyond: 431.
    pub trailer_bytes: usize,
    /// Bytes of the extensions of one chunk, from the first semicolon on. Beyond: 400.
    pub chunk_extension_bytes: usize,
    /// Empty lines skipped before a request line (RFC 9112 section 2.2). Beyond: 400.
    pub leading_empty_lines: u8,
    /// Bytes of a body, where a bound is set. Beyond: 413.
    pub body_bytes: Option<u64>,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            head_bytes: 64 * 1024,
            headers: 128,
            trailer_bytes: 8 * 1024,
            chunk_extension_bytes: 256,
            leading_empty_lines: 4,
            body_bytes: None,
        }
    }
}
