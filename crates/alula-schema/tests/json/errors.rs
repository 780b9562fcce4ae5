//! What an error says: the place in lines and characters, what was expected, what was found.

use alula_schema::json::{DuplicateKeys, ErrorKind, Options};

use super::parse;

fn message(input: impl AsRef<[u8]>) -> String {
    parse(input).expect_err("it is wrong").to_string()
}

#[test]
fn says_where_what_was_expected_and_what_was_found() {
    for (input, message) in [
        (
            "{\"a\": 1 x}",
            r#"line 1, column 9: expected "," or "}", found "x""#,
        ),
        (
            "[1 2]",
            r#"line 1, column 4: expected "," or "]", found "2""#,
        ),
        (
            "[",
            r#"line 1, column 2: expected a value or "]", found the end of the input"#,
        ),
        (
            "[NaN]",
            r#"line 1, column 2: expected a value or "]", found "NaN""#,
        ),
        (
            "{\"a\": undefined}",
            r#"line 1, column 7: expected a value, found "undefined""#,
        ),
        (
            "{a",
            r#"line 1, column 2: expected a key in double quotes or "}", found "a""#,
        ),
        ("{\"a\"}", r#"line 1, column 5: expected ":", found "}""#),
        ("tru", r#"line 1, column 1: expected "true", found "tru""#),
        ("1.x", r#"line 1, column 3: expected a digit, found "x""#),
        (
            "[007]",
            r#"line 1, column 3: expected no digit after a leading zero, found "07""#,
        ),
        (
            "-1e999",
            r#"line 1, column 1: expected a number below 1.8e308 in size, found "-1e999""#,
        ),
        (
            "\"a",
            "line 1, column 3: expected the closing double quote, found the end of the input",
        ),
        (
            "\"a\nb\"",
            r#"line 1, column 3: expected an escape such as "\n" in place of a control character, found U+000A"#,
        ),
        (
            "\"\\x\"",
            r#"line 1, column 3: expected one of "\/bfnrtu after the backslash, found "x""#,
        ),
        (
            "\"\\ud800x\"",
            r#"line 1, column 2: expected a surrogate pair, "\ud800" to "\udbff" and then "\udc00" to "\udfff", found "\ud800""#,
        ),
        (
            "\u{feff}1",
            "line 1, column 1: expected a value, found a byte order mark",
        ),
        (
            "\u{a0}1",
            "line 1, column 1: expected a value, found U+00A0",
        ),
        (
            "1 // one",
            r#"line 1, column 3: expected the end of the input, found "/""#,
        ),
    ] {
        assert_eq!(self::message(input), message, "{input:?}");
    }
    let message = message(b"\"a\xffb\"");
    assert_eq!(
        message,
        "line 1, column 3: expected UTF-8, found the byte 0xff"
    );
}

#[test]
fn counts_lines_by_line_feeds_and_columns_in_characters() {
    for (input, line, column) in [
        ("x", 1, 1),
        ("\nx", 2, 1),
        ("\n\n  x", 3, 3),
        ("\r\n\r\nx", 3, 1),
        ("\rx", 1, 2),
        ("[\"é€😀\" x", 1, 8),
        ("[\"é€😀\",\n\"é€😀\" x", 2, 7),
        ("[1,\n2", 2, 2),
        ("[1,\n", 2, 1),
    ] {
        let error = parse(input).expect_err("it is wrong");
        assert_eq!((error.line(), error.column()), (line, column), "{input:?}");
    }
    // A column is not thrown off by half a character before it either.
    let error = parse(b"[\"\xc3\xa9\xc3\"]").expect_err("it is wrong");
    assert_eq!(
        (error.kind(), error.column(), error.offset()),
        (ErrorKind::Utf8, 4, 4)
    );
}

#[test]
fn repeats_no_more_of_the_input_than_fits_a_line() {
    let long = "é".repeat(1000);
    for (input, found) in [
        (
            format!("[{}", "x".repeat(24)),
            format!("found \"{}\"", "x".repeat(24)),
        ),
        (
            format!("[{}", "x".repeat(25)),
            format!("found \"{}...\"", "x".repeat(24)),
        ),
        (
            format!("[{long}"),
            format!("found \"{}...\"", "é".repeat(24)),
        ),
        (
            format!("1{}e999", "0".repeat(1000)),
            format!("found \"1{}...\"", "0".repeat(23)),
        ),
    ] {
        assert!(message(&input).ends_with(&found), "{}", message(&input));
    }
}

#[test]
fn names_the_key_that_is_there_twice() {
    let options = Options {
        duplicate_keys: DuplicateKeys::Refuse,
        ..Options::default()
    };
    for (input, expected) in [
        (
            r#"{"a":1,"a":2}"#,
            r#"column 8: expected a key that the object does not have yet, found "a""#,
        ),
        (
            r#"{"a":1, "\u0061" :2}"#,
            r#"column 9: expected a key that the object does not have yet, found "\u0061""#,
        ),
        (
            r#"{"\"":1,"\"":2}"#,
            r#"column 9: expected a key that the object does not have yet, found "\"""#,
        ),
    ] {
        let error = alula_schema::json::parse(input.as_bytes(), &options).expect_err(input);
        assert_eq!(error.to_string(), format!("line 1, {expected}"));
    }
}

#[test]
fn every_kind_has_its_own_words() {
    for (at, kind) in ErrorKind::ALL.iter().enumerate() {
        let is_same = |other: &ErrorKind| other.expected() == kind.expected();
        assert_eq!(
            ErrorKind::ALL.iter().position(is_same),
            Some(at),
            "{kind:?}"
        );
    }
}
