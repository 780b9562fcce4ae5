//! What is kept of an exchange that is not over yet.

use std::borrow::Cow;
use std::sync::Arc;

use alula_http::{Framing, Request as Head};
use alula_reactor::Peer;
use alula_server::{ExchangeId, Flow};

use crate::body::Source;
use crate::head::OwnedHead;
use crate::incoming::{Inlet, Receiver};
use crate::pipe::Outlet;
use crate::ticket::Presence;

/// The largest body whose room is kept.
const KEPT_BODY: usize = 16 * 1024;

/// A request that waits for its body.
#[derive(Debug)]
pub(crate) struct Late {
    pub(super) head: OwnedHead,
    pub(super) peer: Peer,
    pub(super) framing: Framing,
    pub(super) body: Vec<u8>,
}

impl Default for Late {
    fn default() -> Self {
        Self {
            head: OwnedHead::default(),
            peer: Peer::Unix(None),
            framing: Framing::None,
            body: Vec::new(),
        }
    }
}

impl Late {
    /// Copies what is known of a request.
    pub(super) fn fill(&mut self, request: &Head<'_>, peer: &Peer) {
        self.head.fill(request);
        self.peer.clone_from(peer);
        self.framing = request.framing();
        self.body.clear();
    }

    /// Makes it ready for another request. Returns whether it is worth keeping.
    pub(super) fn clear(&mut self) -> bool {
        self.body.clear();
        self.body.capacity() <= KEPT_BODY && self.head.capacity() <= KEPT_BODY
    }
}

/// An exchange that is not over yet.
#[derive(Debug)]
pub(super) struct Waiting {
    pub(super) id: ExchangeId,
    /// The method is HEAD.
    pub(super) head_only: bool,
    /// Whether more of the answer may be sent.
    pub(super) flow: Flow,
    pub(super) input: Input,
    pub(super) output: Output,
}

/// What is done with the bytes of the request's body.
#[derive(Debug)]
pub(super) enum Input {
    /// Nothing more.
    Done,
    /// They are gathered for a handler.
    Gather(Box<Late>),
    /// They are left where they are until somebody asks, then read by another thread.
    Inlet(Feed),
    /// They are handed on piece by piece.
    Fold(Box<dyn Receiver>),
    /// There are none; but the end of the client's bytes shows that it leaves.
    Watch,
}

/// Where the answer comes from.
#[derive(Debug)]
pub(super) enum Output {
    /// Whatever the input leads to.
    None,
    /// Somebody's ticket.
    Held(Tie),
    /// The rest of bytes that did not fit.
    Rest(Cow<'static, [u8]>, usize),
    /// Pieces.
    Stream(Stream),
}

/// A streamed body on its way out.
#[derive(Debug)]
pub(super) struct Stream {
    pub(super) origin: Origin,
    /// The piece at hand.
    pub(super) piece: Vec<u8>,
    /// How much of it the engine has taken, if it is in the middle of it.
    pub(super) taken: Option<usize>,
    /// The piece at hand is the last one.
    pub(super) last: bool,
    /// Something has been handed to the engine.
    pub(super) begun: bool,
}

/// What pieces come from.
#[derive(Debug)]
pub(super) enum Origin {
    Source(Box<dyn Source>),
    Pipe(Outlet),
}

/// What a ticket is told by. Dropped, it finds everybody gone.
#[derive(Debug)]
pub(super) struct Tie(pub(super) Arc<Presence>);

impl Drop for Tie {
    fn drop(&mut self) {
        self.0.set_gone();
    }
}

/// Our end of an inlet. Dropped, there is no more for its reader.
#[derive(Debug)]
pub(super) struct Feed(pub(super) Arc<Inlet>);

impl Drop for Feed {
    fn drop(&mut self) {
        self.0.cut();
    }
}

/// What waits, by its connection's slot: one exchange a connection is attached at a time.
#[derive(Debug, Default)]
pub(super) struct Table {
    slots: Vec<Option<Box<Waiting>>>,
}

impl Table {
    /// Takes an exchange out, if it is there.
    pub(super) fn take(&mut self, id: ExchangeId) -> Option<Box<Waiting>> {
        let slot = self.slots.get_mut(id.slot())?;
        slot.take_if(|waiting| waiting.id == id)
    }

    /// Puts an exchange in. Returns one of the same connection that was over.
    pub(super) fn put(&mut self, waiting: Box<Waiting>) -> Option<Box<Waiting>> {
        let slot = waiting.id.slot();
        if slot >= self.slots.len() {
            self.slots.resize_with(slot + 1, || None);
        }
        self.slots[slot].replace(waiting)
    }
}
