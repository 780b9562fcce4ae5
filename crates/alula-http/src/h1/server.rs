//! The server's role on one connection.

use super::{
    Defaults, Frame, Progress, encode,
    outgoing::{Length, Outgoing},
    parse,
    request_line::RequestScan,
};
use crate::{BodyStep, Framing, Head, Limits, ProtocolError, UsageError, Version, body::Incoming};

/// What is known of the request that is being answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Stage {
    /// Its head is not whole.
    #[default]
    Head,
    /// Its head is whole; the body may not be.
    Body,
}

/// What the client wishes of the current exchange.
#[derive(Clone, Copy, Debug, Default)]
struct Wishes {
    /// The method is HEAD.
    head_only: bool,
    /// Its Connection header lets the connection stay.
    keep_alive: bool,
    /// It waits for a 100, and has sent no byte of the body.
    awaits_continue: bool,
}

/// The server's role: requests in, responses out. Holds state, no bytes.
#[derive(Clone, Debug, Default)]
pub struct Server {
    incoming: Incoming,
    scan: RequestScan,
    outgoing: Outgoing,
    failed: Option<ProtocolError>,
    stage: Stage,
    version: Version,
    client: Wishes,
    /// We have decided to close.
    closing: bool,
    /// The response has decided to close; undone with it.
    response_closes: bool,
}

impl Server {
    /// A connection on which nothing has come yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Looks for a request's head at the front of `input`, which begins at the first unread byte
    /// of the connection. After [`Progress::Partial`] the same bytes come again, with more behind
    /// them; those seen are not looked at again.
    ///
    /// Syntax errors are found with the byte that proves them, contradictions between headers at
    /// the end of the head.
    ///
    /// # Errors
    ///
    /// Whatever the peer did wrong. The connection has then to close; every later call fails
    /// likewise.
    ///
    /// # Panics
    ///
    /// If there are fewer bytes than with the call before.
    pub fn receive_head(
        &mut self,
        input: &[u8],
        head: &mut Head,
        limits: &Limits,
    ) -> Result<Progress, ProtocolError> {
        debug_assert!(
            self.stage == Stage::Head,
            "the current request is not done with"
        );
        match self.failed {
            Some(error) => return Err(error),
            None if self.stage != Stage::Head => return Ok(Progress::Partial),
            None => {}
        }
        match self.scan.advance(input, limits) {
            Ok(false) => return Ok(Progress::Partial),
            Ok(true) => {}
            Err(error) => return Err(self.fail(error)),
        }
        if let Err(error) = parse::request(input, &self.scan, head, limits) {
            return Err(self.fail(error));
        }
        self.incoming = match head.framing {
            Framing::None => Incoming::Complete,
            Framing::Length(length) => Incoming::length(length),
            Framing::Chunked => Incoming::chunked(),
        };
        self.stage = Stage::Body;
        self.version = head.version;
        self.client = Wishes {
            head_only: self.scan.method(input) == b"HEAD",
            keep_alive: head.keep_alive,
            awaits_continue: head.expects_continue && !self.incoming.is_complete(),
        };
        Ok(Progress::Complete {
            consumed: self.scan.consumed(),
        })
    }

    /// A head has begun, empty lines before it aside, and is not whole yet.
    pub fn head_begun(&self) -> bool {
        self.stage == Stage::Head && self.scan.has_begun()
    }

    /// Takes one step of the body of the current request; `input` begins at the first unread byte.
    /// Of a chunked body a step is one piece of data with the framing around it.
    ///
    /// # Errors
    ///
    /// Broken framing, or a body beyond its limit. What was handed out before was no whole body.
    pub fn receive_body(
        &mut self,
        input: &[u8],
        limits: &Limits,
    ) -> Result<BodyStep, ProtocolError> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        match self.incoming.receive(input, limits) {
            Ok(step) => {
                self.client.awaits_continue &= step.consumed == 0;
                Ok(step)
            }
            Err(error) => Err(self.fail(error)),
        }
    }

    /// The request is whole, body included.
    pub fn body_complete(&self) -> bool {
        self.stage == Stage::Body && self.incoming.is_complete()
    }

    /// What is still to come of a body with a Content-Length.
    pub fn body_remaining(&self) -> Option<u64> {
        match self.incoming {
            Incoming::Length(remaining) => Some(remaining),
            _ => None,
        }
    }

    /// The body is chunked, and not whole yet.
    pub fn is_chunked_body(&self) -> bool {
        matches!(self.incoming, Incoming::Chunked(_))
    }

    /// The peer will send nothing more.
    ///
    /// # Errors
    ///
    /// [`ProtocolError::Incomplete`] in the middle of a head or a body.
    pub fn input_closed(&mut self) -> Result<(), ProtocolError> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        if self.head_begun() || !self.incoming.is_complete() {
            return Err(self.fail(ProtocolError::Incomplete));
        }
        Ok(())
    }

    fn fail(&mut self, error: ProtocolError) -> ProtocolError {
        self.failed = Some(error);
        error
    }

    /// Begins the response: status line, the application's headers, `defaults`. The head stays
    /// open until the first call for its body decides the framing.
    ///
    /// The application's Transfer-Encoding is swallowed, since the framing is ours; its
    /// Content-Length is checked and kept, but for 204 and 205, which have no content
    /// (RFC 9110 sections 15.3.5 and 15.3.6).
    ///
    /// # Errors
    ///
    /// A status outside 200 to 599, a header that must not go out, or a response that has begun
    /// already. Nothing is appended then, and nothing has changed.
    pub fn respond<'h>(
        &mut self,
        out: &mut Vec<u8>,
        status: u16,
        headers: impl Iterator<Item = (&'h [u8], &'h [u8])>,
        defaults: &Defaults<'_>,
    ) -> Result<(), UsageError> {
        self.outgoing.expect_idle()?;
        if !(200..=599).contains(&status) {
            return Err(UsageError::InvalidStatus(status));
        }
        let seen = encode::response(out, status, headers, defaults)?;
        self.outgoing.open(match seen.content_length {
            _ if self.client.head_only || matches!(status, 204 | 205 | 304) => Length::Bodyless,
            Some(length) => Length::Exact(length),
            None => Length::Undecided,
        });
        self.response_closes = seen.close;
        Ok(())
    }

    /// The head has been begun but may still be abandoned.
    pub fn head_open(&self) -> bool {
        self.outgoing.is_head_open()
    }

    /// Frames `len` bytes of the body. Closes the head if it is open: a single piece, without
    /// `more`, gets a Content-Length; otherwise the body is chunked, or on HTTP/1.0 ends with the
    /// connection. The caller puts the data, as much as [`Frame::take`] says, and
    /// [`Frame::suffix`] behind what this has appended.
    ///
    /// # Errors
    ///
    /// No head, or the response is complete already.
    pub fn frame_body(
        &mut self,
        out: &mut Vec<u8>,
        len: usize,
        more: bool,
    ) -> Result<Frame, UsageError> {
        if self.outgoing.is_head_open() {
            self.close_head(out, len, more);
        }
        let frame = self.outgoing.frame(out, len, more)?;
        self.closing |= frame.overflow || frame.short;
        Ok(frame)
    }

    fn close_head(&mut self, out: &mut Vec<u8>, len: usize, more: bool) {
        self.outgoing
            .decide(out, len, more, self.version == Version::Http11);
        self.closing |= self.outgoing.ends_by_close();
        // Whether the client sends the body it was not asked for cannot be known.
        self.response_closes |= self.client.awaits_continue;
        let connection: Option<&[u8]> = match (self.keep_alive(), self.version) {
            (false, _) => Some(b"close"),
            (true, Version::Http10) => Some(b"keep-alive"),
            (true, Version::Http11) => None,
        };
        encode::close_head(out, connection);
    }

    /// [`frame_body`](Self::frame_body), and the data and the suffix copied behind it.
    ///
    /// # Errors
    ///
    /// As `frame_body`.
    pub fn send_body(
        &mut self,
        out: &mut Vec<u8>,
        data: &[u8],
        more: bool,
    ) -> Result<Frame, UsageError> {
        Ok(self.frame_body(out, data.len(), more)?.fill(out, data))
    }

    /// Appends a whole interim response, such as 103. To an HTTP/1.0 client none is sent
    /// (RFC 9110 section 15.2).
    ///
    /// # Errors
    ///
    /// A status outside 100 to 199, or 101; a header that must not go out; a response that has
    /// begun already. Nothing is appended then.
    pub fn respond_informational<'h>(
        &mut self,
        out: &mut Vec<u8>,
        status: u16,
        headers: impl Iterator<Item = (&'h [u8], &'h [u8])>,
    ) -> Result<(), UsageError> {
        self.outgoing.expect_idle()?;
        if !(100..=199).contains(&status) || status == 101 {
            return Err(UsageError::InvalidInterimStatus(status));
        }
        let start = out.len();
        encode::interim(out, status, headers)?;
        if self.version == Version::Http10 {
            out.truncate(start);
        } else if status == 100 {
            self.client.awaits_continue = false;
        }
        Ok(())
    }

    /// A 100 is waited for: it has not been sent, no byte of the body has come, and no response's
    /// head has been closed.
    pub fn continue_due(&self) -> bool {
        self.client.awaits_continue && (self.outgoing.is_idle() || self.outgoing.is_head_open())
    }

    /// Appends a 100 if one is due. Before a head that is open already the caller has to put it.
    pub fn send_continue(&mut self, out: &mut Vec<u8>) {
        if self.continue_due() {
            out.extend_from_slice(b"HTTP/1.1 100 Continue\r\n\r\n");
            self.client.awaits_continue = false;
        }
    }

    /// A response has begun.
    pub fn response_started(&self) -> bool {
        !self.outgoing.is_idle()
    }

    /// All of the response has been given.
    pub fn response_complete(&self) -> bool {
        self.outgoing.is_complete()
    }

    /// Only the end of the connection shows where the response ends: closed in order before that,
    /// the connection would make it seem whole.
    pub fn response_ends_by_close(&self) -> bool {
        self.outgoing.ends_by_close()
    }

    /// Lets the connection close after this response, which will say so if its head is open.
    pub fn force_close(&mut self) {
        self.closing = true;
    }

    /// Whether, as things stand, another request may follow on this connection.
    pub fn keep_alive(&self) -> bool {
        self.client.keep_alive && !self.closing && !self.response_closes && self.failed.is_none()
    }

    /// Forgets the response that was begun; the caller has taken its bytes back from `out`. Only
    /// while [`head_open`](Self::head_open).
    pub fn abandon_response(&mut self) {
        debug_assert!(self.head_open(), "the head has gone out");
        self.outgoing = Outgoing::default();
        self.response_closes = false;
    }

    /// Goes on to the next request.
    ///
    /// # Panics
    ///
    /// In debug builds, unless request and response are complete and the connection may stay.
    pub fn next_request(&mut self) {
        debug_assert!(
            self.body_complete() && self.response_complete() && self.keep_alive(),
            "this request is not done with"
        );
        *self = Self::default();
    }

    /// Appends a whole error answer with `text` as its body, and lets the connection close. A
    /// response that was begun must have been abandoned.
    pub fn respond_error(
        &mut self,
        out: &mut Vec<u8>,
        status: u16,
        text: &str,
        defaults: &Defaults<'_>,
    ) {
        debug_assert!(self.outgoing.is_idle(), "a response has begun");
        let content_type: (&[u8], &[u8]) = (b"content-type", b"text/plain; charset=utf-8");
        // Neither header nor status can be refused: they are ours.
        let _ = encode::response(out, status, [content_type].into_iter(), defaults);
        self.closing = true;
        self.outgoing.open(Length::Undecided);
        self.close_head(out, text.len(), false);
        if !self.client.head_only {
            out.extend_from_slice(text.as_bytes());
        }
        self.outgoing.finish();
    }
}
