//! The shipped problems are what the generators make now, and their references solve them.

#[path = "../../examples/make-data/frozen.rs"]
mod frozen;

use std::fs;
use std::path::PathBuf;

use delassus_problems::{NamedProblem, read_file};

use crate::check::violation;

fn folder() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../data"))
}

#[test]
fn shipped_files_are_those_that_the_generators_make() {
    let made = frozen::files().unwrap();
    let mut names: Vec<String> = vec!["README.md".to_owned()];
    for (name, bytes) in &made {
        let shipped = fs::read(folder().join(name)).unwrap();
        assert!(
            shipped == *bytes,
            "{name} differs; cargo run -p delassus-problems --example make-data writes it anew"
        );
        names.push((*name).to_owned());
    }
    names.sort();
    let entries = fs::read_dir(folder()).unwrap();
    // folders hold files that people wrote: scenes
    let mut found: Vec<String> = entries
        .map(Result::unwrap)
        .filter(|entry| entry.file_type().unwrap().is_file())
        .map(|entry| entry.file_name().into_string().unwrap())
        .collect();
    found.sort();
    assert_eq!(
        found, names,
        "data/ holds what make-data writes, and its README"
    );
    let size: usize = made.iter().map(|(_, bytes)| bytes.len()).sum();
    assert!(size < 500_000, "{size} bytes");
}

#[test]
fn shipped_references_solve_their_problems() {
    let mut without = Vec::new();
    for (name, _) in frozen::files().unwrap() {
        let named: NamedProblem = read_file(folder().join(name)).unwrap();
        let Some(reference) = &named.reference else {
            without.push(name);
            continue;
        };
        // rounding of one product with A, as for the generators
        let violation = violation(&named.problem, &reference.impulses);
        assert!(violation < 1e-12, "{name}: {violation:e}");
        // other programs' formats have no place for it
        let Some(residual) = reference.residual else {
            assert!(name.ends_with(".hdf5"), "{name}");
            continue;
        };
        assert!((0.0..1e-12).contains(&residual), "{name}: {residual:e}");
    }
    // three solutions, and formats that carry no solution
    assert_eq!(
        without,
        [
            "painleve-three.dls",
            "incline-fc3d.dat",
            "stack-3-fc3d.dat",
            "ring-lcp.dat"
        ]
    );
}
