//! What is said when an option or its value is not accepted.

use std::fmt;
use std::path::PathBuf;

/// Where an option was given.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Origin {
    /// On the command line.
    CommandLine,
    /// In this variable of the environment.
    Variable(String),
    /// In this configuration file.
    File(PathBuf),
    /// As a keyword argument of the Python API.
    Keyword,
}

/// An option, or its value, that is not accepted.
#[derive(Clone, PartialEq, Debug)]
pub enum ConfigError {
    /// The option exists, the value is wrong.
    Value {
        /// The option, as it is spelt at its origin.
        option: String,
        /// What was given.
        value: String,
        /// What would be accepted.
        accepted: String,
        /// Where it was given.
        origin: Origin,
    },
    /// There is no such option, or not yet; the text says all.
    Option {
        /// The option, as it is spelt at its origin.
        option: String,
        /// What is wrong with it.
        reason: String,
        /// Where it was given.
        origin: Origin,
    },
    /// A file of options or variables that cannot be read.
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A command line that cannot be understood, with the text to show for it.
    Usage(String),
}

impl fmt::Display for Origin {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::CommandLine => out.write_str(" on the command line"),
            Self::Variable(_) => out.write_str(" in the environment"),
            Self::File(path) => write!(out, " in {}", path.display()),
            Self::Keyword => Ok(()),
        }
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Value {
                option,
                value,
                accepted,
                origin,
            } => {
                write!(
                    out,
                    "{option}: {value:?}{origin} is not accepted; expected {accepted}"
                )
            }
            Self::Option {
                option,
                reason,
                origin,
            } => write!(out, "{option}{origin}: {reason}"),
            Self::File { path, reason } => write!(out, "{}: {reason}", path.display()),
            Self::Usage(text) => out.write_str(text.trim_end()),
        }
    }
}

impl std::error::Error for ConfigError {}
