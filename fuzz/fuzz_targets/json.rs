#![no_main]

#[path = "../src/json.rs"]
mod json;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    json::run(data);
});
