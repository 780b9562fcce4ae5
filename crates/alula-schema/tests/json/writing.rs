//! What is written.

use alula_schema::json::{self, Value};

use super::value;

#[test]
fn values_are_written_without_white_space() {
    let text = r#"{"a":[1,-2,3.5,[],{}],"b":{"c":null,"d":[true,false]},"":"x"}"#;
    let parsed = value(text);
    assert_eq!(json::to_string(&parsed), text);
    assert_eq!(json::to_vec(&parsed), text.as_bytes());
    assert_eq!(parsed.to_string(), text);
}

#[test]
fn write_appends() {
    let mut out = b"data: ".to_vec();
    json::write(&Value::from([("a", "b")]), &mut out);
    assert_eq!(out, br#"data: {"a":"b"}"#);
}

#[test]
fn values_are_built_from_what_rust_has() {
    let built = Value::from([
        ("id", Value::from(1)),
        ("name", Value::from("é\"")),
        ("tags", vec!["a", "b"].into()),
        ("next", None::<u8>.into()),
        ("last", Some(2).into()),
        ("unit", ().into()),
        ("nested", Value::from([("ok", true)])),
        ("squares", (1..4).map(|n| n * n).collect()),
    ]);
    assert_eq!(
        json::to_string(&built),
        r#"{"id":1,"name":"é\"","tags":["a","b"],"next":null,"last":2,"unit":null,"nested":{"ok":true},"squares":[1,4,9]}"#
    );
}

#[test]
fn escapes_only_what_must_be() {
    let written = json::to_string(&Value::from(
        "\"\\/\u{8}\u{c}\n\r\t\0\u{1f}\u{7f}é\u{2028}😀",
    ));
    assert_eq!(
        written,
        "\"\\\"\\\\/\\b\\f\\n\\r\\t\\u0000\\u001f\u{7f}é\u{2028}😀\""
    );
}

#[test]
fn floats_are_written_in_the_fewest_digits_and_stay_floats() {
    for (float, written) in [
        (0.0, "0.0"),
        (-0.0, "-0.0"),
        (1.0, "1.0"),
        (0.1, "0.1"),
        (0.1 + 0.2, "0.30000000000000004"),
        (1e15, "1000000000000000.0"),
        (1e16, "1e+16"),
        (1e-5, "0.00001"),
        (1e-6, "1e-6"),
        (1.5e300, "1.5e+300"),
        (5e-324, "5e-324"),
        (f64::MAX, "1.7976931348623157e+308"),
        (f64::MIN_POSITIVE, "2.2250738585072014e-308"),
    ] {
        let number = Value::try_from(float).expect("finite");
        assert_eq!(json::to_string(&number), written);
        assert_eq!(value(written), number);
    }
}

#[test]
fn accessors_tell_the_types_apart() {
    let parsed = value(r#"[null,true,1,"a",[],{}]"#);
    let items = parsed.as_array().expect("an array");
    let names = items.iter().map(Value::type_name);
    assert!(names.eq(["null", "boolean", "number", "string", "array", "object"]));
    let has: Vec<[bool; 6]> = items
        .iter()
        .map(|item| {
            [
                item.is_null(),
                item.as_bool().is_some(),
                item.as_number().is_some()
                    && item.as_i64() == Some(1)
                    && item.as_f64() == Some(1.0),
                item.as_str().is_some(),
                item.as_array().is_some(),
                item.as_object().is_some(),
            ]
        })
        .collect();
    for (at, row) in has.iter().enumerate() {
        assert!(
            row.iter()
                .enumerate()
                .all(|(other, has)| *has == (at == other)),
            "{row:?}"
        );
    }
}
