//! Wakes a reactor from another thread.

use std::sync::Arc;

/// A handle that makes the reactor's next (or current) turn report `Event::Woken`.
///
/// Any number of calls between two turns are reported once.
#[derive(Clone, Debug)]
pub struct Waker {
    inner: Arc<mio::Waker>,
}

impl Waker {
    pub(crate) fn new(inner: Arc<mio::Waker>) -> Self {
        Self { inner }
    }

    /// Wakes the reactor. Does nothing harmful when the reactor is gone.
    pub fn wake(&self) {
        // Its only failure is a full counter, which mio deals with; the descriptor lives as long
        // as this handle.
        let _ = self.inner.wake();
    }
}
