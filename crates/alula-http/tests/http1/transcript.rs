//! A server that echoes, played by hand: bytes in pieces go in, what it saw and said comes out.
//! Shared by the tests, the fuzz targets and the judge.

// Each of them uses a part of it.
#![allow(dead_code)]

use alula_http::{
    Framing, Head, Limits, ProtocolError, Request, Upgrade, Version,
    h1::{Defaults, Progress, Server},
};

/// A request as the server saw it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Seen {
    pub(crate) method: String,
    pub(crate) version: Version,
    pub(crate) target: Vec<u8>,
    pub(crate) path: Vec<u8>,
    pub(crate) query: Vec<u8>,
    pub(crate) headers: Vec<(Vec<u8>, Vec<u8>)>,
    pub(crate) framing: Framing,
    pub(crate) keep_alive: bool,
    pub(crate) expects_continue: bool,
    pub(crate) upgrade: Upgrade,
    /// What of the body has come.
    pub(crate) body: Vec<u8>,
    /// Whether that is all of it.
    pub(crate) whole: bool,
}

impl Seen {
    fn new(request: &Request<'_>) -> Self {
        Self {
            method: request.method().to_owned(),
            version: request.version(),
            target: request.target().to_vec(),
            path: request.path().to_vec(),
            query: request.query().to_vec(),
            headers: request
                .headers()
                .map(|(name, value)| (name.to_vec(), value.to_vec()))
                .collect(),
            framing: request.framing(),
            keep_alive: request.keep_alive(),
            expects_continue: request.expects_continue(),
            upgrade: request.upgrade(),
            body: Vec::new(),
            whole: false,
        }
    }
}

/// How the bytes left the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// Between requests.
    Idle,
    /// In the middle of a head.
    InHead,
    /// In the middle of a body.
    InBody,
    /// The last answer closes it; what follows is not read.
    Closed,
    /// The peer broke the protocol.
    Refused(ProtocolError),
}

/// All that a connection has seen and said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Transcript {
    pub(crate) requests: Vec<Seen>,
    pub(crate) end: End,
    /// The answers: each request's body echoed, `OK` for none, the status of a refusal.
    pub(crate) out: Vec<u8>,
}

impl Transcript {
    /// The only request, which must be whole, on a connection that was not refused.
    ///
    /// # Panics
    ///
    /// Otherwise.
    pub(crate) fn only(mut self) -> Seen {
        assert!(matches!(self.end, End::Idle | End::Closed), "{self:?}");
        assert_eq!(self.requests.len(), 1, "{self:?}");
        let seen = self.requests.remove(0);
        assert!(seen.whole);
        seen
    }
}

/// The connection while it is played.
struct Player {
    server: Server,
    head: Head,
    limits: Limits,
    unread: Vec<u8>,
    transcript: Transcript,
}

/// Plays the pieces, then a FIN if `fin`.
pub(crate) fn play<'a>(
    pieces: impl IntoIterator<Item = &'a [u8]>,
    limits: &Limits,
    fin: bool,
) -> Transcript {
    let mut player = Player {
        server: Server::new(),
        head: Head::default(),
        limits: *limits,
        unread: Vec::new(),
        transcript: Transcript {
            requests: Vec::new(),
            end: End::Idle,
            out: Vec::new(),
        },
    };
    for piece in pieces {
        if matches!(player.transcript.end, End::Refused(_) | End::Closed) {
            break;
        }
        player.unread.extend_from_slice(piece);
        player.turn();
    }
    if fin && !matches!(player.transcript.end, End::Refused(_) | End::Closed) {
        let closed = player.server.input_closed();
        player.note(closed.map(|()| false));
    }
    player.transcript
}

impl Player {
    /// All steps that the bytes allow.
    fn turn(&mut self) {
        loop {
            let in_body = !self
                .transcript
                .requests
                .last()
                .is_none_or(|seen| seen.whole);
            let step = if in_body { self.body() } else { self.head() };
            if !self.note(step) {
                return;
            }
        }
    }

    /// Whether to go on.
    fn note(&mut self, step: Result<bool, ProtocolError>) -> bool {
        if let Err(error) = step
            && let Some(status) = error.status()
        {
            let out = &mut self.transcript.out;
            self.server
                .respond_error(out, status, error.reason(), &Defaults::default());
        }
        let in_body = !self
            .transcript
            .requests
            .last()
            .is_none_or(|seen| seen.whole);
        self.transcript.end = match step {
            Err(error) => End::Refused(error),
            Ok(_) if in_body => End::InBody,
            Ok(_) if self.transcript.end == End::Closed => End::Closed,
            Ok(_) if self.server.head_begun() => End::InHead,
            Ok(_) => End::Idle,
        };
        step == Ok(true) && self.transcript.end != End::Closed
    }

    fn head(&mut self) -> Result<bool, ProtocolError> {
        match self
            .server
            .receive_head(&self.unread, &mut self.head, &self.limits)?
        {
            Progress::Partial => Ok(false),
            Progress::Complete { consumed } => {
                self.transcript
                    .requests
                    .push(Seen::new(&self.head.view(&self.unread)));
                self.unread.drain(..consumed);
                Ok(true)
            }
        }
    }

    fn body(&mut self) -> Result<bool, ProtocolError> {
        let step = self.server.receive_body(&self.unread, &self.limits)?;
        assert!(
            step.consumed <= self.unread.len(),
            "consumed more than there is"
        );
        assert!(step.data.start <= step.data.end && step.data.end <= step.consumed);
        let seen = self
            .transcript
            .requests
            .last_mut()
            .expect("a body has a head");
        seen.body.extend_from_slice(&self.unread[step.data]);
        self.unread.drain(..step.consumed);
        if step.end {
            seen.whole = true;
            assert!(self.server.body_complete());
            self.answer();
        }
        Ok(step.end || step.consumed > 0)
    }

    fn answer(&mut self) {
        let out = &mut self.transcript.out;
        let seen = self
            .transcript
            .requests
            .last()
            .expect("an answer has a request");
        let headers: [(&[u8], &[u8]); 1] = [(b"content-type", b"application/octet-stream")];
        let body: &[u8] = if seen.framing == Framing::None {
            b"OK"
        } else {
            &seen.body
        };
        let status = match seen.upgrade {
            Upgrade::None => 200,
            Upgrade::WebSocket => 501,
            Upgrade::InvalidWebSocket => 400,
        };
        self.server
            .respond(out, status, headers.into_iter(), &Defaults::default())
            .expect("the response is in order");
        self.server
            .send_body(out, body, false)
            .expect("the body is in order");
        if self.server.keep_alive() {
            self.server.next_request();
        } else {
            self.transcript.end = End::Closed;
        }
    }
}
