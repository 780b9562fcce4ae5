//! A request's head.

use core::fmt;

use super::{Fields, Framing, Index, Span, Upgrade, Version};

/// A parsed request head: positions into the caller's bytes and what the headers mean. Kept and
/// reused from request to request; then parsing allocates nothing.
#[derive(Clone, Debug, Default)]
pub struct Head {
    pub(crate) fields: Index,
    pub(crate) method: Span,
    pub(crate) target: Span,
    /// `None` for an absolute-form target without a path, which stands for `/`.
    pub(crate) path: Option<Span>,
    pub(crate) query: Span,
    pub(crate) version: Version,
    pub(crate) framing: Framing,
    pub(crate) upgrade: Upgrade,
    pub(crate) keep_alive: bool,
    pub(crate) expects_continue: bool,
}

impl Head {
    /// The head as text. `input` must be the bytes, from the same first one, that
    /// [`receive_head`](crate::h1::Server::receive_head) saw.
    #[inline]
    pub fn view<'a>(&'a self, input: &'a [u8]) -> Request<'a> {
        Request { head: self, input }
    }
}

/// A request's head, read through the bytes that it came in.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    head: &'a Head,
    input: &'a [u8],
}

impl<'a> Request<'a> {
    /// The method as sent; methods are case-sensitive.
    pub fn method(&self) -> &'a str {
        // A token is ASCII, so this fails only on bytes other than those parsed.
        str::from_utf8(self.head.method.get(self.input)).unwrap_or_default()
    }

    /// The version, as it is served.
    pub fn version(&self) -> Version {
        self.head.version
    }

    /// The target as sent, in whatever form.
    pub fn target(&self) -> &'a [u8] {
        self.head.target.get(self.input)
    }

    /// The target's path, still percent-encoded and without the query; `*` for `OPTIONS *`.
    pub fn path(&self) -> &'a [u8] {
        self.head.path.map_or(b"/", |span| span.get(self.input))
    }

    /// What follows the first `?` of the target; empty without one.
    pub fn query(&self) -> &'a [u8] {
        self.head.query.get(self.input)
    }

    /// The headers in the order sent: names as sent, values without outer white space. With an
    /// absolute-form target, Host has the target's authority (RFC 9112 section 3.2.2).
    pub fn headers(&self) -> Fields<'a> {
        self.head.fields.iter(self.input)
    }

    /// The value of the first header called `name`, in any case.
    pub fn header(&self, name: &str) -> Option<&'a [u8]> {
        self.headers().find(name)
    }

    /// How the end of the body is known.
    pub fn framing(&self) -> Framing {
        self.head.framing
    }

    /// Whether the client wishes the connection to stay.
    pub fn keep_alive(&self) -> bool {
        self.head.keep_alive
    }

    /// Whether the client waits for a 100 before it sends the body.
    pub fn expects_continue(&self) -> bool {
        self.head.expects_continue
    }

    /// What the client asks the connection to become.
    pub fn upgrade(&self) -> Upgrade {
        self.head.upgrade
    }
}

impl fmt::Debug for Request<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Header values may be secrets.
        formatter
            .debug_struct("Request")
            .field("method", &self.method())
            .field("target", &String::from_utf8_lossy(self.target()))
            .field("version", &self.version())
            .field("headers", &self.headers().len())
            .finish_non_exhaustive()
    }
}
