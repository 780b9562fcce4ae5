//! What a path pattern may look like.

use crate::{PatternFault, RouteError};

/// One segment of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Segment<'a> {
    /// Text, as it is after decoding; empty only at the end.
    Literal(&'a str),
    /// `{name}`: one segment that is not empty.
    Param(&'a str),
    /// `{name:path}`: the rest of the path.
    Tail(&'a str),
}

impl<'a> Segment<'a> {
    /// The parameter's name.
    pub(crate) fn name(self) -> Option<&'a str> {
        match self {
            Self::Literal(_) => None,
            Self::Param(name) | Self::Tail(name) => Some(name),
        }
    }
}

/// Splits a pattern into its segments.
pub(crate) fn parse(pattern: &str) -> Result<Vec<Segment<'_>>, RouteError> {
    split(pattern).map_err(|(offset, fault)| RouteError::InvalidPattern {
        pattern: pattern.to_owned(),
        position: pattern[..offset].chars().count() + 1,
        fault,
    })
}

/// A fault, and the bytes before it.
type Fault = (usize, PatternFault);

fn split(pattern: &str) -> Result<Vec<Segment<'_>>, Fault> {
    let Some(rest) = pattern.strip_prefix('/') else {
        return Err((0, PatternFault::NoSlash));
    };
    let (mut segments, mut start): (Vec<Segment<'_>>, _) = (Vec::new(), 1);
    for text in rest.split('/') {
        let end = start + text.len();
        let at = |(offset, fault): Fault| (start + offset, fault);
        let parsed = segment(text).map_err(at)?;
        if text.is_empty() && end < pattern.len() {
            return Err((start, PatternFault::EmptySegment));
        }
        if matches!(segments.last(), Some(Segment::Tail(_))) {
            // At the brace that opens it.
            let before = pattern[..start].rfind('{').unwrap_or_default();
            return Err((before, PatternFault::PathNotLast));
        }
        if let Some(name) = parsed.name()
            && segments.iter().any(|other| other.name() == Some(name))
        {
            return Err((start + 1, PatternFault::DuplicateName));
        }
        segments.push(parsed);
        start = end + 1;
    }
    Ok(segments)
}

/// One segment; faults count from its beginning.
fn segment(text: &str) -> Result<Segment<'_>, Fault> {
    let Some(opening) = text.find(['{', '}']) else {
        return literal(text);
    };
    if text.as_bytes()[opening] == b'}' {
        return Err((opening, PatternFault::Unopened));
    }
    let Some(length) = text[opening..].find('}') else {
        return Err((opening, PatternFault::Unclosed));
    };
    if opening > 0 || length + 1 < text.len() {
        return Err((opening, PatternFault::NotWholeSegment));
    }
    param(&text[1..length]).map_err(|(offset, fault)| (1 + offset, fault))
}

fn literal(text: &str) -> Result<Segment<'_>, Fault> {
    let never = |c: char| c.is_control() || "?#%".contains(c);
    match text.find(never) {
        None => Ok(Segment::Literal(text)),
        Some(at) if text[at..].starts_with('%') => Err((at, PatternFault::Percent)),
        Some(at) => Err((at, PatternFault::InvalidCharacter)),
    }
}

/// What is between braces.
fn param(inner: &str) -> Result<Segment<'_>, Fault> {
    let (name, kind) = match inner.split_once(':') {
        Some((name, kind)) => (name, Some(kind)),
        None => (inner, None),
    };
    if name.is_empty() {
        return Err((0, PatternFault::EmptyName));
    }
    let is_first = |c: char| c.is_ascii_alphabetic() || c == '_';
    let mut wrong = name
        .char_indices()
        .filter(|&(at, c)| !is_first(c) && (at == 0 || !c.is_ascii_digit()));
    if let Some((at, _)) = wrong.next() {
        return Err((at, PatternFault::InvalidName));
    }
    match kind {
        None => Ok(Segment::Param(name)),
        Some("path") => Ok(Segment::Tail(name)),
        Some(_) => Err((name.len() + 1, PatternFault::UnknownKind)),
    }
}
