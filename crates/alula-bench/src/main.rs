//! `alula bench` as a program of its own, for the tests and for those who want only this.

#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    alula_bench::cli::main(std::env::args_os().skip(1))
}
