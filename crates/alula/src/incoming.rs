//! A request body that is taken piece by piece, in fixed memory: the client waits while the
//! application is slower.

use std::collections::VecDeque;
use std::fmt;
use std::io::{self, Read};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use crate::body::Content;
use crate::mailbox::Line;
use crate::pipe::CAPACITY;
use crate::{IntoResponse, Response, reactor_thread};

/// The body of a request to a route of [`App::streaming`](crate::App::streaming): none of it has
/// been read yet.
///
/// Dropped, the body stays unread: the engine throws a small rest away once the answer is out, and
/// closes the connection over a large one. A client that waits for `100 Continue` is told to go on
/// when the first piece is asked for.
#[derive(Debug)]
pub struct Incoming {
    inlet: Arc<Inlet>,
}

impl Incoming {
    pub(crate) fn new(inlet: Arc<Inlet>) -> Self {
        Self { inlet }
    }

    /// Hands each piece, as it comes, to `piece`, together with what it gathers in `state`; when
    /// the body is whole, `end` gives the answer. All on the reactor's thread: neither may wait for
    /// anything. Return what this returns.
    ///
    /// If the client leaves in the middle, `state` is dropped and `end` not called.
    pub fn fold<S, R: IntoResponse>(
        self,
        state: S,
        mut piece: impl FnMut(&mut S, &[u8]) + Send + 'static,
        end: impl FnOnce(S) -> R + Send + 'static,
    ) -> Response
    where
        S: Send + 'static,
    {
        let piece = move |state: &mut S, bytes: &[u8]| {
            piece(state, bytes);
            Ok::<(), Response>(())
        };
        self.try_fold(state, piece, end)
    }

    /// As [`fold`](Self::fold), but a piece may be refused: the error is the answer, and the rest
    /// of the body stays unread.
    pub fn try_fold<S, R: IntoResponse, E: IntoResponse>(
        self,
        state: S,
        mut piece: impl FnMut(&mut S, &[u8]) -> Result<(), E> + Send + 'static,
        end: impl FnOnce(S) -> R + Send + 'static,
    ) -> Response
    where
        S: Send + 'static,
    {
        let fold = Fold {
            state: Some((state, end)),
            piece: move |state: &mut S, bytes: &[u8]| {
                piece(state, bytes).map_err(IntoResponse::into_response)
            },
        };
        Response::from_content(Content::Fold(self.inlet.line.id, Box::new(fold)))
    }

    /// Gives the body to be read by another thread, together with a
    /// [ticket](crate::Request::hold) or a [pipe](crate::Body::pipe) for the answer.
    pub fn into_reader(self) -> Reader {
        self.inlet.lock().asked = true;
        self.inlet.line.progress();
        Reader { inlet: self.inlet }
    }
}

/// What a body is handed to, piece by piece.
pub(crate) trait Receiver: Send {
    /// A piece. An error is the answer, at once.
    fn piece(&mut self, bytes: &[u8]) -> Result<(), Response>;
    /// The body is whole: the answer. Called once.
    fn end(&mut self) -> Option<Response>;
}

impl fmt::Debug for dyn Receiver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Receiver")
    }
}

struct Fold<S, P, E> {
    state: Option<(S, E)>,
    piece: P,
}

impl<S, P, E, R> Receiver for Fold<S, P, E>
where
    S: Send,
    P: FnMut(&mut S, &[u8]) -> Result<(), Response> + Send,
    E: FnOnce(S) -> R + Send,
    R: IntoResponse,
{
    fn piece(&mut self, bytes: &[u8]) -> Result<(), Response> {
        match &mut self.state {
            Some((state, _)) => (self.piece)(state, bytes),
            None => Ok(()),
        }
    }

    fn end(&mut self) -> Option<Response> {
        let (state, end) = self.state.take()?;
        Some(end(state).into_response())
    }
}

/// Between the reactor, which fills it, and a [`Reader`].
#[derive(Debug)]
pub(crate) struct Inlet {
    state: Mutex<State>,
    news: Condvar,
    line: Line,
}

#[derive(Debug, Default)]
struct State {
    data: VecDeque<u8>,
    end: End,
    /// There is a reader.
    asked: bool,
    /// The reactor has paused and waits to be told of room.
    stalled: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum End {
    #[default]
    Open,
    Whole,
    /// No more will come, though the body is not whole.
    Cut,
}

impl Inlet {
    /// For the body of the request that `line` leads to.
    pub(crate) fn new(line: Line) -> Self {
        Self {
            state: Mutex::default(),
            news: Condvar::new(),
            line,
        }
    }

    /// Whether a piece is wanted now. If not, progress is told when one is.
    pub(crate) fn wants_more(&self) -> bool {
        let mut state = self.lock();
        state.stalled = state.asked && state.data.len() >= CAPACITY;
        state.asked && !state.stalled && state.end == End::Open
    }

    /// Takes a piece in.
    pub(crate) fn fill(&self, bytes: &[u8]) {
        self.lock().data.extend(bytes);
        self.news.notify_one();
    }

    /// The body is whole.
    pub(crate) fn finish(&self) {
        self.close(End::Whole);
    }

    /// There is no more, though the body may not be whole.
    pub(crate) fn cut(&self) {
        self.close(End::Cut);
    }

    fn close(&self, end: End) {
        let mut state = self.lock();
        if state.end == End::Open {
            state.end = end;
        }
        drop(state);
        self.news.notify_one();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing in here can panic while the lock is held.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A request's body, read from any thread but a handler's own; see [`Incoming::into_reader`].
///
/// Reading waits for the client. At the end of a whole body it gives 0 bytes; the body of a client
/// that leaves in the middle, or whose request has been answered meanwhile, ends with an
/// `UnexpectedEof` error and never looks whole.
#[derive(Debug)]
pub struct Reader {
    inlet: Arc<Inlet>,
}

impl Drop for Reader {
    fn drop(&mut self) {
        // Nobody asks any more: the rest stays where it is.
        let mut state = self.inlet.lock();
        state.asked = false;
        state.data = VecDeque::new();
    }
}

impl Read for Reader {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if into.is_empty() {
            return Ok(0);
        }
        let mut state = self.inlet.lock();
        while state.data.is_empty() {
            match state.end {
                End::Open => {
                    reactor_thread::check()?;
                    state = (self.inlet.news.wait(state)).unwrap_or_else(PoisonError::into_inner);
                }
                End::Whole => return Ok(0),
                End::Cut => {
                    return Err(io::Error::new(
                        io::ErrorKind::UnexpectedEof,
                        "the request's body ended early",
                    ));
                }
            }
        }
        let taken = state.data.read(into)?;
        let resumes = state.stalled && state.data.len() <= CAPACITY / 2;
        if resumes {
            state.stalled = false;
        }
        drop(state);
        if resumes {
            self.inlet.line.progress();
        }
        Ok(taken)
    }
}
