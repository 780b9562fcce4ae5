//! A connection, TCP or Unix.

use std::io::{self, IoSlice, IoSliceMut, Read, Write};
use std::net::{Shutdown, SocketAddr};
use std::os::fd::{AsFd, BorrowedFd};
use std::path::Path;

use mio::net::{TcpStream, UnixStream};
use socket2::SockRef;

use crate::address::Peer;
use crate::poll_set::Watched;

/// A non-blocking connection.
///
/// Reads and writes are single system calls; `WouldBlock` means: wait for the next event.
#[derive(Debug)]
pub struct Stream {
    pub(crate) socket: Socket,
    /// Kept, because a reset connection can't be asked any more.
    peer: Peer,
    /// Where poll(2) watches it.
    pub(crate) watched: Option<Watched>,
}

#[derive(Debug)]
pub(crate) enum Socket {
    Tcp(TcpStream),
    Unix(UnixStream),
}

/// Calls the same method on whichever socket it is.
macro_rules! on_socket {
    ($stream:expr, $socket:ident => $call:expr) => {
        match $stream {
            Socket::Tcp($socket) => $call,
            Socket::Unix($socket) => $call,
        }
    };
}

impl Stream {
    pub(crate) fn new(socket: Socket, peer: Peer) -> Self {
        Self {
            socket,
            peer,
            watched: None,
        }
    }

    /// Begins a TCP connection, with `TCP_NODELAY`. It stands when the stream becomes writable and
    /// [`take_error`](Self::take_error) finds nothing.
    ///
    /// # Errors
    ///
    /// If the connection can't be begun.
    pub fn connect_tcp(address: SocketAddr) -> io::Result<Self> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        Ok(Self::new(Socket::Tcp(stream), Peer::Inet(address)))
    }

    /// Connects to a Unix socket.
    ///
    /// # Errors
    ///
    /// If nobody listens at `path`, or (`WouldBlock`) its queue is full.
    pub fn connect_unix(path: &Path) -> io::Result<Self> {
        let stream = UnixStream::connect(path)?;
        let peer = Peer::Unix(Some(path.to_owned()));
        Ok(Self::new(Socket::Unix(stream), peer))
    }

    /// Two Unix sockets, connected to each other.
    ///
    /// # Errors
    ///
    /// If the process is out of descriptors.
    pub fn pair() -> io::Result<(Self, Self)> {
        let (left, right) = UnixStream::pair()?;
        let whole = |stream| Self::new(Socket::Unix(stream), Peer::Unix(None));
        Ok((whole(left), whole(right)))
    }

    /// The other end, as it was when the connection was made.
    pub fn peer(&self) -> Peer {
        self.peer.clone()
    }

    /// Our end. An unspecified address if the system does not know it any more.
    pub fn local(&self) -> Peer {
        match SockRef::from(self).local_addr() {
            Ok(address) => Peer::from_socket(&address),
            Err(_) => match self.peer {
                Peer::Inet(_) => Peer::Inet(SocketAddr::from(([0, 0, 0, 0], 0))),
                Peer::Unix(_) => Peer::Unix(None),
            },
        }
    }

    /// Whether it is a TCP connection.
    pub fn is_tcp(&self) -> bool {
        matches!(self.socket, Socket::Tcp(_))
    }

    /// Takes the error that the socket has stored, if there is one.
    ///
    /// # Errors
    ///
    /// If the system can't be asked.
    pub fn take_error(&self) -> io::Result<Option<io::Error>> {
        on_socket!(&self.socket, socket => socket.take_error())
    }

    /// Sends a FIN after what has been written; reading goes on.
    ///
    /// # Errors
    ///
    /// If the connection is gone already.
    pub fn shutdown_write(&self) -> io::Result<()> {
        on_socket!(&self.socket, socket => socket.shutdown(Shutdown::Write))
    }

    /// Makes dropping this stream a reset: what has not reached the peer is thrown away.
    ///
    /// # Errors
    ///
    /// If the system refuses.
    pub fn reset_on_drop(&self) -> io::Result<()> {
        SockRef::from(self).set_linger(Some(std::time::Duration::ZERO))
    }
}

impl Stream {
    fn note_read(&self, outcome: io::Result<usize>, most: usize) -> io::Result<usize> {
        if let Some(watched) = &self.watched {
            watched.note_read(&outcome, most);
        }
        outcome
    }

    fn note_write(&self, outcome: io::Result<usize>, most: usize) -> io::Result<usize> {
        if let Some(watched) = &self.watched {
            watched.note_write(&outcome, most);
        }
        outcome
    }
}

impl AsFd for Stream {
    fn as_fd(&self) -> BorrowedFd<'_> {
        on_socket!(&self.socket, socket => socket.as_fd())
    }
}

impl Read for &Stream {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let most = buf.len();
        let outcome =
            on_socket!(&self.socket, socket => { let mut socket = socket; socket.read(buf) });
        self.note_read(outcome, most)
    }

    fn read_vectored(&mut self, bufs: &mut [IoSliceMut<'_>]) -> io::Result<usize> {
        let most = bufs.iter().map(|buf| buf.len()).sum();
        let outcome = on_socket!(&self.socket, socket => { let mut socket = socket; socket.read_vectored(bufs) });
        self.note_read(outcome, most)
    }
}

impl Write for &Stream {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        let outcome =
            on_socket!(&self.socket, socket => { let mut socket = socket; socket.write(buf) });
        self.note_write(outcome, buf.len())
    }

    fn write_vectored(&mut self, bufs: &[IoSlice<'_>]) -> io::Result<usize> {
        let outcome = on_socket!(&self.socket, socket => { let mut socket = socket; socket.write_vectored(bufs) });
        self.note_write(outcome, bufs.iter().map(|buf| buf.len()).sum())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Read for Stream {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        (&*self).read(buf)
    }

    fn read_vectored(&mut self, bufs: &mut [IoSliceMut<'_>]) -> io::Result<usize> {
        (&*self).read_vectored(bufs)
    }
}

impl Write for Stream {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        (&*self).write(buf)
    }

    fn write_vectored(&mut self, bufs: &[IoSlice<'_>]) -> io::Result<usize> {
        (&*self).write_vectored(bufs)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
