//! What is wrong with a route, for the one who wrote it.

use core::fmt;

/// Declares [`PatternFault`] with its text in one place.
macro_rules! pattern_faults {
    ($($(#[$doc:meta])+ $name:ident = $reason:literal;)+) => {
        /// What is wrong with a path pattern.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum PatternFault {
            $($(#[$doc])+ $name,)+
        }

        impl PatternFault {
            /// Every fault there is, for tables and tests.
            pub const ALL: &'static [Self] = &[$(Self::$name,)+];

            /// What is wrong, and what would be accepted.
            pub const fn reason(self) -> &'static str {
                match self { $(Self::$name => $reason,)+ }
            }
        }
    };
}

pattern_faults! {
    /// It does not begin with a slash.
    NoSlash = "a path begins with \"/\"";
    /// Two slashes on end.
    EmptySegment = "a segment is empty: only the last one may be";
    /// A query, a fragment or a control character.
    InvalidCharacter = "this character is never in a path";
    /// A percent sign.
    Percent = "text stands here as it is after decoding, so without \"%\"";
    /// A `{` without its `}`.
    Unclosed = "\"{\" has no \"}\" in its segment";
    /// A `}` without its `{`.
    Unopened = "\"}\" has no \"{\" before it";
    /// Text in one segment with a parameter.
    NotWholeSegment = "a parameter is a whole segment, with nothing before \"{\" or after \"}\"";
    /// `{}` or `{:path}`.
    EmptyName = "a parameter has a name: {name} or {name:path}";
    /// A name that is no identifier.
    InvalidName = "a parameter's name is letters, digits and _ (ASCII), and does not begin with a digit";
    /// A name that an earlier parameter has.
    DuplicateName = "a parameter before has this name";
    /// Something other than `path` behind the colon.
    UnknownKind = "the only kind of parameter to be named after \":\" is path";
    /// A path parameter with segments behind it.
    PathNotLast = "a path parameter takes all the rest, so it is the last segment";
}

/// What is wrong with a route. Nothing was registered.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RouteError {
    /// The method is no token (RFC 9110 section 9.1).
    InvalidMethod {
        /// As it was given.
        method: String,
    },
    /// The pattern is malformed.
    InvalidPattern {
        /// As it was given.
        pattern: String,
        /// The character where it goes wrong, from 1.
        position: usize,
        /// What is wrong there.
        fault: PatternFault,
    },
    /// Another route has the method and matches the same paths.
    Conflict {
        /// The method of both.
        method: String,
        /// As it was given.
        pattern: String,
        /// The pattern of the route that was there before.
        other: String,
    },
}

impl fmt::Display for RouteError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InvalidMethod { method } => write!(
                formatter,
                "method {method:?} is not valid: one or more of A-Z a-z 0-9 !#$%&'*+-.^_`|~ are"
            ),
            Self::InvalidPattern {
                pattern,
                position,
                fault,
            } => write!(
                formatter,
                "pattern {pattern:?}, character {position}: {}",
                fault.reason()
            ),
            Self::Conflict {
                method,
                pattern,
                other,
            } => write!(
                formatter,
                "{method} {pattern} matches the same paths as {method} {other}, which is registered \
                 already"
            ),
        }
    }
}

impl core::error::Error for RouteError {}
