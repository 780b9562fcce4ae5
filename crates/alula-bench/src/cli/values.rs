//! Values of options from text. What is wrong with one is said without its option's name: that is
//! put in front.

use std::time::Duration;

use serde_json::Value;

use crate::request::Length;

/// A time, such as `10s` or `1.5`.
pub(super) fn time(text: &str) -> Result<Duration, String> {
    let units = [
        ("us", 1e-6),
        ("ms", 1e-3),
        ("s", 1.0),
        ("m", 60.0),
        ("h", 3600.0),
    ];
    let found = units
        .iter()
        .find_map(|(name, unit)| Some((text.strip_suffix(name)?, *unit)));
    let (number, unit) = found.unwrap_or((text, 1.0));
    number
        .parse::<f64>()
        .ok()
        .and_then(|number| Duration::try_from_secs_f64(number * unit).ok())
        .ok_or_else(|| "a number with us, ms, s, m or h is accepted".to_owned())
}

/// A whole number from `least` on.
pub(super) fn number(text: &str, least: u64) -> Result<u64, String> {
    match text.parse() {
        Ok(number) if number >= least => Ok(number),
        _ => Err(format!("a whole number, at least {least}, is accepted")),
    }
}

/// A rate in requests a second.
pub(super) fn rate(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(rate) if rate > 0.0 && rate.is_finite() => Ok(rate),
        _ => Err("a number above 0 is accepted".to_owned()),
    }
}

/// A status.
pub(super) fn status(text: &str) -> Result<u16, String> {
    match text.parse() {
        Ok(status @ 200..=999) => Ok(status),
        _ => Err("200 to 999 is accepted".to_owned()),
    }
}

/// The length of a body.
pub(super) fn length(text: &str) -> Result<Length, String> {
    match text {
        "first" => Ok(Length::First),
        "any" => Ok(Length::Any),
        _ => text
            .parse()
            .map(Length::Exact)
            .map_err(|_| "a number of bytes, first or any is accepted".to_owned()),
    }
}

/// A header line.
pub(super) fn header(text: &str) -> Result<(String, String), String> {
    match text.split_once(':') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.trim().to_owned())),
        _ => Err("NAME: VALUE is accepted".to_owned()),
    }
}

/// A JSON pointer and what has to stand there; what is no JSON is a string.
pub(super) fn pointed(text: &str) -> Result<(String, Value), String> {
    match text.split_once('=') {
        Some((pointer, value)) if pointer.is_empty() || pointer.starts_with('/') => {
            let value = serde_json::from_str(value).unwrap_or_else(|_| Value::from(value));
            Ok((pointer.to_owned(), value))
        }
        _ => Err("POINTER=VALUE is accepted, POINTER empty or such as /user/id".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serde_json::json;

    use super::{header, length, number, pointed, rate, status, time};
    use crate::request::Length;

    #[test]
    fn times_have_units() {
        for (text, millis) in [
            ("10s", 10_000),
            ("500ms", 500),
            ("1.5", 1_500),
            ("2m", 120_000),
            ("1h", 3_600_000),
            ("0", 0),
        ] {
            assert_eq!(time(text).unwrap(), Duration::from_millis(millis), "{text}");
        }
        assert_eq!(time("250us").unwrap(), Duration::from_micros(250));
        for text in ["", "s", "-1s", "10 x", "nan", "1e300h"] {
            assert!(time(text).is_err(), "{text}");
        }
    }

    #[test]
    fn numbers_have_bounds() {
        assert_eq!(number("1", 1), Ok(1));
        assert!(number("0", 1).is_err() && number("x", 1).is_err() && number("-1", 0).is_err());
        assert_eq!(rate("0.5"), Ok(0.5));
        assert!(rate("0").is_err() && rate("-1").is_err() && rate("inf").is_err());
        assert_eq!(status("200"), Ok(200));
        assert!(status("199").is_err() && status("1000").is_err());
        assert_eq!(length("first"), Ok(Length::First));
        assert_eq!(length("any"), Ok(Length::Any));
        assert_eq!(length("7"), Ok(Length::Exact(7)));
        assert!(length("some").is_err());
    }

    #[test]
    fn headers_and_values_are_split_once() {
        assert_eq!(header("a: b:c").unwrap(), ("a".into(), "b:c".into()));
        assert!(header("a").is_err() && header(": b").is_err());
        assert_eq!(pointed("/a/0=1").unwrap(), ("/a/0".into(), json!(1)));
        assert_eq!(pointed("/a=x=y").unwrap(), ("/a".into(), json!("x=y")));
        assert_eq!(
            pointed("={\"a\":null}").unwrap(),
            (String::new(), json!({"a": null}))
        );
        assert!(pointed("a=1").is_err() && pointed("/a").is_err());
    }
}
