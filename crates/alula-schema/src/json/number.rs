//! Numbers: integers exactly, others as the nearest `f64`.

use core::fmt;

use super::error::{ErrorKind, Fault};

/// A JSON number: an integer of any size, kept exactly, or a finite `f64`.
///
/// `1` and `1.0` are different numbers here, as they are written differently: only what has
/// neither fraction nor exponent is an integer.
#[derive(Clone, Debug, PartialEq)]
pub struct Number(Repr);

#[derive(Clone, Debug, PartialEq)]
enum Repr {
    Unsigned(u64),
    /// Below zero.
    Signed(i64),
    /// Finite.
    Float(f64),
    /// An integer that neither of the two can hold, `-0` among them.
    Digits(Box<str>),
}

impl Number {
    /// Whether it was written as an integer.
    pub fn is_integer(&self) -> bool {
        !matches!(self.0, Repr::Float(_))
    }

    /// The integer, if it is one that fits.
    pub fn as_i64(&self) -> Option<i64> {
        match &self.0 {
            Repr::Unsigned(number) => (*number).try_into().ok(),
            Repr::Signed(number) => Some(*number),
            Repr::Float(_) => None,
            Repr::Digits(digits) => digits.parse().ok(),
        }
    }

    /// The integer, if it is one that fits.
    pub fn as_u64(&self) -> Option<u64> {
        match &self.0 {
            Repr::Unsigned(number) => Some(*number),
            Repr::Signed(_) | Repr::Float(_) => None,
            Repr::Digits(_) => self.as_i64()?.try_into().ok(),
        }
    }

    /// The integer, if it is one that fits.
    pub fn as_i128(&self) -> Option<i128> {
        match &self.0 {
            Repr::Unsigned(number) => Some((*number).into()),
            Repr::Signed(number) => Some((*number).into()),
            Repr::Float(_) => None,
            Repr::Digits(digits) => digits.parse().ok(),
        }
    }

    /// The nearest `f64`; `None` for an integer beyond its range.
    #[allow(clippy::cast_precision_loss)] // Nearest is what is asked for.
    pub fn as_f64(&self) -> Option<f64> {
        match &self.0 {
            Repr::Unsigned(number) => Some(*number as f64),
            Repr::Signed(number) => Some(*number as f64),
            Repr::Float(number) => Some(*number),
            Repr::Digits(digits) => digits
                .parse()
                .ok()
                .filter(|number: &f64| number.is_finite()),
        }
    }
}

/// As JSON: integers digit by digit, others in the fewest digits that parse to the same `f64`, and
/// with a mark of a float (`1.0`).
impl fmt::Display for Number {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Repr::Unsigned(number) => write!(formatter, "{number}"),
            Repr::Signed(number) => write!(formatter, "{number}"),
            Repr::Float(number) => formatter.write_str(zmij::Buffer::new().format_finite(*number)),
            Repr::Digits(digits) => formatter.write_str(digits),
        }
    }
}

/// Appends the number as JSON: what `Display` writes, but quicker.
pub(super) fn write(number: &Number, out: &mut Vec<u8>) {
    match &number.0 {
        Repr::Unsigned(number) => write_digits(*number, out),
        Repr::Signed(number) => {
            out.push(b'-');
            write_digits(number.unsigned_abs(), out);
        }
        Repr::Float(number) => {
            out.extend_from_slice(zmij::Buffer::new().format_finite(*number).as_bytes());
        }
        Repr::Digits(digits) => out.extend_from_slice(digits.as_bytes()),
    }
}

fn write_digits(mut number: u64, out: &mut Vec<u8>) {
    // From the last to the first, 20 at most.
    let mut digits = [b'0'; 20];
    let mut start = digits.len() - 1;
    while number > 9 {
        digits[start] += (number % 10) as u8;
        number /= 10;
        start -= 1;
    }
    digits[start] += number as u8;
    out.extend_from_slice(&digits[start..]);
}

macro_rules! from_integers {
    ($($wide:ty: $($integer:ty)+;)+) => {
        $($(impl From<$integer> for Number {
            fn from(number: $integer) -> Self {
                Self::from(<$wide>::from(number))
            }
        })+)+
    };
}

from_integers! {
    u64: u8 u16 u32;
    i64: i8 i16 i32;
}

impl From<u64> for Number {
    fn from(number: u64) -> Self {
        Self(Repr::Unsigned(number))
    }
}

impl From<i64> for Number {
    fn from(number: i64) -> Self {
        Self(match u64::try_from(number) {
            Ok(number) => Repr::Unsigned(number),
            Err(_) => Repr::Signed(number),
        })
    }
}

impl From<usize> for Number {
    fn from(number: usize) -> Self {
        Self::from(number as u64)
    }
}

impl TryFrom<f64> for Number {
    type Error = NotFinite;

    fn try_from(number: f64) -> Result<Self, NotFinite> {
        if number.is_finite() {
            Ok(Self(Repr::Float(number)))
        } else {
            Err(NotFinite(number))
        }
    }
}

/// An `f64` that JSON has no number for: infinite, or not a number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NotFinite(f64);

impl fmt::Display for NotFinite {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} is no JSON number: a finite one is", self.0)
    }
}

impl core::error::Error for NotFinite {}

/// Reads the number whose sign or first digit is at `start`; returns it and where it ends.
pub(super) fn read(input: &[u8], start: usize) -> Result<(Number, usize), Fault> {
    let is_negative = input[start] == b'-';
    let first = start + usize::from(is_negative);
    let (magnitude, mut end) = magnitude(input, first)?;
    if input[first] == b'0' && end > first + 1 {
        return Err(Fault::new(ErrorKind::LeadingZero, first + 1));
    }
    if !matches!(input.get(end), Some(b'.' | b'e' | b'E')) {
        let small = magnitude.and_then(|number| signed(number, is_negative));
        let number = small.unwrap_or_else(|| Repr::Digits(ascii(&input[start..end]).into()));
        return Ok((Number(number), end));
    }
    if input[end] == b'.' {
        end = digits(input, end + 1)?;
    }
    if let Some(b'e' | b'E') = input.get(end) {
        let sign = usize::from(matches!(input.get(end + 1), Some(b'+' | b'-')));
        end = digits(input, end + 1 + sign)?;
    }
    match ascii(&input[start..end]).parse() {
        Ok(number) if f64::is_finite(number) => Ok((Number(Repr::Float(number)), end)),
        _ => Err(Fault::new(ErrorKind::NumberRange, start)),
    }
}

/// The digits at `at`, as a number if it fits, and where they end.
fn magnitude(input: &[u8], at: usize) -> Result<(Option<u64>, usize), Fault> {
    let end = digits(input, at)?;
    let add = |number: u64, digit: &u8| {
        let digit = u64::from(digit - b'0');
        number.checked_mul(10)?.checked_add(digit)
    };
    Ok((input[at..end].iter().try_fold(0, add), end))
}

/// Where the digits at `at` end, of which there must be one.
fn digits(input: &[u8], at: usize) -> Result<usize, Fault> {
    let rest = input.get(at..).unwrap_or_default();
    match rest.iter().take_while(|byte| byte.is_ascii_digit()).count() {
        0 => Err(Fault::new(ErrorKind::Digit, at)),
        count => Ok(at + count),
    }
}

/// With its sign, if that fits; `-0` does not, since it would lose it.
fn signed(magnitude: u64, is_negative: bool) -> Option<Repr> {
    if !is_negative {
        return Some(Repr::Unsigned(magnitude));
    }
    let number = 0_i64.checked_sub_unsigned(magnitude)?;
    (number < 0).then_some(Repr::Signed(number))
}

/// Digits, signs, dots and exponents as text.
fn ascii(bytes: &[u8]) -> &str {
    str::from_utf8(bytes).expect("the bytes of a number are ASCII")
}
