//! Every option of the server, declared once.
//!
//! What it is: the table of options ([`OPTIONS`]) and the typed [`Config`] that is made from it. The
//! command line, its help, the `ALULA_*` environment, the TOML file, the keyword arguments of the
//! Python API and `docs/options.md` are all read off that table.
//! What it is not: the place where an option takes effect.
//!
//! # Layout
//!
//! - [`table`]: the declarations, and nothing else. A new option is one entry there.
//! - [`spec`]: what a declaration consists of.
//! - [`value`]: a value of no particular option yet, and its way into and out of a field.
//! - [`accept`]: which values a kind of option takes.
//! - [`cli`], [`environment`], [`mod@file`], [`dotenv`]: where values come from.
//! - [`gather`], [`mod@resolve`]: which of them wins: command line, environment, file, default.
//! - `settings`: what the options mean to the engine.
//! - [`later`]: uvicorn's options that this version refuses by name.
//! - [`markdown`]: the table of the documentation.
//! - [`error`]: what is said when a value is not accepted.

mod accept;
pub mod cli;
mod declare;
pub mod dotenv;
pub mod environment;
pub mod error;
pub mod file;
pub mod gather;
pub mod later;
pub mod markdown;
pub mod resolve;
mod settings;
pub mod spec;
pub mod table;
pub mod value;

pub use cli::Invocation;
pub use error::{ConfigError, Origin};
pub use gather::Gathered;
pub use resolve::{Layer, resolve};
pub use spec::{Group, Kind, Preset, Spec};
pub use table::{Config, OPTIONS};
pub use value::Value;
