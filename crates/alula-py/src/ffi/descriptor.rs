//! Descriptors that Python hands over.

use std::os::fd::{FromRawFd, OwnedFd, RawFd};

/// Takes over a descriptor that the caller was given to keep.
pub(crate) fn own(descriptor: RawFd) -> OwnedFd {
    // SAFETY: a `Worker` is documented to take its listeners' descriptors over: nobody else closes
    // them (an object that still did would close a number, which breaks no memory).
    unsafe { OwnedFd::from_raw_fd(descriptor) }
}
