//! `alula bench`: the load generator, behind the Python package's command.

use std::ffi::OsString;

use pyo3::prelude::*;

/// Adds the function.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(run_bench, module)?)
}

/// Runs `alula bench` with the arguments behind `bench`; the exit code.
#[pyfunction(name = "bench")]
fn run_bench(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| alula_bench::cli::run(arguments))
}
