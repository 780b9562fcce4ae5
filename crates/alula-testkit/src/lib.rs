//! alula-testkit
