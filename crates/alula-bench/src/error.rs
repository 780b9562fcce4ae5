//! Why there is no report.

use std::{fmt, io};

/// Why a run could not be made. Its text is for the user: it names the thing, the value and what
/// would be accepted.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// What was asked for makes no sense; nothing was sent.
    Plan(String),
    /// The server could not be reached, or its first answer was no answer.
    Server(String),
    /// The first answer was already not as expected.
    Answer(Box<crate::report::Mismatch>),
    /// The system refused something.
    System {
        /// What was to be done.
        what: String,
        /// What the system said.
        source: io::Error,
    },
}

impl Error {
    /// A system error with what was to be done.
    pub(crate) fn system(what: impl Into<String>, source: io::Error) -> Self {
        Self::System {
            what: what.into(),
            source,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Plan(text) | Self::Server(text) => f.write_str(text),
            Self::Answer(mismatch) => {
                write!(f, "the first answer is not as expected: {mismatch}")?;
                if mismatch.answer.is_empty() {
                    return Ok(());
                }
                write!(f, "\nIt begins:\n{}", mismatch.answer)
            }
            Self::System { what, source } => write!(f, "{what}: {source}"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::System { source, .. } => Some(source),
            _ => None,
        }
    }
}
