//! A message on its way out: what may be sent next, and how its body is framed. Knows no role.

use super::encode;
use crate::UsageError;

/// What is to be put behind the bytes that `frame_body` has appended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// So many bytes of the data go out, from its front; the rest is dropped.
    pub take: usize,
    /// What goes out behind the data.
    pub suffix: &'static [u8],
    /// There was more data than was declared: the connection must close.
    pub overflow: bool,
    /// There was less data than was declared: the connection must close.
    pub short: bool,
}

impl Frame {
    /// Puts the data and the suffix behind what has been appended.
    pub(crate) fn fill(self, out: &mut Vec<u8>, data: &[u8]) -> Self {
        out.extend_from_slice(&data[..self.take]);
        out.extend_from_slice(self.suffix);
        self
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Phase {
    /// Nothing has been sent.
    #[default]
    Idle,
    /// The head has been begun; the first piece of the body decides its framing.
    HeadOpen,
    Body,
    Complete,
}

/// How the body ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Length {
    /// To be decided by the first piece.
    #[default]
    Undecided,
    /// There is none, whatever is given.
    Bodyless,
    /// This many bytes are still to go.
    Exact(u64),
    Chunked,
    UntilClose,
}

/// One message going out.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Outgoing {
    length: Length,
    phase: Phase,
}

impl Outgoing {
    /// Whether nothing has been sent yet.
    pub(crate) fn is_idle(&self) -> bool {
        self.phase == Phase::Idle
    }

    pub(crate) fn is_head_open(&self) -> bool {
        self.phase == Phase::HeadOpen
    }

    pub(crate) fn is_complete(&self) -> bool {
        self.phase == Phase::Complete
    }

    /// Whether the end of the body is the end of the connection.
    pub(crate) fn ends_by_close(&self) -> bool {
        self.length == Length::UntilClose
    }

    /// Whether a head may be sent now.
    pub(crate) fn expect_idle(&self) -> Result<(), UsageError> {
        match self.phase {
            Phase::Idle => Ok(()),
            Phase::HeadOpen | Phase::Body => Err(UsageError::AlreadyStarted),
            Phase::Complete => Err(UsageError::AlreadyComplete),
        }
    }

    /// The head has been begun.
    pub(crate) fn open(&mut self, length: Length) {
        *self = Self {
            length,
            phase: Phase::HeadOpen,
        };
    }

    /// There is no body, and no header that says so, unless a length was declared.
    pub(crate) fn leave_out_body(&mut self) {
        if self.length == Length::Undecided {
            self.length = Length::Bodyless;
        }
    }

    /// All has been sent at once.
    pub(crate) fn finish(&mut self) {
        self.phase = Phase::Complete;
    }

    /// The first piece has `len` bytes: decides the framing and writes the header that says so.
    /// `chunks`: the peer knows chunks.
    pub(crate) fn decide(&mut self, out: &mut Vec<u8>, len: usize, more: bool, chunks: bool) {
        self.phase = Phase::Body;
        if self.length != Length::Undecided {
            return;
        }
        self.length = if !more {
            out.extend_from_slice(b"content-length: ");
            encode::decimal(out, len as u64);
            out.extend_from_slice(b"\r\n");
            Length::Exact(len as u64)
        } else if chunks {
            out.extend_from_slice(b"transfer-encoding: chunked\r\n");
            Length::Chunked
        } else {
            Length::UntilClose
        };
    }

    /// Frames `len` bytes; the head must be closed.
    pub(crate) fn frame(
        &mut self,
        out: &mut Vec<u8>,
        len: usize,
        more: bool,
    ) -> Result<Frame, UsageError> {
        match self.phase {
            Phase::Idle | Phase::HeadOpen => return Err(UsageError::NotStarted),
            Phase::Complete => return Err(UsageError::AlreadyComplete),
            Phase::Body => {}
        }
        if !more {
            self.phase = Phase::Complete;
        }
        Ok(match &mut self.length {
            Length::Bodyless => Frame::default(),
            Length::UntilClose | Length::Undecided => Frame {
                take: len,
                ..Frame::default()
            },
            Length::Exact(remaining) => {
                let take = usize::try_from(*remaining).map_or(len, |most| most.min(len));
                *remaining -= take as u64;
                Frame {
                    take,
                    suffix: b"",
                    overflow: take < len,
                    short: !more && *remaining > 0,
                }
            }
            Length::Chunked => {
                if len > 0 {
                    encode::hexadecimal(out, len as u64);
                    out.extend_from_slice(b"\r\n");
                }
                let suffix: &[u8] = match (len, more) {
                    (0, true) => b"",
                    (0, false) => b"0\r\n\r\n",
                    (_, true) => b"\r\n",
                    (_, false) => b"\r\n0\r\n\r\n",
                };
                Frame {
                    take: len,
                    suffix,
                    ..Frame::default()
                }
            }
        })
    }
}
