//! The client's role on one connection.

use super::{
    Frame, Progress, encode,
    outgoing::{Length, Outgoing},
    parse,
    status_line::StatusScan,
};
use crate::{BodyStep, Limits, ProtocolError, ResponseHead, UsageError, body::Incoming};

/// What is known of the response that is being read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Stage {
    /// Its head, or that of an interim one, is not whole.
    #[default]
    Head,
    /// Its head is whole; the body may not be.
    Body,
}

/// The client's role: requests out, responses in; one request at a time. Holds state, no bytes.
#[derive(Clone, Debug, Default)]
pub struct Client {
    incoming: Incoming,
    scan: StatusScan,
    outgoing: Outgoing,
    failed: Option<ProtocolError>,
    stage: Stage,
    /// The method is HEAD.
    wants_head_only: bool,
    /// Without a body, this method needs no Content-Length (RFC 9110 section 8.6).
    method_has_no_content: bool,
    closing: bool,
}

impl Client {
    /// A connection on which nothing has been sent yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Begins a request: request line and headers, among which Host must be. The head stays open
    /// until the first call of [`send_body`](Self::send_body) decides the framing; a request
    /// without a body needs one with no data and no `more`.
    ///
    /// # Errors
    ///
    /// A method, target or header that must not go out, no Host, or a request that has begun
    /// already. Nothing is appended then, and nothing has changed.
    pub fn request<'h>(
        &mut self,
        out: &mut Vec<u8>,
        method: &str,
        target: &[u8],
        headers: impl Iterator<Item = (&'h [u8], &'h [u8])>,
    ) -> Result<(), UsageError> {
        self.outgoing.expect_idle()?;
        let seen = encode::request(out, method, target, headers)?;
        self.outgoing
            .open(seen.content_length.map_or(Length::Undecided, Length::Exact));
        self.wants_head_only = method == "HEAD";
        self.method_has_no_content = matches!(method, "GET" | "HEAD" | "DELETE" | "OPTIONS");
        self.closing |= seen.close;
        Ok(())
    }

    /// Frames `len` bytes of the body: Content-Length for a single piece, else chunks. The caller
    /// puts the data, as much as [`Frame::take`] says, and [`Frame::suffix`] behind.
    ///
    /// # Errors
    ///
    /// No head, or the request is complete already.
    pub fn frame_body(
        &mut self,
        out: &mut Vec<u8>,
        len: usize,
        more: bool,
    ) -> Result<Frame, UsageError> {
        if self.outgoing.is_head_open() {
            if len == 0 && !more && self.method_has_no_content {
                self.outgoing.leave_out_body();
            }
            self.outgoing.decide(out, len, more, true);
            encode::close_head(out, self.closing.then_some(b"close"));
        }
        let frame = self.outgoing.frame(out, len, more)?;
        self.closing |= frame.overflow || frame.short;
        Ok(frame)
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

    /// All of the request has been given.
    pub fn request_complete(&self) -> bool {
        self.outgoing.is_complete()
    }

    /// Looks for a response's head at the front of `input`, which begins at the first unread byte
    /// of the connection; as [`Server::receive_head`](super::Server::receive_head) does. Behind
    /// the head of an interim response, the next one is asked for with the same call.
    ///
    /// # Errors
    ///
    /// Whatever the server did wrong; every later call fails likewise.
    pub fn receive_head(
        &mut self,
        input: &[u8],
        head: &mut ResponseHead,
        limits: &Limits,
    ) -> Result<Progress, ProtocolError> {
        debug_assert!(
            self.stage == Stage::Head,
            "the current response is not done with"
        );
        match self.failed {
            Some(error) => return Err(error),
            None if self.stage != Stage::Head || input.is_empty() => return Ok(Progress::Partial),
            None if self.outgoing.is_idle() => {
                return Err(self.fail(ProtocolError::UnexpectedBytes));
            }
            None => {}
        }
        match self.scan.advance(input, limits) {
            Ok(false) => return Ok(Progress::Partial),
            Ok(true) => {}
            Err(error) => return Err(self.fail(error)),
        }
        let consumed = self.scan.consumed();
        self.incoming = match parse::response(input, &self.scan, head, self.wants_head_only) {
            Ok(incoming) => incoming,
            Err(error) => return Err(self.fail(error)),
        };
        self.scan = StatusScan::default();
        if !head.view(input).is_interim() {
            self.stage = Stage::Body;
            // After 101 the connection is HTTP no longer.
            self.closing |= !head.keep_alive || head.status == 101;
        }
        Ok(Progress::Complete { consumed })
    }

    /// Takes one step of the body of the current response, as
    /// [`Server::receive_body`](super::Server::receive_body) does. A body that is to last until
    /// the server closes ends with [`input_closed`](Self::input_closed).
    ///
    /// # Errors
    ///
    /// Broken framing, or a body beyond its limit.
    pub fn receive_body(
        &mut self,
        input: &[u8],
        limits: &Limits,
    ) -> Result<BodyStep, ProtocolError> {
        match self.failed {
            Some(error) => Err(error),
            None => self
                .incoming
                .receive(input, limits)
                .map_err(|error| self.fail(error)),
        }
    }

    /// The response is whole, body included.
    pub fn response_complete(&self) -> bool {
        self.stage == Stage::Body && self.incoming.is_complete()
    }

    /// The server will send nothing more.
    ///
    /// # Errors
    ///
    /// [`ProtocolError::Incomplete`] unless a response, or none, has just ended here.
    pub fn input_closed(&mut self) -> Result<(), ProtocolError> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        self.closing = true;
        if matches!(self.incoming, Incoming::UntilClose) {
            self.incoming = Incoming::Complete;
        }
        let awaits_head =
            self.stage == Stage::Head && (self.scan.has_begun() || !self.outgoing.is_idle());
        if awaits_head || !self.incoming.is_complete() {
            return Err(self.fail(ProtocolError::Incomplete));
        }
        Ok(())
    }

    /// Whether, as things stand, another request may follow on this connection.
    pub fn keep_alive(&self) -> bool {
        !self.closing && self.failed.is_none()
    }

    /// Goes on to the next request.
    ///
    /// # Panics
    ///
    /// In debug builds, unless request and response are complete and the connection may stay.
    pub fn next_request(&mut self) {
        debug_assert!(
            self.request_complete() && self.response_complete() && self.keep_alive(),
            "this request is not done with"
        );
        *self = Self::default();
    }

    fn fail(&mut self, error: ProtocolError) -> ProtocolError {
        self.failed = Some(error);
        error
    }
}
