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

use clap::{ArgMatches, Command};

/// The run went well.
pub const OK: u8 = 0;

/// The run had errors or a wrong answer, or could not be made.
pub const FAILED: u8 = 1;

/// The command line could not be understood.
pub const USAGE: u8 = 2;

/// Runs `alula bench` with the arguments that stand behind `bench`; they may begin with `compare` or
/// `gate`. The exit status is [`OK`], [`FAILED`] or [`USAGE`].
pub fn main(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    ExitCode::from(run(args))
}

/// As [`main`], with the status as a number, for a caller that is no Rust program.
pub fn run(args: impl IntoIterator<Item = OsString>) -> u8 {
    run::run(&args.into_iter().collect::<Vec<_>>())
}

/// Reads a command's arguments. Prints help and what is wrong: then the answer is the exit status.
pub(crate) fn parse(command: Command, name: &str, args: &[OsString]) -> Result<ArgMatches, u8> {
    let line = std::iter::once(OsString::from(name)).chain(args.iter().cloned());
    command.try_get_matches_from(line).map_err(|error| {
        // Nobody reads it if it can't be printed.
        let _ = error.print();
        if error.use_stderr() { USAGE } else { OK }
    })
}
