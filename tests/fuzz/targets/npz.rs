//! NumPy archives of problems and arrays.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| delassus_fuzzing::meet("npz", bytes));
