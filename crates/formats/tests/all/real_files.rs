//! Files of other projects, when they are there: read, written and read again without loss.

use std::fs;
use std::path::{Path, PathBuf};

use delassus_formats::{FieldProblem, text};
use delassus_skips::skip;

use crate::text::bits;

/// Problem files that the project does not ship.
const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/problems");

/// The text files of one folder, or nothing and a line that says so.
fn files(folder: &str) -> Vec<PathBuf> {
    let path = Path::new(FOLDER).join(folder);
    let Ok(entries) = fs::read_dir(&path) else {
        skip("real_files", format!("{} is not there", path.display()));
        return Vec::new();
    };
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|ending| ending == "dat"));
    files.sort();
    files
}

fn read(path: &Path) -> FieldProblem {
    let found = text::read(&fs::read(path).unwrap());
    found
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()))
        .problem
}

#[test]
fn every_text_file_is_read_and_written_without_loss() {
    let mut count = 0;
    for folder in ["fc3d", "fc2d", "gfc3d", "lcp", "mlcp", "rolling"] {
        for path in files(folder) {
            let problem = read(&path);
            let back = text::read(text::write(&problem).unwrap().as_bytes()).unwrap();
            assert!(back.problem == problem, "{}", path.display());
            assert!(bits(&back.problem) == bits(&problem), "{}", path.display());
            let expected = match folder {
                "lcp" | "mlcp" => folder,
                "fc3d" | "gfc3d" => folder,
                "fc2d" => "fc2d",
                _ => "rfc3d",
            };
            let kind = problem.kind().name();
            assert!(kind.ends_with(expected), "{}: {kind}", path.display());
            count += 1;
        }
    }
    assert!(count == 0 || count >= 80, "{count} files");
}

#[test]
fn both_forms_of_the_mixed_files_are_the_same_problem() {
    for path in files("mlcp") {
        let FieldProblem::Mlcp(mlcp) = read(&path) else {
            panic!("{} is not mixed", path.display())
        };
        let (Some(form), Some(parts)) = (&mlcp.matrix, &mlcp.parts) else {
            let rectangular = path.ends_with("Rectangular_mlcp.dat");
            assert!(
                rectangular && mlcp.trailing.len() == 5,
                "{}",
                path.display()
            );
            continue;
        };
        let (n, m) = (mlcp.equalities, mlcp.complementarities);
        for (i, j, value) in form.m.entries() {
            let part = match (i < n, j < n) {
                (true, true) => parts.a[i * n + j],
                (true, false) => parts.c[i * m + j - n],
                (false, true) => parts.d[(i - n) * n + j],
                (false, false) => parts.b[(i - n) * m + j - n],
            };
            assert_eq!(value, part, "{}: ({i}, {j})", path.display());
        }
        assert_eq!(
            form.q,
            [parts.a_vector.as_slice(), &parts.b_vector].concat()
        );
    }
}
