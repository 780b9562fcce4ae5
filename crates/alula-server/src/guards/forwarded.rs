//! Proxy headers.
