#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| alula_fuzz::answer::run(data));
