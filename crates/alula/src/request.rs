//! What a handler sees of a request.

use std::borrow::Cow;
use std::cell::RefCell;
use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;

use alula_http::Version;
use alula_reactor::Peer;
use alula_router::{Params, percent};
use alula_schema::json;
use alula_server::ExchangeId;
use alula_server::guards::forwarded::{self, Trusted};

use crate::head::{HeadRef, Headers};
use crate::mailbox::{Line, Mailbox};
use crate::query::{BadEncoding, QueryPairs};
use crate::ticket::{Presence, Ticket};

/// What of a request is the same for every way to read it.
#[derive(Debug)]
pub(crate) struct Exchange<'a> {
    pub(crate) peer: &'a Peer,
    /// Whose `X-Forwarded-*` headers are believed, if anybody's.
    pub(crate) trusted: Option<&'a Trusted>,
    pub(crate) id: ExchangeId,
    pub(crate) mailbox: &'a Arc<Mailbox>,
    /// What the reactor tells a ticket, once there is one.
    pub(crate) held: RefCell<Option<Arc<Presence>>>,
}

/// A request: its head, and all of its body unless the route is one of
/// [`App::streaming`](crate::App::streaming).
pub struct Request<'a> {
    pub(crate) head: HeadRef<'a>,
    pub(crate) params: Params<'a>,
    /// The parameters' values, in the same order, where one of them had to be decoded.
    pub(crate) decoded: &'a [String],
    pub(crate) body: &'a [u8],
    pub(crate) exchange: &'a Exchange<'a>,
}

impl Request<'_> {
    /// The method as sent; methods are case-sensitive. For a route of GET it may be HEAD: the
    /// answer's body is then left out.
    pub fn method(&self) -> &str {
        self.head.method()
    }

    /// The path, percent-decoded; bytes that are not UTF-8 become U+FFFD.
    pub fn path(&self) -> Cow<'_, str> {
        percent::decode(self.head.path()).unwrap_or_else(|_| {
            let mut decoded = Vec::new();
            alula_http::h1::grammar::percent_decode(self.head.path().as_bytes(), &mut decoded);
            Cow::Owned(String::from_utf8_lossy(&decoded).into_owned())
        })
    }

    /// The path as sent, without the query. Visible ASCII.
    pub fn raw_path(&self) -> &str {
        self.head.path()
    }

    /// The value of a parameter of the route's path, percent-decoded. (A request whose parameters
    /// do not decode gets a 400 and reaches no handler.)
    ///
    /// # Panics
    ///
    /// If the route's path has no parameter of that name.
    pub fn param(&self, name: &str) -> &str {
        let mut params = self.params.iter().enumerate();
        match params.find(|(_, (other, _))| *other == name) {
            Some((at, (_, raw))) => self.decoded.get(at).map_or(raw, String::as_str),
            None => panic!("the path of this route has no parameter {name:?}"),
        }
    }

    /// The query string as sent, without its `?`; empty where there is none.
    pub fn query(&self) -> &str {
        self.head.query()
    }

    /// The query string's pairs, decoded, in their order.
    pub fn query_pairs(&self) -> QueryPairs<'_> {
        QueryPairs::new(self.head.query())
    }

    /// The value of the first pair of the query string called `name`.
    ///
    /// # Errors
    ///
    /// Where that pair or one before it does not decode.
    pub fn query_value(&self, name: &str) -> Result<Option<Cow<'_, str>>, BadEncoding> {
        for pair in self.query_pairs() {
            let (other, value) = pair?;
            if other == name {
                return Ok(Some(value));
            }
        }
        Ok(None)
    }

    /// The version, as it is served.
    pub fn version(&self) -> Version {
        self.head.version()
    }

    /// The header lines.
    pub fn headers(&self) -> Headers<'_> {
        self.head.headers()
    }

    /// The value of the first header called `name`, in any case.
    pub fn header(&self, name: &str) -> Option<&[u8]> {
        self.head.headers().get(name)
    }

    /// The whole body; empty on a route of [`App::streaming`](crate::App::streaming).
    pub fn body(&self) -> &[u8] {
        self.body
    }

    /// The body as JSON: at most 128 levels deep, and the last of equal keys counts. For other
    /// choices see [`json::parse`].
    ///
    /// # Errors
    ///
    /// Where it is none; the error tells what was expected, and at which line and column.
    pub fn json(&self) -> Result<json::Value, json::JsonError> {
        json::parse(self.body, &json::Options::default())
    }

    /// The other end of the connection: the client, or a proxy before it.
    pub fn peer(&self) -> &Peer {
        self.exchange.peer
    }

    /// The client's address: the peer's or, where that is a trusted proxy
    /// ([`Config::forwarded_allow_ips`](crate::Config::forwarded_allow_ips)), what it says in
    /// `X-Forwarded-For`. `None` on a Unix socket, or where the proxy gives no address.
    pub fn client(&self) -> Option<IpAddr> {
        let direct = self.exchange.peer.inet().map(|address| address.ip());
        let Some(trusted) = self.believed(direct) else {
            return direct;
        };
        let lines: Vec<&[u8]> = self
            .headers()
            .filter_map(|(name, value)| {
                name.eq_ignore_ascii_case("x-forwarded-for")
                    .then_some(value)
            })
            .collect();
        let joined = lines.join(&b","[..]);
        let told = String::from_utf8_lossy(&joined);
        match trusted.client(&told) {
            Some((host, _)) => host.parse().ok(),
            None => direct,
        }
    }

    /// `http`, or what a trusted proxy says in `X-Forwarded-Proto`.
    pub fn scheme(&self) -> &'static str {
        let direct = self.exchange.peer.inet().map(|address| address.ip());
        let told = (self.believed(direct))
            .and_then(|_| self.header("x-forwarded-proto"))
            .and_then(|value| str::from_utf8(value).ok());
        told.and_then(forwarded::scheme).unwrap_or("http")
    }

    /// The trusted proxies, if the peer is one.
    fn believed(&self, peer: Option<IpAddr>) -> Option<&Trusted> {
        let host = peer.map(|address| address.to_canonical().to_string());
        let trusted = self.exchange.trusted?;
        trusted.trusts(host.as_deref()).then_some(trusted)
    }

    /// Holds the request: it is answered by the ticket, later and from any thread, and what the
    /// handler itself returns is ignored.
    ///
    /// ```
    /// # let app = alula::App::new();
    /// app.get("/slow", |request: &alula::Request| {
    ///     let ticket = request.hold();
    ///     std::thread::spawn(move || {
    ///         let answer = (1..=20_u64).product::<u64>();
    ///         ticket.answer(answer.to_string())
    ///     });
    /// });
    /// ```
    ///
    /// # Panics
    ///
    /// If the request is held already.
    pub fn hold(&self) -> Ticket {
        let mut held = self.exchange.held.borrow_mut();
        assert!(held.is_none(), "the request is held already");
        let presence = Arc::<Presence>::default();
        *held = Some(presence.clone());
        let line = Line {
            id: self.exchange.id,
            mailbox: self.exchange.mailbox.clone(),
        };
        Ticket::new(line, presence)
    }
}

impl fmt::Debug for Request<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Header values, queries and bodies may hold secrets.
        f.debug_struct("Request")
            .field("method", &self.method())
            .field("path", &self.raw_path())
            .field("peer", self.peer())
            .finish_non_exhaustive()
    }
}
