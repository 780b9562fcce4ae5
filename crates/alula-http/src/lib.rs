//! alula-http
