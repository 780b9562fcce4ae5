//! What depends on the operating system.

use std::io;
use std::os::fd::RawFd;
use std::time::{Duration, Instant};

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

/// There is something to read.
pub(crate) const POLL_IN: i16 = libc::POLLIN;
/// There is room to write.
pub(crate) const POLL_OUT: i16 = libc::POLLOUT;
/// The connection is gone; never asked for.
pub(crate) const POLL_HANGUP: i16 = libc::POLLHUP;
/// The socket carries an error; never asked for.
pub(crate) const POLL_ERROR: i16 = libc::POLLERR;
/// The peer sends nothing more. Elsewhere than on Linux only a read finds out.
#[cfg(target_os = "linux")]
pub(crate) const POLL_END: i16 = libc::POLLRDHUP;
#[cfg(not(target_os = "linux"))]
pub(crate) const POLL_END: i16 = 0;

/// A descriptor, what is asked of it and the answer. One below zero is passed over.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct PollFd(libc::pollfd);

impl PollFd {
    pub(crate) fn new(fd: RawFd) -> Self {
        Self(libc::pollfd {
            fd,
            events: 0,
            revents: 0,
        })
    }

    pub(crate) fn ask(&mut self, questions: i16) {
        self.0.events = questions;
    }

    pub(crate) fn answer(self) -> i16 {
        self.0.revents
    }
}

impl std::fmt::Debug for PollFd {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {:x}/{:x}", self.0.fd, self.0.events, self.0.revents)
    }
}

/// poll(2): waits until one of the descriptors has an answer, `timeout` at the longest (to the
/// millisecond, rounded up; `None`: for ever). Returns whether one has. An interrupted wait has none.
pub(crate) fn poll(fds: &mut [PollFd], timeout: Option<Duration>) -> io::Result<bool> {
    let milliseconds = timeout.map_or(-1, |timeout| {
        i32::try_from(timeout.as_nanos().div_ceil(1_000_000)).unwrap_or(i32::MAX)
    });
    let count = libc::nfds_t::try_from(fds.len()).map_err(io::Error::other)?;
    // SAFETY: `PollFd` is transparent over `pollfd`, and the pointer and the count are those of one
    // slice, which is borrowed mutably for the whole call. Descriptors that are closed are answered
    // with POLLNVAL; nothing is read or written through them.
    #[expect(unsafe_code, reason = "std and the crates we use have no poll(2)")]
    let ready = unsafe { libc::poll(fds.as_mut_ptr().cast(), count, milliseconds) };
    if ready >= 0 {
        return Ok(ready > 0);
    }
    match io::Error::last_os_error() {
        error if error.kind() == io::ErrorKind::Interrupted => Ok(false),
        error => Err(error),
    }
}

/// Looks at a descriptor again and again, without sleeping, until there is something to read or the
/// time is up; says which. Whatever goes wrong counts as something to read.
pub fn look(fd: RawFd, longest: Duration) -> bool {
    let begin = Instant::now();
    let mut asked = [PollFd::new(fd)];
    asked[0].ask(POLL_IN);
    loop {
        if !matches!(poll(&mut asked, Some(Duration::ZERO)), Ok(false)) {
            return true;
        }
        if begin.elapsed() >= longest {
            return false;
        }
    }
}

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
