//! alula-server
