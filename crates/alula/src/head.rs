//! A request's head: borrowed from the connection while it can be, copied where the request has to
//! wait for its body or for another thread.

use alula_http::{Version, head, head::Fields};

/// Where the parts of a request's head are.
#[derive(Clone, Copy, Debug)]
pub(crate) enum HeadRef<'a> {
    /// In the connection's input.
    Borrowed(head::Request<'a>),
    /// In a copy.
    Owned(&'a OwnedHead),
}

impl<'a> HeadRef<'a> {
    pub(crate) fn method(&self) -> &'a str {
        match self {
            Self::Borrowed(request) => request.method(),
            Self::Owned(head) => text(head.get(head.method)),
        }
    }

    /// The path as sent. The engine lets visible ASCII through and nothing else.
    pub(crate) fn path(&self) -> &'a str {
        match self {
            Self::Borrowed(request) => text(request.path()),
            Self::Owned(head) => text(head.get(head.path)),
        }
    }

    pub(crate) fn query(&self) -> &'a str {
        match self {
            Self::Borrowed(request) => text(request.query()),
            Self::Owned(head) => text(head.get(head.query)),
        }
    }

    pub(crate) fn version(&self) -> Version {
        match self {
            Self::Borrowed(request) => request.version(),
            Self::Owned(head) => head.version,
        }
    }

    pub(crate) fn headers(&self) -> Headers<'a> {
        Headers(match self {
            Self::Borrowed(request) => Lines::Borrowed(request.headers()),
            Self::Owned(head) => Lines::Owned(head, head.lines.iter()),
        })
    }
}

/// Of bytes that the engine has vetted to be ASCII.
fn text(bytes: &[u8]) -> &str {
    str::from_utf8(bytes).unwrap_or_default()
}

/// A range of a copied head.
#[derive(Clone, Copy, Debug, Default)]
struct Span {
    start: u32,
    end: u32,
}

/// A copy of a head, in one piece. Kept and filled anew from request to request.
#[derive(Debug, Default)]
pub(crate) struct OwnedHead {
    bytes: Vec<u8>,
    method: Span,
    path: Span,
    query: Span,
    version: Version,
    lines: Vec<(Span, Span)>,
}

impl OwnedHead {
    /// Copies `request`, whatever was in here before.
    pub(crate) fn fill(&mut self, request: &head::Request<'_>) {
        self.bytes.clear();
        self.lines.clear();
        self.method = self.push(request.method().as_bytes());
        self.path = self.push(request.path());
        self.query = self.push(request.query());
        self.version = request.version();
        for (name, value) in request.headers() {
            let line = (self.push(name), self.push(value));
            self.lines.push(line);
        }
    }

    /// Bytes that it holds on to.
    pub(crate) fn capacity(&self) -> usize {
        self.bytes.capacity()
    }

    fn push(&mut self, part: &[u8]) -> Span {
        let start = self.bytes.len() as u32;
        self.bytes.extend_from_slice(part);
        Span {
            start,
            end: self.bytes.len() as u32,
        }
    }

    fn get(&self, span: Span) -> &[u8] {
        &self.bytes[span.start as usize..span.end as usize]
    }
}

/// The header lines of a request in the order sent: names as sent, values without outer white
/// space. A value is visible bytes, spaces and tabs, and need not be UTF-8 (RFC 9110 section 5.5).
#[derive(Clone, Debug)]
pub struct Headers<'a>(Lines<'a>);

#[derive(Clone, Debug)]
enum Lines<'a> {
    Borrowed(Fields<'a>),
    Owned(&'a OwnedHead, std::slice::Iter<'a, (Span, Span)>),
}

impl<'a> Headers<'a> {
    /// The value of the first line called `name`, in any case.
    pub fn get(&self, name: &str) -> Option<&'a [u8]> {
        let mut lines = self.clone();
        lines.find_map(|(sent, value)| sent.eq_ignore_ascii_case(name).then_some(value))
    }
}

impl<'a> Iterator for Headers<'a> {
    type Item = (&'a str, &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        match &mut self.0 {
            Lines::Borrowed(fields) => fields.next().map(|(name, value)| (text(name), value)),
            Lines::Owned(head, lines) => {
                let (name, value) = lines.next()?;
                Some((text(head.get(*name)), head.get(*value)))
            }
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        match &self.0 {
            Lines::Borrowed(fields) => fields.size_hint(),
            Lines::Owned(_, lines) => lines.size_hint(),
        }
    }
}

impl ExactSizeIterator for Headers<'_> {}

#[cfg(test)]
mod tests {
    use alula_http::{Head, Limits, h1::Server};

    use super::*;

    const INPUT: &[u8] = b"PUT /a%20b?x=1&y HTTP/1.1\r\nHost: a\r\nX-Two: 1\r\nx-two:  2 \r\n\r\n";

    #[test]
    fn a_copy_says_what_the_head_says() {
        let mut head = Head::default();
        Server::new()
            .receive_head(INPUT, &mut head, &Limits::default())
            .expect("a valid head");
        let request = head.view(INPUT);
        let mut owned = OwnedHead::default();
        owned.fill(&request);
        owned.fill(&request);
        for view in [HeadRef::Borrowed(request), HeadRef::Owned(&owned)] {
            assert_eq!(
                (view.method(), view.path(), view.query()),
                ("PUT", "/a%20b", "x=1&y")
            );
            assert_eq!(view.version(), Version::Http11);
            let lines: Vec<_> = view.headers().collect();
            let expected: [(&str, &[u8]); 3] = [("Host", b"a"), ("X-Two", b"1"), ("x-two", b"2")];
            assert_eq!(lines, expected);
            assert_eq!(view.headers().len(), 3);
            assert_eq!(view.headers().get("X-TWO"), Some(&b"1"[..]));
            assert_eq!(view.headers().get("X-Three"), None);
        }
    }
}
