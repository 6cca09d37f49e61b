//! HDF5 files: the container, FCLIB in it, and what was read once is written and read again.

#![no_main]

use delassus_formats::fclib;
use delassus_fuzz::bounded;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    // bounded by itself, whatever FCLIB asks for
    let _ = bounded(bytes, || delassus_hdf5::read(bytes).map(|_| ()));
    let Ok(file) = bounded(bytes, || fclib::read(bytes)) else {
        return;
    };
    // a file may name an attribute in a way that is not written
    let Ok(written) = fclib::write(&file) else {
        return;
    };
    let again = fclib::read(&written).expect("what is written is read");
    let twice = fclib::write(&again).expect("what is read is written");
    assert!(twice == written, "a round trip changes the file");
});
