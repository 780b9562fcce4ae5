//! What is wrong with a suite file.

use std::fmt;
use std::path::PathBuf;

/// What is wrong with a suite file: names the file, the key, the value and what would be accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SuiteError {
    /// The file can't be read, or is no TOML.
    File {
        /// Which one.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
    /// A key has a value that is not accepted.
    Value {
        /// The suite file.
        path: PathBuf,
        /// Such as `server[2].command`.
        key: String,
        /// As it stands there.
        value: String,
        /// What would be.
        accepted: String,
    },
    /// A key that must be there is not.
    Missing {
        /// The suite file.
        path: PathBuf,
        /// Such as `server[2].command`.
        key: String,
        /// What would be accepted.
        accepted: String,
    },
    /// There is no such key.
    Unknown {
        /// The suite file.
        path: PathBuf,
        /// Such as `server[2].comand`.
        key: String,
        /// Those that there are.
        accepted: String,
    },
}

impl fmt::Display for SuiteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File { path, reason } => write!(f, "{}: {reason}", path.display()),
            Self::Value {
                path,
                key,
                value,
                accepted,
            } => {
                let path = path.display();
                write!(
                    f,
                    "{path}: {key}: {value} is not accepted; expected {accepted}"
                )
            }
            Self::Missing {
                path,
                key,
                accepted,
            } => write!(
                f,
                "{}: {key} is missing; expected {accepted}",
                path.display()
            ),
            Self::Unknown {
                path,
                key,
                accepted,
            } => {
                let path = path.display();
                write!(f, "{path}: there is no key {key}; there are {accepted}")
            }
        }
    }
}

impl std::error::Error for SuiteError {}
