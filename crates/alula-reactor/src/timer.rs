//! One deadline a token, cheap to move.
//!
//! A connection moves its deadline with every request, nearly always to a later time. So the true
//! deadline stands in a table, and the heap holds only a promise to look at the table no later
//! than then: moving a deadline to a later time writes one field, and the entry is pushed again
//! when its old time comes.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Instant;

use crate::event::Token;

/// The timers of a reactor. Knows no clock: time comes in as an argument.
#[derive(Debug, Default)]
pub struct Timers {
    slots: Vec<Slot>,
    queue: BinaryHeap<Reverse<(Instant, usize)>>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    /// When the timer runs out, if it is armed.
    deadline: Option<Instant>,
    /// The entry of the queue that stands for this slot; entries with other times are stale.
    queued: Option<Instant>,
    /// It ran out, and nobody has armed or disarmed it since.
    expired: bool,
}

impl Timers {
    /// No timer.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the one timer of `token`: O(1) if it is armed for an earlier time, else O(log n).
    ///
    /// # Panics
    ///
    /// If the token is the reserved one.
    pub fn arm(&mut self, token: Token, at: Instant) {
        assert_ne!(token.0, usize::MAX, "the token usize::MAX is reserved");
        if token.0 >= self.slots.len() {
            self.slots.resize(token.0 + 1, Slot::default());
        }
        let slot = &mut self.slots[token.0];
        slot.deadline = Some(at);
        slot.expired = false;
        if slot.queued.is_none_or(|queued| at < queued) {
            slot.queued = Some(at);
            self.queue.push(Reverse((at, token.0)));
        }
    }

    /// Clears the timer of `token`, whether armed or not. O(1).
    pub fn disarm(&mut self, token: Token) {
        if let Some(slot) = self.slots.get_mut(token.0) {
            slot.deadline = None;
            slot.expired = false;
        }
    }

    /// The deadline of `token`, if its timer is armed.
    pub fn deadline(&self, token: Token) -> Option<Instant> {
        self.slots.get(token.0)?.deadline
    }

    /// Whether the timer of `token` has run out and was neither armed nor disarmed since.
    pub fn has_expired(&self, token: Token) -> bool {
        self.slots.get(token.0).is_some_and(|slot| slot.expired)
    }

    /// When to look again: never later than the first deadline, perhaps earlier.
    pub fn next_deadline(&self) -> Option<Instant> {
        self.queue.peek().map(|Reverse((at, _))| *at)
    }

    /// Takes one timer that has run out at `now`, the earliest first.
    pub fn expire(&mut self, now: Instant) -> Option<Token> {
        while let Some(&Reverse((at, index))) = self.queue.peek() {
            let slot = &mut self.slots[index];
            if slot.queued != Some(at) {
                self.queue.pop();
                continue;
            }
            if at > now {
                return None;
            }
            self.queue.pop();
            slot.queued = None;
            match slot.deadline {
                None => {}
                // Put back before anything is reported, so that the order is that of the true
                // deadlines.
                Some(deadline) if deadline > at => {
                    slot.queued = Some(deadline);
                    self.queue.push(Reverse((deadline, index)));
                }
                Some(_) => {
                    slot.deadline = None;
                    slot.expired = true;
                    return Some(Token(index));
                }
            }
        }
        None
    }

    #[cfg(test)]
    fn queue_len(&self) -> usize {
        self.queue.len()
    }
}

#[cfg(test)]
mod tests;
