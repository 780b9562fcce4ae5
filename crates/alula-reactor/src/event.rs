//! What a turn of the reactor reports.

/// Names a source or a timer. Small and dense, since tables are indexed by it; `usize::MAX` is
/// reserved.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub struct Token(pub usize);

/// What a source is ready for since it was last reported.
///
/// After an error or a hang-up both `readable` and `writable` are set, so that whoever looks at
/// those two only finds out by trying.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent facts, one bit each"
)]
pub struct Readiness {
    /// A read (or an accept) will not block.
    pub readable: bool,
    /// A write will not block.
    pub writable: bool,
    /// The peer has shut down its sending side, or the connection is gone.
    pub read_closed: bool,
    /// Nothing can be sent any more.
    pub write_closed: bool,
    /// The socket carries an error (see `Stream::take_error`).
    pub error: bool,
}

impl From<&mio::event::Event> for Readiness {
    fn from(event: &mio::event::Event) -> Self {
        let read_closed = event.is_read_closed();
        let write_closed = event.is_write_closed();
        let error = event.is_error();
        Self {
            readable: event.is_readable() || read_closed || error,
            writable: event.is_writable() || write_closed || error,
            read_closed,
            write_closed,
            error,
        }
    }
}

/// One thing that happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A source has become ready.
    Ready(Token, Readiness),
    /// The timer of this token has run out, and is disarmed now.
    ///
    /// An event earlier in the same turn may have led to arming it anew or to disarming it: see
    /// `Reactor::has_expired`.
    Expired(Token),
    /// Some `Waker` has been used since the last turn.
    Woken,
}
