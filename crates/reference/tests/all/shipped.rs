//! The problems of `data/`, and other people's files where they are there.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use delassus_metrics::Evaluator;
use delassus_problems::read_file;
use delassus_reference::{ReferenceOptions, Uniqueness, Verdict, certify};
use delassus_registry::Registry;

fn files(folder: &str) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let entries = fs::read_dir(root.join(folder)).expect("a folder");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.is_file() && !path.ends_with("README.md"));
    files.sort();
    files
}

fn verdict(path: &Path) -> Verdict {
    let problem = read_file(path).expect("a problem").problem;
    certify(
        &problem,
        &Registry::standard(),
        ReferenceOptions::default(),
        &AtomicBool::new(false),
    )
}

#[test]
fn every_shipped_problem_has_a_reference() {
    let files = files("data");
    assert!(files.len() >= 17, "{} files", files.len());
    for path in files {
        let verdict = verdict(&path);
        let name = path.file_stem().unwrap().to_str().unwrap();
        let found = match verdict.reference {
            Ok(found) => found,
            Err(reason) => panic!("{name}: {reason}"),
        };
        let first = &found.solutions[0];
        // each solution is compared with the stored one, which has been known without any solver
        let named = read_file(&path).unwrap();
        if let Some(stored) = named.reference_impulses() {
            let mut evaluator = Evaluator::new(&named.problem).unwrap();
            let distances = found.solutions.iter();
            let distance = distances
                .map(|s| evaluator.agreement(&s.impulses, stored).unwrap())
                .fold(f64::INFINITY, f64::min);
            assert!(distance <= 1e-9, "{name}: {distance:e}");
        }
        assert!(
            first.residual <= 1e-10 && first.agreement <= 1e-10,
            "{name}"
        );
        // two of its contacts repeat others, and it has friction: the plant is one of at least two
        let planted = name == "planted-contacts-matrix";
        let several = planted || name == "painleve-three";
        assert_eq!(found.solutions.len() > 1, several, "{name}");
        if several && !planted {
            assert_eq!(found.solutions.len(), 3);
            assert_eq!(found.uniqueness, Uniqueness::Enumerated);
        }
    }
}
