//! A response's head, for the client role.

use core::fmt;

use super::{Fields, Index, Span, Version};

/// A parsed response head: positions into the caller's bytes. Kept and reused from response to
/// response; then parsing allocates nothing.
#[derive(Clone, Debug, Default)]
pub struct ResponseHead {
    pub(crate) fields: Index,
    pub(crate) reason: Span,
    pub(crate) status: u16,
    pub(crate) version: Version,
    pub(crate) keep_alive: bool,
}

impl ResponseHead {
    /// The head as text. `input` must be the bytes, from the same first one, that
    /// [`receive_head`](crate::h1::Client::receive_head) saw.
    pub fn view<'a>(&'a self, input: &'a [u8]) -> Response<'a> {
        Response { head: self, input }
    }
}

/// A response's head, read through the bytes that it came in.
#[derive(Clone, Copy)]
pub struct Response<'a> {
    head: &'a ResponseHead,
    input: &'a [u8],
}

impl<'a> Response<'a> {
    /// The status, 100 to 999.
    pub fn status(&self) -> u16 {
        self.head.status
    }

    /// Whether another response to the same request follows: any 1xx but 101.
    pub fn is_interim(&self) -> bool {
        self.head.status < 200 && self.head.status != 101
    }

    /// The reason phrase as sent; may be empty.
    pub fn reason(&self) -> &'a [u8] {
        self.head.reason.get(self.input)
    }

    /// The version of the response.
    pub fn version(&self) -> Version {
        self.head.version
    }

    /// The headers in the order sent: names as sent, values without outer white space.
    pub fn headers(&self) -> Fields<'a> {
        self.head.fields.iter(self.input)
    }

    /// The value of the first header called `name`, in any case.
    pub fn header(&self, name: &str) -> Option<&'a [u8]> {
        self.headers().find(name)
    }

    /// Whether the server's Connection header lets the connection stay.
    pub fn keep_alive(&self) -> bool {
        self.head.keep_alive
    }
}

impl fmt::Debug for Response<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Response")
            .field("status", &self.status())
            .field("reason", &String::from_utf8_lossy(self.reason()))
            .field("version", &self.version())
            .field("headers", &self.headers().len())
            .finish_non_exhaustive()
    }
}
