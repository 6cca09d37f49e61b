//! Text files: what was read once is written and read again, the same to the last bit.

#![no_main]

use delassus_formats::text;
use delassus_fuzz::bounded;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(file) = bounded(bytes, || text::read(bytes)) else {
        return;
    };
    let written = text::write(&file.problem).expect("what is read is written");
    let again = text::read(written.as_bytes()).expect("what is written is read");
    assert!(again.problem == file.problem, "a round trip changes the file");
});
