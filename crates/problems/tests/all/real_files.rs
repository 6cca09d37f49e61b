//! Files of other projects, when they are there.

use std::fs;
use std::path::{Path, PathBuf};

use delassus_problems::{NamedProblem, read_file};

/// Problem files that the project does not ship.
const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/problems");

/// The files of one folder, or nothing and a line that says so.
fn files(folder: &str, prefix: &str) -> Vec<PathBuf> {
    let path = Path::new(FOLDER).join(folder);
    let Ok(entries) = fs::read_dir(&path) else {
        println!("skipped: {} is not there", path.display());
        return Vec::new();
    };
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|f| f.file_name().unwrap().to_str().unwrap().starts_with(prefix));
    files.sort();
    files
}

fn read(path: &Path) -> NamedProblem {
    read_file(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The number of contacts is the second number of a file.
fn declared(path: &Path) -> usize {
    let text = fs::read_to_string(path).unwrap();
    text.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[test]
fn every_local_friction_file_is_read() {
    let mut spatial = 0;
    for path in files("fc3d", "") {
        let named = read(&path);
        let facts = named.facts();
        assert_eq!(facts.contacts, declared(&path));
        assert_eq!(facts.rows, 3 * facts.contacts);
        // the least symmetric file departs by 0.27
        assert!(facts.symmetry_defect < 0.3, "{}", path.display());
        spatial += 1;
    }
    assert!(spatial == 0 || spatial >= 32, "{spatial} files");
    for path in files("fc2d", "f").into_iter().chain(files("fc2d", "F")) {
        let facts = read(&path).facts();
        assert_eq!(facts.contacts, declared(&path));
        assert_eq!(facts.rows, 2 * facts.contacts);
    }
}

#[test]
fn every_complementarity_file_is_read() {
    for path in files("lcp", "") {
        let facts = read(&path).facts();
        assert!(facts.rows > 0 && facts.blocks == facts.rows);
    }
    for path in files("mlcp", "") {
        let problem = read(&path).problem;
        assert!(problem.rows() > 1, "{}", path.display());
    }
}

#[test]
fn a_file_that_is_no_problem_is_refused() {
    for path in files("bad", "") {
        let error = read_file(&path).err().map(|error| error.to_string());
        let error = error.unwrap_or_else(|| panic!("{} is read", path.display()));
        assert!(!error.is_empty());
    }
}

#[test]
fn global_files_say_how_they_were_treated() {
    for path in files("gfc3d", "")
        .into_iter()
        .chain(files("fc2d", "gfc"))
        .chain(files("rolling", "GRFC"))
    {
        let named = read(&path);
        println!("{}: {}", path.display(), named.provenance);
    }
}

#[test]
fn block_storage_and_dense_storage_agree() {
    let pairs = [
        ("lcp", "lcp_trivial", "lcp_trivial_block"),
        ("lcp", "lcp_deudeu", "lcp_deudeu_block"),
        ("fc3d", "FC3D_Example1", "FC3D_Example1_SBM"),
    ];
    for (folder, dense, blocks) in pairs {
        let path = |name: &str| Path::new(FOLDER).join(folder).join(format!("{name}.dat"));
        if !path(dense).is_file() {
            println!("skipped: {} is not there", path(dense).display());
            continue;
        }
        let (dense, blocks) = (read(&path(dense)), read(&path(blocks)));
        assert_eq!(dense.problem, blocks.problem);
    }
}
