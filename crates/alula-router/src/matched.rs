//! What a look-up says.

use core::{fmt, ops::Range};

use crate::{RouteId, methods::Methods};

/// Room for what a look-up captures: made once and used again, so that look-ups don't allocate.
#[derive(Clone, Debug, Default)]
pub struct Captures {
    /// Where in the path the parameters are, in the pattern's order.
    pub(crate) spans: Vec<Range<usize>>,
    /// A segment, decoded.
    pub(crate) decoded: Vec<u8>,
}

/// What a look-up says.
#[derive(Clone, Copy, Debug)]
pub enum Match<'a> {
    /// A route takes the request.
    Found {
        /// The route.
        route: RouteId,
        /// Its parameters.
        params: Params<'a>,
    },
    /// There is such a path, for other methods only: 405, or an answer to OPTIONS.
    MethodNotAllowed {
        /// The methods there are.
        allowed: Allowed<'a>,
    },
    /// There is no such path.
    NotFound,
}

/// The parameters of a path, as they are in it: not decoded, see [`percent`](crate::percent).
#[derive(Clone, Copy)]
pub struct Params<'a> {
    pub(crate) names: &'a [Box<str>],
    pub(crate) spans: &'a [Range<usize>],
    pub(crate) path: &'a str,
}

impl<'a> Params<'a> {
    /// The value of a parameter.
    pub fn get(&self, name: &str) -> Option<&'a str> {
        let at = self.names.iter().position(|other| **other == *name)?;
        Some(&self.path[self.spans[at].clone()])
    }

    /// Names and values, in the pattern's order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&'a str, &'a str)> + use<'a> {
        let path = self.path;
        let values = self.spans.iter().map(move |span| &path[span.clone()]);
        self.names.iter().map(|name| &**name).zip(values)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Where in the path the values are, in the pattern's order: to be kept where a borrow can't.
    pub fn spans(&self) -> &'a [Range<usize>] {
        self.spans
    }
}

impl fmt::Debug for Params<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_map().entries(self.iter()).finish()
    }
}

/// The methods that a path is registered for.
#[derive(Clone, Copy)]
pub struct Allowed<'a>(pub(crate) &'a Methods);

impl<'a> Allowed<'a> {
    /// In the order of registration, as they were registered.
    pub fn methods(&self) -> impl ExactSizeIterator<Item = &'a str> + use<'a> {
        self.0.iter()
    }

    /// The value of an `Allow` header (RFC 9110 section 10.2.1): the methods in the order of
    /// registration, with HEAD behind GET and OPTIONS at the end where they are not among them.
    pub fn header(&self) -> &'a str {
        self.0.header()
    }
}

impl fmt::Debug for Allowed<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.header())
    }
}
