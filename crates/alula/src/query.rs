//! The query string as pairs (the URL standard's `application/x-www-form-urlencoded`, but strict:
//! what does not decode is an error and not something else).

use std::borrow::Cow;
use std::fmt;

use alula_router::percent::{self, DecodeError};

/// A part of a query string or a path that does not decode.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadEncoding {
    part: String,
    reason: DecodeError,
}

impl BadEncoding {
    pub(crate) fn new(part: &str, reason: DecodeError) -> Self {
        let part = part.to_owned();
        Self { part, reason }
    }
}

impl fmt::Display for BadEncoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {}", self.part, self.reason)
    }
}

impl std::error::Error for BadEncoding {}

/// The pairs of a query string, decoded, in their order. A name without `=` has an empty value;
/// empty pairs are left out.
#[derive(Clone, Debug)]
pub struct QueryPairs<'a> {
    rest: Option<&'a str>,
}

impl<'a> QueryPairs<'a> {
    /// Of a query string without its `?`.
    pub(crate) fn new(query: &'a str) -> Self {
        Self { rest: Some(query) }
    }
}

impl<'a> Iterator for QueryPairs<'a> {
    type Item = Result<(Cow<'a, str>, Cow<'a, str>), BadEncoding>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let rest = self.rest?;
            let (pair, after) = match rest.split_once('&') {
                Some((pair, after)) => (pair, Some(after)),
                None => (rest, None),
            };
            self.rest = after;
            if pair.is_empty() {
                continue;
            }
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let decoded = decode(name).and_then(|name| Ok((name, decode(value)?)));
            return Some(decoded);
        }
    }
}

/// A name or a value, decoded; borrowed where there is nothing to decode.
fn decode(text: &str) -> Result<Cow<'_, str>, BadEncoding> {
    let bad = |reason| BadEncoding::new(text, reason);
    if text.contains('+') {
        let spaced = text.replace('+', " ");
        let decoded = percent::decode(&spaced).map_err(bad)?;
        return Ok(Cow::Owned(decoded.into_owned()));
    }
    percent::decode(text).map_err(bad)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(query: &str) -> Vec<(String, String)> {
        let owned = |pair: Result<(Cow<'_, str>, Cow<'_, str>), BadEncoding>| {
            let (name, value) = pair.expect("decodes");
            (name.into_owned(), value.into_owned())
        };
        QueryPairs::new(query).map(owned).collect()
    }

    fn pair(name: &str, value: &str) -> (String, String) {
        (name.to_owned(), value.to_owned())
    }

    #[test]
    fn pairs_are_split_then_decoded() {
        assert_eq!(pairs(""), []);
        assert_eq!(pairs("&&"), []);
        assert_eq!(pairs("a"), [pair("a", "")]);
        assert_eq!(
            pairs("a=1&b=2=3&a=%26"),
            [pair("a", "1"), pair("b", "2=3"), pair("a", "&")]
        );
        assert_eq!(pairs("q+1=a+b%2B%c3%A9"), [pair("q 1", "a b+\u{e9}")]);
    }

    #[test]
    fn what_does_not_decode_is_told() {
        let told = |query| {
            let error = QueryPairs::new(query).find_map(Result::err);
            error.expect("an error").to_string()
        };
        let wrong = "is not followed by two hexadecimal digits";
        assert_eq!(told("a=1&b=%4"), format!("\"%4\": the % at byte 0 {wrong}"));
        assert_eq!(
            told("a+%-1=2"),
            format!("\"a+%-1\": the % at byte 2 {wrong}")
        );
        assert_eq!(told("a=%ff"), "\"%ff\": the decoded bytes are not UTF-8");
    }
}
