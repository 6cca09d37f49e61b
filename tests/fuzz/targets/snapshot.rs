//! Snapshots: what was read once is written and read again, the same to the last bit.

#![no_main]

use delassus_fuzz::bounded;
use delassus_problems::{FrictionLaw, read_bytes, snapshot_bytes};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    // other formats have targets of their own
    if bytes.get(8) != Some(&b'{') {
        return;
    }
    let read = || read_bytes("fuzz", bytes, FrictionLaw::Coulomb);
    let Ok(named) = bounded(bytes, read) else {
        return;
    };
    let written = snapshot_bytes(&named);
    let again = read_bytes("fuzz", &written, FrictionLaw::Coulomb);
    let again = again.expect("what is written is read");
    assert!(snapshot_bytes(&again) == written, "a round trip changes the file");
});
