//! `alula._alula`: the Python extension module.
