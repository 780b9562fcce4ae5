//! The wire tables row by row, the cases, and every bound on both sides.

mod bounds;
mod cases;
mod chunked;
mod client;
mod exchange;
mod framing;
mod fuzz_smoke;
mod headers;
mod outcome;
mod request_line;
mod responses;
mod resumption;

// There it is a crate. It shares the player of connections with the tests.
#[allow(unreachable_pub)]
#[path = "../../../../fuzz/src/lib.rs"]
mod targets;

use targets::transcript;
