//! alula-reactor
