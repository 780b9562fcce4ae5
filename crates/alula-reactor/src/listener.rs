//! A listening socket, TCP or Unix, bound here or inherited.

use std::io;
use std::net::SocketAddr;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

use mio::net::{TcpListener, UnixListener};
use socket2::{Domain, Protocol, SockAddr, SockRef, Socket, Type};

use crate::address::Peer;
use crate::stream::{self, Stream};
use crate::sys;

/// The backlog for an inherited socket that is bound but does not listen yet (uvicorn's default).
const INHERITED_BACKLOG: i32 = 2048;

/// A non-blocking listening socket, closed on exec.
#[derive(Debug)]
pub struct Listener {
    pub(crate) socket: ListenerSocket,
    /// Its queue may hold connections from before the listener was prepared here.
    has_older: bool,
}

#[derive(Debug)]
pub(crate) enum ListenerSocket {
    Tcp(TcpListener),
    Unix(UnixListener),
}

impl Listener {
    /// Listens on a TCP address (port 0: any free one). An IPv6 address serves IPv6 alone.
    ///
    /// With `reuse_port` several listeners can share the address, each with a queue of its own
    /// (`SO_REUSEPORT`); without it, an address in use is an error.
    ///
    /// # Errors
    ///
    /// If the address can't be bound.
    pub fn tcp(address: SocketAddr, backlog: u32, reuse_port: bool) -> io::Result<Self> {
        let domain = Domain::for_address(address);
        let socket = Socket::new(domain, Type::STREAM, Some(Protocol::TCP))?;
        socket.set_reuse_address(true)?;
        if reuse_port {
            socket.set_reuse_port(true)?;
        }
        if address.is_ipv6() {
            socket.set_only_v6(true)?;
        }
        socket.bind(&address.into())?;
        socket.listen(backlog_of(backlog))?;
        Self::from_socket(socket)
    }

    /// Listens on a Unix socket at `path`. A socket file that nobody listens on any more is
    /// replaced.
    ///
    /// # Errors
    ///
    /// If the path can't be bound; `AddrInUse` if it is served by someone else or is no socket.
    pub fn unix(path: &Path, backlog: u32) -> io::Result<Self> {
        let socket = Socket::new(Domain::UNIX, Type::STREAM, None)?;
        let address = SockAddr::unix(path)?;
        match socket.bind(&address) {
            Err(error) if error.kind() == io::ErrorKind::AddrInUse && is_stale(path) => {
                std::fs::remove_file(path)?;
                socket.bind(&address)?;
            }
            bound => bound?,
        }
        socket.listen(backlog_of(backlog))?;
        Self::from_socket(socket)
    }

    /// Takes over a stream socket that someone else has bound: TCP or Unix is found out, and it is
    /// made to listen if it does not yet.
    ///
    /// # Errors
    ///
    /// `InvalidInput` if the descriptor is no such socket.
    pub fn inherited(fd: OwnedFd) -> io::Result<Self> {
        let refuse = |what: &str| io::Error::new(io::ErrorKind::InvalidInput, what.to_owned());
        let socket = Socket::from(fd);
        let kind = socket
            .r#type()
            .map_err(|_| refuse("the descriptor is no socket"))?;
        if kind != Type::STREAM {
            return Err(refuse("the socket is no stream socket"));
        }
        if socket.peer_addr().is_ok() {
            return Err(refuse("the socket is a connection, not a listener"));
        }
        if !sys::listens(&socket)? {
            socket.listen(INHERITED_BACKLOG)?;
        }
        let listener = Self::from_socket(socket)?;
        Ok(Self {
            has_older: true,
            ..listener
        })
    }

    fn from_socket(socket: Socket) -> io::Result<Self> {
        socket.set_nonblocking(true)?;
        socket.set_cloexec(true)?;
        let address = socket.local_addr()?;
        let socket = if address.is_unix() {
            ListenerSocket::Unix(UnixListener::from_std(socket.into()))
        } else if address.as_socket().is_some() {
            socket.set_tcp_nodelay(true)?;
            ListenerSocket::Tcp(TcpListener::from_std(socket.into()))
        } else {
            let what = "the socket is neither an Internet nor a Unix socket";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, what));
        };
        Ok(Self {
            socket,
            has_older: false,
        })
    }

    /// Where it listens.
    ///
    /// # Panics
    ///
    /// Never: a bound socket knows its address.
    pub fn local(&self) -> Peer {
        let address = SockRef::from(self).local_addr();
        Peer::from_socket(&address.expect("a bound socket has an address"))
    }

    /// One `accept(2)`: the stream is non-blocking, closed on exec, and has `TCP_NODELAY` if TCP.
    pub(crate) fn accept(&mut self) -> io::Result<Stream> {
        let accepted = self.accept_any();
        if self.has_older
            && let Err(error) = &accepted
            && error.kind() == io::ErrorKind::WouldBlock
        {
            self.has_older = false;
        }
        accepted
    }

    fn accept_any(&self) -> io::Result<Stream> {
        match &self.socket {
            ListenerSocket::Tcp(listener) => {
                let (stream, address) = listener.accept()?;
                if self.has_older || !sys::INHERITS_NODELAY {
                    // It fails for a client that is gone already (on macOS): a read will tell.
                    let _ = stream.set_nodelay(true);
                }
                Ok(Stream::new(
                    stream::Socket::Tcp(stream),
                    Peer::Inet(address),
                ))
            }
            ListenerSocket::Unix(listener) => {
                let (stream, address) = listener.accept()?;
                let peer = Peer::from_unix(&address);
                Ok(Stream::new(stream::Socket::Unix(stream), peer))
            }
        }
    }
}

fn backlog_of(backlog: u32) -> i32 {
    i32::try_from(backlog).unwrap_or(i32::MAX)
}

/// Whether `path` is a socket file left behind by a process that is gone.
fn is_stale(path: &Path) -> bool {
    let is_socket = std::fs::symlink_metadata(path).is_ok_and(|it| it.file_type().is_socket());
    is_socket
        && std::os::unix::net::UnixStream::connect(path)
            .is_err_and(|error| error.kind() == io::ErrorKind::ConnectionRefused)
}

impl AsFd for Listener {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match &self.socket {
            ListenerSocket::Tcp(listener) => listener.as_fd(),
            ListenerSocket::Unix(listener) => listener.as_fd(),
        }
    }
}

impl From<Listener> for OwnedFd {
    fn from(listener: Listener) -> Self {
        match listener.socket {
            ListenerSocket::Tcp(listener) => listener.into(),
            ListenerSocket::Unix(listener) => listener.into(),
        }
    }
}
