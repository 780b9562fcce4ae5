#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| alula_fuzz::head::run(data));
