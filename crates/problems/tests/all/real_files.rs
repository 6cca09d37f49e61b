//! Files of other projects, when they are there.

use std::fs;
use std::path::{Path, PathBuf};

use delassus_core::{LawKind, MemoryLimit, Problem};
use delassus_problems::{
    ContactLaw, GlobalForm, NamedProblem, problem_of_in, read_field, read_file,
};
use delassus_skips::skip;

/// Problem files that the project does not ship.
const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/problems");

/// The files of one folder, or nothing and a line that says so.
fn files(folder: &str, prefix: &str) -> Vec<PathBuf> {
    let path = Path::new(FOLDER).join(folder);
    let Ok(entries) = fs::read_dir(&path) else {
        skip("real_files", format!("{} is not there", path.display()));
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

/// What the data of a file becomes, in the given form.
fn treat(path: &Path, form: GlobalForm) -> NamedProblem {
    let file = read_field(&fs::read(path).unwrap()).unwrap();
    problem_of_in(&file, ContactLaw::Coulomb, form, MemoryLimit::NONE).unwrap()
}

/// Largest difference of A and b, each relative to its largest number.
fn difference(one: &Problem, other: &Problem) -> f64 {
    assert_eq!(one.rows(), other.rows());
    let relative = |a: &[f64], b: &[f64]| {
        let scale = a.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let pairs = a.iter().zip(b);
        pairs.fold(0.0_f64, |m, (x, y)| m.max((x - y).abs())) / scale
    };
    let mut worst = relative(one.b(), other.b());
    for row in 0..one.rows() {
        let mut unit = vec![0.0; one.rows()];
        unit[row] = 1.0;
        let (mut a, mut b) = (unit.clone(), unit.clone());
        one.apply_delassus(&unit, &mut a);
        other.apply_delassus(&unit, &mut b);
        let scale = a.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        if scale > 0.0 {
            worst = worst.max(relative(&a, &b));
        }
    }
    worst
}

#[test]
fn global_files_are_matrix_free_where_their_masses_are_those_of_bodies() {
    // the planar ones; the others have three or nine freedoms in space, or couplings between them
    for path in files("fc2d", "gfc") {
        let named = treat(&path, GlobalForm::Fitting);
        let shown = path.display();
        assert!(
            named.provenance.contains("rigid bodies"),
            "{shown}: {}",
            named.provenance
        );
        let reduced = treat(&path, GlobalForm::Reduced);
        if named.problem.rows() > 0 {
            let difference = difference(&named.problem, &reduced.problem);
            assert!(difference < 1e-12, "{shown}: {difference:e}");
        }
    }
    for path in files("gfc3d", "")
        .into_iter()
        .chain(files("rolling", "GRFC"))
    {
        let provenance = treat(&path, GlobalForm::Fitting).provenance;
        assert!(provenance.starts_with("reduced by sparse"), "{provenance}");
    }
}

#[test]
fn local_files_are_the_reduction_of_their_global_ones() {
    for path in files("gfc3d", "") {
        let name = path.file_name().unwrap().to_str().unwrap();
        let local = Path::new(FOLDER)
            .join("fc3d")
            .join(format!("{name}.local.dat"));
        let (global, local) = (treat(&path, GlobalForm::Reduced), read(&local));
        let difference = difference(&local.problem, &global.problem);
        // printed with six digits
        assert!(difference < 2e-6, "{name}: {difference:e}");
        assert_eq!(global.problem.blocks(), local.problem.blocks(), "{name}");
    }
}

#[test]
fn fclib_files_are_their_local_ones() {
    let mut matrix_free = Vec::new();
    for path in files("fclib", "") {
        let name = path.file_name().unwrap().to_str().unwrap();
        let fitting = treat(&path, GlobalForm::Fitting);
        let reduced = treat(&path, GlobalForm::Reduced);
        if fitting.problem.bodies().is_some() {
            let difference = difference(&reduced.problem, &fitting.problem);
            assert!(difference < 1e-12, "{name}: {difference:e}");
            matrix_free.push(name.to_owned());
        }
        let local = Path::new(FOLDER)
            .join("fc3d")
            .join(format!("{name}.local.dat"));
        if !local.is_file() {
            skip(
                "fclib_files_are_their_local_ones",
                format!("{} is not there", local.display()),
            );
            continue;
        }
        // printed with 17 digits
        let difference = difference(&read(&local).problem, &reduced.problem);
        assert!(difference < 1e-13, "{name}: {difference:e}");
    }
    let rigid = ["Box_Stacks", "Spheres-i099", "spheres-in-a-box"];
    let found = matrix_free.iter().zip(rigid);
    assert!(matrix_free.is_empty() || matrix_free.len() == rigid.len());
    for (name, prefix) in found {
        assert!(name.starts_with(prefix), "{matrix_free:?}");
    }
}

#[test]
fn rolling_files_in_two_storages_are_the_same_problem() {
    let path = |name: &str| Path::new(FOLDER).join("rolling").join(name);
    let sparse = path("rfc3d_sphere_from_grfc3d.dat");
    if !sparse.is_file() {
        skip(
            "rolling_files_in_two_storages_are_the_same_problem",
            format!("{} is not there", sparse.display()),
        );
        return;
    }
    let (sparse, dense) = (
        read(&sparse),
        read(&path("rfc3d_sphere_from_grfc3d_dense.dat")),
    );
    assert!(difference(&sparse.problem, &dense.problem) < 2e-6);
    assert_eq!(sparse.problem.blocks(), dense.problem.blocks());
    // the text was printed with six digits
    let hdf5 = read(&path("Chute-ndof-768-nc-4-3.hdf5"));
    let text = read(&path("GRFC3D_Chute-ndof-768-nc-4-3.dat"));
    let chute = difference(&hdf5.problem, &text.problem);
    assert!(
        chute < 1e-3,
        "{chute:e}: {} / {}",
        hdf5.provenance,
        text.provenance
    );
    for path in files("rolling", "")
        .iter()
        .filter(|p| p.extension().is_some_and(|e| e == "dat"))
    {
        let problem = read(path).problem;
        assert!(
            problem
                .blocks()
                .iter()
                .all(|b| b.law.kind() == LawKind::Rolling && b.dim == 5)
        );
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
            skip(
                "block_storage_and_dense_storage_agree",
                format!("{} is not there", path(dense).display()),
            );
            continue;
        }
        let (dense, blocks) = (read(&path(dense)), read(&path(blocks)));
        assert_eq!(dense.problem, blocks.problem);
    }
}
