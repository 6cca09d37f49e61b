//! Files of cells, and what a report makes of them.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| delassus_fuzzing::meet("cell", bytes));
