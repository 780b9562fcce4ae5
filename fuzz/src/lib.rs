//! The bodies of the fuzz targets: each takes any bytes and panics where an invariant, written at
//! its top, does not hold. libFuzzer runs them by `fuzz_targets/`; the tests of alula-http run
//! them on random input. `json.rs` stands by itself: alula-schema's tests run it.

pub mod answer;
pub mod chunked;
pub mod connection;
pub mod head;
mod reader;

#[path = "../../crates/alula-http/tests/http1/transcript.rs"]
pub(crate) mod transcript;

/// Bytes taken from the front of the input as small decisions; zeros when it is used up.
struct Choices<'a>(&'a [u8]);

impl<'a> Choices<'a> {
    fn byte(&mut self) -> u8 {
        self.0.split_off_first().copied().unwrap_or(0)
    }

    /// Up to `most` bytes.
    fn bytes(&mut self, most: u8) -> &'a [u8] {
        let length = usize::from(self.byte() % (most + 1)).min(self.0.len());
        self.0.split_off(..length).unwrap_or_default()
    }
}

/// The input cut into pieces of `first` bytes and the rest, then ever the same again.
fn cut(bytes: &[u8], first: u8) -> impl Iterator<Item = &[u8]> {
    bytes.chunks(usize::from(first).max(1))
}
