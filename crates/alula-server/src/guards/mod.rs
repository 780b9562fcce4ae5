//! What stands in front of every route, whatever answers it.

pub mod forwarded;
