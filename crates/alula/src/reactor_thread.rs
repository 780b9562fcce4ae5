//! Which threads must not wait: a reactor's own. A write to a full pipe would wait there for ever,
//! since it is that thread that would make room.

use std::cell::Cell;
use std::io;

thread_local! {
    static REACTOR: Cell<bool> = const { Cell::new(false) };
}

/// While it lives, this thread is a reactor's.
#[derive(Debug)]
pub(crate) struct OnReactor(());

impl OnReactor {
    pub(crate) fn new() -> Self {
        REACTOR.set(true);
        Self(())
    }
}

impl Drop for OnReactor {
    fn drop(&mut self) {
        REACTOR.set(false);
    }
}

/// Whether this thread may wait for another.
///
/// # Errors
///
/// `WouldBlock` on a reactor's thread.
pub(crate) fn check() -> io::Result<()> {
    if REACTOR.get() {
        return Err(io::Error::new(
            io::ErrorKind::WouldBlock,
            "a handler must not wait for its own client: give the pipe to another thread",
        ));
    }
    Ok(())
}
