//! Where a socket is bound or connected to.

use std::fmt;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

/// An Internet or a Unix address.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Peer {
    /// An address and a port.
    Inet(SocketAddr),
    /// The path of a Unix socket; `None` for an unnamed one, which is what clients have.
    Unix(Option<PathBuf>),
}

impl Peer {
    /// The address and port of an Internet socket.
    pub fn inet(&self) -> Option<SocketAddr> {
        match self {
            Self::Inet(address) => Some(*address),
            Self::Unix(_) => None,
        }
    }

    pub(crate) fn from_socket(address: &socket2::SockAddr) -> Self {
        match address.as_socket() {
            Some(address) => Self::Inet(address),
            None => Self::Unix(address.as_pathname().map(Path::to_owned)),
        }
    }

    pub(crate) fn from_unix(address: &std::os::unix::net::SocketAddr) -> Self {
        Self::Unix(address.as_pathname().map(Path::to_owned))
    }
}

impl fmt::Display for Peer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Inet(address) => address.fmt(f),
            Self::Unix(Some(path)) => write!(f, "unix:{}", path.display()),
            Self::Unix(None) => f.write_str("unix:"),
        }
    }
}
