//! Registration and look-up.

use crate::{Allowed, Captures, Match, Params, RouteError, pattern, tree::Tree};

/// A route: how manieth it was registered, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RouteId(pub(crate) usize);

impl RouteId {
    /// As the index of what the caller keeps for each route.
    pub fn index(self) -> usize {
        self.0
    }
}

/// What was registered.
#[derive(Clone, Debug)]
pub struct Route {
    method: Box<str>,
    pattern: Box<str>,
    names: Box<[Box<str>]>,
}

impl Route {
    /// The method.
    pub fn method(&self) -> &str {
        &self.method
    }

    /// The path pattern.
    pub fn pattern(&self) -> &str {
        &self.pattern
    }

    /// The parameters' names, in the pattern's order.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.names.iter().map(|name| &**name)
    }
}

/// Routes, found by method and path.
#[derive(Clone, Debug, Default)]
pub struct Router {
    routes: Vec<Route>,
    tree: Tree,
}

impl Router {
    /// A router without routes.
    pub fn new() -> Self {
        Self::default()
    }

    /// Registers a route. Methods are case-sensitive.
    ///
    /// # Errors
    ///
    /// A method that is no token, a malformed pattern, or a route with the method that matches the
    /// same paths. Nothing is registered then.
    pub fn add(&mut self, method: &str, pattern: &str) -> Result<RouteId, RouteError> {
        if !is_token(method) {
            return Err(RouteError::InvalidMethod {
                method: method.to_owned(),
            });
        }
        let segments = pattern::parse(pattern)?;
        let id = RouteId(self.routes.len());
        if let Err(other) = self.tree.entry(&segments).add(method, id) {
            return Err(RouteError::Conflict {
                method: method.to_owned(),
                pattern: pattern.to_owned(),
                other: self.route(other).pattern.clone().into(),
            });
        }
        let names = segments.iter().filter_map(|segment| segment.name());
        self.routes.push(Route {
            method: method.into(),
            pattern: pattern.into(),
            names: names.map(Box::from).collect(),
        });
        Ok(id)
    }

    /// Finds the route of a request: its method, and its path as it came, without the query.
    pub fn find<'a>(
        &'a self,
        method: &str,
        path: &'a str,
        captures: &'a mut Captures,
    ) -> Match<'a> {
        let Some(methods) = self.tree.find(path, captures) else {
            return Match::NotFound;
        };
        let Some(route) = methods.find(method) else {
            let allowed = Allowed(methods);
            return Match::MethodNotAllowed { allowed };
        };
        let params = Params {
            names: &self.route(route).names,
            spans: &captures.spans,
            path,
        };
        Match::Found { route, params }
    }

    /// The tree, to look at look-ups from within.
    #[cfg(test)]
    pub(crate) fn into_tree(self) -> Tree {
        self.tree
    }

    /// The methods of a path, whatever the request's is: for OPTIONS.
    pub fn allowed(&self, path: &str, captures: &mut Captures) -> Option<Allowed<'_>> {
        self.tree.find(path, captures).map(Allowed)
    }

    /// What was registered under an id of this router.
    ///
    /// # Panics
    ///
    /// On an id of another router that has more routes.
    pub fn route(&self, id: RouteId) -> &Route {
        &self.routes[id.0]
    }

    /// All routes in the order of registration.
    pub fn routes(&self) -> impl ExactSizeIterator<Item = (RouteId, &Route)> {
        self.routes
            .iter()
            .enumerate()
            .map(|(index, route)| (RouteId(index), route))
    }
}

/// RFC 9110 section 5.6.2
fn is_token(text: &str) -> bool {
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !text.is_empty() && text.bytes().all(is_token)
}
