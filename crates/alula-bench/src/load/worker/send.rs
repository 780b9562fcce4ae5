//! Requests on their way out.

use super::Worker;
use crate::load::connection::{Flight, Phase};
use crate::load::exchange::Exchange;
use crate::load::record::Failure;

impl Worker<'_> {
    /// A connection may have room: it gets what is to be sent (closed loop), or a place in the line
    /// (open loop).
    pub(super) fn offer(&mut self, index: usize) {
        if !self.has_room(index) {
            return;
        }
        let Some(schedule) = &mut self.schedule else {
            return self.fill(index);
        };
        let connection = &mut self.connections[index];
        if !connection.in_line {
            connection.in_line = true;
            connection.free_since = self.now;
            schedule.line.push_back(index);
        }
    }

    fn has_room(&self, index: usize) -> bool {
        let connection = &self.connections[index];
        connection.flights.len() < self.task.plan.pipeline
            && match connection.phase {
                Phase::Open => true,
                Phase::Closed(retry_at) => !self.task.plan.keep_alive && retry_at <= self.now,
                Phase::Connecting(_) => false,
            }
    }

    /// Closed loop: sends as much as there is room for.
    fn fill(&mut self, index: usize) {
        let now = self.clock();
        while self.sends_at(now) && self.has_room(index) {
            self.assign(index, now, now);
        }
        self.flush(index);
    }

    /// Open loop: sends what is due, as far as there are free connections. Returns whether there
    /// was something.
    pub(super) fn send_due(&mut self) -> bool {
        let mut sent = false;
        while let Some(schedule) = &mut self.schedule
            && let Some(&index) = schedule.line.front()
        {
            let due = schedule.due();
            let now = self.clock();
            if due > now || !self.sends_at(now) {
                break;
            }
            self.leave_line(index);
            if !self.has_room(index) {
                continue;
            }
            if due >= self.from && self.connections[index].free_since <= due {
                self.lag.saturating_record(now - due);
            }
            self.assign(index, due, now);
            self.flush(index);
            self.offer(index);
            sent = true;
        }
        sent
    }

    fn leave_line(&mut self, index: usize) {
        self.connections[index].in_line = false;
        if let Some(schedule) = &mut self.schedule {
            schedule.line.pop_front();
        }
    }

    /// Puts the next request on a connection that has room. With pipelining it goes out at the next
    /// flush, so that one write takes several.
    fn assign(&mut self, index: usize, begun: u64, sent: u64) {
        if begun >= self.from
            && let Some(quota) = &mut self.quota
        {
            *quota -= 1;
        }
        if let Some(schedule) = &mut self.schedule {
            schedule.advance();
        }
        let prepared = self.task.prepared;
        let (number, next) = prepared.mix.at(self.place);
        self.place = next;
        let kind = &prepared.kinds[number as usize];
        let connection = &mut self.connections[index];
        if connection.flights.is_empty() {
            connection.exchange = Exchange::new(kind.client.clone());
        }
        connection.flights.push_back(Flight {
            kind: number,
            begun,
            sent,
        });
        self.in_flight += 1;
        match kind.fixed() {
            Some(bytes) if self.task.plan.pipeline == 1 => {
                let written = connection.write(bytes);
                self.wrote(index, &written);
            }
            _ => {
                kind.render(self.counter, connection.output());
                self.counter += self.task.plan.threads as u64;
            }
        }
        if let Phase::Closed(_) = self.connections[index].phase
            && !self.task.plan.keep_alive
        {
            self.open(index);
        }
    }

    /// Writes what is kept of a connection's requests.
    pub(super) fn flush(&mut self, index: usize) {
        let written = self.connections[index].flush();
        self.wrote(index, &written);
    }

    fn wrote(&mut self, index: usize, written: &std::io::Result<usize>) {
        match written {
            Ok(bytes) => self.record.sent(*bytes),
            Err(_) => self.fail(index, Failure::Reset),
        }
    }
}
