use serde_json::json;

use super::{Check, Expected};
use crate::request::{Expect, Length};

/// The verdict on an answer whose body comes in pieces.
fn verdict(expect: &Expect, status: u16, body: &[&[u8]]) -> Option<String> {
    let expected = Expected::new(expect);
    let mut check = Check::default();
    // Twice: the first answer must leave nothing behind.
    let mut verdicts = (0..2).map(|_| {
        check.head(&expected, status, b"HTTP/1.1\r\n\x1b");
        for piece in body {
            check.data(&expected, piece, piece);
        }
        check.end(&expected, b"end").map(|wrong| wrong.what)
    });
    let (first, second) = (verdicts.next().unwrap(), verdicts.next().unwrap());
    assert_eq!(first, second);
    first
}

fn body(text: &[u8]) -> Expect {
    Expect {
        body: Some(text.to_vec()),
        ..Expect::default()
    }
}

fn value(pointer: &str, value: serde_json::Value) -> Expect {
    Expect {
        json: vec![(pointer.into(), value)],
        ..Expect::default()
    }
}

#[test]
fn any_success_is_right_unless_one_is_named() {
    let any = Expect::default;
    assert_eq!(verdict(&any(), 200, &[]), None);
    assert_eq!(verdict(&any(), 299, &[]), None);
    let text = "status 300, expected 200 to 299";
    assert_eq!(verdict(&any(), 300, &[]).unwrap(), text);
    let not_found = || Expect {
        status: Some(404),
        ..Expect::default()
    };
    assert_eq!(verdict(&not_found(), 404, &[]), None);
    let text = "status 200, expected 404";
    assert_eq!(verdict(&not_found(), 200, &[]).unwrap(), text);
}

#[test]
fn a_length_is_exact() {
    let three = || Expect {
        length: Length::Exact(3),
        ..Expect::default()
    };
    assert_eq!(verdict(&three(), 200, &[b"ab", b"c"]), None);
    let text = "body of 2 bytes, expected 3";
    assert_eq!(verdict(&three(), 200, &[b"ab"]).unwrap(), text);
    let text = "body of 4 bytes, expected 3";
    assert_eq!(verdict(&three(), 200, &[b"abcd"]).unwrap(), text);
}

#[test]
fn every_byte_of_a_body_counts() {
    for pieces in [
        &[&b"abcdef"[..]][..],
        &[b"a", b"bcde", b"f"],
        &[b"abc", b"", b"def"],
    ] {
        assert_eq!(verdict(&body(b"abcdef"), 200, pieces), None);
    }
    let text = "byte 4 of the body is 'x', expected 'e'";
    assert_eq!(
        verdict(&body(b"abcdef"), 200, &[b"ab", b"cdxf"]).unwrap(),
        text
    );
    let text = "byte 0 of the body is 0x00, expected 'a'";
    assert_eq!(verdict(&body(b"ab"), 200, &[b"\0b"]).unwrap(), text);
    let text = "body of 3 bytes, expected 2";
    assert_eq!(verdict(&body(b"ab"), 200, &[b"ab", b"c"]).unwrap(), text);
    let text = "body of 1 bytes, expected 2";
    assert_eq!(verdict(&body(b"ab"), 200, &[b"a"]).unwrap(), text);
}

#[test]
fn json_values_are_looked_up() {
    let answer: &[&[u8]] = &[b"{\"user\": {\"id\"", b": 42, \"tags\": [\"a\"]}}"];
    assert_eq!(verdict(&value("/user/id", json!(42)), 200, answer), None);
    assert_eq!(
        verdict(&value("/user/tags/0", json!("a")), 200, answer),
        None
    );
    let text = "JSON value at '/user/id' is 42, expected \"42\"";
    assert_eq!(
        verdict(&value("/user/id", json!("42")), 200, answer).unwrap(),
        text
    );
    let text = "there is no JSON value at '/user/name', expected 1";
    assert_eq!(
        verdict(&value("/user/name", json!(1)), 200, answer).unwrap(),
        text
    );
    let wrong = verdict(&value("", json!(1)), 200, &[b"{"]).unwrap();
    assert!(wrong.starts_with("the body is no JSON: EOF"), "{wrong}");
}

#[test]
fn the_first_fault_is_the_one_shown() {
    let expected = Expected::new(&body(b"abc"));
    let mut check = Check::default();
    check.head(&expected, 500, b"HTTP/1.1 500\r\n\r\nx\x1b[2J");
    check.data(&expected, b"x", b"later");
    let wrong = check.end(&expected, b"").unwrap();
    assert_eq!(wrong.what, "status 500, expected 200 to 299");
    // What a terminal would act upon is not shown.
    assert_eq!(wrong.answer, "HTTP/1.1 500\n\nx.[2J");
}

#[test]
fn an_answer_that_breaks_off_leaves_nothing_behind() {
    let expected = Expected::new(&value("/a", json!(1)));
    let mut check = Check::default();
    check.head(&expected, 500, b"");
    check.data(&expected, b"{\"a\"", b"");
    check.reset();
    check.head(&expected, 200, b"");
    check.data(&expected, b"{\"a\": 1}", b"");
    assert_eq!(check.length(), 8);
    assert_eq!(check.end(&expected, b""), None);
}
