//! `alula bench gate`: did a newer comparison get worse than an older one, beyond the noise?
//!
//! # Layout
//!
//! - [`rule`]: what counts as worse, as pure functions
//! - `cli`: the command line and what it prints

mod cli;
pub mod rule;

pub use cli::run;
pub use rule::{Change, Gate, State, judge};
