//! Bytes out.

use std::io::{self, IoSlice, Write};

use super::{Engine, Notice};
use crate::connection::{Connection, Phase};

/// Sent bytes at the front of an output buffer before the rest is moved down.
const SLACK: usize = 64 * 1024;

/// A short write means a full socket: the kernel tells when there is room (epoll(7), edge-triggered).
fn has_room(written: Option<usize>, whole: usize) -> bool {
    written.is_some_and(|n| n == 0 || n == whole)
}

impl Connection {
    /// One write of what is ready; `Ok(None)`: the kernel takes nothing now.
    fn write_some(&mut self, quantum: Option<usize>) -> io::Result<Option<usize>> {
        let end = self.held.unwrap_or(self.output.len());
        let most = quantum.unwrap_or(usize::MAX).min(end - self.sent);
        Self::outcome(self.stream.write(&self.output[self.sent..self.sent + most]))
    }

    fn outcome(written: io::Result<usize>) -> io::Result<Option<usize>> {
        match written {
            Ok(0) => Err(io::ErrorKind::WriteZero.into()),
            Ok(n) => Ok(Some(n)),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(None),
            // Nothing was written, nor is anything full: try again.
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(Some(0)),
            Err(error) => Err(error),
        }
    }
}

impl Engine {
    /// Sends what is ready, as much as the kernel takes in one go. Returns whether the connection
    /// still stands.
    pub(super) fn flush(&mut self, slot: usize) -> bool {
        let quantum = self.settings.send_quantum;
        let connection = &mut self.connections[slot];
        let pending = connection.pending();
        if pending > 0 && connection.writable {
            let Ok(written) = connection.write_some(quantum) else {
                self.remove(slot);
                return false;
            };
            let n = written.unwrap_or(0);
            connection.sent += n;
            connection.spend(n);
            let whole = pending.min(quantum.unwrap_or(usize::MAX));
            connection.writable = has_room(written, whole);
            self.wrote(slot, n);
        }
        self.after_flush(slot)
    }

    /// Keeps the write deadline: it runs while output waits and no byte is taken.
    fn wrote(&mut self, slot: usize, n: usize) {
        let now = self.now();
        let connection = &mut self.connections[slot];
        if connection.pending() == 0 && connection.owed == 0 {
            connection.stalled_since = None;
            return;
        }
        if n > 0 || connection.stalled_since.is_none() {
            connection.stalled_since = Some(now);
        }
        if connection.writable {
            self.enqueue(slot);
        }
        self.watch_due(slot);
    }

    fn after_flush(&mut self, slot: usize) -> bool {
        let low_water = self.settings.low_water;
        let connection = &mut self.connections[slot];
        if connection.sent == connection.output.len() {
            if connection.held.is_none() {
                self.pool
                    .give_back_output(std::mem::take(&mut connection.output));
            } else {
                connection.output.clear();
                connection.held = Some(0);
            }
            connection.sent = 0;
        } else if connection.sent > SLACK {
            connection.output.drain(..connection.sent);
            connection.held = connection.held.map(|held| held - connection.sent);
            connection.sent = 0;
        }
        self.after_output(slot);
        let connection = &mut self.connections[slot];
        if connection.want_send && connection.pending() <= low_water && connection.quota > 0 {
            connection.want_send = false;
            if let Some(id) = connection.id() {
                self.notices.push_back(Notice::Writable(id));
            }
        }
        if connection.phase == Phase::Closing && connection.pending() == 0 {
            self.linger(slot);
            return self.connections.contains(slot);
        }
        true
    }

    /// The wait for the next request begins when the answer is out, and one that has waited
    /// behind it is looked at when little enough of it is left.
    fn after_output(&mut self, slot: usize) {
        let connection = &self.connections[slot];
        if connection.phase != Phase::Head {
            return;
        }
        if connection.unparsed && connection.pending() <= self.settings.low_water {
            self.enqueue(slot);
        } else if connection.pending() == 0 {
            self.connections[slot].since = self.now();
            self.watch_due(slot);
        }
    }

    /// Sends what is ready, `data` and `suffix` by one vectored write; what the kernel does not
    /// take is kept up to the high-water mark. Returns how much of `data` was sent or kept, or
    /// `None` when the connection is gone.
    pub(super) fn write_through(
        &mut self,
        slot: usize,
        data: &[u8],
        suffix: &'static [u8],
    ) -> Option<usize> {
        let settings = &self.settings;
        let connection = &mut self.connections[slot];
        let ready = connection.output.len() - connection.sent;
        let mut written = 0;
        if connection.writable && settings.send_quantum.is_none() {
            let parts = [
                IoSlice::new(&connection.output[connection.sent..]),
                IoSlice::new(data),
                IoSlice::new(suffix),
            ];
            let outcome = Connection::outcome(connection.stream.write_vectored(&parts));
            let Ok(n) = outcome else {
                self.remove(slot);
                return None;
            };
            written = n.unwrap_or(0);
            connection.writable = has_room(n, ready + data.len() + suffix.len());
            connection.spend(written);
        }
        let from_output = written.min(ready);
        connection.sent += from_output;
        let from_data = (written - from_output).min(data.len());
        let from_suffix = written - from_output - from_data;
        let room = settings.high_water.saturating_sub(connection.pending());
        let kept = room.min(data.len() - from_data);
        connection
            .output
            .extend_from_slice(&data[from_data..from_data + kept]);
        let taken = from_data + kept;
        connection.owed = data.len() - taken;
        connection.owed_suffix = suffix;
        if connection.owed == 0 {
            connection.output.extend_from_slice(&suffix[from_suffix..]);
        }
        self.wrote(slot, written);
        if !self.connections[slot].queued && self.connections[slot].writable {
            return self.after_flush(slot).then_some(taken);
        }
        Some(taken)
    }
}
