//! What the application consists of: its routes, and how it refuses and logs.

use std::fmt;

use alula_router::{Captures, Match, Params, RouteError, RouteId, Router};
use alula_server::guards::forwarded::Trusted;

use crate::{Event, Incoming, Refusal, Request, Response, event};

/// Answers requests whose body is whole.
pub(crate) type Whole = Box<dyn Fn(&Request<'_>) -> Response + Send + Sync>;
/// Answers requests whose body is still to come.
pub(crate) type Streaming = Box<dyn Fn(&Request<'_>, Incoming) -> Response + Send + Sync>;

/// What answers a route.
pub(crate) enum Endpoint {
    Whole(Whole),
    Streaming(Streaming),
}

/// What becomes of a method and a path.
pub(crate) enum Found<'a> {
    Endpoint(RouteId, &'a Endpoint, Params<'a>),
    Answer(Response),
}

/// Routes and the answers in place of one; shared by all reactors.
pub(crate) struct Site {
    router: Router,
    endpoints: Vec<Endpoint>,
    pub(crate) refuse: Box<dyn Fn(&Refusal) -> Response + Send + Sync>,
    pub(crate) log: Box<dyn Fn(&Event<'_>) + Send + Sync>,
    /// Whose `X-Forwarded-*` headers are believed, if anybody's.
    pub(crate) trusted: Option<Trusted>,
}

impl Default for Site {
    fn default() -> Self {
        Self {
            router: Router::new(),
            endpoints: Vec::new(),
            refuse: Box::new(Refusal::plain),
            log: Box::new(event::print_fault),
            trusted: None,
        }
    }
}

impl Site {
    pub(crate) fn add(
        &mut self,
        method: &str,
        path: &str,
        endpoint: Endpoint,
    ) -> Result<(), RouteError> {
        self.router.add(method, path)?;
        self.endpoints.push(endpoint);
        Ok(())
    }

    /// What answers the request.
    pub(crate) fn find<'a>(
        &'a self,
        method: &str,
        path: &'a str,
        captures: &'a mut Captures,
    ) -> Found<'a> {
        match self.router.find(method, path, captures) {
            Match::Found { route, params } => {
                Found::Endpoint(route, &self.endpoints[route.index()], params)
            }
            Match::MethodNotAllowed { allowed } if method == "OPTIONS" => Found::Answer(
                Response::status(204).with_header("allow", allowed.header().to_owned()),
            ),
            Match::MethodNotAllowed { allowed } => {
                let allow = allowed.header();
                let reason = format!("this path takes {allow}");
                let response = self.refuse(405, reason);
                Found::Answer(response.with_header("allow", allow.to_owned()))
            }
            // The server as a whole (RFC 9110 section 9.3.7).
            Match::NotFound if path == "*" => Found::Answer(Response::status(204)),
            Match::NotFound => Found::Answer(self.refuse(404, "there is nothing at this path")),
        }
    }

    /// The answer to a request that no handler is asked about.
    pub(crate) fn refuse(&self, status: u16, reason: impl Into<String>) -> Response {
        (self.refuse)(&Refusal::new(status, reason)).with_status(status)
    }

    pub(crate) fn log(&self, event: &Event<'_>) {
        (self.log)(event);
    }

    /// A route, for the log.
    pub(crate) fn name(&self, route: RouteId) -> String {
        let route = self.router.route(route);
        format!("{} {}", route.method(), route.pattern())
    }
}

impl fmt::Debug for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let routes = self.router.routes();
        f.debug_list()
            .entries(routes.map(|(_, route)| format!("{} {}", route.method(), route.pattern())))
            .finish()
    }
}
