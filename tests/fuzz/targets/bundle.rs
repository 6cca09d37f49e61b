//! Lists of bundles and of the problems in them.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| delassus_fuzzing::meet("bundle", bytes));
