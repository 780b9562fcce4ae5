//! The wire tables row by row, the cases, and every bound on both sides.

mod bounds;
mod cases;
mod chunked;
mod client;
mod exchange;
mod framing;
mod headers;
mod outcome;
mod request_line;
mod responses;
mod resumption;
mod transcript;
