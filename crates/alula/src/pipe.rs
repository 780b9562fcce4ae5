//! A response body that another thread writes, in fixed memory: the writer waits while the client
//! is slower.

use std::io::{self, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use crate::mailbox::Line;
use crate::reactor_thread;

/// Bytes that wait in a pipe, at most.
pub(crate) const CAPACITY: usize = 64 * 1024;

#[derive(Debug, Default)]
struct Pipe {
    state: Mutex<State>,
    room: Condvar,
}

#[derive(Debug, Default)]
struct State {
    data: Vec<u8>,
    end: End,
    /// Whom to tell of progress, once the body is part of an answer under way.
    line: Option<Line>,
    /// Progress has been told and not looked at yet.
    told: bool,
    gone: bool,
    left: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum End {
    #[default]
    Open,
    Finished,
    /// The writer was dropped: the body is not whole.
    Broken,
}

impl Pipe {
    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing in here can panic while the lock is held.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// The line to tell, if it has not been told already.
    fn news(&mut self) -> Option<Line> {
        if self.told {
            return None;
        }
        let line = self.line.clone()?;
        self.told = true;
        Some(line)
    }
}

/// The end of a response body's pipe that is written to, from any thread but a handler's own; see
/// [`Body::pipe`](crate::Body::pipe).
///
/// A body that is not [finished](Writer::finish) is cut off, so that the client can tell: dropping
/// the writer is what a failure looks like.
#[derive(Debug)]
pub struct Writer {
    pipe: Arc<Pipe>,
}

impl Writer {
    /// The body is whole.
    pub fn finish(self) {
        self.close(End::Finished);
    }

    /// Whether the connection is gone, or the answer over: nobody will read another byte.
    pub fn is_gone(&self) -> bool {
        self.pipe.lock().gone
    }

    /// Whether the client has closed its half of the connection, or the server is about to end.
    /// What is written still goes out, if the client listens. For streams that may be silent for
    /// long.
    pub fn client_has_left(&self) -> bool {
        let state = self.pipe.lock();
        state.left || state.gone
    }

    fn close(&self, end: End) {
        let mut state = self.pipe.lock();
        if state.end != End::Open {
            return;
        }
        state.end = end;
        let news = state.news();
        drop(state);
        if let Some(line) = news {
            line.progress();
        }
    }
}

impl Write for Writer {
    /// Waits until there is room for at least a byte.
    ///
    /// # Errors
    ///
    /// `BrokenPipe` once the connection is gone; `WouldBlock` where it would have to wait on the
    /// thread of a handler.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut state = self.pipe.lock();
        while state.data.len() >= CAPACITY && !state.gone {
            reactor_thread::check()?;
            state = self
                .pipe
                .room
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
        if state.gone {
            return Err(io::Error::new(io::ErrorKind::BrokenPipe, crate::Gone));
        }
        let taken = bytes.len().min(CAPACITY - state.data.len());
        state.data.extend_from_slice(&bytes[..taken]);
        let news = state.news();
        drop(state);
        if let Some(line) = news {
            line.progress();
        }
        Ok(taken)
    }

    /// Does nothing: what is written goes out as soon as it can.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.close(End::Broken);
    }
}

/// What a look into a pipe has found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pulled {
    /// Bytes, and more may follow.
    Some,
    /// The rest, which may be empty.
    Last,
    /// Nothing yet.
    Nothing,
    /// The rest of what there is of a body that will not be whole.
    Broken,
}

/// The end of a pipe that the engine pulls from. Dropped, the writer finds everybody gone.
#[derive(Debug)]
pub(crate) struct Outlet {
    pipe: Arc<Pipe>,
}

impl Outlet {
    /// A new pipe's two ends.
    pub(crate) fn new() -> (Writer, Self) {
        let pipe = Arc::new(Pipe::default());
        let writer = Writer { pipe: pipe.clone() };
        (writer, Self { pipe })
    }

    /// The body belongs to an answer now: progress is told there.
    pub(crate) fn attach(&self, line: Line) {
        self.pipe.lock().line = Some(line);
    }

    /// Takes what is there into an empty `piece`.
    pub(crate) fn pull(&self, piece: &mut Vec<u8>) -> Pulled {
        let mut state = self.pipe.lock();
        state.told = false;
        std::mem::swap(&mut state.data, piece);
        let end = state.end;
        drop(state);
        self.pipe.room.notify_one();
        match end {
            End::Finished => Pulled::Last,
            End::Broken => Pulled::Broken,
            End::Open if piece.is_empty() => Pulled::Nothing,
            End::Open => Pulled::Some,
        }
    }

    /// The client has closed its half.
    pub(crate) fn set_left(&self) {
        self.pipe.lock().left = true;
    }
}

impl Drop for Outlet {
    fn drop(&mut self) {
        let mut state = self.pipe.lock();
        state.gone = true;
        state.data = Vec::new();
        drop(state);
        self.pipe.room.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_out_as_they_went_in() {
        let (mut writer, outlet) = Outlet::new();
        let mut piece = Vec::new();
        assert_eq!(outlet.pull(&mut piece), Pulled::Nothing);
        writer.write_all(b"abc").unwrap();
        writer.write_all(b"de").unwrap();
        assert_eq!(
            (outlet.pull(&mut piece), &piece[..]),
            (Pulled::Some, &b"abcde"[..])
        );
        piece.clear();
        writer.finish();
        assert_eq!((outlet.pull(&mut piece), piece.len()), (Pulled::Last, 0));
    }

    #[test]
    fn a_full_pipe_makes_its_writer_wait() {
        let (mut writer, outlet) = Outlet::new();
        let size = 3 * CAPACITY + 7;
        let thread = std::thread::spawn(move || {
            writer.write_all(&vec![b'x'; size]).unwrap();
            writer.finish();
        });
        let mut total = 0;
        let mut piece = Vec::new();
        loop {
            let pulled = outlet.pull(&mut piece);
            assert!(piece.len() <= CAPACITY, "{} bytes waited", piece.len());
            total += piece.len();
            piece.clear();
            if pulled == Pulled::Last {
                break;
            }
            std::thread::yield_now();
        }
        thread.join().unwrap();
        assert_eq!(total, size);
    }

    #[test]
    fn a_reactor_does_not_wait_for_itself() {
        let _reactor = reactor_thread::OnReactor::new();
        let (mut writer, _outlet) = Outlet::new();
        assert_eq!(writer.write(&vec![0; CAPACITY + 1]).unwrap(), CAPACITY);
        assert_eq!(
            writer.write(b"x").unwrap_err().kind(),
            io::ErrorKind::WouldBlock
        );
    }

    #[test]
    fn either_end_learns_that_the_other_is_gone() {
        let (mut writer, outlet) = Outlet::new();
        writer.write_all(b"abc").unwrap();
        drop(outlet);
        assert!(writer.is_gone());
        assert_eq!(
            writer.write(b"x").unwrap_err().kind(),
            io::ErrorKind::BrokenPipe
        );
        let (writer, outlet) = Outlet::new();
        drop(writer);
        assert_eq!(outlet.pull(&mut Vec::new()), Pulled::Broken);
    }

    #[test]
    fn a_waiting_writer_is_woken_when_everybody_is_gone() {
        let (mut writer, outlet) = Outlet::new();
        let (tell, told) = std::sync::mpsc::channel();
        let thread = std::thread::spawn(move || {
            writer.write_all(&vec![0; CAPACITY]).unwrap();
            tell.send(()).unwrap();
            writer.write(b"x").map_err(|error| error.kind())
        });
        told.recv().unwrap();
        drop(outlet);
        assert_eq!(thread.join().unwrap(), Err(io::ErrorKind::BrokenPipe));
    }
}
