//! Which values a kind of option takes: a value from any source becomes the one form that the
//! option's field is read from, or it is refused with a description of what would be accepted.

use std::net::IpAddr;
use std::path::Path;

use super::spec::{Kind, Spec};
use super::value::Value;

/// uvicorn's log levels, from the least talkative on.
const LEVELS: [&str; 6] = ["critical", "error", "warning", "info", "debug", "trace"];

impl Spec {
    /// The value in the form in which the option holds it.
    ///
    /// # Errors
    ///
    /// What would be accepted, to stand behind "expected".
    pub fn accept(&self, value: Value) -> Result<Value, String> {
        if value == Value::None && self.is_optional() {
            return Ok(value);
        }
        match self.kind {
            Kind::Flag => flag(&value),
            Kind::Integer { min, max } => integer(&value, min, max),
            Kind::Seconds { min, max } => seconds(&value, min, max),
            Kind::Text => text(value),
            Kind::Choice(words) => choice(value, words),
            Kind::Level => level(&value),
            Kind::Loop => event_loop(value),
            Kind::Path => path(value),
            Kind::File => file(value),
            Kind::Texts => texts(value, |item| !item.is_empty(), "texts that are not empty"),
            Kind::Directories => texts(
                value,
                |item| Path::new(item).is_dir(),
                "directories that exist",
            ),
            Kind::Headers => headers(value),
            Kind::Trusted => trusted(value),
        }
    }
}

fn flag(value: &Value) -> Result<Value, String> {
    let on = match value {
        Value::Flag(on) => Some(*on),
        Value::Text(text) => match text.to_ascii_lowercase().as_str() {
            "1" | "true" | "t" | "yes" | "y" | "on" => Some(true),
            "0" | "false" | "f" | "no" | "n" | "off" => Some(false),
            _ => None,
        },
        _ => None,
    };
    on.map(Value::Flag)
        .ok_or_else(|| "true or false".to_owned())
}

fn integer(value: &Value, min: u64, max: u64) -> Result<Value, String> {
    let number = match value {
        Value::Integer(number) => Some(*number),
        Value::Text(text) => digits(text),
        _ => None,
    };
    match number {
        Some(number) if (min..=max).contains(&number) => Ok(Value::Integer(number)),
        _ if max >= i64::MAX as u64 => Err(format!("a whole number from {min} on")),
        _ => Err(format!("a whole number from {min} to {max}")),
    }
}

/// A number written in ASCII digits alone.
fn digits(text: &str) -> Option<u64> {
    let plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    plain.then(|| text.parse().ok()).flatten()
}

fn seconds(value: &Value, min: f64, max: f64) -> Result<Value, String> {
    let number = match value {
        Value::Integer(number) => u32::try_from(*number).ok().map(f64::from),
        Value::Number(number) => Some(*number),
        Value::Text(text) => decimal(text),
        _ => None,
    };
    match number {
        Some(number) if (min..=max).contains(&number) => Ok(Value::Number(number)),
        _ => Err(format!("seconds from {min} to {max}")),
    }
}

/// A number in plain decimal notation: no `inf`, no `nan`, no white space.
fn decimal(text: &str) -> Option<f64> {
    let plain = text
        .bytes()
        .all(|byte| byte.is_ascii_digit() || byte == b'.');
    plain.then(|| text.parse().ok()).flatten()
}

fn text(value: Value) -> Result<Value, String> {
    match value {
        Value::Text(_) => Ok(value),
        _ => Err("a text".to_owned()),
    }
}

fn choice(value: Value, words: &str) -> Result<Value, String> {
    let words: Vec<&str> = words.split('|').collect();
    match text(value) {
        Ok(Value::Text(word)) if words.contains(&word.to_ascii_lowercase().as_str()) => {
            Ok(Value::Text(word.to_ascii_lowercase()))
        }
        _ => Err(format!("one of {}", words.join(", "))),
    }
}

fn level(value: &Value) -> Result<Value, String> {
    let level = match value {
        Value::Text(text) => Some(text.to_ascii_lowercase()),
        Value::Integer(number) => Some(number.to_string()),
        _ => None,
    };
    level
        .filter(|level| {
            LEVELS.contains(&level.as_str()) || digits(level).is_some_and(|n| n <= 1000)
        })
        .map(Value::Text)
        .ok_or_else(|| format!("one of {}, or a number", LEVELS.join(", ")))
}

fn event_loop(value: Value) -> Result<Value, String> {
    let known = |text: &str| ["auto", "asyncio", "uvloop"].contains(&text);
    match value {
        Value::Text(text) if known(&text) || is_import_path(&text) => Ok(Value::Text(text)),
        _ => Err("auto, asyncio, uvloop, or the module:factory of an event loop".to_owned()),
    }
}

/// Whether a text has the shape `module:attribute`.
fn is_import_path(text: &str) -> bool {
    text.split_once(':').is_some_and(|(module, attribute)| {
        !module.is_empty() && !attribute.is_empty() && !attribute.contains(':')
    })
}

fn path(value: Value) -> Result<Value, String> {
    match value {
        Value::Text(ref path) if !path.is_empty() && !path.contains('\0') => Ok(value),
        _ => Err("a path".to_owned()),
    }
}

fn file(value: Value) -> Result<Value, String> {
    match path(value) {
        Ok(Value::Text(path)) if Path::new(&path).is_file() => Ok(Value::Text(path)),
        _ => Err("a file that exists".to_owned()),
    }
}

fn texts(value: Value, holds: impl Fn(&str) -> bool, what: &str) -> Result<Value, String> {
    let items = match value {
        Value::None => Vec::new(),
        Value::Text(item) => vec![item],
        Value::List(items) => items,
        _ => return Err(what.to_owned()),
    };
    if items.iter().all(|item| holds(item)) {
        Ok(Value::List(items))
    } else {
        Err(what.to_owned())
    }
}

fn headers(value: Value) -> Result<Value, String> {
    let pairs: Option<Vec<_>> = match value {
        Value::None => Some(Vec::new()),
        Value::Text(line) => pair(&line).map(|pair| vec![pair]),
        Value::List(lines) => lines.iter().map(|line| pair(line)).collect(),
        Value::Pairs(pairs) => Some(pairs),
        _ => None,
    };
    pairs
        .map(|pairs| pairs.into_iter().map(trim_value).collect::<Vec<_>>())
        .filter(|pairs| {
            pairs.iter().all(|(name, value)| {
                is_header(name, value) && !OWN.iter().any(|own| own.eq_ignore_ascii_case(name))
            })
        })
        .map(Value::Pairs)
        .ok_or_else(|| {
            "Name:Value, a token and a text of visible ASCII characters; how a response is framed \
             and whether its connection stays (Content-Length, Transfer-Encoding, Connection, \
             Keep-Alive, Trailer, Upgrade) the server says itself"
                .to_owned()
        })
}

/// What the server says of each response itself.
const OWN: [&str; 6] = [
    "content-length",
    "transfer-encoding",
    "connection",
    "keep-alive",
    "trailer",
    "upgrade",
];

fn pair(line: &str) -> Option<(String, String)> {
    line.split_once(':')
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
}

fn trim_value((name, value): (String, String)) -> (String, String) {
    let value = value.trim_matches([' ', '\t']).to_owned();
    (name, value)
}

/// RFC 9110 sections 5.1 and 5.5, without the obsolete bytes above 0x7F.
fn is_header(name: &str, value: &str) -> bool {
    let token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    let visible = |byte: u8| matches!(byte, b'\t' | b' '..=b'~');
    !name.is_empty() && name.bytes().all(token) && value.bytes().all(visible)
}

fn trusted(value: Value) -> Result<Value, String> {
    let items = match value {
        Value::Text(list) => list.split(',').map(|item| item.trim().to_owned()).collect(),
        Value::List(items) => items,
        _ => vec![String::new()],
    };
    // An empty list, which trusts nobody, is written as an empty text.
    let items: Vec<String> = if items == [""] { Vec::new() } else { items };
    if items.iter().all(|item| is_peer(item)) {
        Ok(Value::List(items))
    } else {
        Err("addresses, networks and socket paths, separated by commas, or *".to_owned())
    }
}

/// Whether a text names peers: `*`, an address, a network, or anything that cannot be mistaken for
/// a mistyped one of these (uvicorn compares such literals with the peer as they are).
fn is_peer(item: &str) -> bool {
    if item == "*" || item.parse::<IpAddr>().is_ok() || item.starts_with(['/', '@']) {
        return true;
    }
    if let Some((address, bits)) = item.split_once('/') {
        return is_network(address, bits);
    }
    let numeric = item
        .bytes()
        .all(|byte| byte.is_ascii_hexdigit() || b".:*".contains(&byte));
    !item.is_empty() && !item.contains(char::is_whitespace) && !numeric
}

/// Whether these are a network's address and prefix length, with no bit set behind the prefix.
fn is_network(address: &str, bits: &str) -> bool {
    let Some(prefix) = digits(bits).and_then(|bits| u32::try_from(bits).ok()) else {
        return false;
    };
    match address.parse() {
        Ok(IpAddr::V4(v4)) => prefix <= 32 && u32::from(v4).checked_shl(prefix).unwrap_or(0) == 0,
        Ok(IpAddr::V6(v6)) => prefix <= 128 && u128::from(v6).checked_shl(prefix).unwrap_or(0) == 0,
        Err(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::OPTIONS;

    fn spec(name: &str) -> &'static Spec {
        OPTIONS
            .iter()
            .find(|spec| spec.name() == name)
            .expect("a declared option")
    }

    fn take(name: &str, text: &str) -> Result<Value, String> {
        spec(name).accept(Value::Text(text.to_owned()))
    }

    #[test]
    fn a_port_is_a_whole_number_within_bounds() {
        assert_eq!(take("port", "0"), Ok(Value::Integer(0)));
        assert_eq!(take("port", "65535"), Ok(Value::Integer(65535)));
        for text in [
            "65536",
            "-1",
            "+1",
            "1.0",
            "",
            " 1",
            "0x10",
            "99999999999999999999999",
        ] {
            assert_eq!(
                take("port", text),
                Err("a whole number from 0 to 65535".to_owned())
            );
        }
    }

    #[test]
    fn seconds_may_have_a_fraction_but_no_other_notation() {
        assert_eq!(take("timeout_keep_alive", "2.5"), Ok(Value::Number(2.5)));
        assert_eq!(take("timeout_keep_alive", "0"), Ok(Value::Number(0.0)));
        for text in ["inf", "nan", "-1", "1e3", "", "1 s"] {
            assert!(take("timeout_keep_alive", text).is_err(), "{text}");
        }
        assert!(take("timeout_write", "0").is_err());
        assert!(
            spec("timeout_write")
                .accept(Value::Number(f64::NAN))
                .is_err()
        );
    }

    #[test]
    fn a_flag_is_no_number() {
        assert_eq!(take("reload", "YES"), Ok(Value::Flag(true)));
        assert_eq!(take("reload", "0"), Ok(Value::Flag(false)));
        assert!(spec("reload").accept(Value::Integer(1)).is_err());
        assert!(spec("port").accept(Value::Flag(true)).is_err());
    }

    #[test]
    fn only_an_optional_option_may_be_none() {
        assert_eq!(spec("uds").accept(Value::None), Ok(Value::None));
        assert!(spec("port").accept(Value::None).is_err());
    }

    #[test]
    fn a_level_is_a_name_in_any_case_or_a_number() {
        assert_eq!(
            take("log_level", "TRACE"),
            Ok(Value::Text("trace".to_owned()))
        );
        assert_eq!(
            spec("log_level").accept(Value::Integer(10)),
            Ok(Value::Text("10".to_owned()))
        );
        assert!(take("log_level", "loud").is_err());
    }

    #[test]
    fn a_loop_is_a_name_or_an_import_path() {
        for text in ["auto", "asyncio", "uvloop", "pkg.mod:make", "a:b.c"] {
            assert!(take("loop", text).is_ok(), "{text}");
        }
        for text in ["zuvloop", "a:", ":b", "a:b:c", ""] {
            assert!(take("loop", text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_header_is_split_at_the_first_colon_and_vetted() {
        let pairs = vec![("X-A".to_owned(), "b:c d".to_owned())];
        assert_eq!(take("headers", "X-A: b:c d "), Ok(Value::Pairs(pairs)));
        for text in [
            "X-A",
            ":b",
            "X A: b",
            "X-A: b\r\nX-B: c",
            "X-A: \u{3b1}",
            "X-A: \0",
            "Content-Length: 3",
            "transfer-encoding: chunked",
            "CONNECTION: close",
        ] {
            assert!(take("headers", text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn trusted_peers_are_addresses_networks_literals_or_all() {
        let list =
            |items: &[&str]| Ok(Value::List(items.iter().map(ToString::to_string).collect()));
        let mixed = "10.0.0.0/8, ::1,fe80::/10,/run/proxy.sock,testclient";
        assert_eq!(
            take("forwarded_allow_ips", mixed),
            list(&[
                "10.0.0.0/8",
                "::1",
                "fe80::/10",
                "/run/proxy.sock",
                "testclient"
            ])
        );
        assert_eq!(take("forwarded_allow_ips", "*"), list(&["*"]));
        assert_eq!(take("forwarded_allow_ips", ""), list(&[]));
        for text in [
            "10.0.0.1/8",
            "10.0.0.0/33",
            "300.1.1.1",
            "1.2.3",
            "::g/8",
            "a,,b",
            "fe80::/129",
        ] {
            assert!(take("forwarded_allow_ips", text).is_err(), "{text}");
        }
    }
}
