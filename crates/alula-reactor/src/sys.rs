//! What depends on the operating system.

use std::io;

use socket2::Socket;

/// Whether a failed `accept` means that the process or the system is out of something (descriptors,
/// buffers): the connection stays queued, and trying again at once would spin.
pub(crate) fn is_exhausted(error: &io::Error) -> bool {
    let exhausted = [libc::EMFILE, libc::ENFILE, libc::ENOBUFS, libc::ENOMEM];
    error
        .raw_os_error()
        .is_some_and(|code| exhausted.contains(&code))
}

/// Whether a failed `accept` concerns only the connection that it has taken off the queue.
///
/// accept(2): "For reliable operation the application should detect the network errors defined for
/// the protocol after `accept()` and treat them like EAGAIN by retrying."
pub(crate) fn is_passing(error: &io::Error) -> bool {
    let passing = [
        libc::ECONNABORTED,
        libc::ECONNRESET,
        libc::EHOSTDOWN,
        libc::EHOSTUNREACH,
        libc::EINTR,
        libc::ENETDOWN,
        libc::ENETUNREACH,
        #[cfg(target_os = "linux")]
        libc::ENONET,
        libc::ENOPROTOOPT,
        libc::EOPNOTSUPP,
        libc::EPERM,
        libc::EPROTO,
        libc::ETIMEDOUT,
    ];
    error
        .raw_os_error()
        .is_some_and(|code| passing.contains(&code))
}

/// Whether the socket listens. Where the system can't tell, it is said not to: listening twice is
/// harmless.
#[cfg(any(target_os = "linux", target_os = "android"))]
pub(crate) fn listens(socket: &Socket) -> io::Result<bool> {
    socket.is_listener()
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub(crate) fn listens(_socket: &Socket) -> io::Result<bool> {
    Ok(false)
}

/// Whether accepted sockets inherit `TCP_NODELAY` from their listener: then it is set there, once,
/// which saves a system call a connection.
pub(crate) const INHERITS_NODELAY: bool = cfg!(target_os = "linux");

#[cfg(test)]
mod tests {
    use super::{io, is_exhausted, is_passing};

    #[test]
    fn tells_failures_of_accept_apart() {
        let error = io::Error::from_raw_os_error;
        for code in [libc::EMFILE, libc::ENFILE, libc::ENOBUFS, libc::ENOMEM] {
            assert!(
                is_exhausted(&error(code)) && !is_passing(&error(code)),
                "{code}"
            );
        }
        for code in [
            libc::ECONNABORTED,
            libc::EPROTO,
            libc::ENETDOWN,
            libc::EINTR,
        ] {
            assert!(
                is_passing(&error(code)) && !is_exhausted(&error(code)),
                "{code}"
            );
        }
        for code in [libc::EBADF, libc::EINVAL, libc::ENOTSOCK, libc::EAGAIN] {
            assert!(
                !is_passing(&error(code)) && !is_exhausted(&error(code)),
                "{code}"
            );
        }
    }
}
