//! The grammar row by row: documents that are JSON, and documents that are not.

use alula_schema::json::{self, ErrorKind};

use super::{parse, value};

/// JSON, and how it is written without white space.
const RIGHT: &[(&[u8], &str)] = &[
    (b"null", "null"),
    (b"true", "true"),
    (b"false", "false"),
    (b" \t\r\n 1 \t\r\n ", "1"),
    (b"\"\"", "\"\""),
    (b"[]", "[]"),
    (b"[ ]", "[]"),
    (b"{}", "{}"),
    (b"{\t}", "{}"),
    (b"[1]", "[1]"),
    (b"[1,2,3]", "[1,2,3]"),
    (b"[ 1 , 2\n,\r3\t]", "[1,2,3]"),
    (b"[[],[[]],{}]", "[[],[[]],{}]"),
    (
        b"[null,true,false,\"a\",1,-1,1.5]",
        "[null,true,false,\"a\",1,-1,1.5]",
    ),
    (b"{\"a\":1}", "{\"a\":1}"),
    (b" { \"a\" : 1 , \"b\" : [ ] } ", "{\"a\":1,\"b\":[]}"),
    (
        b"{\"b\":{\"a\":{}},\"a\":[{}]}",
        "{\"b\":{\"a\":{}},\"a\":[{}]}",
    ),
    (b"{\"\":0}", "{\"\":0}"),
    (b"{\"a\\u0000b\":0}", "{\"a\\u0000b\":0}"),
    (b"{\"a\":1,\"a\":2}", "{\"a\":2}"),
    (b"{\"a\":1,\"b\":3,\"\\u0061\":2}", "{\"a\":2,\"b\":3}"),
    (b"0", "0"),
    (b"-0", "-0"),
    (b"10", "10"),
    (b"-1", "-1"),
    (b"0.0", "0.0"),
    (b"-0.0", "-0.0"),
    (b"0e0", "0.0"),
    (b"0E+1", "0.0"),
    (b"1e2", "100.0"),
    (b"1E+2", "100.0"),
    (b"1e-2", "0.01"),
    (b"1.50", "1.5"),
    (b"1.5e3", "1500.0"),
    (b"1e0000000000000000000001", "10.0"),
    (b"1e-400", "0.0"),
    (b"\"\x7f\"", "\"\x7f\""),
    (
        b"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"",
        "\"\\\"\\\\/\\b\\f\\n\\r\\t\"",
    ),
    (b"\"\\u0041\\u00e9\\u20AC\"", "\"A\u{e9}\u{20ac}\""),
    (b"\"\\ud83d\\ude00\"", "\"\u{1f600}\""),
    (
        b"\"\\uD800\\uDC00\\udbff\\udfff\"",
        "\"\u{10000}\u{10ffff}\"",
    ),
    (b"\"\\uFFFF\\ud7ff\\ue000\"", "\"\u{ffff}\u{d7ff}\u{e000}\""),
    (
        b"\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"",
        "\"\u{e9}\u{20ac}\u{1f600}\"",
    ),
    (b"\"\xef\xbb\xbf\"", "\"\u{feff}\""),
    (b"\"\xe2\x80\xa8\xe2\x80\xa9\"", "\"\u{2028}\u{2029}\""),
];

use ErrorKind as E;

/// Not JSON, what is wrong with it, and how many bytes stand before that.
const WRONG: &[(&[u8], ErrorKind, usize)] = &[
    // Where a value should be.
    (b"", E::Value, 0),
    (b"  ", E::Value, 2),
    (b"\xef\xbb\xbf1", E::Value, 0),
    (b"\xff", E::Value, 0),
    (b"1\x00", E::End, 1),
    (b"\x0c1", E::Value, 0),
    (b"\xc2\xa01", E::Value, 0),
    (b"'a'", E::Value, 0),
    (b"a", E::Value, 0),
    (b"NaN", E::Value, 0),
    (b"Infinity", E::Value, 0),
    (b"-Infinity", E::Digit, 1),
    (b"-NaN", E::Digit, 1),
    (b"True", E::Value, 0),
    (b"/*a*/1", E::Value, 0),
    (b"]", E::Value, 0),
    (b"}", E::Value, 0),
    (b",", E::Value, 0),
    // Words.
    (b"tru", E::True, 0),
    (b"truE", E::True, 0),
    (b"fals", E::False, 0),
    (b"nul", E::Null, 0),
    (b"[nulL]", E::Null, 1),
    (b"truee", E::End, 4),
    // Behind the document.
    (b"1 2", E::End, 2),
    (b"[]]", E::End, 2),
    (b"{}{}", E::End, 2),
    (b"\"a\" x", E::End, 4),
    (b"1//a", E::End, 1),
    // Arrays.
    (b"[", E::FirstItem, 1),
    (b"[,", E::FirstItem, 1),
    (b"[}", E::FirstItem, 1),
    (b"[1", E::NextItem, 2),
    (b"[1 2]", E::NextItem, 3),
    (b"[1}", E::NextItem, 2),
    (b"[1:2]", E::NextItem, 2),
    (b"[1,", E::Value, 3),
    (b"[1,]", E::Value, 3),
    (b"[1,,2]", E::Value, 3),
    (b"[[1]", E::NextItem, 4),
    (b"[\"a\",\n4\n,1,", E::Value, 11),
    // Objects.
    (b"{", E::FirstKey, 1),
    (b"{]", E::FirstKey, 1),
    (b"{,", E::FirstKey, 1),
    (b"{a:1}", E::FirstKey, 1),
    (b"{1:1}", E::FirstKey, 1),
    (b"{'a':1}", E::FirstKey, 1),
    (b"{\"a\"}", E::Colon, 4),
    (b"{\"a\" 1}", E::Colon, 5),
    (b"{\"a\",1}", E::Colon, 4),
    (b"{\"a\":}", E::Value, 5),
    (b"{\"a\":", E::Value, 5),
    (b"{\"a\"::1}", E::Value, 5),
    (b"{\"a\":1", E::NextMember, 6),
    (b"{\"a\":1]", E::NextMember, 6),
    (b"{\"a\":1 \"b\":2}", E::NextMember, 7),
    (b"{\"a\":1,}", E::Key, 7),
    (b"{\"a\":1,", E::Key, 7),
    (b"{\"a\":1,,", E::Key, 7),
    (b"{\"a\":1,b", E::Key, 7),
    // Numbers.
    (b"-", E::Digit, 1),
    (b"+1", E::Value, 0),
    (b"--1", E::Digit, 1),
    (b"- 1", E::Digit, 1),
    (b".5", E::Value, 0),
    (b"-.5", E::Digit, 1),
    (b"1.", E::Digit, 2),
    (b"1.e5", E::Digit, 2),
    (b"[1.]", E::Digit, 3),
    (b"1e", E::Digit, 2),
    (b"1e+", E::Digit, 3),
    (b"1E-", E::Digit, 3),
    (b"1ea", E::Digit, 2),
    (b"1e1.5", E::End, 3),
    (b"1.2.3", E::End, 3),
    (b"01", E::LeadingZero, 1),
    (b"-01", E::LeadingZero, 2),
    (b"00", E::LeadingZero, 1),
    (b"00.5", E::LeadingZero, 1),
    (b"0x10", E::End, 1),
    (b"1_000", E::End, 1),
    (b"1e400", E::NumberRange, 0),
    (b"[-1e400]", E::NumberRange, 1),
    (b"\xef\xbc\x91", E::Value, 0),
    // Strings.
    (b"\"", E::StringEnd, 1),
    (b"\"a", E::StringEnd, 2),
    (b"\"a\\", E::StringEnd, 3),
    (b"\"\\u00", E::StringEnd, 5),
    (b"[\"a\n\"]", E::ControlCharacter, 3),
    (b"\"\x00\"", E::ControlCharacter, 1),
    (b"\"12345678\x1f\"", E::ControlCharacter, 9),
    (b"\"\\n\t\"", E::ControlCharacter, 3),
    (b"\"\\a\"", E::Escape, 2),
    (b"\"\\x00\"", E::Escape, 2),
    (b"\"\\'\"", E::Escape, 2),
    (b"\"\\U0041\"", E::Escape, 2),
    (b"\"\\\xc3\xa9\"", E::Escape, 2),
    (b"\"\\u00g0\"", E::HexDigit, 5),
    (b"\"\\u 041\"", E::HexDigit, 3),
    (b"\"\\u+041\"", E::HexDigit, 3),
    (b"\"\\u12\"", E::HexDigit, 5),
    (b"\"\\ud800\"", E::LoneSurrogate, 1),
    (b"\"a\\udc00\"", E::LoneSurrogate, 2),
    (b"\"\\ud800\\ud800\"", E::LoneSurrogate, 1),
    (b"\"\\ud800\\n\"", E::LoneSurrogate, 1),
    (b"\"\\ud800a\"", E::LoneSurrogate, 1),
    (b"\"\\ud800\\u0041\"", E::LoneSurrogate, 1),
    (b"\"\\udfff\\ud800\"", E::LoneSurrogate, 1),
    (b"\"\\ud800\\u", E::StringEnd, 9),
    (b"\"\\ud800\\udc0x\"", E::HexDigit, 12),
    // UTF-8 (RFC 3629): stray, cut, overlong, surrogates, too large.
    (b"\"\x80\"", E::Utf8, 1),
    (b"\"a\xc3\"", E::Utf8, 2),
    (b"\"\xe2\x82\"", E::Utf8, 1),
    (b"\"\xc0\xaf\"", E::Utf8, 1),
    (b"\"\xe0\x80\xaf\"", E::Utf8, 1),
    (b"\"\xed\xa0\x80\"", E::Utf8, 1),
    (b"\"\xf4\x90\x80\x80\"", E::Utf8, 1),
    (b"\"\xff\"", E::Utf8, 1),
    (b"\"12345678\\n\xff\"", E::Utf8, 11),
    (b"{\"\xe9\":1}", E::Utf8, 2),
    (b"\"a\xc3", E::Utf8, 2),
];

#[test]
fn takes_what_is_json() {
    for (input, written) in RIGHT {
        let value = value(input);
        assert_eq!(
            json::to_string(&value),
            *written,
            "{}",
            input.escape_ascii()
        );
        assert_eq!(super::value(written), value, "{written}");
    }
}

#[test]
fn refuses_what_is_not_json_where_it_goes_wrong() {
    for (input, kind, offset) in WRONG {
        let shown = input.escape_ascii();
        let error = parse(input).expect_err(&shown.to_string());
        assert_eq!((error.kind(), error.offset()), (*kind, *offset), "{shown}");
    }
}

#[test]
fn every_kind_of_error_has_a_case() {
    // Two depend on options: see `nesting` and `objects`.
    let elsewhere = [ErrorKind::Depth, ErrorKind::DuplicateKey];
    for kind in ErrorKind::ALL {
        let has_case = WRONG.iter().any(|(_, other, _)| other == kind);
        assert!(has_case || elsewhere.contains(kind), "{kind:?}");
    }
}

#[test]
fn a_document_cut_short_is_refused() {
    let whole = br#"{"a":[1.5e-3,-20,true,false,null,"\u00e9\n\ud83d\ude00x"],"bc":{"d":{}}}"#;
    value(whole);
    for length in 0..whole.len() {
        let error = parse(&whole[..length]).expect_err("it is not whole");
        assert!(error.offset() <= length);
    }
}

#[test]
fn white_space_may_stand_between_all_tokens_and_nowhere_else() {
    let tokens = [
        "{", "\"a\"", ":", "[", "-1.5e+3", ",", "true", "]", ",", "\"b\"", ":", "null", "}",
    ];
    let plain = value(tokens.concat());
    for space in [" ", "\n", "\r", "\t", " \r\n\t "] {
        assert_eq!(value(tokens.join(space)), plain);
    }
    for other in [
        "\x0b", "\x0c", "\0", "\u{a0}", "\u{2028}", "\u{feff}", "/**/",
    ] {
        for at in 0..=tokens.len() {
            let (before, behind) = tokens.split_at(at);
            let text = format!("{}{other}{}", before.concat(), behind.concat());
            assert!(parse(&text).is_err(), "{text:?}");
        }
    }
    for token in ["-1.5e+3", "true", "false", "null"] {
        for at in 1..token.len() {
            let (before, behind) = token.split_at(at);
            assert!(parse(format!("{before} {behind}")).is_err());
        }
    }
}
