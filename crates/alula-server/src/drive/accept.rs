//! New connections.

use std::io;
use std::rc::Rc;
use std::time::Duration;

use alula_reactor::{Accepted, Acceptor, Listener, Stream, Token};

use super::{Engine, MAX_LISTENERS, Notice, token};
use crate::ConnectionInfo;
use crate::connection::Connection;

/// Connections taken from one listener in one turn.
const ACCEPTS_A_TURN: usize = 64;
/// Between two notices of exhausted descriptors.
const BETWEEN_WARNINGS: Duration = Duration::from_secs(10);

impl Engine {
    /// Takes over a listener.
    ///
    /// # Errors
    ///
    /// Where the reactor cannot watch it, or the worker has sixteen already.
    pub(crate) fn listen(&mut self, listener: Listener) -> io::Result<()> {
        let index = self.acceptors.len();
        if index == MAX_LISTENERS {
            return Err(io::Error::other("a worker has at most 16 listeners"));
        }
        self.acceptors.push(Some(Acceptor::new(
            listener,
            Token(index),
            &mut self.reactor,
        )?));
        self.accepting.push_back(index);
        Ok(())
    }

    /// Accepts from the listeners that may have something, a bounded number each.
    pub(super) fn accept(&mut self) {
        for _ in 0..self.accepting.len() {
            let Some(index) = self.accepting.pop_front() else {
                return;
            };
            if !self.accept_from(index, ACCEPTS_A_TURN) && !self.accepting.contains(&index) {
                self.accepting.push_back(index);
            }
        }
    }

    /// Returns whether the listener has no more for now.
    fn accept_from(&mut self, index: usize, most: usize) -> bool {
        for _ in 0..most {
            let Some(acceptor) = self.acceptors.get_mut(index).and_then(Option::as_mut) else {
                return true;
            };
            match acceptor.accept(&mut self.reactor) {
                Accepted::Connection(stream) => self.welcome(stream),
                Accepted::Drained => return true,
                Accepted::Paused => {
                    self.tell_of_exhaustion();
                    return true;
                }
                // The acceptor's own timer calls again.
                Accepted::Failed(error) => {
                    self.notices.push_back(Notice::AcceptFailed(error));
                    return true;
                }
            }
        }
        false
    }

    /// Tells now and then, not each time, that connections wait for descriptors.
    fn tell_of_exhaustion(&mut self) {
        let now = self.now();
        let told = self.exhaustion_told;
        if told.is_none_or(|at| now.saturating_duration_since(at) >= BETWEEN_WARNINGS) {
            self.exhaustion_told = Some(now);
            let error = io::Error::other("out of file descriptors or memory; trying again");
            self.notices.push_back(Notice::AcceptFailed(error));
        }
    }

    /// A descriptor has become free: listeners that waited for one go on.
    pub(super) fn resume_accepting(&mut self) {
        for (index, acceptor) in self.acceptors.iter_mut().enumerate() {
            if let Some(acceptor) = acceptor.as_mut().filter(|acceptor| acceptor.is_paused()) {
                acceptor.resume();
                self.accepting.push_back(index);
            }
        }
    }

    fn welcome(&mut self, mut stream: Stream) {
        let now = self.now();
        let entry = self.connections.vacant_entry();
        let slot = entry.key();
        if self.reactor.register(&mut stream, token(slot)).is_err() {
            return;
        }
        self.serials += 1;
        let info = ConnectionInfo {
            slot,
            serial: self.serials,
            peer: stream.peer(),
            local: stream.local(),
        };
        entry.insert(Connection::new(stream, Rc::new(info), now));
        self.watch_due(slot);
    }

    /// Accepts what the kernel has queued, then gives the listeners up.
    pub(crate) fn stop_accepting(&mut self) {
        self.now();
        self.resume_accepting();
        for index in 0..self.acceptors.len() {
            while !self.accept_from(index, ACCEPTS_A_TURN) {}
            if let Some(acceptor) = self.acceptors[index].take() {
                acceptor.close(&mut self.reactor);
            }
        }
        self.accepting.clear();
    }
}
