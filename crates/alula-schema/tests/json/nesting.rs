//! How deep documents may be, and that depth costs no stack.

use std::thread;

use alula_schema::json::{self, ErrorKind, JsonError, MAX_DEPTH, Options, Value};

fn arrays(depth: usize) -> String {
    format!("{}{}", "[".repeat(depth), "]".repeat(depth))
}

fn objects(depth: usize) -> String {
    format!("{}1{}", "{\"a\":".repeat(depth), "}".repeat(depth))
}

fn parse(input: &str, max_depth: usize) -> Result<Value, JsonError> {
    let options = Options {
        max_depth,
        ..Options::default()
    };
    json::parse(input.as_bytes(), &options)
}

/// Parses at one level below the bound, and not at it.
fn is_bounded_at(bound: usize, max_depth: usize) {
    for (make, width) in [(arrays as fn(usize) -> String, 1), (objects, 5)] {
        if bound > 0 {
            parse(&make(bound), max_depth).expect("as deep as may be");
        }
        let error = parse(&make(bound + 1), max_depth).expect_err("one level too deep");
        assert_eq!(
            (error.kind(), error.offset()),
            (ErrorKind::Depth, bound * width)
        );
        let message = format!(
            "line 1, column {}: expected at most {bound} levels of arrays and objects, found ",
            bound * width + 1
        );
        assert!(error.to_string().starts_with(&message), "{error}");
    }
}

#[test]
fn depth_is_bounded_on_both_sides() {
    for max_depth in [0, 1, 2, 127, 128, 129, MAX_DEPTH - 1, MAX_DEPTH] {
        is_bounded_at(max_depth, max_depth);
    }
    assert_eq!(
        parse("1", 0).expect("a scalar has no depth"),
        Value::from(1)
    );
    assert_eq!(Options::default().max_depth, 128);
}

#[test]
fn no_option_asks_for_more_than_the_most() {
    is_bounded_at(MAX_DEPTH, MAX_DEPTH + 1);
    is_bounded_at(MAX_DEPTH, usize::MAX);
}

#[test]
fn depth_counts_what_is_open_and_not_what_was() {
    let many = format!("[{}[]]", "[],{\"a\":[]},".repeat(1000));
    parse(&many, 3).expect("three levels at a time");
    parse(&many, 2).expect_err("three levels at a time");
}

#[test]
fn the_deepest_value_fits_a_small_stack() {
    let levels = MAX_DEPTH / 2;
    let input = format!("{}1{}", "[{\"a\":".repeat(levels), "}]".repeat(levels));
    let run = move || {
        let value = parse(&input, MAX_DEPTH).expect("as deep as may be");
        assert!(value == value.clone());
        assert!(format!("{value:?}").len() > input.len());
        assert_eq!(json::to_string(&value), input);
    };
    let thread = thread::Builder::new().stack_size(STACK_BYTES);
    thread
        .spawn(run)
        .expect("a thread")
        .join()
        .expect("its stack is large enough");
}

/// Printing takes the most of it.
const STACK_BYTES: usize = if cfg!(debug_assertions) {
    1 << 20
} else {
    1 << 19
};

#[test]
fn brackets_without_end_are_refused_at_the_bound() {
    // Not one of them is answered by recursion.
    for text in ["[", "{\"a\":", "[{\"a\":"] {
        let error = parse(&text.repeat(1_000_000), usize::MAX).expect_err("too deep");
        assert_eq!(error.kind(), ErrorKind::Depth);
    }
}
