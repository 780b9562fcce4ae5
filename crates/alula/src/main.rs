//! The `alula` command without Python.

#![forbid(unsafe_code)]

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Command;

fn main() -> ExitCode {
    let mut arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    // What stands behind it is its own affair, options such as `--help` included.
    if arguments.first().is_some_and(|first| first == "bench") {
        arguments.remove(0);
        return alula_bench::cli::main(arguments);
    }
    match command().try_get_matches_from(arguments) {
        Ok(_) => ExitCode::SUCCESS,
        Err(answer) => {
            // There is no one to tell where printing fails.
            let _ = answer.print();
            ExitCode::from(if answer.use_stderr() { 2 } else { 0 })
        }
    }
}

/// What the command knows; for `--help`, `--version` and what is mistyped.
fn command() -> Command {
    let bench = Command::new("bench")
        .about("Load a server and report, compare servers, or guard against a regression");
    Command::new("alula")
        .no_binary_name(true)
        .version(env!("CARGO_PKG_VERSION"))
        .about("Tools around the Alula server. `alula serve` is in the Python package.")
        .arg_required_else_help(true)
        .subcommand_required(true)
        .disable_help_subcommand(true)
        .subcommand(bench)
}
