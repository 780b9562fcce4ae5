//! The JSON parser and writer. Invariants:
//!
//! - it never panics; an error's place is in the input, and line, column and offset agree;
//! - it takes and refuses what `serde_json` does, with the same values; what it keeps beyond that
//!   are integers too large for an `f64`, which are exact here and out of range there;
//! - where a key twice is refused, what is taken is the same value as otherwise;
//! - what is written parses to the same value, and is written the same again.
//!
//! Not a module of the library: the tests of alula-http, which run that, don't know JSON.

use alula_schema::json::{self, DuplicateKeys, ErrorKind, JsonError, Number, Options, Value};

/// One level less than ours, which is the most that `serde_json` takes.
const OPTIONS: Options = Options {
    max_depth: 127,
    duplicate_keys: DuplicateKeys::LastWins,
};

/// Runs the target; tells whether the input was taken.
pub fn run(input: &[u8]) -> bool {
    let ours = json::parse(input, &OPTIONS);
    match (&ours, serde_json::from_slice(input)) {
        (Ok(ours), Ok(theirs)) => assert!(same(ours, &theirs), "{ours:?} is not {theirs:?}"),
        (Ok(ours), Err(error)) => {
            let is_declared = error.to_string().starts_with("number out of range");
            assert!(
                is_declared && has_large(input),
                "serde_json: {error}, we: {ours:?}"
            );
        }
        (Err(error), Ok(theirs)) => panic!("serde_json: {theirs:?}, we: {error}"),
        (Err(_), Err(_)) => {}
    }
    match &ours {
        Ok(value) => check(input, value),
        Err(error) => check_place(input, error),
    }
    ours.is_ok()
}

fn check(input: &[u8], value: &Value) {
    let written = json::to_vec(value);
    let again = json::parse(&written, &OPTIONS).expect("what is written is JSON");
    assert!(again == *value, "{again:?} is not {value:?}");
    assert_eq!(json::to_vec(&again), written);
    let strict = Options {
        duplicate_keys: DuplicateKeys::Refuse,
        ..OPTIONS
    };
    match json::parse(input, &strict) {
        Ok(strict) => assert!(strict == *value, "{strict:?} is not {value:?}"),
        Err(error) => assert_eq!(error.kind(), ErrorKind::DuplicateKey),
    }
}

/// Counts lines and columns anew, by text instead of bytes.
fn check_place(input: &[u8], error: &JsonError) {
    assert!(!error.to_string().is_empty());
    let before = String::from_utf8_lossy(&input[..error.offset()]);
    let line = before.matches('\n').count() + 1;
    let column = before.chars().rev().take_while(|&c| c != '\n').count() + 1;
    assert_eq!((error.line(), error.column()), (line, column), "{error}");
}

fn same(ours: &Value, theirs: &serde_json::Value) -> bool {
    match (ours, theirs) {
        (Value::Null, serde_json::Value::Null) => true,
        (Value::Bool(ours), serde_json::Value::Bool(theirs)) => ours == theirs,
        (Value::String(ours), serde_json::Value::String(theirs)) => ours == theirs,
        (Value::Number(ours), serde_json::Value::Number(theirs)) => same_number(ours, theirs),
        (Value::Array(ours), serde_json::Value::Array(theirs)) => {
            ours.len() == theirs.len() && ours.iter().zip(theirs).all(|(a, b)| same(a, b))
        }
        (Value::Object(ours), serde_json::Value::Object(theirs)) => {
            let pairs = ours.iter().zip(theirs);
            ours.len() == theirs.len() && { pairs }
                .all(|((key, ours), (other, theirs))| key == other && same(ours, theirs))
        }
        _ => false,
    }
}

/// Integers that fit are integers there too; others, `-0` among them, are the nearest `f64`.
fn same_number(ours: &Number, theirs: &serde_json::Number) -> bool {
    if theirs.is_f64() {
        let fits = ours.as_i64().is_some_and(|number| number != 0) || ours.as_u64() > Some(0);
        let bits = |float: Option<f64>| float.map(f64::to_bits);
        return !fits && bits(ours.as_f64()) == bits(theirs.as_f64());
    }
    ours.is_integer() && ours.as_i64() == theirs.as_i64() && ours.as_u64() == theirs.as_u64()
}

/// Whether there are so many digits that an integer of them may be beyond the range of an `f64`.
fn has_large(input: &[u8]) -> bool {
    let mut runs = input.split(|byte| !byte.is_ascii_digit());
    runs.any(|digits| digits.len() >= 309)
}
