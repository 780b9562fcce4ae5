//! A handler, and what comes of it.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use alula_http::Framing;
use alula_reactor::Peer;
use alula_router::{Params, RouteId, percent};
use alula_server::{ExchangeId, Flow, Worker};

use super::Serving;
use super::waiting::{Feed, Input, Late, Output, Tie, Waiting};
use crate::body::Content;
use crate::head::HeadRef;
use crate::incoming::Inlet;
use crate::query::BadEncoding;
use crate::request::Exchange;
use crate::routes::{Endpoint, Found};
use crate::ticket::Presence;
use crate::{Event, Incoming, Request, Response};

/// What a handler has come to.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// An answer.
    Answer(Response),
    /// A ticket will answer.
    Held(Arc<Presence>),
}

impl Serving {
    /// Answers a request that has no body; `None` if its route takes bodies piece by piece.
    pub(super) fn handle_bodiless(
        &self,
        head: HeadRef<'_>,
        peer: &Peer,
        id: ExchangeId,
    ) -> Option<Outcome> {
        let mut captures = self.captures.borrow_mut();
        Some(
            match self.site.find(head.method(), head.path(), &mut captures) {
                Found::Answer(response) => Outcome::Answer(response),
                Found::Endpoint(_, Endpoint::Streaming(_), _) => return None,
                Found::Endpoint(route, Endpoint::Whole(handler), params) => {
                    let exchange = self.exchange(peer, id);
                    let request = (head, params, &b""[..]);
                    self.call(route, &exchange, request, |request| handler(request))
                }
            },
        )
    }

    /// Begins with a request that could not be answered at once.
    pub(super) fn begin(&self, worker: &Worker<Self>, id: ExchangeId, late: Box<Late>) {
        let head = HeadRef::Owned(&late.head);
        let head_only = head.method() == "HEAD";
        if self.is_full(worker) {
            let refusal = self.site.refuse(503, "too many connections; try again");
            self.settle(worker, id, head_only, Outcome::Answer(refusal));
            return self.give_back(late);
        }
        let mut captures = self.captures.borrow_mut();
        let found = self.site.find(head.method(), head.path(), &mut captures);
        let (input, outcome) = match found {
            Found::Answer(response) => (Some(Input::Done), Some(Outcome::Answer(response))),
            Found::Endpoint(route, Endpoint::Streaming(handler), params) => {
                let inlet = Arc::new(Inlet::new(self.line(id)));
                let incoming = Incoming::new(inlet.clone());
                let exchange = self.exchange(&late.peer, id);
                let request = (head, params, &b""[..]);
                let call = |request: &Request<'_>| handler(request, incoming);
                let outcome = self.call(route, &exchange, request, call);
                (Some(Input::Inlet(Feed(inlet))), Some(outcome))
            }
            Found::Endpoint(_, Endpoint::Whole(_), _) => match late.framing {
                Framing::Length(length) if length > self.body_bound as u64 => {
                    (Some(Input::Done), Some(Outcome::Answer(self.too_large())))
                }
                _ => (None, None),
            },
        };
        drop(captures);
        let input = match input {
            Some(input) => {
                self.give_back(late);
                input
            }
            None => Input::Gather(late),
        };
        let mut waiting = Box::new(Waiting {
            id,
            head_only,
            flow: Flow::Ready,
            input,
            output: Output::None,
        });
        if let Some(outcome) = outcome
            && !self.apply(worker, &mut waiting, outcome)
        {
            return;
        }
        self.go_on(worker, waiting);
    }

    /// Answers a request whose body has been gathered.
    pub(super) fn handle_gathered(&self, late: &Late, id: ExchangeId) -> Outcome {
        let head = HeadRef::Owned(&late.head);
        let mut captures = self.captures.borrow_mut();
        match self.site.find(head.method(), head.path(), &mut captures) {
            Found::Endpoint(route, Endpoint::Whole(handler), params) => {
                let exchange = self.exchange(&late.peer, id);
                let request = (head, params, &late.body[..]);
                self.call(route, &exchange, request, |request| handler(request))
            }
            // Routes don't change while they are served.
            Found::Answer(response) => Outcome::Answer(response),
            Found::Endpoint(..) => Outcome::Answer(Response::status(500)),
        }
    }

    /// The answer to a body that is not gathered. What the client still sends is nobody's.
    pub(super) fn too_large(&self) -> Response {
        let bound = self.body_bound;
        let reason = format!("the body is larger than {bound} bytes");
        self.site
            .refuse(413, reason)
            .with_header("connection", "close")
    }

    fn exchange<'a>(&'a self, peer: &'a Peer, id: ExchangeId) -> Exchange<'a> {
        Exchange {
            peer,
            trusted: self.site.trusted.as_ref(),
            id,
            mailbox: &self.mailbox,
            held: RefCell::default(),
        }
    }

    /// Calls a handler. A panic is a 500.
    fn call<'a>(
        &self,
        route: RouteId,
        exchange: &'a Exchange<'a>,
        (head, params, body): (HeadRef<'a>, Params<'a>, &'a [u8]),
        handler: impl FnOnce(&Request<'_>) -> Response,
    ) -> Outcome {
        let decoded = match decode(params) {
            Ok(decoded) => decoded,
            Err(error) => return Outcome::Answer(self.site.refuse(400, error.to_string())),
        };
        let request = Request {
            head,
            params,
            decoded: &decoded,
            body,
            exchange,
        };
        let called = catch_unwind(AssertUnwindSafe(|| handler(&request)));
        match (called, exchange.held.take()) {
            (Ok(response), None) => Outcome::Answer(response),
            (Ok(_), Some(presence)) => Outcome::Held(presence),
            (Err(_), ticket) => {
                // The ticket's answer would be the second one.
                ticket.inspect(|presence| presence.set_gone());
                Outcome::Answer(self.panicked(&self.site.name(route)))
            }
        }
    }

    /// Tells of a panic, and answers it.
    pub(super) fn panicked(&self, place: &str) -> Response {
        self.site.log(&Event::Panicked { place });
        self.site.refuse(500, "internal server error")
    }

    /// Sends what a handler has come to, where nothing waits yet.
    pub(super) fn settle(
        &self,
        worker: &Worker<Self>,
        id: ExchangeId,
        head_only: bool,
        outcome: Outcome,
    ) {
        let (output, flow) = match outcome {
            Outcome::Answer(response) if !matches!(response.content, Content::Fold(..)) => {
                match self.begin_answer(worker, id, head_only, response) {
                    Some(begun) => begun,
                    None => return,
                }
            }
            Outcome::Answer(_) => return self.misfolded(worker, id, head_only),
            Outcome::Held(presence) => (Output::Held(Tie(presence)), Flow::Ready),
        };
        let watched = matches!(output, Output::Held(_) | Output::Stream(_));
        let mut waiting = Box::new(Waiting {
            id,
            head_only,
            flow,
            input: if watched { Input::Watch } else { Input::Done },
            output,
        });
        if self.advance_input(worker, &mut waiting) {
            self.keep(waiting);
        }
    }

    /// Has an exchange go on with what a handler has come to. Returns false if it is over.
    pub(super) fn apply(
        &self,
        worker: &Worker<Self>,
        waiting: &mut Waiting,
        outcome: Outcome,
    ) -> bool {
        let mut response = match outcome {
            Outcome::Held(presence) => {
                waiting.output = Output::Held(Tie(presence));
                return true;
            }
            Outcome::Answer(response) => response,
        };
        if let Content::Fold(id, receiver) = response.content {
            if id == waiting.id && matches!(waiting.input, Input::Inlet(_)) {
                waiting.input = Input::Fold(receiver);
                waiting.output = Output::None;
                return true;
            }
            response = self.misfold();
        }
        let begun = self.begin_answer(worker, waiting.id, waiting.head_only, response);
        let Some((output, flow)) = begun else {
            return false;
        };
        waiting.output = output;
        waiting.flow = flow;
        true
    }

    fn misfolded(&self, worker: &Worker<Self>, id: ExchangeId, head_only: bool) {
        let response = self.misfold();
        self.settle(worker, id, head_only, Outcome::Answer(response));
    }

    /// The body of another request was to be folded for this one.
    fn misfold(&self) -> Response {
        self.panicked("a handler that returned the fold of another request's body")
    }
}

/// The parameters' values, if one of them has to be decoded.
fn decode(params: Params<'_>) -> Result<Vec<String>, BadEncoding> {
    if !params.iter().any(|(_, value)| value.contains('%')) {
        return Ok(Vec::new());
    }
    params
        .iter()
        .map(|(_, value)| match percent::decode(value) {
            Ok(decoded) => Ok(decoded.into_owned()),
            Err(error) => Err(BadEncoding::new(value, error)),
        })
        .collect()
}
