//! A value to bytes, without white space.

use core::slice;

use super::{Value, number, object, text};

/// The value as JSON text.
#[allow(clippy::missing_panics_doc)] // It can't happen.
pub fn to_string(value: &Value) -> String {
    String::from_utf8(to_vec(value)).expect("what is written is UTF-8")
}

/// The value as JSON, in UTF-8.
pub fn to_vec(value: &Value) -> Vec<u8> {
    // Small answers grow no further.
    let mut out = Vec::with_capacity(128);
    write(value, &mut out);
    out
}

/// Appends the value as JSON, in UTF-8.
///
/// It can't fail: a [`Number`](super::Number) is always finite. Characters are escaped only where
/// RFC 8259 section 7 wants it.
pub fn write(value: &Value, out: &mut Vec<u8>) {
    // Not by recursion: however deep a value is, it needs no stack.
    let mut open = Vec::new();
    begin(value, out, &mut open);
    while let Some(container) = open.last_mut() {
        match container.next(out) {
            Some(value) => begin(value, out, &mut open),
            None => drop(open.pop()),
        }
    }
}

/// What is left to be written of an array or an object.
enum Open<'a> {
    Array {
        items: slice::Iter<'a, Value>,
        comma: bool,
    },
    Object {
        members: object::Iter<'a>,
        comma: bool,
    },
}

impl<'a> Open<'a> {
    /// Writes up to the next value, or the closing bracket.
    fn next(&mut self, out: &mut Vec<u8>) -> Option<&'a Value> {
        let (value, comma, close) = match self {
            Self::Array { items, comma } => (items.next().map(|item| (None, item)), comma, b']'),
            Self::Object { members, comma } => {
                let member = members.next().map(|(key, value)| (Some(key), value));
                (member, comma, b'}')
            }
        };
        let Some((key, value)) = value else {
            out.push(close);
            return None;
        };
        if core::mem::replace(comma, true) {
            out.push(b',');
        }
        if let Some(key) = key {
            text::write(key, out);
            out.push(b':');
        }
        Some(value)
    }
}

/// Writes a scalar, or a container up to its opening bracket.
fn begin<'a>(value: &'a Value, out: &mut Vec<u8>, open: &mut Vec<Open<'a>>) {
    match value {
        Value::Null => out.extend_from_slice(b"null"),
        Value::Bool(true) => out.extend_from_slice(b"true"),
        Value::Bool(false) => out.extend_from_slice(b"false"),
        Value::Number(number) => number::write(number, out),
        Value::String(string) => text::write(string, out),
        Value::Array(items) => {
            out.push(b'[');
            let items = items.iter();
            open.push(Open::Array {
                items,
                comma: false,
            });
        }
        Value::Object(object) => {
            out.push(b'{');
            let members = object.iter();
            open.push(Open::Object {
                members,
                comma: false,
            });
        }
    }
}
