//! The routes of one pattern by method.

use crate::RouteId;

/// The routes of one pattern by method, in the order of registration.
#[derive(Clone, Debug, Default)]
pub(crate) struct Methods {
    routes: Vec<(Box<str>, RouteId)>,
    /// The value of `Allow`.
    header: String,
}

impl Methods {
    /// Adds a route. If one has the method already, that is returned instead.
    pub(crate) fn add(&mut self, method: &str, route: RouteId) -> Result<(), RouteId> {
        if let Some(other) = self.exactly(method) {
            return Err(other);
        }
        self.routes.push((method.into(), route));
        self.header = self.allow().join(", ");
        Ok(())
    }

    /// The route of a method; GET's for HEAD where it has none.
    pub(crate) fn find(&self, method: &str) -> Option<RouteId> {
        match self.exactly(method) {
            None if method == "HEAD" => self.exactly("GET"),
            found => found,
        }
    }

    /// Itself, if it has routes.
    pub(crate) fn registered(&self) -> Option<&Self> {
        (!self.routes.is_empty()).then_some(self)
    }

    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        self.routes.iter().map(|(method, _)| &**method)
    }

    pub(crate) fn header(&self) -> &str {
        &self.header
    }

    fn exactly(&self, method: &str) -> Option<RouteId> {
        let mut routes = self.routes.iter();
        routes.find_map(|(other, route)| (**other == *method).then_some(*route))
    }

    /// What is registered, and what is answered without.
    fn allow(&self) -> Vec<&str> {
        let mut allow = Vec::new();
        for method in self.iter() {
            allow.push(method);
            if method == "GET" && self.exactly("HEAD").is_none() {
                allow.push("HEAD");
            }
        }
        if self.exactly("OPTIONS").is_none() {
            allow.push("OPTIONS");
        }
        allow
    }
}
