//! What the engine calls: finds the route of a request, calls its handler, and sends what that
//! returns. One a reactor.
//!
//! A request without a body is handled while its head still lies in the connection's input, and
//! nothing is kept of it unless its answer has to wait. What waits has a [`Waiting`] in the table.
//!
//! # Layout
//!
//! - `call`: a handler, and what comes of it.
//! - `waiting`: what is kept of an exchange that is not over yet.
//! - `input`: a body on its way in: gathered, folded, or read by another thread.
//! - `output`: an answer on its way out.
//! - `messages`: what other threads have done meanwhile.

mod call;
mod input;
mod messages;
mod output;
mod waiting;

use std::cell::RefCell;
use std::sync::Arc;

use alula_http::{Framing, Request as Head};
use alula_router::Captures;
use alula_server::{ConnectionInfo, ExchangeId, Flow, Handler, Worker};

use crate::head::HeadRef;
use crate::mailbox::{Line, Mailbox, Message};
use crate::routes::Site;
use crate::{Config, Event};

use call::Outcome;
use waiting::{Late, Table, Waiting};

/// Requests whose room is kept for later ones.
const SPARE: usize = 16;

/// The application, as one reactor runs it.
#[derive(Debug)]
pub(crate) struct Serving {
    site: Arc<Site>,
    mailbox: Arc<Mailbox>,
    table: RefCell<Table>,
    captures: RefCell<Captures>,
    /// Messages that are being looked at.
    messages: RefCell<Vec<Message>>,
    #[expect(clippy::vec_box, reason = "they are lent in their boxes")]
    spare: RefCell<Vec<Box<Late>>>,
    /// The most bytes of a body that is gathered.
    body_bound: usize,
    /// The most connections.
    limit: Option<usize>,
}

/// What a head has come to.
#[derive(Debug)]
pub(crate) enum Call {
    /// The handler has been called.
    Done { outcome: Outcome, head_only: bool },
    /// It is not its turn yet.
    Late(Box<Late>),
}

impl Serving {
    pub(crate) fn new(site: Arc<Site>, mailbox: Arc<Mailbox>, config: &Config) -> Self {
        let limit = config.options().limit_concurrency;
        Self {
            site,
            mailbox,
            table: RefCell::default(),
            captures: RefCell::default(),
            messages: RefCell::default(),
            spare: RefCell::default(),
            body_bound: config.body_bound(),
            limit: limit.map(|limit| usize::try_from(limit).unwrap_or(usize::MAX)),
        }
    }

    fn line(&self, id: ExchangeId) -> Line {
        Line {
            id,
            mailbox: self.mailbox.clone(),
        }
    }

    /// Room for a request that has to wait.
    fn late(&self) -> Box<Late> {
        self.spare.borrow_mut().pop().unwrap_or_default()
    }

    /// A request's room is free again.
    fn give_back(&self, mut late: Box<Late>) {
        let mut spare = self.spare.borrow_mut();
        if spare.len() < SPARE && late.clear() {
            spare.push(late);
        }
    }

    /// Whether a request is one too many.
    fn is_full(&self, worker: &Worker<Self>) -> bool {
        self.limit
            .is_some_and(|limit| worker.connections() >= limit)
    }
}

impl Handler for Serving {
    type Call = Call;

    fn prepare(&self, request: &Head<'_>, connection: &ConnectionInfo, id: ExchangeId) -> Call {
        if request.framing() == Framing::None && self.limit.is_none() {
            let head = HeadRef::Borrowed(*request);
            let outcome = self.handle_bodiless(head, &connection.peer, id);
            if let Some(outcome) = outcome {
                let head_only = request.method() == "HEAD";
                return Call::Done { outcome, head_only };
            }
        }
        let mut late = self.late();
        late.fill(request, &connection.peer);
        Call::Late(late)
    }

    fn start(&self, worker: &Worker<Self>, id: ExchangeId, call: Call) {
        match call {
            Call::Done { outcome, head_only } => self.settle(worker, id, head_only, outcome),
            Call::Late(late) => self.begin(worker, id, late),
        }
    }

    fn readable(&self, worker: &Worker<Self>, id: ExchangeId) {
        if let Some(waiting) = self.take(id) {
            self.go_on(worker, waiting);
        }
    }

    fn writable(&self, worker: &Worker<Self>, id: ExchangeId) {
        if let Some(mut waiting) = self.take(id) {
            waiting.flow = Flow::Ready;
            self.go_on(worker, waiting);
        }
    }

    fn disconnected(&self, _: &Worker<Self>, id: ExchangeId) {
        // Whoever waits for it at another thread is told as it is dropped.
        drop(self.take(id));
    }

    fn rejected(&self, connection: &ConnectionInfo, status: Option<u16>, reason: &'static str) {
        let peer = &connection.peer;
        self.site.log(&Event::Rejected {
            peer,
            status,
            reason,
        });
    }

    fn accept_failed(&self, error: &std::io::Error) {
        self.site.log(&Event::AcceptFailed { error });
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        self.mailbox.close();
    }
}

impl Serving {
    /// Takes what is kept of an exchange out of the table.
    fn take(&self, id: ExchangeId) -> Option<Box<Waiting>> {
        self.table.borrow_mut().take(id)
    }

    /// Drives an exchange as far as it goes now, and keeps it if it is not over.
    fn go_on(&self, worker: &Worker<Self>, mut waiting: Box<Waiting>) {
        if self.advance_input(worker, &mut waiting) && self.advance_output(worker, &mut waiting) {
            self.keep(waiting);
        }
    }

    /// Keeps an exchange until something happens to it.
    fn keep(&self, waiting: Box<Waiting>) {
        let stale = self.table.borrow_mut().put(waiting);
        // Dropped without a borrow: it may hold what the application made.
        drop(stale);
    }
}
