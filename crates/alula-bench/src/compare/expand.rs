//! Placeholders in command lines: `{port}`.

use std::collections::BTreeMap;

/// The names of the placeholders in a text. What is no name between braces is just text.
pub fn names(text: &str) -> impl Iterator<Item = &str> {
    pieces(text).filter_map(|(_, name)| name)
}

/// The text with each placeholder replaced by its value; one without a value stays as it stands.
pub fn expand(text: &str, values: &BTreeMap<String, String>) -> String {
    let mut expanded = String::with_capacity(text.len());
    for (before, name) in pieces(text) {
        expanded.push_str(before);
        match name.map(|name| (name, values.get(name))) {
            None => {}
            Some((_, Some(value))) => expanded.push_str(value),
            Some((name, None)) => expanded.extend(["{", name, "}"]),
        }
    }
    expanded
}

/// Text and the name behind it; the last piece may have none.
fn pieces(text: &str) -> impl Iterator<Item = (&str, Option<&str>)> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest.take()?;
        for (start, _) in text.match_indices('{') {
            let inner = &text[start + 1..];
            let Some(length) = inner.find('}') else { break };
            let name = &inner[..length];
            if is_name(name) {
                rest = Some(&inner[length + 1..]);
                return Some((&text[..start], Some(name)));
            }
        }
        Some((text, None))
    })
}

fn is_name(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    text.starts_with(|first: char| first.is_ascii_lowercase()) && text.bytes().all(plain)
}

#[cfg(test)]
mod tests {
    use super::{expand, names};

    #[test]
    fn names_between_braces_are_replaced_and_nothing_else() {
        let values = [("port", "80"), ("a-1", "x")];
        let values = values
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .into();
        let cases = [
            ("--bind=127.0.0.1:{port}", "--bind=127.0.0.1:80"),
            ("{port}{port}/{a-1}", "8080/x"),
            ("{unknown} {port}", "{unknown} 80"),
            (
                r#"{"port": 1} {Port} {} {port"#,
                r#"{"port": 1} {Port} {} {port"#,
            ),
            ("{{port}}", "{80}"),
            ("", ""),
        ];
        for (text, expected) in cases {
            assert_eq!(expand(text, &values), expected);
        }
        let found: Vec<&str> = names("{b}{\"c\"}{a-1}").collect();
        assert_eq!(found, ["b", "a-1"]);
    }
}
