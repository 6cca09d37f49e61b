//! What a run and the process of a cell say to each other.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| delassus_fuzzing::meet("protocol", bytes));
