//! Text made safe for HTML and SVG, and the elements that both pages use.

use std::fmt::Write as _;

/// How many colours there are; more series begin anew, dashed.
pub const COLOURS: usize = 8;

/// The text with every character replaced that means something in HTML or XML, in elements and in
/// attributes. Control characters, which XML cannot hold, become U+FFFD.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            '\t' | '\n' | '\r' => escaped.push(character),
            '\u{0}'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{fffe}' | '\u{ffff}' => {
                escaped.push('\u{fffd}');
            }
            other => escaped.push(other),
        }
    }
    escaped
}

/// A table; the first row is the head. Cells are plain text.
pub fn table(head: &[String], rows: &[Vec<String>]) -> String {
    let row = |cells: &[String], element: &str| {
        let cells = cells
            .iter()
            .map(|cell| format!("<{element}>{}</{element}>", escape(cell)));
        format!("<tr>{}</tr>\n", cells.collect::<String>())
    };
    let body: String = rows.iter().map(|cells| row(cells, "td")).collect();
    format!(
        "<div class=\"scroll\"><table>\n<thead>\n{}</thead>\n<tbody>\n{body}</tbody>\n</table></div>\n",
        row(head, "th")
    )
}

/// A list of plain texts; nothing if there are none.
pub fn list(items: &[String]) -> String {
    if items.is_empty() {
        return String::new();
    }
    let items = items
        .iter()
        .map(|item| format!("<li>{}</li>\n", escape(item)));
    format!("<ul class=\"note\">\n{}</ul>\n", items.collect::<String>())
}

/// Which colour belongs to which name; nothing for a single one.
pub fn keys(names: &[(usize, &str)]) -> String {
    if names.len() < 2 {
        return String::new();
    }
    let mut keys = String::from("<ul class=\"keys\">\n");
    for &(colour, name) in names {
        let dashed = if colour < COLOURS { "" } else { " (dashed)" };
        let colour = colour % COLOURS;
        // Writing to a string cannot fail.
        let _ = writeln!(
            keys,
            "<li><span class=\"swatch f{colour}\"></span>{}{dashed}</li>",
            escape(name)
        );
    }
    keys + "</ul>\n"
}

#[cfg(test)]
mod tests {
    use super::{escape, keys, table};

    #[test]
    fn nothing_in_a_text_is_markup() {
        let cases = [
            (
                "<script>alert('x')</script>",
                "&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;",
            ),
            ("a & \"b\"", "a &amp; &quot;b&quot;"),
            (
                "line\nand \u{0}\u{1b}\u{7f}",
                "line\nand \u{fffd}\u{fffd}\u{fffd}",
            ),
            ("µs ≥ 1", "µs ≥ 1"),
        ];
        for (text, expected) in cases {
            assert_eq!(escape(text), expected);
        }
    }

    #[test]
    fn cells_and_keys_are_escaped() {
        let made = table(&["<a>".to_owned()], &[vec!["<b>".to_owned()]]);
        assert!(
            made.contains("<th>&lt;a&gt;</th>") && made.contains("<td>&lt;b&gt;</td>"),
            "{made}"
        );
        let made = keys(&[(0, "<x>"), (9, "y")]);
        assert!(made.contains("f0\"></span>&lt;x&gt;</li>"), "{made}");
        assert!(made.contains("f1\"></span>y (dashed)</li>"), "{made}");
    }
}
