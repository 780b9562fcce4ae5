//! Bodies on their way in: how their end is known, one step at a time.

use core::ops::Range;

use crate::{Limits, ProtocolError, h1::chunked};

/// What one call has made of the input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BodyStep {
    /// Bytes of the input that are done with, framing included.
    pub consumed: usize,
    /// Where in the input the body's bytes are; always within `..consumed`. Empty data with
    /// nothing consumed and no end: more bytes are needed.
    pub data: Range<usize>,
    /// The body is whole.
    pub end: bool,
}

impl BodyStep {
    /// A step that takes `length` bytes of data from the front of the input.
    fn plain(length: usize, end: bool) -> Self {
        Self {
            consumed: length,
            data: 0..length,
            end,
        }
    }
}

/// A body being received.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) enum Incoming {
    /// No body, or all of it has been received.
    #[default]
    Complete,
    /// This many bytes are still to come.
    Length(u64),
    /// Chunks.
    Chunked(chunked::Decoder),
    /// All bytes until the peer closes (responses only).
    UntilClose,
}

impl Incoming {
    /// A body of exactly `length` bytes.
    pub(crate) fn length(length: u64) -> Self {
        if length == 0 {
            Self::Complete
        } else {
            Self::Length(length)
        }
    }

    /// A chunked body.
    pub(crate) fn chunked() -> Self {
        Self::Chunked(chunked::Decoder::default())
    }

    /// Nothing more belongs to this body.
    pub(crate) fn is_complete(&self) -> bool {
        matches!(self, Self::Complete)
    }

    /// Takes one step over `input`.
    pub(crate) fn receive(
        &mut self,
        input: &[u8],
        limits: &Limits,
    ) -> Result<BodyStep, ProtocolError> {
        let step = match self {
            Self::Complete => BodyStep::plain(0, true),
            Self::UntilClose => BodyStep::plain(input.len(), false),
            Self::Length(remaining) => {
                let take = usize::try_from(*remaining).map_or(input.len(), |n| n.min(input.len()));
                *remaining -= take as u64;
                BodyStep::plain(take, *remaining == 0)
            }
            Self::Chunked(decoder) => decoder.receive(input, limits)?,
        };
        if step.end {
            *self = Self::Complete;
        }
        Ok(step)
    }
}
