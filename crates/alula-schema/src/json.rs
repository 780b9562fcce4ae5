//! RFC 8259, with nothing beside it: no byte order mark, comments, trailing commas, `NaN` or
//! surrogates without their partner. Integers are kept exactly, however large; other numbers are
//! the nearest `f64`. What is refused is refused with its place and with what could stand there.
//!
//! ```
//! use alula_schema::json;
//!
//! let value = json::parse(br#"{"a": [1, 2.5]}"#, &json::Options::default())?;
//! assert_eq!(value.get("a").and_then(json::Value::as_array).map(<[_]>::len), Some(2));
//! assert_eq!(json::to_string(&value), r#"{"a":[1,2.5]}"#);
//!
//! let error = json::parse(b"{\n  \"a\": x}", &json::Options::default()).unwrap_err();
//! assert_eq!(error.to_string(), "line 2, column 8: expected a value, found \"x\"");
//! # Ok::<(), json::JsonError>(())
//! ```
//!
//! # Layout
//!
//! - [`parse`]: bytes to a value, in one pass; `text`: its strings; `number`: its numbers.
//! - [`Value`], [`Number`], [`Object`]: what a document holds.
//! - [`to_string`], [`to_vec`], [`write()`]: a value to bytes.
//! - [`JsonError`], [`ErrorKind`]: what was wrong, and where.
//! - [`Options`]: what is left to choose.

mod error;
#[cfg(test)]
mod footprint;
mod number;
mod object;
mod options;
mod parser;
mod text;
mod value;
mod writer;

pub use error::{ErrorKind, JsonError};
pub use number::{NotFinite, Number};
pub use object::Object;
pub use options::{DuplicateKeys, MAX_DEPTH, Options};
pub use parser::parse;
pub use value::Value;
pub use writer::{to_string, to_vec, write};
