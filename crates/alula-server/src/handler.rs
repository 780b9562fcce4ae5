//! What the engine calls: the application's side of the road.

use std::io;

use alula_http::Request;
use alula_reactor::Peer;

use crate::{ExchangeId, Worker};

/// Who is at the two ends of a connection.
#[derive(Debug)]
pub struct ConnectionInfo {
    /// The connection's slot: small and dense, used again after the connection has closed.
    pub slot: usize,
    /// Unique for the life of the worker.
    pub serial: u64,
    /// The client.
    pub peer: Peer,
    /// The address it came in on.
    pub local: Peer,
}

/// Answers requests. All methods are called on the worker's thread, with nothing of the worker
/// borrowed: each may call any method of [`Worker`].
pub trait Handler: Sized {
    /// What [`Handler::prepare`] makes of a head, for [`Handler::start`].
    type Call;

    /// A head is in; its bytes are valid for this call only.
    fn prepare(
        &self,
        request: &Request<'_>,
        connection: &ConnectionInfo,
        id: ExchangeId,
    ) -> Self::Call;

    /// Begin to answer. The body may be received and the answer sent from within.
    fn start(&self, worker: &Worker<Self>, id: ExchangeId, call: Self::Call);

    /// After [`Receive::Pending`](crate::Receive::Pending): receive again now.
    fn readable(&self, worker: &Worker<Self>, id: ExchangeId);

    /// After [`Flow::Wait`](crate::Flow::Wait): send on now.
    fn writable(&self, worker: &Worker<Self>, id: ExchangeId);

    /// The client is gone, or the engine has ended the exchange (a framing error, a deadline):
    /// sends fail from now on, and `receive` says so.
    fn disconnected(&self, worker: &Worker<Self>, id: ExchangeId);

    /// The engine itself refused a request or closed a connection for `reason`, having answered
    /// `status` (`None`: silently). For the log.
    fn rejected(&self, connection: &ConnectionInfo, status: Option<u16>, reason: &'static str) {
        let _ = (connection, status, reason);
    }

    /// A connection could not be accepted; it is tried again after a pause. For the log.
    fn accept_failed(&self, error: &io::Error) {
        let _ = error;
    }

    /// A connection has closed; what was kept for `slot` can go.
    fn closed(&self, slot: usize) {
        let _ = slot;
    }
}
