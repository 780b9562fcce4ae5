//! Why a server can't start, or has failed.

use std::fmt;
use std::io;

use alula_router::RouteError;
use alula_server::config::ConfigError;

/// Why a server can't start, or has failed.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// A route that is malformed, or whose method and path are taken.
    Route(RouteError),
    /// An option that does not take its value.
    Config(ConfigError),
    /// Nobody can listen there.
    Listen {
        /// The address or path.
        place: String,
        /// Why.
        source: io::Error,
    },
    /// The system has refused something else.
    System(io::Error),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Route(error) => error.fmt(f),
            Self::Config(error) => error.fmt(f),
            Self::Listen { place, source } => write!(f, "cannot listen on {place}: {source}"),
            Self::System(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Route(_) | Self::Config(_) => None,
            Self::Listen { source, .. } => Some(source),
            Self::System(error) => error.source(),
        }
    }
}

impl From<RouteError> for Error {
    fn from(error: RouteError) -> Self {
        Self::Route(error)
    }
}

impl From<ConfigError> for Error {
    fn from(error: ConfigError) -> Self {
        Self::Config(error)
    }
}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        Self::System(error)
    }
}
