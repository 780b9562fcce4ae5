//! What a thread tells the one that collects.

use hdrhistogram::Histogram;

use super::meter::CoreUse;
use super::record::Slice;
use crate::error::Error;
use crate::report::{Ended, Mismatch};

/// One thing told.
pub(crate) enum Message {
    /// Its connections stand, as many as could be made; it waits for the start.
    Ready,
    /// A second has passed.
    Slice(Box<Slice>),
    /// It is done.
    Done(Box<Outcome>),
    /// It could not go on.
    Failed(Error),
}

/// A thread's figures that belong to no second.
pub(crate) struct Outcome {
    /// Length of its measured interval, in nanoseconds.
    pub(crate) measured: u64,
    pub(crate) ended: Ended,
    pub(crate) unsent: u64,
    pub(crate) connections: u64,
    pub(crate) mismatch: Option<Box<Mismatch>>,
    /// What it used of its core in the measured interval, where the system tells.
    pub(crate) time: Option<CoreUse>,
    /// How late it sent what was due though a connection was free.
    pub(crate) lag: Histogram<u64>,
}
