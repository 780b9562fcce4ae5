//! A value of no particular option yet, and its way into and out of a field of `Config`.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

/// What a source of options can say.
#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    /// Nothing.
    None,
    /// On or off.
    Flag(bool),
    /// A whole number.
    Integer(u64),
    /// A number that need not be whole; seconds where it is a time.
    Number(f64),
    /// A text.
    Text(String),
    /// Several texts.
    List(Vec<String>),
    /// Names with their values.
    Pairs(Vec<(String, String)>),
}

impl fmt::Display for Value {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => out.write_str("none"),
            Self::Flag(flag) => write!(out, "{flag}"),
            Self::Integer(number) => write!(out, "{number}"),
            Self::Number(number) => write!(out, "{number}"),
            Self::Text(text) => out.write_str(text),
            Self::List(items) => out.write_str(&items.join(",")),
            Self::Pairs(pairs) => {
                for (index, (name, value)) in pairs.iter().enumerate() {
                    let comma = if index == 0 { "" } else { "," };
                    write!(out, "{comma}{name}:{value}")?;
                }
                Ok(())
            }
        }
    }
}

/// A type that a field of `Config` may have.
///
/// [`Field::read`] is only ever given a value that the option's kind has accepted.
pub(super) trait Field: Sized {
    /// The field's content, or `None` if the kind and the type of the declaration disagree.
    fn read(value: Value) -> Option<Self>;
    /// The way back.
    fn write(&self) -> Value;
}

impl Field for bool {
    fn read(value: Value) -> Option<Self> {
        match value {
            Value::Flag(flag) => Some(flag),
            _ => None,
        }
    }

    fn write(&self) -> Value {
        Value::Flag(*self)
    }
}

macro_rules! whole_numbers {
    ($($type:ty),+) => {$(
        impl Field for $type {
            fn read(value: Value) -> Option<Self> {
                match value {
                    Value::Integer(number) => number.try_into().ok(),
                    _ => None,
                }
            }

            fn write(&self) -> Value {
                Value::Integer(u64::from(*self))
            }
        }
    )+};
}

whole_numbers!(u16, u32, u64);

impl Field for Duration {
    fn read(value: Value) -> Option<Self> {
        match value {
            Value::Number(seconds) => Self::try_from_secs_f64(seconds).ok(),
            _ => None,
        }
    }

    fn write(&self) -> Value {
        Value::Number(self.as_secs_f64())
    }
}

impl Field for String {
    fn read(value: Value) -> Option<Self> {
        match value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    fn write(&self) -> Value {
        Value::Text(self.clone())
    }
}

impl Field for PathBuf {
    fn read(value: Value) -> Option<Self> {
        String::read(value).map(Self::from)
    }

    fn write(&self) -> Value {
        Value::Text(self.to_string_lossy().into_owned())
    }
}

impl Field for Vec<String> {
    fn read(value: Value) -> Option<Self> {
        match value {
            Value::List(items) => Some(items),
            _ => None,
        }
    }

    fn write(&self) -> Value {
        Value::List(self.clone())
    }
}

impl Field for Vec<(String, String)> {
    fn read(value: Value) -> Option<Self> {
        match value {
            Value::Pairs(pairs) => Some(pairs),
            Value::List(items) if items.is_empty() => Some(Self::new()),
            _ => None,
        }
    }

    fn write(&self) -> Value {
        Value::Pairs(self.clone())
    }
}

impl<T: Field> Field for Option<T> {
    fn read(value: Value) -> Option<Self> {
        match value {
            Value::None => Some(None),
            value => T::read(value).map(Some),
        }
    }

    fn write(&self) -> Value {
        self.as_ref().map_or(Value::None, Field::write)
    }
}
