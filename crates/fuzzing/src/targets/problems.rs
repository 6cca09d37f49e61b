//! Files of problems: what was read once is written and read again, the same to the last bit.

use delassus_formats::{fclib, text as text_file};
use delassus_problems::{ContactLaw, read_bytes, snapshot_bytes};

use crate::bounded::bounded;

/// HDF5 files: the container, and FCLIB in it.
pub(crate) fn hdf5(bytes: &[u8]) {
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
}

/// Text files.
pub(crate) fn text(bytes: &[u8]) {
    let Ok(file) = bounded(bytes, || text_file::read(bytes)) else {
        return;
    };
    let written = text_file::write(&file.problem).expect("what is read is written");
    let again = text_file::read(written.as_bytes()).expect("what is written is read");
    assert!(
        again.problem == file.problem,
        "a round trip changes the file"
    );
}

/// Snapshots.
pub(crate) fn snapshot(bytes: &[u8]) {
    // other formats have targets of their own
    if bytes.get(8) != Some(&b'{') {
        return;
    }
    let read = || read_bytes("fuzz", bytes, ContactLaw::Coulomb);
    let Ok(named) = bounded(bytes, read) else {
        return;
    };
    let written = snapshot_bytes(&named);
    let again = read_bytes("fuzz", &written, ContactLaw::Coulomb);
    let again = again.expect("what is written is read");
    assert!(
        snapshot_bytes(&again) == written,
        "a round trip changes the file"
    );
}
