//! The command line of `alula bench`.
//!
//! # Layout
//!
//! - `arguments`: the grammar, and its help
//! - `values`: times, sizes and the like from text
//! - `planned`: what was given, as a plan
//! - `run`: running it, and writing the outputs

mod arguments;
mod planned;
mod run;
mod values;

use std::ffi::OsString;
use std::process::ExitCode;

/// The run went well.
pub const OK: u8 = 0;

/// The run had errors or a wrong answer, or could not be made.
pub const FAILED: u8 = 1;

/// The command line could not be understood.
pub const USAGE: u8 = 2;

/// Runs `alula bench` with the arguments that stand behind `bench`; they may begin with `compare` or
/// `gate`. The exit status is [`OK`], [`FAILED`] or [`USAGE`].
pub fn main(args: Vec<OsString>) -> ExitCode {
    ExitCode::from(run(args))
}

/// As [`main`], with the status as a number, for a caller that is no Rust program.
pub fn run(args: Vec<OsString>) -> u8 {
    run::run(args)
}
