//! A body on its way in: gathered, folded, or read by another thread.

use std::panic::{AssertUnwindSafe, catch_unwind};

use alula_server::{Receive, Worker};

use super::Serving;
use super::call::Outcome;
use super::waiting::{Feed, Input, Origin, Output, Waiting};
use crate::Response;
use crate::incoming::Receiver;

/// What receiving has come to.
enum Received<T> {
    /// There is no more for now.
    Paused(T),
    /// On to the next.
    Next(T),
    /// The exchange goes on with this.
    Outcome(Outcome),
    /// The input needs no more looking after.
    Over,
    /// The client is gone.
    Gone,
}

impl Serving {
    /// Receives what there is. Returns false if the exchange is over.
    pub(super) fn advance_input(&self, worker: &Worker<Self>, waiting: &mut Waiting) -> bool {
        loop {
            let input = std::mem::replace(&mut waiting.input, Input::Done);
            let received = match input {
                Input::Done => return true,
                Input::Gather(late) => self.gather(worker, waiting, late),
                Input::Inlet(feed) => Self::feed(worker, waiting, feed),
                Input::Fold(receiver) => self.fold(worker, waiting, receiver),
                Input::Watch => Self::watch(worker, waiting),
            };
            match received {
                Received::Paused(input) => {
                    waiting.input = input;
                    return true;
                }
                Received::Next(input) => waiting.input = input,
                Received::Over => return true,
                Received::Gone => return false,
                Received::Outcome(outcome) => {
                    if !self.apply(worker, waiting, outcome) {
                        return false;
                    }
                    waiting.input = match &waiting.output {
                        Output::Held(_) | Output::Stream(_) => Input::Watch,
                        Output::None | Output::Rest(..) => Input::Done,
                    };
                }
            }
        }
    }

    fn gather(
        &self,
        worker: &Worker<Self>,
        waiting: &Waiting,
        mut late: Box<super::Late>,
    ) -> Received<Input> {
        loop {
            let bound = self.body_bound;
            let body = &mut late.body;
            let received = worker.receive(waiting.id, |bytes| {
                let fits = bytes.len() <= bound - body.len();
                if fits {
                    body.extend_from_slice(bytes);
                }
                fits
            });
            match received {
                Receive::Body { value: false, .. } => {
                    self.give_back(late);
                    return Received::Outcome(Outcome::Answer(self.too_large()));
                }
                Receive::Body { more: true, .. } => {}
                Receive::Body { more: false, .. } => {
                    let outcome = self.handle_gathered(&late, waiting.id);
                    self.give_back(late);
                    return Received::Outcome(outcome);
                }
                Receive::Pending => return Received::Paused(Input::Gather(late)),
                Receive::Disconnected => {
                    self.give_back(late);
                    return Received::Gone;
                }
            }
        }
    }

    /// Hands bytes to the thread that reads them, as long as it has room.
    fn feed(worker: &Worker<Self>, waiting: &Waiting, feed: Feed) -> Received<Input> {
        while feed.0.wants_more() {
            match worker.receive(waiting.id, |bytes| feed.0.fill(bytes)) {
                Receive::Body { more: true, .. } => {}
                Receive::Body { more: false, .. } => {
                    feed.0.finish();
                    return Received::Next(Input::Watch);
                }
                Receive::Pending => break,
                Receive::Disconnected => return Received::Gone,
            }
        }
        Received::Paused(Input::Inlet(feed))
    }

    fn fold(
        &self,
        worker: &Worker<Self>,
        waiting: &Waiting,
        mut receiver: Box<dyn Receiver>,
    ) -> Received<Input> {
        loop {
            // The engine is in the middle of its own work: a panic must not reach it.
            let piece = |bytes: &[u8]| match bytes {
                [] => Ok(()),
                _ => self.guarded(|| receiver.piece(bytes)),
            };
            match worker.receive(waiting.id, piece) {
                Receive::Body {
                    value: Err(response),
                    ..
                } => return Received::Outcome(Outcome::Answer(response)),
                Receive::Body { more: true, .. } => {}
                Receive::Body { more: false, .. } => break,
                Receive::Pending => return Received::Paused(Input::Fold(receiver)),
                Receive::Disconnected => return Received::Gone,
            }
        }
        let mut response = Response::status(500);
        let ended = self.guarded(|| {
            if let Some(answer) = receiver.end() {
                response = answer;
            }
            Ok(())
        });
        Received::Outcome(Outcome::Answer(ended.err().unwrap_or(response)))
    }

    /// Calls a part of a fold. A panic is a 500.
    fn guarded(&self, call: impl FnOnce() -> Result<(), Response>) -> Result<(), Response> {
        catch_unwind(AssertUnwindSafe(call))
            .unwrap_or_else(|_| Err(self.panicked("a fold of a request's body")))
    }

    /// Looks whether the client leaves.
    fn watch(worker: &Worker<Self>, waiting: &Waiting) -> Received<Input> {
        loop {
            match worker.receive(waiting.id, |_| ()) {
                Receive::Body { .. } => {}
                Receive::Pending => return Received::Paused(Input::Watch),
                Receive::Disconnected => break,
            }
        }
        match &waiting.output {
            Output::Held(tie) => tie.0.set_left(),
            Output::Stream(stream) => {
                if let Origin::Pipe(outlet) = &stream.origin {
                    outlet.set_left();
                }
            }
            Output::None | Output::Rest(..) => {}
        }
        Received::Over
    }
}
