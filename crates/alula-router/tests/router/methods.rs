//! Methods: HEAD by GET, what is allowed, and in which order.

use alula_router::{Captures, Match, RouteError, Router};

use super::look_up;

fn router(added: &[(&str, &str)]) -> Router {
    let mut router = Router::new();
    for (method, pattern) in added {
        router.add(method, pattern).expect("a good route");
    }
    router
}

#[test]
fn each_method_has_its_own_route() {
    let router = router(&[("POST", "/{a}"), ("GET", "/{b}"), ("PURGE", "/x")]);
    assert_eq!(
        look_up(&router, "GET", "/1").as_deref(),
        Some("GET /{b} b=1")
    );
    assert_eq!(
        look_up(&router, "POST", "/1").as_deref(),
        Some("POST /{a} a=1")
    );
    assert_eq!(look_up(&router, "PURGE", "/x").as_deref(), Some("PURGE /x"));
    assert_eq!(
        look_up(&router, "purge", "/x").as_deref(),
        Some("405 PURGE, OPTIONS")
    );
    let ids: Vec<(usize, &str)> = router
        .routes()
        .map(|(id, route)| (id.index(), route.method()))
        .collect();
    assert_eq!(ids, [(0, "POST"), (1, "GET"), (2, "PURGE")]);
}

#[test]
fn head_goes_to_get_unless_it_has_its_own() {
    let router = router(&[("GET", "/a"), ("GET", "/b"), ("HEAD", "/b"), ("POST", "/c")]);
    assert_eq!(look_up(&router, "HEAD", "/a").as_deref(), Some("GET /a"));
    assert_eq!(look_up(&router, "HEAD", "/b").as_deref(), Some("HEAD /b"));
    assert_eq!(
        look_up(&router, "HEAD", "/c").as_deref(),
        Some("405 POST, OPTIONS")
    );
    assert_eq!(look_up(&router, "GET", "/b").as_deref(), Some("GET /b"));
}

#[test]
fn what_is_allowed_comes_in_the_order_of_registration() {
    for (methods, header) in [
        (&["GET"][..], "GET, HEAD, OPTIONS"),
        (
            &["POST", "GET", "DELETE"],
            "POST, GET, HEAD, DELETE, OPTIONS",
        ),
        (&["GET", "POST", "HEAD"], "GET, POST, HEAD, OPTIONS"),
        (&["OPTIONS", "GET"], "OPTIONS, GET, HEAD"),
        (&["PUT", "PATCH"], "PUT, PATCH, OPTIONS"),
    ] {
        let added: Vec<_> = methods.iter().map(|&method| (method, "/{id}")).collect();
        let router = router(&added);
        let mut captures = Captures::default();
        let Match::MethodNotAllowed { allowed } = router.find("TRACE", "/1", &mut captures) else {
            panic!("TRACE is not registered");
        };
        assert_eq!(allowed.header(), header);
        assert!(allowed.methods().eq(methods.iter().copied()));
        let mut captures = Captures::default();
        let same = router
            .allowed("/1", &mut captures)
            .expect("the path is there");
        assert_eq!(same.header(), header);
        assert!(router.allowed("/1/2", &mut captures).is_none());
    }
}

#[test]
fn the_most_specific_path_says_which_methods_there_are() {
    let router = router(&[("GET", "/users/me"), ("DELETE", "/users/{id}")]);
    assert_eq!(
        look_up(&router, "DELETE", "/users/me").as_deref(),
        Some("405 GET, HEAD, OPTIONS")
    );
    assert_eq!(
        look_up(&router, "GET", "/users/1").as_deref(),
        Some("405 DELETE, OPTIONS")
    );
}

#[test]
fn two_routes_for_the_same_requests_are_refused_by_name() {
    for (first, second) in [
        ("/a", "/a"),
        ("/", "/"),
        ("/a/", "/a/"),
        ("/users/{id}", "/users/{name}"),
        ("/{a}/{b}/c", "/{b}/{a}/c"),
        ("/f/{a:path}", "/f/{b:path}"),
    ] {
        let mut router = router(&[("GET", first)]);
        let error = router.add("GET", second).expect_err(second);
        assert_eq!(
            error.to_string(),
            format!(
                "GET {second} matches the same paths as GET {first}, which is registered already"
            )
        );
        // Nothing came of it, and another method is another route.
        assert_eq!(router.routes().len(), 1);
        let id = router.add("HEAD", second).expect("another method");
        assert_eq!((id.index(), router.route(id).pattern()), (1, second));
    }
}

#[test]
fn routes_that_differ_somewhere_are_no_conflict() {
    let patterns = [
        "/a",
        "/a/",
        "/A",
        "/{x}",
        "/{x}/",
        "/{x:path}",
        "/{x}/{y}",
        "/a/{y}",
        "/{x}/a",
    ];
    let added: Vec<_> = patterns.iter().map(|&pattern| ("GET", pattern)).collect();
    assert_eq!(router(&added).routes().len(), patterns.len());
}

#[test]
fn names_are_those_of_the_route_that_was_found() {
    let router = router(&[("GET", "/{a}/{b}"), ("PUT", "/{c}/{d}")]);
    assert_eq!(
        look_up(&router, "GET", "/1/2").as_deref(),
        Some("GET /{a}/{b} a=1 b=2")
    );
    assert_eq!(
        look_up(&router, "PUT", "/1/2").as_deref(),
        Some("PUT /{c}/{d} c=1 d=2")
    );
    let names: Vec<Vec<&str>> = router
        .routes()
        .map(|(_, route)| route.names().collect())
        .collect();
    assert_eq!(names, [["a", "b"], ["c", "d"]]);
}

#[test]
fn a_method_is_a_token() {
    for method in ["", "GET ", "G ET", "GET\n", "GÉT", "GET,HEAD", "G(T"] {
        let error = Router::new().add(method, "/").expect_err(method);
        assert!(matches!(&error, RouteError::InvalidMethod { method: named } if named == method));
        let named = format!("method {method:?} is not valid: one or more of A-Z a-z 0-9");
        assert!(error.to_string().starts_with(&named), "{error}");
    }
    Router::new().add("M-SEARCH", "/").expect("a token");
}
