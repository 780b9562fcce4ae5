//! What one connection does when its turn has come.

use super::{Arrival, Engine, Notice};
use crate::connection::{Connection, Phase};

/// Body bytes that one exchange may receive, and send, before others have their turn.
const QUOTA: usize = 256 * 1024;
/// What a piece costs at least: small ones take time for their number.
const PIECE: usize = 4 * 1024;

impl Connection {
    /// Counts a piece of `bytes` against the quota.
    pub(super) fn spend(&mut self, bytes: usize) {
        self.quota = self.quota.saturating_sub(bytes.max(PIECE));
    }
}

impl Engine {
    /// Drives one connection on: output first, then as much input as one read brings. Returns the
    /// request that has arrived, if one has.
    pub(crate) fn advance(&mut self, slot: usize) -> Option<Arrival> {
        let connection = &mut self.connections[slot];
        connection.quota = QUOTA;
        let blocked = connection.pending() > 0 && !connection.gathered;
        if blocked && connection.writable && !self.flush(slot) {
            return None;
        }
        match self.connections[slot].phase {
            Phase::Head => self.advance_head(slot),
            Phase::Active => {
                self.advance_active(slot);
                None
            }
            Phase::Discard { .. } => {
                self.advance_discard(slot);
                None
            }
            Phase::Linger { .. } => {
                self.advance_linger(slot);
                None
            }
            Phase::Closing => None,
        }
    }

    fn advance_active(&mut self, slot: usize) {
        if self.connections[slot].readable && self.connections[slot].may_read(&self.settings) {
            if !self.read(slot) {
                return;
            }
            let connection = &self.connections[slot];
            if connection.peer_closed && self.check_whole(slot).is_err() {
                return;
            }
        }
        let settings = &self.settings;
        let connection = &mut self.connections[slot];
        if !connection.may_read(settings) {
            connection.throttled = true;
        }
        let Some(id) = connection.id() else { return };
        if connection.want_receive && connection.receivable() {
            connection.want_receive = false;
            self.notices.push_back(Notice::Readable(id));
        }
        if connection.want_send && connection.pending() <= settings.low_water {
            connection.want_send = false;
            self.notices.push_back(Notice::Writable(id));
        }
        if connection.readable && connection.may_read(settings) {
            self.enqueue(slot);
        }
    }
}
