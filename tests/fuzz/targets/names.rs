//! Names and texts in everything that they reach.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| delassus_fuzzing::meet("names", bytes));
