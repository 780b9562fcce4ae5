//! The scope: the dictionary that tells an application about a request.

use std::cell::RefCell;
use std::fmt::Write as _;

use alula_http::{Request, Version};
use alula_reactor::Peer;
use alula_server::ConnectionInfo;
use alula_server::guards::forwarded::{self, Trusted};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyString};

use super::headers::{self, Headers};
use crate::access_log::Line;
use crate::ffi::{dict, references, text};

/// Makes scopes.
pub(crate) struct Scopes {
    /// What every scope begins with.
    template: Py<PyDict>,
    /// The value of `asgi`, copied for each request.
    asgi: Py<PyDict>,
    /// The lifespan's state, copied for each request.
    state: Py<PyDict>,
    root_path: String,
    /// Whose `X-Forwarded-*` headers are believed, if anybody's.
    trusted: Option<Trusted>,
    headers: Headers,
    /// What the scopes of a connection have in common, by slot.
    connections: RefCell<Vec<Option<Prototype>>>,
}

/// What all scopes of one connection have in common.
struct Prototype {
    serial: u64,
    scope: Py<PyDict>,
    asgi: Inner,
    state: Inner,
    /// The client, as the access log shows it.
    client: Box<str>,
    /// Whether its `X-Forwarded-*` headers are believed.
    trusted: bool,
    /// The path that the scope holds; none at first.
    path: Box<[u8]>,
    /// The hash of the last request's path.
    last_path: u64,
}

/// Longer paths are not kept for a connection.
const LONGEST_PATH: usize = 128;

/// A copy of a prototype.
struct Copied<'py> {
    scope: Bound<'py, PyDict>,
    /// Whether the connection's `X-Forwarded-*` headers count.
    trusted: bool,
    /// Whether the request's path is in already.
    has_path: bool,
}

/// A dictionary within a prototype's scope. An application may change it, so it is given to a
/// second request only when nobody has and nobody can.
struct Inner {
    copy: Py<PyDict>,
    /// The versions of the copy, and of what it is a copy of, when it was made.
    versions: [Option<u64>; 2],
}

impl Inner {
    /// A fresh copy of `source`, put into `scope` as `key`.
    fn new(
        scope: &Bound<'_, PyDict>,
        key: &Bound<'_, PyString>,
        source: &Bound<'_, PyDict>,
    ) -> PyResult<Self> {
        let copy = source.copy()?;
        scope.set_item(key, &copy)?;
        let versions = [dict::version(&copy), dict::version(source)];
        Ok(Self {
            copy: copy.unbind(),
            versions,
        })
    }

    /// Takes a new copy where the one at hand is not as it was, or somebody has it.
    #[inline]
    fn refresh(
        &mut self,
        scope: &Bound<'_, PyDict>,
        key: &Bound<'_, PyString>,
        source: &Bound<'_, PyDict>,
    ) -> PyResult<()> {
        let copy = self.copy.bind(scope.py());
        // The two references are the prototype's and ours.
        let fresh = references(copy) == 2
            && self.versions[0].is_some()
            && self.versions == [dict::version(copy), dict::version(source)];
        if !fresh {
            *self = Self::new(scope, key, source)?;
        }
        Ok(())
    }
}

impl Scopes {
    /// Makes them for one application.
    pub(crate) fn new(
        py: Python<'_>,
        asgi_version: &str,
        root_path: &str,
        state: Py<PyDict>,
        trusted: Option<Trusted>,
    ) -> PyResult<Self> {
        let asgi = PyDict::new(py);
        asgi.set_item("version", asgi_version)?;
        asgi.set_item("spec_version", "2.3")?;
        let template = PyDict::new(py);
        template.set_item(pyo3::intern!(py, "type"), pyo3::intern!(py, "http"))?;
        template.set_item(pyo3::intern!(py, "asgi"), &asgi)?;
        template.set_item(pyo3::intern!(py, "http_version"), pyo3::intern!(py, "1.1"))?;
        template.set_item(pyo3::intern!(py, "server"), py.None())?;
        template.set_item(pyo3::intern!(py, "client"), py.None())?;
        template.set_item(pyo3::intern!(py, "scheme"), pyo3::intern!(py, "http"))?;
        template.set_item(pyo3::intern!(py, "root_path"), root_path)?;
        // The rest is set for each request; the keys are there already so that a copy never grows.
        for key in [
            pyo3::intern!(py, "headers"),
            pyo3::intern!(py, "state"),
            pyo3::intern!(py, "method"),
            pyo3::intern!(py, "path"),
            pyo3::intern!(py, "raw_path"),
        ] {
            template.set_item(key, pyo3::intern!(py, "GET"))?;
        }
        template.set_item(pyo3::intern!(py, "query_string"), PyBytes::new(py, b""))?;
        Ok(Self {
            template: template.unbind(),
            asgi: asgi.unbind(),
            state,
            root_path: root_path.to_owned(),
            trusted,
            headers: Headers::new(),
            connections: RefCell::default(),
        })
    }

    /// The scope of a request, and the line it will have in the access log if it is to have one.
    pub(crate) fn make<'py>(
        &self,
        py: Python<'py>,
        request: &Request<'_>,
        connection: &ConnectionInfo,
        logged: bool,
    ) -> PyResult<(Bound<'py, PyDict>, Option<Line>)> {
        let Copied {
            scope,
            trusted,
            has_path,
        } = self.copy(py, connection, request.path())?;
        let mut forwarded = Forwarded::default();
        let headers = request.headers().map(|(name, value)| {
            if trusted {
                forwarded.see(name, value);
            }
            self.headers.pair(py, name, value)
        });
        scope.set_item(pyo3::intern!(py, "headers"), PyList::new(py, headers)?)?;
        if request.method() != "GET" {
            scope.set_item(pyo3::intern!(py, "method"), method(py, request.method()))?;
        }
        if !has_path {
            self.set_path(&scope, connection.slot, request.path())?;
        }
        if !request.query().is_empty() {
            let query = PyBytes::new(py, request.query());
            scope.set_item(pyo3::intern!(py, "query_string"), query)?;
        }
        if request.version() == Version::Http10 {
            scope.set_item(pyo3::intern!(py, "http_version"), pyo3::intern!(py, "1.0"))?;
        }
        let client = forwarded.apply(self.trusted.as_ref(), &scope)?;
        let line = if logged {
            let path = self.path(py, request.path());
            Some(self.line(request, connection, client.as_deref(), path.to_str()?))
        } else {
            None
        };
        Ok((scope, line))
    }

    /// A copy of the connection's prototype.
    #[inline]
    fn copy<'py>(
        &self,
        py: Python<'py>,
        connection: &ConnectionInfo,
        path: &[u8],
    ) -> PyResult<Copied<'py>> {
        let slot = connection.slot;
        if let Some(Some(prototype)) = self.connections.borrow_mut().get_mut(slot)
            && prototype.serial == connection.serial
        {
            let scope = prototype.scope.bind(py);
            let (asgi, state) = (self.asgi.bind(py), self.state.bind(py));
            prototype
                .asgi
                .refresh(scope, pyo3::intern!(py, "asgi"), asgi)?;
            prototype
                .state
                .refresh(scope, pyo3::intern!(py, "state"), state)?;
            return Ok(Copied {
                scope: scope.copy()?,
                trusted: prototype.trusted,
                has_path: !path.is_empty() && *prototype.path == *path,
            });
        }
        let prototype = self.prototype(py, connection)?;
        let made = Copied {
            scope: prototype.scope.bind(py).copy()?,
            trusted: prototype.trusted,
            has_path: false,
        };
        let mut connections = self.connections.borrow_mut();
        if connections.len() <= slot {
            connections.resize_with(slot + 1, || None);
        }
        let old = connections[slot].replace(prototype);
        drop(connections);
        drop(old);
        Ok(made)
    }

    /// Puts the path into a scope, and into the prototype if it comes the second time in a row:
    /// many a client asks for the same thing again and again.
    fn set_path(&self, scope: &Bound<'_, PyDict>, slot: usize, raw: &[u8]) -> PyResult<()> {
        let py = scope.py();
        let (key, raw_key) = (pyo3::intern!(py, "path"), pyo3::intern!(py, "raw_path"));
        let path = self.path(py, raw);
        let raw_path = PyBytes::new(py, raw);
        let mut connections = self.connections.borrow_mut();
        if let Some(Some(prototype)) = connections.get_mut(slot)
            && raw.len() <= LONGEST_PATH
            && std::mem::replace(&mut prototype.last_path, headers::hash(raw)) == headers::hash(raw)
        {
            let prototype_scope = prototype.scope.bind(py);
            prototype_scope.set_item(key, &path)?;
            prototype_scope.set_item(raw_key, &raw_path)?;
            prototype.path = raw.into();
        }
        drop(connections);
        scope.set_item(key, path)?;
        scope.set_item(raw_key, raw_path)
    }

    fn prototype(&self, py: Python<'_>, connection: &ConnectionInfo) -> PyResult<Prototype> {
        let scope = self.template.bind(py).copy()?;
        let server = match &connection.local {
            Peer::Inet(address) => (address.ip().to_string(), address.port()).into_pyobject(py)?,
            Peer::Unix(path) => {
                (path.as_ref().map(|path| path.as_os_str()), py.None()).into_pyobject(py)?
            }
        };
        scope.set_item(pyo3::intern!(py, "server"), server)?;
        let mut host = None;
        if let Peer::Inet(address) = &connection.peer {
            let text = address.ip().to_string();
            scope.set_item(pyo3::intern!(py, "client"), (&text, address.port()))?;
            host = Some(text);
        }
        let (asgi, state) = (self.asgi.bind(py), self.state.bind(py));
        Ok(Prototype {
            serial: connection.serial,
            asgi: Inner::new(&scope, pyo3::intern!(py, "asgi"), asgi)?,
            state: Inner::new(&scope, pyo3::intern!(py, "state"), state)?,
            scope: scope.unbind(),
            path: Box::default(),
            last_path: 0,
            client: shown(&connection.peer).into(),
            trusted: self
                .trusted
                .as_ref()
                .is_some_and(|trusted| trusted.trusts(host.as_deref())),
        })
    }

    /// A connection has closed.
    pub(crate) fn forget(&self, slot: usize) {
        let old = self
            .connections
            .borrow_mut()
            .get_mut(slot)
            .and_then(Option::take);
        drop(old);
    }

    /// Drops what is kept for connections.
    pub(crate) fn clear(&self) {
        let old = self.connections.take();
        drop(old);
    }

    /// The root path and the decoded path.
    #[inline]
    fn path<'py>(&self, py: Python<'py>, raw: &[u8]) -> Bound<'py, PyString> {
        if self.root_path.is_empty() && !raw.contains(&b'%') {
            return text::ascii(py, raw);
        }
        let mut decoded = self.root_path.clone().into_bytes();
        alula_http::h1::grammar::percent_decode(raw, &mut decoded);
        PyString::new(py, &String::from_utf8_lossy(&decoded))
    }

    /// The access log's line, in uvicorn's terms.
    fn line(
        &self,
        request: &Request<'_>,
        connection: &ConnectionInfo,
        forwarded: Option<&str>,
        path: &str,
    ) -> Line {
        let connections = self.connections.borrow();
        let known = connections.get(connection.slot).and_then(Option::as_ref);
        let client = forwarded
            .or(known.map(|known| &*known.client))
            .unwrap_or("");
        Line::new(
            client,
            request.method(),
            path,
            request.query(),
            request.version() == Version::Http10,
        )
    }
}

/// What the access log calls a peer.
pub(crate) fn shown(peer: &Peer) -> String {
    let mut text = String::new();
    if let Peer::Inet(address) = peer {
        // Without the brackets of an IPv6 address, as uvicorn writes it.
        let _ = write!(text, "{}:{}", address.ip(), address.port());
    }
    text
}

/// The method, the common ones made once.
#[inline]
fn method<'py>(py: Python<'py>, method: &str) -> Bound<'py, PyString> {
    match method {
        "GET" => pyo3::intern!(py, "GET").clone(),
        "POST" => pyo3::intern!(py, "POST").clone(),
        "PUT" => pyo3::intern!(py, "PUT").clone(),
        "DELETE" => pyo3::intern!(py, "DELETE").clone(),
        "HEAD" => pyo3::intern!(py, "HEAD").clone(),
        "PATCH" => pyo3::intern!(py, "PATCH").clone(),
        "OPTIONS" => pyo3::intern!(py, "OPTIONS").clone(),
        other => text::ascii(py, other.as_bytes()),
    }
}

/// What a trusted proxy says.
#[derive(Default)]
struct Forwarded {
    hops: String,
    proto: Option<String>,
}

impl Forwarded {
    /// Looks at one header.
    #[inline]
    fn see(&mut self, name: &[u8], value: &[u8]) {
        if name.len() == 15 && name.eq_ignore_ascii_case(b"x-forwarded-for") {
            if !self.hops.is_empty() {
                self.hops.push_str(", ");
            }
            self.hops.extend(value.iter().map(|byte| char::from(*byte)));
        } else if name.len() == 17 && name.eq_ignore_ascii_case(b"x-forwarded-proto") {
            self.proto = Some(value.iter().map(|byte| char::from(*byte)).collect());
        }
    }

    /// Puts it into the scope; the client as the access log shows it, if it is another now.
    #[inline]
    fn apply(
        &self,
        trusted: Option<&Trusted>,
        scope: &Bound<'_, PyDict>,
    ) -> PyResult<Option<String>> {
        let py = scope.py();
        if let Some(scheme) = self.proto.as_deref().and_then(forwarded::scheme) {
            scope.set_item(pyo3::intern!(py, "scheme"), scheme)?;
        }
        if self.hops.is_empty() {
            return Ok(None);
        }
        let Some((host, port)) = trusted.and_then(|trusted| trusted.client(&self.hops)) else {
            return Ok(None);
        };
        let host = forwarded::harmless(host);
        scope.set_item(pyo3::intern!(py, "client"), (&*host, port))?;
        Ok(Some(format!("{host}:{port}")))
    }
}
