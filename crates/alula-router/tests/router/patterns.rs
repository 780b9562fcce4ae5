//! Which patterns are refused, where, and with which words.

use alula_router::{PatternFault as F, RouteError, Router};

/// The pattern, the character where it goes wrong, and what is wrong there.
const WRONG: &[(&str, usize, F)] = &[
    ("", 1, F::NoSlash),
    ("a", 1, F::NoSlash),
    ("{a}", 1, F::NoSlash),
    ("*", 1, F::NoSlash),
    ("//", 2, F::EmptySegment),
    ("/a//b", 4, F::EmptySegment),
    ("/a?b", 3, F::InvalidCharacter),
    ("/a#b", 3, F::InvalidCharacter),
    ("/é\n", 3, F::InvalidCharacter),
    ("/a%20b", 3, F::Percent),
    ("/{", 2, F::Unclosed),
    ("/a/{b", 4, F::Unclosed),
    ("/é/{b/c}", 4, F::Unclosed),
    ("/}", 2, F::Unopened),
    ("/a}", 3, F::Unopened),
    ("/}{", 2, F::Unopened),
    ("/a{b}", 3, F::NotWholeSegment),
    ("/{b}c", 2, F::NotWholeSegment),
    ("/{a}{b}", 2, F::NotWholeSegment),
    ("/{a}}", 2, F::NotWholeSegment),
    ("/{}", 3, F::EmptyName),
    ("/{:path}", 3, F::EmptyName),
    ("/{a-b}", 4, F::InvalidName),
    ("/{1a}", 3, F::InvalidName),
    ("/{ a}", 3, F::InvalidName),
    ("/{é}", 3, F::InvalidName),
    ("/{*a}", 3, F::InvalidName),
    ("/{{a}", 3, F::InvalidName),
    ("/{a}/{a}", 7, F::DuplicateName),
    ("/é/{a}/b/{a:path}", 11, F::DuplicateName),
    ("/{a:int}", 5, F::UnknownKind),
    ("/{a:}", 5, F::UnknownKind),
    ("/{a:path:path}", 5, F::UnknownKind),
    ("/{a:path}/b", 2, F::PathNotLast),
    ("/{a:path}/", 2, F::PathNotLast),
    ("/é/{a:path}/{b}", 4, F::PathNotLast),
];

#[test]
fn refuses_what_is_no_pattern_where_it_goes_wrong() {
    for &(wrong, place, kind) in WRONG {
        let mut router = Router::new();
        let error = router.add("GET", wrong).expect_err(wrong);
        let RouteError::InvalidPattern {
            pattern,
            position,
            fault,
        } = &error
        else {
            panic!("{error}");
        };
        assert_eq!((&**pattern, *position, *fault), (wrong, place, kind));
        let text = format!("pattern {wrong:?}, character {place}: {}", kind.reason());
        assert_eq!(error.to_string(), text);
        assert_eq!(router.routes().len(), 0);
    }
}

#[test]
fn every_fault_has_a_case_and_its_own_words() {
    for (at, fault) in F::ALL.iter().enumerate() {
        assert!(
            WRONG.iter().any(|(_, _, other)| other == fault),
            "{fault:?}"
        );
        let is_same = |other: &F| other.reason() == fault.reason();
        assert_eq!(F::ALL.iter().position(is_same), Some(at), "{fault:?}");
    }
}

#[test]
fn takes_what_is_a_pattern() {
    for pattern in [
        "/",
        "/a",
        "/a/",
        "/a-b_c.d~e",
        "/@:$&'()*+,;=!",
        "/with space/é",
        "/{a}",
        "/{_}",
        "/{a1_B}",
        "/{a}/",
        "/{path}/{b:path}",
        "/a/{b}/c/{d}/e/{f:path}",
        "/.well-known/{x}",
    ] {
        if let Err(error) = Router::new().add("GET", pattern) {
            panic!("{error}");
        }
    }
}
