//! Which path finds which route.

use alula_router::{Captures, Match};

use super::{find, router};

/// Each path finds what stands beside it.
fn finds(patterns: &[&str], table: &[(&str, Option<&str>)]) {
    // The order of registration must not matter.
    let mut reversed = patterns.to_vec();
    reversed.reverse();
    for router in [router(patterns), router(&reversed)] {
        for (path, expected) in table {
            let expected = expected.map(|found| format!("GET {found}"));
            assert_eq!(find(&router, path), expected, "{path}");
        }
    }
}

#[test]
fn literals_match_themselves() {
    finds(
        &["/", "/a", "/a/b", "/a/", "/ab", "/A"],
        &[
            ("/", Some("/")),
            ("/a", Some("/a")),
            ("/a/", Some("/a/")),
            ("/a/b", Some("/a/b")),
            ("/ab", Some("/ab")),
            ("/A", Some("/A")),
            ("/B", None),
            ("/a/b/", None),
            ("/a/b/c", None),
            ("//", None),
            ("//a", None),
            ("/a//b", None),
            ("", None),
            ("*", None),
            ("a", None),
        ],
    );
}

#[test]
fn a_parameter_takes_one_segment_that_is_not_empty() {
    finds(
        &["/users/{id}", "/users/{id}/posts/{post}", "/{x}"],
        &[
            ("/users/42", Some("/users/{id} id=42")),
            ("/users/é", Some("/users/{id} id=é")),
            ("/users/a%2Fb", Some("/users/{id} id=a%2Fb")),
            ("/users/..", Some("/users/{id} id=..")),
            (
                "/users/42/posts/7",
                Some("/users/{id}/posts/{post} id=42 post=7"),
            ),
            ("/users", Some("/{x} x=users")),
            ("/users/", None),
            ("/users/42/", None),
            ("/users/42/posts", None),
            ("/users/42/posts/", None),
            ("/users//posts/7", None),
            ("/", None),
        ],
    );
}

#[test]
fn a_path_parameter_takes_the_rest_which_may_be_empty() {
    finds(
        &["/files/{name:path}", "/files/{dir}/meta/{rest:path}"],
        &[
            ("/files/a", Some("/files/{name:path} name=a")),
            ("/files/a/b//c/", Some("/files/{name:path} name=a/b//c/")),
            ("/files/", Some("/files/{name:path} name=")),
            (
                "/files/a/meta/b/c",
                Some("/files/{dir}/meta/{rest:path} dir=a rest=b/c"),
            ),
            (
                "/files/a/meta/",
                Some("/files/{dir}/meta/{rest:path} dir=a rest="),
            ),
            ("/files/a/meta", Some("/files/{name:path} name=a/meta")),
            ("/files//meta/b", Some("/files/{name:path} name=/meta/b")),
            ("/files", None),
        ],
    );
    finds(
        &["/{all:path}"],
        &[
            ("/", Some("/{all:path} all=")),
            ("/a/b", Some("/{all:path} all=a/b")),
            ("//", Some("/{all:path} all=/")),
            ("", None),
            ("*", None),
        ],
    );
}

#[test]
fn the_most_specific_segment_wins_in_any_order() {
    finds(
        &[
            "/{all:path}",
            "/{a}",
            "/a",
            "/{a}/b",
            "/a/{b}",
            "/a/{rest:path}",
            "/a/b",
        ],
        &[
            ("/a", Some("/a")),
            ("/b", Some("/{a} a=b")),
            ("/a/b", Some("/a/b")),
            ("/a/c", Some("/a/{b} b=c")),
            ("/c/b", Some("/{a}/b a=c")),
            ("/a/", Some("/a/{rest:path} rest=")),
            ("/a/b/c", Some("/a/{rest:path} rest=b/c")),
            ("/c/d", Some("/{all:path} all=c/d")),
        ],
    );
}

#[test]
fn a_literal_that_leads_nowhere_gives_way() {
    finds(
        &[
            "/a/b/c",
            "/a/{x}/d",
            "/{y}/b/e",
            "/{y}/{z}/f",
            "/{y}/{rest:path}",
        ],
        &[
            ("/a/b/c", Some("/a/b/c")),
            ("/a/b/d", Some("/a/{x}/d x=b")),
            ("/a/b/e", Some("/{y}/b/e y=a")),
            ("/a/b/f", Some("/{y}/{z}/f y=a z=b")),
            ("/a/b/g", Some("/{y}/{rest:path} y=a rest=b/g")),
            ("/a/b", Some("/{y}/{rest:path} y=a rest=b")),
        ],
    );
}

#[test]
fn literals_match_what_decodes_to_them() {
    finds(
        &["/café/{x}", "/a b", "/a/b", "/{x}", "/users/me"],
        &[
            ("/caf%C3%A9/1", Some("/café/{x} x=1")),
            ("/caf%c3%a9/%31", Some("/café/{x} x=%31")),
            ("/café/1", Some("/café/{x} x=1")),
            ("/a%20b", Some("/a b")),
            ("/%61 b", Some("/a b")),
            ("/users/%6De", Some("/users/me")),
            ("/%75sers/m%65", Some("/users/me")),
            // A slash that is encoded parts nothing.
            ("/a%2Fb", Some("/{x} x=a%2Fb")),
            // What can't be decoded is no literal.
            ("/a%b", Some("/{x} x=a%b")),
            ("/a%2", Some("/{x} x=a%2")),
            ("/caf%e9", Some("/{x} x=caf%e9")),
            ("/users/%256De", None),
        ],
    );
}

#[test]
fn parameters_are_where_the_spans_say() {
    let router = router(&["/{a}/x/{b}/{c:path}"]);
    let path = "/one/x/two/three/four";
    let mut captures = Captures::default();
    let Match::Found { params, .. } = router.find("GET", path, &mut captures) else {
        panic!("it is there");
    };
    assert_eq!((params.len(), params.is_empty()), (3, false));
    assert_eq!(params.get("a"), Some("one"));
    assert_eq!(params.get("b"), Some("two"));
    assert_eq!(params.get("c"), Some("three/four"));
    assert_eq!(params.get("x"), None);
    assert_eq!(params.spans(), [1..4, 7..10, 11..21]);
}

#[test]
fn nothing_of_one_look_up_is_left_in_the_next() {
    let router = router(&["/a/{x}/{y}/{z}", "/b/{x}", "/c"]);
    let mut captures = Captures::default();
    for (path, values) in [
        ("/a/1/2/3", &["1", "2", "3"][..]),
        ("/b/4", &["4"]),
        ("/c", &[]),
        ("/a/5/6/7", &["5", "6", "7"]),
    ] {
        let Match::Found { params, .. } = router.find("GET", path, &mut captures) else {
            panic!("{path}");
        };
        assert!(
            params
                .iter()
                .map(|(_, value)| value)
                .eq(values.iter().copied())
        );
        assert_eq!(params.spans().len(), values.len());
        let missed = router.find("GET", "/a/1/2", &mut captures);
        assert!(matches!(missed, Match::NotFound));
    }
}

#[test]
fn a_path_of_many_segments_is_no_deep_recursion() {
    let router = router(&["/a/{x}", "/f/{rest:path}"]);
    let many = "/a".repeat(1_000_000);
    assert_eq!(find(&router, &many), None);
    let found = find(&router, &format!("/f{many}")).expect("the rest");
    assert_eq!(
        found.len(),
        "GET /f/{rest:path} rest=".len() + many.len() - 1
    );
}
