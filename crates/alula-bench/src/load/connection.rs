//! One connection of a worker.

use std::collections::VecDeque;
use std::io::{self, Write};

use alula_reactor::Stream;

use super::check::Check;
use super::exchange::Exchange;

/// A request under way. Times are nanoseconds of the run's clock.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Flight {
    pub(crate) kind: u32,
    /// When it was sent (closed loop) or due (open loop): from here its latency counts.
    pub(crate) begun: u64,
    /// When it was handed to the connection: from here its timeout counts.
    pub(crate) sent: u64,
}

/// How a connection stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// There is none. Not to be tried again before the given time.
    Closed(u64),
    /// Begun at the given time.
    Connecting(u64),
    Open,
}

/// One connection, with all that is under way on it.
#[derive(Debug)]
pub(crate) struct Connection {
    pub(crate) stream: Option<Stream>,
    pub(crate) phase: Phase,
    pub(crate) flights: VecDeque<Flight>,
    /// That of the first flight.
    pub(crate) exchange: Exchange,
    pub(crate) check: Check,
    /// Bytes that have come and can't be understood before more do: the start of a head, or of the
    /// framing of a chunk.
    pub(crate) carry: Vec<u8>,
    /// The first flight's answer began in an earlier read.
    pub(crate) split: bool,
    /// Answers that it has had.
    pub(crate) answers: u64,
    /// It waits in the line of free connections.
    pub(crate) in_line: bool,
    /// Since when it has had room for a request.
    pub(crate) free_since: u64,
    /// Bytes that the socket has not taken yet.
    output: Vec<u8>,
    written: usize,
}

impl Connection {
    pub(crate) fn new() -> Self {
        Self {
            stream: None,
            phase: Phase::Closed(0),
            flights: VecDeque::new(),
            exchange: Exchange::default(),
            check: Check::default(),
            carry: Vec::new(),
            split: false,
            answers: 0,
            in_line: false,
            free_since: 0,
            output: Vec::new(),
            written: 0,
        }
    }

    /// Writes a whole request at once if nothing is ahead of it; what the socket does not take is
    /// kept. Returns how many bytes it took.
    pub(crate) fn write(&mut self, request: &[u8]) -> io::Result<usize> {
        if self.phase != Phase::Open || !self.output.is_empty() {
            self.output.extend_from_slice(request);
            return Ok(0);
        }
        let taken = self.take(request)?;
        self.output.extend_from_slice(&request[taken..]);
        Ok(taken)
    }

    /// Where a request may be put that [`flush`](Self::flush) is to write.
    pub(crate) fn output(&mut self) -> &mut Vec<u8> {
        &mut self.output
    }

    /// Writes what is kept. Returns how many bytes the socket took.
    pub(crate) fn flush(&mut self) -> io::Result<usize> {
        if self.output.is_empty() || self.phase != Phase::Open {
            return Ok(0);
        }
        let output = std::mem::take(&mut self.output);
        let taken = self.take(&output[self.written..]);
        self.output = output;
        let taken = taken?;
        self.written += taken;
        if self.written == self.output.len() {
            self.output.clear();
            self.written = 0;
        }
        Ok(taken)
    }

    /// Writes until the socket takes no more.
    fn take(&self, bytes: &[u8]) -> io::Result<usize> {
        let Some(mut stream) = self.stream.as_ref() else {
            return Ok(0);
        };
        let mut taken = 0;
        while taken < bytes.len() {
            match stream.write(&bytes[taken..]) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(count) => taken += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                // Not connected: not yet, as some systems say it.
                Err(error)
                    if matches!(
                        error.kind(),
                        io::ErrorKind::WouldBlock | io::ErrorKind::NotConnected
                    ) =>
                {
                    break;
                }
                Err(error) => return Err(error),
            }
        }
        Ok(taken)
    }

    /// Drops the connection and what it holds. Returns how many requests were under way.
    pub(crate) fn close(&mut self, retry_at: u64) -> usize {
        let lost = self.flights.len();
        self.stream = None;
        self.phase = Phase::Closed(retry_at);
        self.flights.clear();
        self.check.reset();
        self.carry.clear();
        self.output.clear();
        self.written = 0;
        self.split = false;
        lost
    }
}
