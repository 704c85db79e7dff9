//! See `targets::expressions`.

#![no_main]

#[path = "../../tests/fuzz/targets.rs"]
#[expect(dead_code, reason = "the other targets")]
mod targets;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| targets::expressions(bytes));
