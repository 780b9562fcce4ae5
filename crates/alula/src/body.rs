//! Bodies of responses: bytes, something to pull from, or a pipe.

use std::borrow::Cow;
use std::fmt;
use std::io::{self, Read};

use alula_server::ExchangeId;

use crate::incoming::Receiver;
use crate::pipe::{Outlet, Writer};

/// Bytes that a reader is asked for at a time.
const READ: usize = 16 * 1024;

/// A response's body. `From` bytes and text; made of an iterator, a reader or a pipe it is sent as
/// it comes, in fixed memory, chunked unless the response has a `content-length` header.
#[derive(Debug, Default)]
pub struct Body(pub(crate) Content);

/// What a response consists of, besides its head.
#[derive(Debug)]
pub(crate) enum Content {
    Bytes(Cow<'static, [u8]>),
    Source(Box<dyn Source>),
    Pipe(Outlet),
    /// None yet: the request's body is to be received first.
    Fold(ExchangeId, Box<dyn Receiver>),
}

impl Default for Content {
    fn default() -> Self {
        Self::Bytes(Cow::Borrowed(b""))
    }
}

impl Body {
    /// Of pieces, each asked for when the one before is on its way and the client keeps up. The
    /// iterator runs on the reactor's thread and must not wait for anything.
    ///
    /// A piece that is an `Err` cuts the body off, so that the client can tell.
    pub fn stream<I>(pieces: I) -> Self
    where
        I: IntoIterator<IntoIter: Send + 'static>,
        I::Item: Piece,
    {
        Self(Content::Source(Box::new(Pieces(pieces.into_iter()))))
    }

    /// Of what can be read, until the end, 16 KiB at a time; for files. It is read on the reactor's
    /// thread and must not wait for long. An error cuts the body off.
    pub fn reader(reader: impl Read + Send + 'static) -> Self {
        Self(Content::Source(Box::new(Reading(reader))))
    }

    /// To be written by another thread, which waits while the client is slower.
    pub fn pipe() -> (Writer, Self) {
        let (writer, outlet) = Outlet::new();
        (writer, Self(Content::Pipe(outlet)))
    }
}

impl From<Cow<'static, [u8]>> for Body {
    fn from(bytes: Cow<'static, [u8]>) -> Self {
        Self(Content::Bytes(bytes))
    }
}

impl From<Vec<u8>> for Body {
    fn from(bytes: Vec<u8>) -> Self {
        Cow::from(bytes).into()
    }
}

impl From<String> for Body {
    fn from(text: String) -> Self {
        text.into_bytes().into()
    }
}

impl From<&'static [u8]> for Body {
    fn from(bytes: &'static [u8]) -> Self {
        Cow::from(bytes).into()
    }
}

impl From<&'static str> for Body {
    fn from(text: &'static str) -> Self {
        text.as_bytes().into()
    }
}

/// A piece of a streamed body: bytes, text, or a result of one.
pub trait Piece {
    /// Appends the piece to `out`.
    ///
    /// # Errors
    ///
    /// The body can't go on.
    fn append(self, out: &mut Vec<u8>) -> io::Result<()>;
}

macro_rules! pieces_of_bytes {
    ($($type:ty),+) => {$(
        impl Piece for $type {
            fn append(self, out: &mut Vec<u8>) -> io::Result<()> {
                out.extend_from_slice(self.as_ref());
                Ok(())
            }
        }
    )+};
}

pieces_of_bytes!(Vec<u8>, String, &'static [u8], &'static str);

impl<P: Piece> Piece for io::Result<P> {
    fn append(self, out: &mut Vec<u8>) -> io::Result<()> {
        self.and_then(|piece| piece.append(out))
    }
}

/// What a body is pulled from.
pub(crate) trait Source: Send {
    /// Appends the next piece to an empty `out`. Returns whether more may follow.
    fn next(&mut self, out: &mut Vec<u8>) -> io::Result<bool>;
}

impl fmt::Debug for dyn Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Source")
    }
}

struct Pieces<I>(I);

impl<I: Iterator<Item: Piece> + Send> Source for Pieces<I> {
    fn next(&mut self, out: &mut Vec<u8>) -> io::Result<bool> {
        match self.0.next() {
            Some(piece) => piece.append(out).map(|()| true),
            None => Ok(false),
        }
    }
}

struct Reading<R>(R);

impl<R: Read + Send> Source for Reading<R> {
    fn next(&mut self, out: &mut Vec<u8>) -> io::Result<bool> {
        out.resize(READ, 0);
        let read = loop {
            match self.0.read(out) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => break read?,
            }
        };
        out.truncate(read);
        Ok(read > 0)
    }
}
