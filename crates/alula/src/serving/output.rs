//! An answer on its way out.

use std::borrow::Cow;

use alula_server::{ExchangeId, Flow, SendError, Sent, Worker};

use super::Serving;
use super::waiting::{Origin, Output, Stream, Waiting};
use crate::body::Content;
use crate::pipe::Pulled;
use crate::{Event, Response};

/// Pieces of a stream that are sent before others have their turn, whatever their size.
const PIECES: usize = 64;

/// What pulling a piece has come to.
enum Piece {
    /// There is one, which may be empty.
    Ready,
    /// Not yet.
    Nothing,
    /// There will be no more, and the body is not whole.
    Broken,
}

impl Serving {
    /// Begins an answer. Returns what is left of it to send, and whether it may be sent now.
    pub(super) fn begin_answer(
        &self,
        worker: &Worker<Self>,
        id: ExchangeId,
        head_only: bool,
        response: Response,
    ) -> Option<(Output, Flow)> {
        let declared = match &response.content {
            Content::Bytes(bytes) if head_only => length_of(&response, bytes.len()),
            _ => None,
        };
        if let Err(error) = respond(worker, id, &response, declared.as_deref()) {
            return self.refused_by_engine(worker, id, head_only, error);
        }
        if head_only {
            self.told(worker.send_body(id, b"", false));
            return None;
        }
        match response.content {
            Content::Bytes(bytes) => {
                let sent = self.told(worker.send_body(id, &bytes, false))?;
                (sent.taken < bytes.len()).then_some((Output::Rest(bytes, sent.taken), sent.flow))
            }
            Content::Source(source) => self.begin_stream(worker, id, Origin::Source(source)),
            Content::Pipe(outlet) => {
                outlet.attach(self.line(id));
                self.begin_stream(worker, id, Origin::Pipe(outlet))
            }
            Content::Fold(..) => {
                // Who calls this has seen to it.
                worker.finish(id);
                None
            }
        }
    }

    /// What the application gave can't go out: a 500 does.
    fn refused_by_engine(
        &self,
        worker: &Worker<Self>,
        id: ExchangeId,
        head_only: bool,
        error: SendError,
    ) -> Option<(Output, Flow)> {
        if error == SendError::Gone {
            return None;
        }
        self.site.log(&Event::BadResponse { error });
        let refusal = self.site.refuse(500, "internal server error");
        let Content::Bytes(body) = &refusal.content else {
            worker.finish(id);
            return None;
        };
        let declared = head_only.then(|| length_of(&refusal, body.len())).flatten();
        let sent = respond(worker, id, &refusal, declared.as_deref())
            .and_then(|()| worker.send_body(id, if head_only { b"" } else { body }, false));
        match sent {
            Ok(sent) if !head_only && sent.taken < body.len() => {
                Some((Output::Rest(body.clone(), sent.taken), sent.flow))
            }
            Ok(_) => None,
            Err(_) => {
                worker.finish(id);
                None
            }
        }
    }

    fn begin_stream(
        &self,
        worker: &Worker<Self>,
        id: ExchangeId,
        origin: Origin,
    ) -> Option<(Output, Flow)> {
        let mut stream = Stream {
            origin,
            piece: Vec::new(),
            taken: None,
            last: false,
            begun: false,
        };
        let flow = self.send_stream(worker, id, &mut stream)?;
        Some((Output::Stream(stream), flow))
    }

    /// Sends what there is. Returns false if the exchange is over.
    pub(super) fn advance_output(&self, worker: &Worker<Self>, waiting: &mut Waiting) -> bool {
        match &mut waiting.output {
            Output::None | Output::Held(_) => true,
            _ if waiting.flow == Flow::Wait => true,
            Output::Rest(bytes, taken) => {
                let sent = self.told(worker.send_rest(waiting.id, &bytes[*taken..], false));
                let Some(sent) = sent else { return false };
                *taken += sent.taken;
                waiting.flow = sent.flow;
                *taken < bytes.len()
            }
            Output::Stream(stream) => match self.send_stream(worker, waiting.id, stream) {
                Some(flow) => {
                    waiting.flow = flow;
                    true
                }
                None => false,
            },
        }
    }

    /// Sends pieces until the engine or the origin has to be waited for. `None`: it is over.
    fn send_stream(
        &self,
        worker: &Worker<Self>,
        id: ExchangeId,
        stream: &mut Stream,
    ) -> Option<Flow> {
        for _ in 0..PIECES {
            if stream.taken.is_none() {
                match self.pull(stream) {
                    Piece::Ready => {}
                    Piece::Nothing => return Some(Flow::Ready),
                    Piece::Broken => {
                        // A 500 if nothing has gone out, else the end without the body's.
                        worker.finish(id);
                        return None;
                    }
                }
            }
            let more = !stream.last;
            let sent = self.told(match stream.taken {
                Some(taken) => worker.send_rest(id, &stream.piece[taken..], more),
                None => worker.send_body(id, &stream.piece, more),
            })?;
            stream.begun = true;
            let taken = stream.taken.unwrap_or_default() + sent.taken;
            let whole = taken == stream.piece.len();
            if whole && stream.last {
                return None;
            }
            stream.taken = (!whole).then_some(taken);
            if sent.flow == Flow::Wait {
                return Some(Flow::Wait);
            }
        }
        self.line(id).progress();
        Some(Flow::Ready)
    }

    fn pull(&self, stream: &mut Stream) -> Piece {
        stream.piece.clear();
        match &mut stream.origin {
            Origin::Source(source) => match source.next(&mut stream.piece) {
                Ok(more) => {
                    stream.last = !more;
                    Piece::Ready
                }
                Err(error) => {
                    self.site.log(&Event::BodyFailed { error: &error });
                    Piece::Broken
                }
            },
            Origin::Pipe(outlet) => match outlet.pull(&mut stream.piece) {
                Pulled::Some => Piece::Ready,
                Pulled::Last => {
                    stream.last = true;
                    Piece::Ready
                }
                Pulled::Nothing => Piece::Nothing,
                // What was written is sent, unless a clean 500 can be.
                Pulled::Broken if stream.begun && !stream.piece.is_empty() => Piece::Ready,
                Pulled::Broken => Piece::Broken,
            },
        }
    }

    /// What was sent, if the exchange goes on; tells of what the application did wrong.
    fn told(&self, sent: Result<Sent, SendError>) -> Option<Sent> {
        match sent {
            Ok(sent) => Some(sent),
            Err(SendError::Gone) => None,
            Err(error) => {
                self.site.log(&Event::BadResponse { error });
                None
            }
        }
    }
}

/// Begins the answer: status and headers.
fn respond(
    worker: &Worker<Serving>,
    id: ExchangeId,
    response: &Response,
    length: Option<&str>,
) -> Result<(), SendError> {
    let content_type = response.content_type.as_deref();
    let content_type = content_type.map(|value| (&b"content-type"[..], value.as_bytes()));
    let length = length.map(|value| (&b"content-length"[..], value.as_bytes()));
    let others = response
        .headers
        .iter()
        .map(|(name, value)| (name.as_bytes(), value.as_bytes()));
    let headers = content_type.into_iter().chain(length).chain(others);
    worker.respond(id, response.status, headers)
}

/// For HEAD, which gets no body: the length that it would have.
fn length_of(response: &Response, length: usize) -> Option<Cow<'static, str>> {
    let bodiless = matches!(response.status, 204 | 304);
    let declared = bodiless || response.has_header("content-length");
    (!declared).then(|| Cow::Owned(length.to_string()))
}
