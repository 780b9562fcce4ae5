//! What was wrong with a document, and where.

use core::fmt;

/// Most characters of the input that an error repeats.
const FOUND_CHARS: usize = 24;

/// Declares [`ErrorKind`] with what was expected in one place.
macro_rules! error_kinds {
    ($($(#[$doc:meta])+ $name:ident = $expected:literal;)+) => {
        /// What was wrong with a document.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum ErrorKind {
            $($(#[$doc])+ $name,)+
        }

        impl ErrorKind {
            /// Every kind there is, for tables and tests.
            pub const ALL: &'static [Self] = &[$(Self::$name,)+];

            /// What could have stood there, to be read after "expected".
            pub const fn expected(self) -> &'static str {
                match self { $(Self::$name => $expected,)+ }
            }
        }
    };
}

error_kinds! {
    /// No value where one must begin.
    Value = "a value";
    /// Neither a value nor the end behind `[`.
    FirstItem = "a value or \"]\"";
    /// Neither a key nor the end behind `{`.
    FirstKey = "a key in double quotes or \"}\"";
    /// No key behind the comma in an object.
    Key = "a key in double quotes";
    /// No colon behind a key.
    Colon = "\":\"";
    /// Neither a comma nor the end behind an array's item.
    NextItem = "\",\" or \"]\"";
    /// Neither a comma nor the end behind an object's member.
    NextMember = "\",\" or \"}\"";
    /// Something behind the document.
    End = "the end of the input";
    /// A word that begins like `true`.
    True = "\"true\"";
    /// A word that begins like `false`.
    False = "\"false\"";
    /// A word that begins like `null`.
    Null = "\"null\"";
    /// No digit where a number needs one.
    Digit = "a digit";
    /// A digit behind a leading zero (RFC 8259 section 6).
    LeadingZero = "no digit after a leading zero";
    /// A number with a fraction or an exponent that no finite `f64` is near to.
    NumberRange = "a number below 1.8e308 in size";
    /// A string that does not end.
    StringEnd = "the closing double quote";
    /// A control character in a string (RFC 8259 section 7).
    ControlCharacter = "an escape such as \"\\n\" in place of a control character";
    /// A backslash before what is no escape.
    Escape = "one of \"\\/bfnrtu after the backslash";
    /// A `\u` without four hexadecimal digits.
    HexDigit = "a hexadecimal digit, four of which follow \"\\u\"";
    /// A `\u` with half of a surrogate pair.
    LoneSurrogate = "a surrogate pair, \"\\ud800\" to \"\\udbff\" and then \"\\udc00\" to \"\\udfff\"";
    /// Bytes that are not UTF-8 (RFC 8259 section 8.1).
    Utf8 = "UTF-8";
    /// More arrays and objects within each other than [`Options::max_depth`](super::Options) allows.
    Depth = "fewer levels of arrays and objects";
    /// A key that the object has already, where
    /// [`DuplicateKeys::Refuse`](super::DuplicateKeys::Refuse) was asked for.
    DuplicateKey = "a key that the object does not have yet";
}

/// What was wrong with a document, and where. Shown as
/// `line 2, column 7: expected "," or "}", found "x"`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonError {
    kind: ErrorKind,
    offset: usize,
    line: usize,
    column: usize,
    /// Shortened; `None` at the end of the input.
    found: Option<Box<str>>,
    max_depth: usize,
}

impl JsonError {
    /// The kind of error.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Bytes before the place.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// The line, from 1. Lines end with a line feed.
    pub fn line(&self) -> usize {
        self.line
    }

    /// The character in its line, from 1.
    pub fn column(&self) -> usize {
        self.column
    }

    /// The whole of it from what the parser knows when it stops.
    #[cold]
    pub(super) fn new(fault: Fault, input: &[u8], max_depth: usize) -> Self {
        let Fault { kind, offset } = fault;
        let before = &input[..offset];
        let line = before
            .rsplit(|&byte| byte == b'\n')
            .next()
            .unwrap_or_default();
        // Bytes that begin a character.
        let is_start = |byte: &&u8| **byte & 0xc0 != 0x80;
        Self {
            kind,
            offset,
            line: before.split(|&byte| byte == b'\n').count(),
            column: 1 + line.iter().filter(is_start).count(),
            found: found(kind, &input[offset..]),
            max_depth,
        }
    }
}

impl fmt::Display for JsonError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "line {}, column {}: ", self.line, self.column)?;
        match self.kind {
            ErrorKind::Depth => {
                let levels = self.max_depth;
                write!(
                    formatter,
                    "expected at most {levels} levels of arrays and objects"
                )?;
            }
            kind => write!(formatter, "expected {}", kind.expected())?,
        }
        let found = self.found.as_deref().unwrap_or("the end of the input");
        write!(formatter, ", found {found}")
    }
}

impl core::error::Error for JsonError {}

/// What the parser knows of an error: small, since every step may return one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fault {
    pub(super) kind: ErrorKind,
    /// Bytes before the place.
    pub(super) offset: usize,
}

impl Fault {
    pub(super) fn new(kind: ErrorKind, offset: usize) -> Self {
        Self { kind, offset }
    }
}

/// What stands at the place, to be read after "found"; `None` at the end of the input.
fn found(kind: ErrorKind, rest: &[u8]) -> Option<Box<str>> {
    let &first = rest.first()?;
    // A character is at most four bytes; half of one at the end is cut off below.
    let window = &rest[..rest.len().min(4 * (FOUND_CHARS + 2))];
    let text = window
        .utf8_chunks()
        .next()
        .map_or("", |chunk| chunk.valid());
    let Some(character) = text.chars().next() else {
        return Some(format!("the byte 0x{first:02x}").into());
    };
    let token = match kind {
        ErrorKind::DuplicateKey => key(text),
        ErrorKind::LoneSurrogate => text.get(..6).unwrap_or(text),
        ErrorKind::NumberRange => run(text, |c| c.is_ascii_alphanumeric() || "+-.".contains(c)),
        _ if character.is_alphanumeric() => run(text, char::is_alphanumeric),
        _ => &text[..character.len_utf8()],
    };
    Some(match character {
        '\u{feff}' => "a byte order mark".into(),
        c if c.is_control() || (c.is_whitespace() && c != ' ') => {
            format!("U+{:04X}", u32::from(c)).into()
        }
        _ => quoted(token),
    })
}

/// The key that begins with the quote at the front, as it is written.
fn key(text: &str) -> &str {
    let inner = &text[1..];
    let mut is_escaped = false;
    let end = inner.find(|c| {
        let is_end = c == '"' && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
        is_end
    });
    &inner[..end.unwrap_or(inner.len())]
}

/// The characters at the front that belong together.
fn run(text: &str, belongs: impl Fn(char) -> bool) -> &str {
    &text[..text.find(|c| !belongs(c)).unwrap_or(text.len())]
}

/// In quotes, and cut where it is long.
fn quoted(token: &str) -> Box<str> {
    match token.char_indices().nth(FOUND_CHARS) {
        Some((end, _)) => format!("\"{}...\"", &token[..end]),
        None => format!("\"{token}\""),
    }
    .into()
}
