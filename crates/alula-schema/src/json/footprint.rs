//! How much memory a document takes, for the documents that take the most.

use super::{Options, Value, parse};

/// As documented at [`parse`].
const MOST_PER_BYTE: usize = 64;

/// The bytes on the heap.
fn heap_bytes(value: &Value) -> usize {
    match value {
        Value::Null | Value::Bool(_) => 0,
        Value::Number(number) if number.as_f64().is_some() => 0,
        Value::Number(number) => number.to_string().len(),
        Value::String(text) => text.capacity(),
        Value::Array(items) => {
            let within = items.iter().map(heap_bytes);
            items.capacity() * size_of::<Value>() + within.sum::<usize>()
        }
        Value::Object(object) => {
            let within = object.iter().map(|(_, value)| heap_bytes(value));
            object.own_bytes() + within.sum::<usize>()
        }
    }
}

#[test]
fn memory_is_in_proportion_to_the_input() {
    let repeated = |part: &str, count| vec![part; count].join(",");
    let nested =
        |open: &str, inner: &str, close| open.repeat(120) + inner + &str::repeat(close, 120);
    // A vector has just grown at one more than a power of two.
    for count in [1, 2, 5, 17, 1025] {
        for part in [
            "1",
            "[]",
            "{}",
            "[1]",
            "[[1]]",
            "\"\"",
            "\"\\u0061\\n\"",
            "{\"\":1}",
            &nested("[", "", "]"),
            &nested("[[],", "1", "]"),
            &nested("{\"\":", "1", "}"),
            &"9".repeat(400),
        ] {
            bounded(&format!("[{}]", repeated(part, count)));
        }
        let members: Vec<String> = (0..count).map(|at| format!("\"{at:x}\":1")).collect();
        bounded(&format!("{{{}}}", members.join(",")));
    }
}

fn bounded(input: &str) {
    let value = parse(input.as_bytes(), &Options::default()).expect("it is right");
    let bytes = heap_bytes(&value);
    let most = MOST_PER_BYTE * input.len();
    let start = &input[..input.len().min(40)];
    assert!(
        bytes <= most,
        "{bytes} bytes for {} of {start}",
        input.len()
    );
}
