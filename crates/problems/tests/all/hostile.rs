//! Memory of the readers on mutated snapshots and FCLIB files: within ten times the file, whatever
//! it says.

use std::fs;
use std::path::Path;

use delassus_core::MemoryLimit;
use delassus_problems::generators::OperatorForm;
use delassus_problems::{
    ContactLaw, ProblemReadError, bytes_within, npz_bytes, read_bytes, read_field, read_file,
    snapshot_bytes,
};
use proptest::prelude::*;
use proptest::sample::Index;

use crate::snapshots::everything;

/// What a reader may hold of memory at once, in lengths of the file \[-\].
const FACTOR: u64 = 10;

/// Shorter files count as this long \[bytes\].
const SMALLEST: u64 = 4096;

fn bounded<T>(bytes: &[u8], read: impl FnOnce(&[u8]) -> T) -> T {
    let mut read = Some(read);
    let mut outcome = None;
    let taken = allocation_counter::measure(|| outcome = read.take().map(|read| read(bytes)));
    let limit = FACTOR * (bytes.len() as u64).max(SMALLEST);
    let held = taken.bytes_max;
    assert!(held <= limit, "{held} of {limit} bytes");
    outcome.unwrap()
}

fn snapshots() -> &'static [Vec<u8>] {
    static SEEDS: std::sync::OnceLock<Vec<Vec<u8>>> = std::sync::OnceLock::new();
    SEEDS.get_or_init(|| {
        let forms = [OperatorForm::Bodies, OperatorForm::Matrix];
        forms
            .map(|form| snapshot_bytes(&everything(7, form)))
            .to_vec()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(5000))]

    #[test]
    fn mutated_snapshots_stay_within_their_memory(
        which in 0usize..2,
        flips in prop::collection::vec((any::<Index>(), any::<u8>()), 1..5),
        numbers in prop::collection::vec((any::<Index>(), any::<u64>()), 0..2),
        length in prop::option::weighted(0.2, any::<u64>()),
        cut in prop::option::weighted(0.2, any::<Index>()),
    ) {
        let mut bytes = snapshots()[which].clone();
        // half of the changes fall into the header, which says how long everything is
        let header = 8 + usize::try_from(u64::from_le_bytes(bytes[..8].try_into().unwrap())).unwrap();
        for (k, (at, mask)) in flips.into_iter().enumerate() {
            let range = if k % 2 == 0 { header } else { bytes.len() };
            bytes[at.index(range)] ^= mask;
        }
        for (at, number) in numbers {
            // another number in the place of one of the header
            let at = at.index(header);
            let first = bytes[at..header].iter().position(u8::is_ascii_digit);
            let Some(first) = first.map(|k| at + k) else { continue };
            let digits = bytes[first..header].iter().take_while(|b| b.is_ascii_digit()).count();
            bytes.splice(first..first + digits, number.to_string().bytes());
        }
        if let Some(length) = length {
            bytes[..8].copy_from_slice(&length.to_le_bytes());
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        if let Err(error) = bounded(&bytes, |bytes| read_bytes("file", bytes, ContactLaw::Coulomb)) {
            prop_assert!(!error.to_string().is_empty());
        }
    }
}

#[test]
fn shipped_files_stay_within_their_memory() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data");
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.to_string_lossy().into_owned();
        let bytes = match path.extension().and_then(|ending| ending.to_str()) {
            Some("dls" | "hdf5" | "dat") => fs::read(&path).unwrap(),
            _ => continue,
        };
        if name.ends_with(".dls") {
            bounded(&bytes, |bytes| {
                read_bytes(&name, bytes, ContactLaw::Coulomb)
            })
            .unwrap();
        } else {
            bounded(&bytes, read_field).unwrap();
        }
    }
}

/// A text with a hole is refused at the first byte of the hole, whatever the length of the file.
#[test]
fn nothing_is_read_behind_the_first_zero_of_what_is_no_binary_file() {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("hole.dat");
    let long = "1 2 3\n".repeat(500_000);
    for text in ["", "3\n4\n", &long] {
        fs::write(&path, text).unwrap();
        let whole = bytes_within(&path, MemoryLimit::NONE).unwrap();
        assert!(whole == text.as_bytes(), "{} bytes", whole.len());
        let file = fs::OpenOptions::new().write(true).open(&path).unwrap();
        file.set_len(5 << 30).unwrap();
        // less than the length of the file, and enough for what is read of it
        for limit in [MemoryLimit::NONE, MemoryLimit::new(4 << 20)] {
            let read = bytes_within(&path, limit);
            if text == long && limit != MemoryLimit::NONE {
                assert!(matches!(read, Err(ProblemReadError::Memory(_))), "{read:?}");
                continue;
            }
            let read = read.unwrap();
            assert_eq!((read.len(), read.last()), (text.len() + 1, Some(&0)));
        }
        let error = read_file(&path).unwrap_err().to_string();
        let expected = format!("byte {} is zero", text.len());
        assert!(error.contains(&expected) || text == long, "{error}");
    }
    fs::remove_file(path).unwrap();
}

/// A binary file with a hole behind its end is refused by its own words, before the hole is read.
#[test]
fn no_hole_behind_a_binary_file_is_read() {
    let data = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data");
    let hdf5 = ["incline-local.hdf5", "planted-joint.hdf5"];
    let hdf5 = hdf5.map(|name| fs::read(Path::new(data).join(name)).unwrap());
    let npz = npz_bytes(&everything(7, OperatorForm::Bodies), MemoryLimit::NONE).unwrap();
    let cases = [
        (snapshots()[0].clone(), "the header of the snapshot says"),
        (snapshots()[1].clone(), "the header of the snapshot says"),
        (hdf5[0].clone(), "the superblock of the HDF5 file says"),
        (hdf5[1].clone(), "the superblock of the HDF5 file says"),
        (npz, "its directory is not at its end"),
    ];
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("hole.bin");
    for (bytes, words) in cases {
        fs::write(&path, &bytes).unwrap();
        let whole = bytes_within(&path, MemoryLimit::NONE).unwrap();
        assert!(whole == bytes, "{words}");
        let file = fs::OpenOptions::new().write(true).open(&path).unwrap();
        file.set_len(5 << 30).unwrap();
        let mut read = None;
        let taken = allocation_counter::measure(|| {
            read = Some(bytes_within(&path, MemoryLimit::NONE));
        });
        let error = read.unwrap().unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
        assert!(taken.bytes_max < 8 << 20, "{} bytes", taken.bytes_max);
    }
    fs::remove_file(path).unwrap();
}
