//! Options of uvicorn that this version refuses by name, so that nobody believes them to work.

/// Option names, or beginnings of them, and what it is that they would need.
const LATER: [(&str, &str); 6] = [
    ("ssl-*", "TLS is not supported yet by this version of Alula"),
    (
        "ws",
        "WebSocket is not supported yet by this version of Alula",
    ),
    (
        "ws-*",
        "WebSocket is not supported yet by this version of Alula",
    ),
    (
        "http2",
        "HTTP/2 is not supported yet by this version of Alula",
    ),
    (
        "http",
        "Alula has one HTTP implementation of its own; leave the option out",
    ),
    (
        "interface",
        "applications other than ASGI 3 are not supported yet by this version of Alula",
    ),
];

/// Why an option is refused, if it is one of those; with or without dashes in front, with dashes
/// or underscores inside.
pub fn reason(option: &str) -> Option<String> {
    let name = option.trim_start_matches('-').replace('_', "-");
    let means = |pattern: &str| match pattern.strip_suffix('*') {
        Some(beginning) => name.len() > beginning.len() && name.starts_with(beginning),
        None => name == pattern,
    };
    LATER
        .iter()
        .find(|(pattern, _)| means(pattern))
        .map(|(_, reason)| (*reason).to_owned())
}

#[cfg(test)]
mod tests {
    use super::reason;
    use crate::config::OPTIONS;

    #[test]
    fn names_are_met_in_every_spelling() {
        for name in [
            "--ssl-keyfile",
            "ssl_keyfile",
            "ws",
            "ws_max_size",
            "--http2",
            "interface",
        ] {
            assert!(reason(name).is_some(), "{name}");
        }
        for name in ["ssl", "ssl-", "wsgi", "https", "--host", ""] {
            assert!(reason(name).is_none(), "{name}");
        }
    }

    #[test]
    fn no_declared_option_is_refused() {
        assert!(OPTIONS.iter().all(|spec| reason(spec.flag).is_none()));
    }
}
