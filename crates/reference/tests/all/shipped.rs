//! The problems of `data/`, and other people's files where they are there.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use delassus_metrics::Evaluator;
use delassus_problems::read_file;
use delassus_reference::{NoReference, ReferenceOptions, ReferenceSearch, Uniqueness, certify};
use delassus_registry::Registry;
use delassus_skips::skip;

/// The files of a folder below the project's root, or nothing and a line that says so.
fn files(folder: &str) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let Ok(entries) = fs::read_dir(root.join(folder)) else {
        skip("shipped", format!("{folder} is not there"));
        return Vec::new();
    };
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.is_file() && !path.ends_with("README.md"));
    files.sort();
    files
}

fn verdict(path: &Path) -> ReferenceSearch {
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
            // two of its contacts repeat others, with friction: the plant is one of a family
            Err(NoReference::Family { family, .. }) if name == "planted-contacts-matrix" => {
                assert_eq!(family.dimension, 1);
                continue;
            }
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
        let several = name == "painleve-three";
        assert_eq!(found.solutions.len() > 1, several, "{name}");
        if several {
            assert_eq!(found.solutions.len(), 3);
            assert_eq!(found.uniqueness, Uniqueness::Enumerated);
        }
    }
}

/// Rows of other people's problems that are certified here \[-\]; `delassus reference` does the
/// larger ones.
const MOST: usize = 100;

#[test]
fn small_problems_of_others_have_a_reference_or_no_solution() {
    let without = ["lcp_Pang_isolated_sol_perturbed", "Rectangular_mlcp"];
    for folder in ["fc2d", "fc3d", "fclib", "gfc3d", "lcp", "mlcp", "rolling"] {
        let mut certified = 0;
        for path in files(&format!("../shared/problems/{folder}")) {
            let problem = read_file(&path).expect("a problem").problem;
            if problem.rows() > MOST {
                continue;
            }
            let name = path.file_stem().unwrap().to_str().unwrap();
            match verdict(&path).reference {
                Ok(found) => {
                    assert!(!without.contains(&name), "{name} has a solution");
                    assert!(found.solutions[0].residual <= 1e-10, "{name}");
                    certified += 1;
                }
                Err(reason @ NoReference::Infeasible { .. }) => {
                    assert!(without.contains(&name), "{name}: {reason}");
                }
                Err(reason) => panic!("{name}: {reason}"),
            }
        }
        println!("{folder}: {certified} certified");
    }
}
