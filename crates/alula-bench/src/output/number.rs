//! Numbers and times as text.

/// A count or a rate without a fraction, its thousands set apart by commas.
pub fn count(number: f64) -> String {
    let digits = format!("{:.0}", number.abs());
    let mut text = String::with_capacity(digits.len() + digits.len() / 3 + 1);
    if number < 0.0 && digits != "0" {
        text.push('-');
    }
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A rate: with a fraction where it is small.
pub fn rate(number: f64) -> String {
    if number.abs() < 100.0 {
        format!("{number:.1}")
    } else {
        count(number)
    }
}

/// Microseconds, in the unit that suits them.
pub fn time(microseconds: f64) -> String {
    match microseconds {
        us if us < 999.5 => format!("{} µs", three_digits(us)),
        us if us < 999_500.0 => format!("{} ms", three_digits(us / 1e3)),
        us => format!("{} s", three_digits(us / 1e6)),
    }
}

/// Bytes, in the unit that suits them.
pub fn bytes(number: f64) -> String {
    const UNITS: [&str; 5] = ["B", "KiB", "MiB", "GiB", "TiB"];
    let mut left = number;
    let mut unit = 0;
    while left >= 999.5 && unit + 1 < UNITS.len() {
        left /= 1024.0;
        unit += 1;
    }
    if unit == 0 {
        return format!("{left:.0} B");
    }
    format!("{} {}", three_digits(left), UNITS[unit])
}

/// A share as a percentage.
pub fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}

fn three_digits(number: f64) -> String {
    match number {
        n if n < 9.995 => format!("{n:.2}"),
        n if n < 99.95 => format!("{n:.1}"),
        n => format!("{n:.0}"),
    }
}

#[cfg(test)]
mod tests {
    use super::{bytes, count, percent, rate, time};

    #[test]
    fn thousands_are_set_apart() {
        for (number, text) in [
            (0.0, "0"),
            (999.0, "999"),
            (1000.0, "1,000"),
            (1_234_567.4, "1,234,567"),
            (-1234.0, "-1,234"),
            (-0.2, "0"),
        ] {
            assert_eq!(count(number), text);
        }
        assert_eq!(rate(0.25), "0.2");
        assert_eq!(rate(99.96), "100.0");
        assert_eq!(rate(100.4), "100");
    }

    #[test]
    fn units_suit() {
        for (us, text) in [
            (0.0, "0.00 µs"),
            (12.34, "12.3 µs"),
            (999.4, "999 µs"),
            (999.6, "1.00 ms"),
            (99_960.0, "100 ms"),
            (1_500_000.0, "1.50 s"),
        ] {
            assert_eq!(time(us), text);
        }
        for (number, text) in [
            (12.0, "12 B"),
            (1000.0, "0.98 KiB"),
            (10_485_760.0, "10.0 MiB"),
        ] {
            assert_eq!(bytes(number), text);
        }
        assert_eq!(percent(0.954), "95 %");
    }
}
