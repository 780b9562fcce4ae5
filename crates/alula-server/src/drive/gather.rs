//! Complete answers that leave together.
//!
//! The first byte for a peer that waits on another core wakes that core, and in a virtual machine a
//! wake-up costs as much as a small request. So the answers of a turn go out at its end, and while
//! other connections still have their turn coming, those of several turns: where a handler takes
//! long, a turn holds few. They go out with the first turn that ends
//! [`gather_time`](crate::Settings::gather_time) after they began to wait, and do not wait at all
//! where the loop around had as much other work before this turn, since that is added.

use std::time::{Duration, Instant};

use super::Engine;

/// The connections whose output waits, each once.
#[derive(Debug, Default)]
pub(super) struct Gathered {
    slots: Vec<usize>,
    /// When the first began to wait, as far as the clock was looked at.
    since: Option<Instant>,
    /// When a turn left work for the next one.
    left: Option<Instant>,
    /// Whether the next turn then came soon, the last time.
    prompt: bool,
}

impl Gathered {
    pub(super) fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// A turn has begun.
    pub(super) fn turned(&mut self, now: Instant, most: Duration) {
        if let Some(left) = self.left.take() {
            self.prompt = now.saturating_duration_since(left) < most;
        }
    }

    /// Whether what waits may wait for another turn, which is certain to come.
    fn may_wait(&mut self, most: Duration) -> bool {
        let now = Instant::now();
        self.left = Some(now);
        if self.slots.is_empty() {
            return false;
        }
        let since = *self.since.get_or_insert(now);
        self.prompt && now.saturating_duration_since(since) < most
    }
}

impl Engine {
    /// Lets a connection's output wait for the end of the turn.
    pub(super) fn gather_output(&mut self, slot: usize) {
        let connection = &mut self.connections[slot];
        if !connection.gathered {
            connection.gathered = true;
            self.gathered.slots.push(slot);
        }
    }

    /// Ends a turn: sends what has been gathered, unless it may wait for the next turn's.
    pub(crate) fn flush_gathered(&mut self) {
        let more_to_come = !self.ready.is_empty();
        if more_to_come && self.gathered.may_wait(self.settings.gather_time) {
            return;
        }
        self.gathered.since = None;
        let mut slots = std::mem::take(&mut self.gathered.slots);
        for slot in slots.drain(..) {
            if let Some(connection) = self.connections.get_mut(slot)
                && std::mem::take(&mut connection.gathered)
            {
                self.flush(slot);
            }
        }
        self.gathered.slots = slots;
    }
}
