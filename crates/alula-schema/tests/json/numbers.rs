//! Integers exactly, whatever their size; others as the nearest `f64`.

use alula_schema::json::{self, Number, Value};

use super::value;

fn number(text: &str) -> Number {
    match value(text) {
        Value::Number(number) => number,
        other => panic!("{text}: {other:?}"),
    }
}

#[test]
fn integers_are_exact_at_every_bound() {
    for (text, i64, u64) in [
        ("0", Some(0), Some(0)),
        ("-0", Some(0), Some(0)),
        ("-1", Some(-1), None),
        ("9", Some(9), Some(9)),
        ("10", Some(10), Some(10)),
        ("-109", Some(-109), None),
        (
            "9007199254740993",
            Some(9_007_199_254_740_993),
            Some(9_007_199_254_740_993),
        ),
        (
            "9223372036854775807",
            Some(i64::MAX),
            Some(9_223_372_036_854_775_807),
        ),
        ("9223372036854775808", None, Some(9_223_372_036_854_775_808)),
        ("18446744073709551615", None, Some(u64::MAX)),
        ("18446744073709551616", None, None),
        ("18446744073709551620", None, None),
        ("99999999999999999999", None, None),
        ("-9223372036854775808", Some(i64::MIN), None),
        ("-9223372036854775809", None, None),
        ("-18446744073709551616", None, None),
    ] {
        let number = number(text);
        assert!(number.is_integer());
        assert_eq!((number.as_i64(), number.as_u64()), (i64, u64), "{text}");
        assert_eq!(number.as_i128(), text.parse().ok(), "{text}");
        assert_eq!(number.as_f64(), text.parse().ok(), "{text}");
        assert_eq!(number.to_string(), text);
        assert_eq!(json::to_string(&Value::Number(number)), text);
    }
}

#[test]
fn integers_beyond_all_types_keep_their_digits() {
    let long = "1234567890".repeat(40);
    for text in [long.clone(), format!("-{long}")] {
        let number = number(&text);
        assert!(number.is_integer());
        assert_eq!(
            (number.as_i64(), number.as_u64(), number.as_i128()),
            (None, None, None)
        );
        assert_eq!(number.as_f64(), None, "beyond the range of an f64");
        assert_eq!(number.to_string(), text);
    }
    let fits = number(&"9".repeat(308));
    assert_eq!(fits.as_f64(), Some(1e308));
}

#[test]
fn a_fraction_or_an_exponent_makes_no_integer() {
    for text in ["1.0", "1e0", "1E2", "-0.0", "0e0"] {
        let number = number(text);
        assert!(!number.is_integer(), "{text}");
        assert_eq!(
            (number.as_i64(), number.as_u64(), number.as_i128()),
            (None, None, None)
        );
        assert_eq!(number.as_f64(), text.parse().ok());
    }
    assert_ne!(value("1"), value("1.0"));
}

#[test]
fn the_sign_of_zero_is_kept() {
    for text in ["-0", "-0.0", "-0e1", "-1e-400"] {
        let zero = number(text).as_f64().expect("zero");
        assert!(zero == 0.0 && zero.is_sign_negative(), "{text}");
    }
    assert!(number("0").as_f64().is_some_and(f64::is_sign_positive));
}

#[test]
fn floats_are_rounded_to_the_nearest() {
    for (text, bits) in [
        // Half way between two: the even one.
        ("9007199254740993.0", 0x4340_0000_0000_0000_u64),
        ("9007199254740995.0", 0x4340_0000_0000_0002),
        // A hair above half way, told by the 768th digit and behind.
        (
            &*format!("9007199254740993.0{}1", "0".repeat(800)),
            0x4340_0000_0000_0001,
        ),
        ("2.2250738585072011e-308", 0x000f_ffff_ffff_ffff),
        ("2.2250738585072014e-308", 0x0010_0000_0000_0000),
        ("4.9e-324", 1),
        ("2.4703282292062327e-324", 0),
        ("2.4703282292062328e-324", 1),
        ("1.7976931348623157e308", 0x7fef_ffff_ffff_ffff),
        ("1.7976931348623158e308", 0x7fef_ffff_ffff_ffff),
        ("0.1", 0x3fb9_9999_9999_999a),
        ("1e23", 0x44b5_2d02_c7e1_4af6),
    ] {
        let float = number(text).as_f64().expect("finite");
        assert_eq!(float.to_bits(), bits, "{text}");
    }
}

#[test]
fn numbers_come_from_every_type_and_equal_what_is_parsed() {
    assert_eq!(Value::from(7_u8), value("7"));
    assert_eq!(Value::from(7_i8), value("7"));
    assert_eq!(Value::from(-7_i16), value("-7"));
    assert_eq!(Value::from(i64::MIN), value("-9223372036854775808"));
    assert_eq!(Value::from(u64::MAX), value("18446744073709551615"));
    assert_eq!(Value::from(7_usize), value("7"));
    assert_eq!(Value::try_from(1.5), Ok(value("1.5")));
    for float in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let error = Value::try_from(float).expect_err("JSON has no such number");
        assert_eq!(
            error.to_string(),
            format!("{float} is no JSON number: a finite one is")
        );
    }
}
