//! What the application is not asked about: its routes and bounds say no.

use crate::{IntoResponse, Response};

/// An answer that is given in the application's name without asking a handler: no such path (404),
/// not with this method (405), a body beyond the bound (413), too many connections (503), a handler
/// that panicked or dropped its ticket (500), a path that does not decode (400).
///
/// [`App::refusals`](crate::App::refusals) says what they look like. What is no proper request is
/// answered by the engine, in plain text, and closes the connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    status: u16,
    reason: String,
}

impl Refusal {
    pub(crate) fn new(status: u16, reason: impl Into<String>) -> Self {
        let reason = reason.into();
        Self { status, reason }
    }

    /// The status of the answer.
    pub fn status(&self) -> u16 {
        self.status
    }

    /// What is wrong, for the client.
    pub fn reason(&self) -> &str {
        &self.reason
    }

    /// In plain text.
    pub(crate) fn plain(&self) -> Response {
        (self.status, self.reason.clone()).into_response()
    }
}
