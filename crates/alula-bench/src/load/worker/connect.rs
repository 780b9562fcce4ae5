//! Making connections, and losing them.

use alula_reactor::{Readiness, Stream, Token};
use std::io;

use super::{Endpoint, TICK, TURN, Worker};
use crate::error::Error;
use crate::load::connection::Phase;
use crate::load::record::Failure;

/// So many connections of a thread are being made at once before the run: no server's queue of new
/// connections should overflow because of us.
const AT_ONCE: usize = 64;

/// After a failed attempt to connect, the next one is made so many nanoseconds later.
const BACKOFF: u64 = 100_000_000;

/// Too many open files, of the process (EMFILE) and of the system (ENFILE).
const OUT_OF_DESCRIPTORS: [i32; 2] = [24, 23];

impl Worker<'_> {
    /// Makes every connection, or finds that it can't be made, before the clock is set.
    pub(super) fn connect_all(&mut self) -> Result<(), Error> {
        let mut events = Vec::with_capacity(TURN);
        let mut next = 0;
        self.now = self.clock();
        loop {
            while next < self.connections.len() && self.connecting < AT_ONCE {
                self.open_first(next)?;
                next += 1;
            }
            let stopped = self.task.stop.load(std::sync::atomic::Ordering::Relaxed);
            if stopped || (next == self.connections.len() && self.connecting == 0) {
                return Ok(());
            }
            self.turn(&mut events)?;
        }
    }

    /// As [`open`](Self::open), but to run out of descriptors is an error of the run.
    fn open_first(&mut self, index: usize) -> Result<(), Error> {
        match self.begin_connection(index) {
            Err(error) if is_out_of_descriptors(&error) => {
                let count = self.connections.len();
                let what = format!(
                    "connection {} of {count} cannot be made (see `ulimit -n`)",
                    index + 1
                );
                Err(Error::system(what, error))
            }
            Err(error) => {
                self.connect_failed(index, &error);
                Ok(())
            }
            Ok(()) => Ok(()),
        }
    }

    /// Begins a connection.
    pub(super) fn open(&mut self, index: usize) {
        if let Err(error) = self.begin_connection(index) {
            self.connect_failed(index, &error);
        }
    }

    fn begin_connection(&mut self, index: usize) -> io::Result<()> {
        let mut stream = match &self.task.endpoint {
            Endpoint::Inet(address) => Stream::connect_tcp(*address)?,
            Endpoint::Unix(path) => Stream::connect_unix(path)?,
        };
        self.reactor.register(&mut stream, Token(index))?;
        let connection = &mut self.connections[index];
        connection.stream = Some(stream);
        connection.phase = Phase::Connecting(self.now);
        self.connecting += 1;
        Ok(())
    }

    /// Something has happened to a connection that is being made.
    pub(super) fn connected(&mut self, index: usize, readiness: Readiness) {
        let connection = &mut self.connections[index];
        let error = match connection.stream.as_ref().map(Stream::take_error) {
            Some(Ok(None)) if readiness.writable => None,
            Some(Ok(None)) | None => return,
            Some(Ok(Some(error)) | Err(error)) => Some(error),
        };
        if let Some(error) = error {
            return self.connect_failed(index, &error);
        }
        connection.phase = Phase::Open;
        connection.answers = 0;
        self.connecting -= 1;
        self.made += 1;
        self.flush(index);
        if self.started {
            self.offer(index);
        }
    }

    fn connect_failed(&mut self, index: usize, error: &io::Error) {
        let connection = &mut self.connections[index];
        if error.kind() == io::ErrorKind::WouldBlock {
            // The queue of a Unix socket is full: what waits goes on waiting.
            connection.phase = Phase::Closed(self.now + TICK);
            return;
        }
        self.fail(index, Failure::Connect);
    }

    /// Counts what was under way as failed, or the connection itself, and makes another one.
    #[cold]
    pub(super) fn fail(&mut self, index: usize, failure: Failure) {
        let lost = self.drop_connection(index, failure);
        self.record.failed(failure, lost.max(1) as u64);
        self.replace(index);
    }

    /// The server has closed a connection on which nothing was under way. That is its right, but a
    /// server that never answers on a connection did not serve it.
    pub(super) fn closed_idle(&mut self, index: usize) {
        if self.connections[index].answers == 0 {
            return self.fail(index, Failure::Connect);
        }
        self.drop_connection(index, Failure::Reset);
        self.replace(index);
    }

    /// The connection has served its last request well; `lost` more were under way behind it.
    pub(super) fn retire(&mut self, index: usize) {
        let lost = self.drop_connection(index, Failure::ClosedEarly);
        if lost > 0 {
            self.record.failed(Failure::ClosedEarly, lost as u64);
        }
        self.replace(index);
        self.offer(index);
    }

    fn drop_connection(&mut self, index: usize, failure: Failure) -> usize {
        let connection = &mut self.connections[index];
        if matches!(connection.phase, Phase::Connecting(_)) {
            self.connecting -= 1;
        }
        let pause = if failure == Failure::Connect {
            BACKOFF
        } else {
            0
        };
        let lost = connection.close(self.now + pause);
        self.in_flight -= lost;
        lost
    }

    /// A connection that is to be kept is made anew at once, unless it has to wait.
    fn replace(&mut self, index: usize) {
        let ready = self.connections[index].phase == Phase::Closed(self.now);
        if ready && self.task.plan.keep_alive && self.sends_at(self.now) {
            self.open(index);
        }
    }
}

fn is_out_of_descriptors(error: &io::Error) -> bool {
    let code = error.raw_os_error();
    code.is_some_and(|code| OUT_OF_DESCRIPTORS.contains(&code))
}
