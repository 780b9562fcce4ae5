//! A blocking client with a deadline on every read.

use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::response::{Response, excerpt, read_response};
use crate::split::{Split, pieces};

/// How long a read waits before the test has failed.
pub const DEADLINE: Duration = Duration::from_secs(20);

/// One connection to the server under test. What has been read and not yet asked for is kept.
#[derive(Debug)]
pub struct Peer {
    socket: Socket,
    deadline: Duration,
    received: Vec<u8>,
    ended: bool,
}

#[derive(Debug)]
enum Socket {
    Tcp(TcpStream),
    Unix(UnixStream),
}

impl Peer {
    /// Connects over TCP, with `TCP_NODELAY`.
    ///
    /// # Errors
    ///
    /// If nobody listens there.
    pub fn tcp(address: SocketAddr) -> io::Result<Self> {
        let stream = TcpStream::connect_timeout(&address, DEADLINE)?;
        stream.set_nodelay(true)?;
        Self::new(Socket::Tcp(stream))
    }

    /// Connects to a Unix socket.
    ///
    /// # Errors
    ///
    /// If nobody listens there.
    pub fn unix(path: &Path) -> io::Result<Self> {
        Self::new(Socket::Unix(UnixStream::connect(path)?))
    }

    fn new(socket: Socket) -> io::Result<Self> {
        let peer = Self {
            socket,
            deadline: DEADLINE,
            received: Vec::new(),
            ended: false,
        };
        peer.set_write_timeout()?;
        Ok(peer)
    }

    /// Sets how long each later call waits.
    #[must_use]
    pub fn with_deadline(mut self, deadline: Duration) -> Self {
        self.deadline = deadline;
        // The setting was accepted once, in `new`; only a zero duration could be refused.
        let _ = self.set_write_timeout();
        self
    }

    fn set_write_timeout(&self) -> io::Result<()> {
        match &self.socket {
            Socket::Tcp(stream) => stream.set_write_timeout(Some(self.deadline)),
            Socket::Unix(stream) => stream.set_write_timeout(Some(self.deadline)),
        }
    }

    /// Our end of a TCP connection: what the server sees as its peer.
    ///
    /// # Errors
    ///
    /// If it is a Unix socket, or gone.
    pub fn local_address(&self) -> io::Result<SocketAddr> {
        match &self.socket {
            Socket::Tcp(stream) => stream.local_addr(),
            Socket::Unix(_) => Err(io::ErrorKind::Unsupported.into()),
        }
    }

    /// Sends all the bytes.
    ///
    /// # Errors
    ///
    /// If the connection is gone or the server takes nothing for the whole deadline.
    pub fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        match &mut self.socket {
            Socket::Tcp(stream) => stream.write_all(bytes),
            Socket::Unix(stream) => stream.write_all(bytes),
        }
    }

    /// Sends the bytes cut into pieces, each by a write of its own.
    ///
    /// # Errors
    ///
    /// As [`send`](Self::send).
    pub fn send_split(&mut self, bytes: &[u8], split: Split) -> io::Result<()> {
        pieces(bytes, split).try_for_each(|piece| self.send(piece))
    }

    /// Sends what fits without the server reading: until a write would wait. Returns how much.
    ///
    /// # Errors
    ///
    /// If the connection is gone.
    pub fn send_until_full(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.set_nonblocking(true)?;
        let mut sent = 0;
        let outcome = loop {
            let written = match &mut self.socket {
                Socket::Tcp(stream) => stream.write(&bytes[sent..]),
                Socket::Unix(stream) => stream.write(&bytes[sent..]),
            };
            match written {
                Ok(0) => break Ok(sent),
                Ok(count) => sent += count,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break Ok(sent),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => break Err(error),
            }
        };
        self.set_nonblocking(false)?;
        outcome
    }

    fn set_nonblocking(&self, nonblocking: bool) -> io::Result<()> {
        match &self.socket {
            Socket::Tcp(stream) => stream.set_nonblocking(nonblocking),
            Socket::Unix(stream) => stream.set_nonblocking(nonblocking),
        }
    }

    /// Half-closes: the server reads the end, and can still answer.
    ///
    /// # Errors
    ///
    /// If the connection is gone.
    pub fn shutdown_write(&mut self) -> io::Result<()> {
        match &self.socket {
            Socket::Tcp(stream) => stream.shutdown(Shutdown::Write),
            Socket::Unix(stream) => stream.shutdown(Shutdown::Write),
        }
    }

    /// Closes a TCP connection with a reset: it is dropped with something in it unread, so it waits
    /// until the server has sent some byte that this peer has not read yet.
    ///
    /// # Errors
    ///
    /// `TimedOut` if the server sends nothing, `Unsupported` for a Unix socket.
    pub fn reset(self) -> io::Result<()> {
        let Socket::Tcp(stream) = &self.socket else {
            return Err(io::ErrorKind::Unsupported.into());
        };
        stream.set_read_timeout(Some(self.deadline))?;
        match stream.peek(&mut [0]) {
            Ok(0) => Err(io::Error::new(
                io::ErrorKind::UnexpectedEof,
                "nothing is left unread",
            )),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Err(io::Error::new(
                io::ErrorKind::TimedOut,
                "the server sent nothing to leave unread",
            )),
            peeked => peeked.map(drop),
        }
    }

    /// Takes exactly `count` bytes.
    ///
    /// # Errors
    ///
    /// `TimedOut` or `UnexpectedEof`, telling what did come.
    pub fn read_exactly(&mut self, count: usize) -> io::Result<Vec<u8>> {
        self.fill_until("more bytes", |received, _| {
            (received.len() >= count).then_some(count)
        })?;
        Ok(self.received.drain(..count).collect())
    }

    /// Takes the bytes up to and with the first `needle`.
    ///
    /// # Errors
    ///
    /// `TimedOut` or `UnexpectedEof`, telling what did come.
    pub fn read_until(&mut self, needle: &[u8]) -> io::Result<Vec<u8>> {
        let find = |received: &[u8], _| {
            let found = received.windows(needle.len()).position(|it| it == needle);
            found.map(|at| at + needle.len())
        };
        let end = self.fill_until(&format!("\"{}\"", needle.escape_ascii()), find)?;
        Ok(self.received.drain(..end).collect())
    }

    /// Takes whatever comes next, at least a byte; nothing at the end of the connection. For bodies
    /// too long to keep.
    ///
    /// # Errors
    ///
    /// `TimedOut`, or `ConnectionReset`.
    pub fn read_some(&mut self) -> io::Result<Vec<u8>> {
        let some = |received: &[u8], ended| (ended || !received.is_empty()).then_some(());
        self.fill_until("some byte", some)?;
        Ok(std::mem::take(&mut self.received))
    }

    /// Takes everything up to the end of the connection.
    ///
    /// # Errors
    ///
    /// `TimedOut`, telling what did come, or `ConnectionReset`.
    pub fn read_to_end(&mut self) -> io::Result<Vec<u8>> {
        self.fill_until("the end", |_, ended| ended.then_some(()))?;
        Ok(std::mem::take(&mut self.received))
    }

    /// Takes one response (an interim one is one of its own) to a request with this method.
    ///
    /// # Errors
    ///
    /// `InvalidData` if it is malformed, else as [`read_until`](Self::read_until).
    pub fn read_response(&mut self, method: &str) -> io::Result<Response> {
        let read = |received: &[u8], ended| match read_response(received, method, ended) {
            Ok(whole) => whole.map(Ok),
            // Nothing at all is no malformed response.
            Err(_) if received.is_empty() => None,
            Err(malformed) => Some(Err(malformed)),
        };
        let outcome = self.fill_until("a whole response", read)?;
        let (response, len) =
            outcome.map_err(|malformed| io::Error::new(io::ErrorKind::InvalidData, malformed))?;
        self.received.drain(..len);
        Ok(response)
    }

    /// Checks that the server closes the connection without another byte.
    ///
    /// # Errors
    ///
    /// `InvalidData` with what came instead, `TimedOut` if it stays open.
    pub fn expect_end(&mut self) -> io::Result<()> {
        let rest = self.read_to_end()?;
        if rest.is_empty() {
            return Ok(());
        }
        let what = format!("expected the end, got {}", excerpt(&rest));
        Err(io::Error::new(io::ErrorKind::InvalidData, what))
    }

    /// Reads until `done` finds what it wants in the bytes received so far (and whether they have
    /// ended).
    fn fill_until<T>(
        &mut self,
        wanted: &str,
        mut done: impl FnMut(&[u8], bool) -> Option<T>,
    ) -> io::Result<T> {
        let deadline = Instant::now() + self.deadline;
        loop {
            if let Some(found) = done(&self.received, self.ended) {
                return Ok(found);
            }
            let failed = |kind: io::ErrorKind, received: &[u8]| {
                io::Error::new(kind, format!("wanted {wanted}, got {}", excerpt(received)))
            };
            if self.ended {
                return Err(failed(io::ErrorKind::UnexpectedEof, &self.received));
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(failed(io::ErrorKind::TimedOut, &self.received));
            }
            self.fill(left)?;
        }
    }

    /// One read that waits no longer than `timeout`; nothing in time is no error.
    fn fill(&mut self, timeout: Duration) -> io::Result<()> {
        let mut buffer = [0; 16_384];
        let read = match &mut self.socket {
            Socket::Tcp(stream) => {
                stream.set_read_timeout(Some(timeout))?;
                stream.read(&mut buffer)
            }
            Socket::Unix(stream) => {
                stream.set_read_timeout(Some(timeout))?;
                stream.read(&mut buffer)
            }
        };
        match read {
            Ok(0) => self.ended = true,
            Ok(count) => self.received.extend_from_slice(&buffer[..count]),
            Err(error) => match error.kind() {
                io::ErrorKind::WouldBlock
                | io::ErrorKind::TimedOut
                | io::ErrorKind::Interrupted => {}
                _ => return Err(error),
            },
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
