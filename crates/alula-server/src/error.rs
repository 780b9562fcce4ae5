//! Reasons that the engine itself gives for closing a connection; they reach the log by
//! [`Handler::rejected`](crate::Handler::rejected).

/// 408: a head was begun and not finished in time.
pub(crate) const SLOW_HEAD: &str = "request head not complete in time";
/// 408: the body came slower than the least rate.
pub(crate) const SLOW_BODY: &str = "request body below the minimum rate";
/// The peer took no byte for the write timeout.
pub(crate) const STALLED: &str = "client accepts no data";
/// 500: a handler panicked.
pub(crate) const PANICKED: &str = "handler panicked";
