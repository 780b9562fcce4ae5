//! Variables for the application from a file of `NAME=value` lines, as python-dotenv reads it.
//!
//! A value stands bare (up to ` #`, trimmed), in single quotes (as it is) or in double quotes
//! (with `\n`, `\r`, `\t`, `\"`, `\\` and `\$`); a quoted one may span lines. `${NAME}` and
//! `${NAME:-default}` are replaced outside single quotes. `export` in front is allowed.

use std::path::Path;

use super::error::ConfigError;

/// Reads the file; `lookup` finds variables that are set already.
///
/// # Errors
///
/// When the file cannot be read or a line is malformed.
pub fn read(
    path: &Path,
    lookup: impl Fn(&str) -> Option<String>,
) -> Result<Vec<(String, String)>, ConfigError> {
    let fail = |reason: String| ConfigError::File {
        path: path.to_owned(),
        reason,
    };
    let text = std::fs::read_to_string(path).map_err(|error| fail(error.to_string()))?;
    parse(&text, lookup).map_err(|(line, what)| fail(format!("line {line}: {what}")))
}

/// Parses the text of such a file.
///
/// # Errors
///
/// The number of the malformed line, counted from 1, and what is wrong with it.
pub fn parse(
    text: &str,
    lookup: impl Fn(&str) -> Option<String>,
) -> Result<Vec<(String, String)>, (usize, &'static str)> {
    let mut variables: Vec<(String, String)> = Vec::new();
    let mut rest = text.strip_prefix('\u{feff}').unwrap_or(text);
    let total = lines(rest);
    while !rest.is_empty() {
        let at = 1 + total - lines(rest);
        let blank = rest.trim_start_matches([' ', '\t', '\r']);
        let (line, after) = blank.split_once('\n').unwrap_or((blank, ""));
        if line.is_empty() || line.starts_with('#') {
            rest = after;
            continue;
        }
        let (name, value) = split_name(blank).map_err(|what| (at, what))?;
        let known = |name: &str| {
            let earlier = || variables.iter().rev().find(|(key, _)| key == name);
            lookup(name).or_else(|| earlier().map(|(_, value)| value.clone()))
        };
        let (value, after) = read_value(value, known).map_err(|what| (at, what))?;
        variables.push((name.to_owned(), value));
        rest = after;
    }
    Ok(variables)
}

fn lines(text: &str) -> usize {
    text.matches('\n').count()
}

/// The name of the variable, and the text behind the equals sign.
fn split_name(text: &str) -> Result<(&str, &str), &'static str> {
    let (name, value) = text.split_once('=').ok_or("expected NAME=value")?;
    let name = name.trim_matches([' ', '\t']);
    let name = name.strip_prefix("export ").map_or(name, str::trim_start);
    let inside = |c: char| c.is_ascii_alphanumeric() || "_.-".contains(c);
    if name.is_empty()
        || name.starts_with(|c: char| c.is_ascii_digit())
        || !name.chars().all(inside)
    {
        return Err("expected NAME=value");
    }
    Ok((name, value.trim_start_matches([' ', '\t'])))
}

/// The value, and the text from the next line on.
fn read_value(
    text: &str,
    lookup: impl Fn(&str) -> Option<String>,
) -> Result<(String, &str), &'static str> {
    match text.chars().next() {
        Some(quote @ ('\'' | '"')) => read_quoted(&text[1..], quote, lookup),
        _ => read_bare(text, lookup),
    }
}

fn read_quoted(
    body: &str,
    quote: char,
    lookup: impl Fn(&str) -> Option<String>,
) -> Result<(String, &str), &'static str> {
    let end = closing(body, quote).ok_or("a quote is not closed")?;
    let (inner, behind) = (&body[..end], &body[end + 1..]);
    let (line, after) = behind.split_once('\n').unwrap_or((behind, ""));
    let trailing = line.trim_matches([' ', '\t', '\r']);
    if !trailing.is_empty() && !trailing.starts_with('#') {
        return Err("unexpected text behind the closing quote");
    }
    let value = if quote == '\'' {
        inner.to_owned()
    } else {
        expand(inner, true, &lookup)?
    };
    Ok((value, after))
}

fn read_bare(
    text: &str,
    lookup: impl Fn(&str) -> Option<String>,
) -> Result<(String, &str), &'static str> {
    let (line, after) = text.split_once('\n').unwrap_or((text, ""));
    let comment = if line.starts_with('#') {
        Some(0)
    } else {
        line.find(" #")
    };
    let bare = line[..comment.unwrap_or(line.len())].trim_matches([' ', '\t', '\r']);
    Ok((expand(bare, false, &lookup)?, after))
}

/// Where the quote is closed.
fn closing(body: &str, quote: char) -> Option<usize> {
    let mut escaped = false;
    for (index, c) in body.char_indices() {
        if escaped {
            escaped = false;
        } else if c == '\\' && quote == '"' {
            escaped = true;
        } else if c == quote {
            return Some(index);
        }
    }
    None
}

/// Replaces `${NAME}` and, where asked to, escapes.
fn expand(
    text: &str,
    escapes: bool,
    lookup: &impl Fn(&str) -> Option<String>,
) -> Result<String, &'static str> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if c == '\\' && escapes {
            let next = rest[1..].chars().next().unwrap_or('\\');
            match next {
                'n' => out.push('\n'),
                'r' => out.push('\r'),
                't' => out.push('\t'),
                '"' | '\\' | '$' => out.push(next),
                other => out.extend(['\\', other]),
            }
            rest = rest[1..].get(next.len_utf8()..).unwrap_or("");
        } else if let Some(reference) = rest.strip_prefix("${") {
            let (inner, after) = reference.split_once('}').ok_or("a ${ is not closed")?;
            let (name, default) = inner.split_once(":-").unwrap_or((inner, ""));
            out.push_str(&lookup(name).unwrap_or_else(|| default.to_owned()));
            rest = after;
        } else {
            out.push(c);
            rest = &rest[c.len_utf8()..];
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::parse;

    fn read(text: &str) -> Vec<(String, String)> {
        let lookup = |name: &str| (name == "HOME").then(|| "/root".to_owned());
        parse(text, lookup).expect("well-formed")
    }

    fn one(text: &str) -> String {
        let mut variables = read(text);
        assert_eq!(variables.len(), 1, "{variables:?}");
        variables.remove(0).1
    }

    #[test]
    fn bare_values_end_at_a_comment_and_are_trimmed() {
        assert_eq!(one("A= b c  # comment"), "b c");
        assert_eq!(one("A=b#c\r\n"), "b#c");
        assert_eq!(one("A="), "");
        assert_eq!(one("A=# nothing"), "");
        assert_eq!(one("A=\\n"), "\\n");
    }

    #[test]
    fn quoted_values_keep_white_space_and_may_span_lines() {
        assert_eq!(one("A=' b # ${HOME} \\n' # c"), " b # ${HOME} \\n");
        assert_eq!(one("A=\"b\\n\\\"c\\\" \\$x \\q\""), "b\n\"c\" $x \\q");
        assert_eq!(one("A='b\nc'\n"), "b\nc");
    }

    #[test]
    fn references_are_replaced_outside_single_quotes() {
        assert_eq!(one("A=${HOME}/x"), "/root/x");
        assert_eq!(one("A=\"${NONE:-d}${NONE}\""), "d");
        assert_eq!(read("A=1\nB=${A}2")[1].1, "12");
    }

    #[test]
    fn blank_lines_comments_and_export_are_skipped() {
        let variables = read("\u{feff}# a\n\n  export A=1\n\t# b\nB.c-d = 2");
        let names: Vec<&str> = variables.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["A", "B.c-d"]);
    }

    #[test]
    fn a_malformed_line_is_named() {
        let fail = |text| parse(text, |_| None).expect_err(text);
        assert_eq!(fail("A=1\nnonsense"), (2, "expected NAME=value"));
        assert_eq!(fail("1A=1"), (1, "expected NAME=value"));
        assert_eq!(fail("A='x\ny'\nB=\"z"), (3, "a quote is not closed"));
        assert_eq!(
            fail("A='x' y"),
            (1, "unexpected text behind the closing quote")
        );
        assert_eq!(fail("A=${x"), (1, "a ${ is not closed"));
    }
}
