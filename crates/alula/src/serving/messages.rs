//! What other threads have done meanwhile.

use std::panic::{AssertUnwindSafe, catch_unwind};

use alula_server::{ExchangeId, Worker};

use super::Serving;
use super::call::Outcome;
use super::waiting::{Input, Output};
use crate::mailbox::Message;
use crate::{Event, Response};

impl Serving {
    /// Does what other threads have asked for. Between turns; what comes meanwhile waits for the
    /// next one, so that connections have theirs.
    pub(crate) fn heed_messages(&self, worker: &Worker<Self>) {
        let mut messages = self.messages.take();
        if self.mailbox.take(&mut messages) {
            for message in messages.drain(..) {
                self.heed(worker, message);
            }
        }
        self.messages.replace(messages);
    }

    /// A panic, in what the application gave to be called, ends its exchange alone.
    fn heed(&self, worker: &Worker<Self>, message: Message) {
        let id = match &message {
            Message::Answer(id, _) | Message::Dropped(id) | Message::Progress(id) => *id,
        };
        let heeded = catch_unwind(AssertUnwindSafe(|| match message {
            Message::Answer(_, response) => self.answer(worker, id, response),
            Message::Dropped(_) => {
                self.site.log(&Event::TicketDropped);
                let refusal = self.site.refuse(500, "internal server error");
                self.answer(worker, id, refusal);
            }
            Message::Progress(_) => {
                if let Some(waiting) = self.take(id) {
                    self.go_on(worker, waiting);
                }
            }
        }));
        if heeded.is_err() {
            let place = "a response's body";
            self.site.log(&Event::Panicked { place });
            worker.finish(id);
        }
    }

    /// A ticket's answer.
    fn answer(&self, worker: &Worker<Self>, id: ExchangeId, response: Response) {
        let Some(mut waiting) = self.take(id) else {
            return;
        };
        if !matches!(waiting.output, Output::Held(_)) {
            return self.go_on(worker, waiting);
        }
        if !self.apply(worker, &mut waiting, Outcome::Answer(response)) {
            return;
        }
        if matches!(waiting.output, Output::Rest(..)) && matches!(waiting.input, Input::Watch) {
            waiting.input = Input::Done;
        }
        self.go_on(worker, waiting);
    }
}
