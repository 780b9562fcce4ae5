//! Responses on their way in.

use std::io::{self, Read};
use std::mem;

use super::Worker;
use crate::load::connection::Flight;
use crate::load::exchange::{Exchange, Step};
use crate::load::record::Failure;

/// What has become of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum After {
    /// It goes on.
    Open,
    /// Its last answer has come, as the server or the plan wants it.
    Last,
    /// It sent what is no answer.
    Malformed,
}

impl Worker<'_> {
    /// Reads what has come, and goes on from there. A short read is the last one, unless the server
    /// has closed: then the end is to be seen before another request goes out.
    pub(super) fn receive(&mut self, index: usize, closed: bool) {
        if self.read(index, closed) {
            self.offer(index);
        }
    }

    /// Whether the connection goes on.
    fn read(&mut self, index: usize, closed: bool) -> bool {
        let mut first = true;
        loop {
            let Some(mut stream) = self.connections[index].stream.as_ref() else {
                return false;
            };
            let got = match stream.read(&mut self.buffer) {
                Ok(0) => {
                    self.input_closed(index);
                    return false;
                }
                Ok(got) => got,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return true,
                Err(_) => {
                    self.lost(index);
                    return false;
                }
            };
            self.record.received(got);
            match self.take_in(index, got, first) {
                After::Open => {}
                After::Last => {
                    self.retire(index);
                    return false;
                }
                After::Malformed => {
                    self.fail(index, Failure::Malformed);
                    return false;
                }
            }
            if got < self.buffer.len() && !closed {
                return true;
            }
            first = false;
        }
    }

    /// A read failed.
    fn lost(&mut self, index: usize) {
        if self.connections[index].flights.is_empty() {
            self.closed_idle(index);
        } else {
            self.fail(index, Failure::Reset);
        }
    }

    /// Takes in the first `got` bytes of the buffer.
    fn take_in(&mut self, index: usize, got: usize, first: bool) -> After {
        let mut carry = mem::take(&mut self.connections[index].carry);
        if carry.is_empty() {
            let buffer = mem::take(&mut self.buffer);
            let (after, used) = self.answers(index, &buffer[..got], first);
            self.connections[index]
                .carry
                .extend_from_slice(&buffer[used..got]);
            self.buffer = buffer;
            return after;
        }
        carry.extend_from_slice(&self.buffer[..got]);
        let (after, used) = self.answers(index, &carry, first);
        carry.drain(..used);
        self.connections[index].carry = carry;
        after
    }

    /// Takes every answer from the front of `input`; returns how much of it is done with.
    fn answers(&mut self, index: usize, input: &[u8], first: bool) -> (After, usize) {
        let kinds = &self.task.prepared.kinds;
        let mut rest = input;
        let after = loop {
            let connection = &mut self.connections[index];
            let Some(&flight) = connection.flights.front() else {
                break if rest.is_empty() {
                    After::Open
                } else {
                    After::Malformed
                };
            };
            let kind = &kinds[flight.kind as usize];
            let began = rest;
            let step = connection.exchange.advance(
                &mut rest,
                &mut self.head,
                &mut connection.check,
                &kind.expected,
            );
            match step {
                Err(_) => break After::Malformed,
                Ok(Step::More) => {
                    connection.split |= !began.is_empty();
                    break After::Open;
                }
                Ok(Step::Answered) => {}
            }
            let fresh = connection.split || !first || flight.sent >= self.now;
            self.complete(index, flight, fresh, began);
            if !self.connections[index].exchange.keeps_alive() {
                break if rest.is_empty() {
                    After::Last
                } else {
                    After::Malformed
                };
            }
            self.next_exchange(index);
        };
        (after, input.len() - rest.len())
    }

    /// The first flight has been answered. `fresh`: by bytes that may have come after the poll.
    fn complete(&mut self, index: usize, flight: Flight, fresh: bool, input: &[u8]) {
        let at = if fresh { self.clock() } else { self.now };
        let kind = &self.task.prepared.kinds[flight.kind as usize];
        let connection = &mut self.connections[index];
        match connection.check.end(&kind.expected, input) {
            None => self.record.answered(flight.begun, at),
            Some(wrong) => self.record.wrong(&kind.label, wrong),
        }
        connection.flights.pop_front();
        connection.split = false;
        connection.answers += 1;
        self.in_flight -= 1;
    }

    /// Makes ready for the answer to the request behind, if it has gone out already.
    fn next_exchange(&mut self, index: usize) {
        let connection = &mut self.connections[index];
        if let Some(flight) = connection.flights.front() {
            let kind = &self.task.prepared.kinds[flight.kind as usize];
            connection.exchange = Exchange::new(kind.client.clone());
        }
    }

    /// The server has closed.
    fn input_closed(&mut self, index: usize) {
        let connection = &mut self.connections[index];
        let Some(&flight) = connection.flights.front() else {
            return self.closed_idle(index);
        };
        match connection.exchange.closed() {
            Ok(_) => {
                self.complete(index, flight, true, b"");
                self.retire(index);
            }
            Err(_) => self.fail(index, Failure::ClosedEarly),
        }
    }
}
