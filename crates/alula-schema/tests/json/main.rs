//! JSON: what is taken and what refused, where errors are, and agreement with `serde_json`.

mod cases;
mod differential;
mod errors;
mod nesting;
mod numbers;
mod objects;
mod strings;
mod writing;

// The body of the fuzz target; the differential test runs it on its own input.
#[allow(unreachable_pub)]
#[path = "../../../../fuzz/src/json.rs"]
mod target;

use alula_schema::json::{JsonError, Options, Value};

/// With default options.
fn parse(input: impl AsRef<[u8]>) -> Result<Value, JsonError> {
    alula_schema::json::parse(input.as_ref(), &Options::default())
}

/// With default options, what must be right.
fn value(input: impl AsRef<[u8]>) -> Value {
    let input = input.as_ref();
    match parse(input) {
        Ok(value) => value,
        Err(error) => panic!("{}: {error}", input.escape_ascii()),
    }
}
