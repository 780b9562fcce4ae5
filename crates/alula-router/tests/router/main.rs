//! Routes and look-ups: what matches, what is refused at registration, and a naive second opinion.

mod matching;
mod methods;
mod patterns;
mod percent;
mod reference;

use alula_router::{Captures, Match, Router};

/// The routes, all of GET.
fn router(patterns: &[&str]) -> Router {
    let mut router = Router::new();
    for pattern in patterns {
        if let Err(error) = router.add("GET", pattern) {
            panic!("{error}");
        }
    }
    router
}

/// The pattern that GET of a path finds, with its parameters; `None` for "not found".
fn find(router: &Router, path: &str) -> Option<String> {
    look_up(router, "GET", path)
}

/// Likewise of any method; what is allowed where it is not.
fn look_up(router: &Router, method: &str, path: &str) -> Option<String> {
    match router.find(method, path, &mut Captures::default()) {
        Match::Found { route, params } => {
            let route = router.route(route);
            let params = params
                .iter()
                .map(|(name, value)| format!(" {name}={value}"));
            Some(format!(
                "{} {}{}",
                route.method(),
                route.pattern(),
                params.collect::<String>()
            ))
        }
        Match::MethodNotAllowed { allowed } => Some(format!("405 {}", allowed.header())),
        Match::NotFound => None,
    }
}
