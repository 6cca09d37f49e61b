//! `convert` between the formats, and `export` to them.

use std::fs;

use delassus_core::{Operator, Problem};
use delassus_formats::{FieldProblem, fclib, text};
use delassus_problems::{NamedProblem, read_field, read_file, to_matrix};

use crate::support::Lab;

/// One contact: W = diag(2, 1, 1), q = (−1, 0.5, 0), μ = 0.3.
const CONTACT: &str = "3\n1\n0\n3\n3\n3 3\n2 0 0\n0 1 0\n0 0 1\n-1 0.5 0\n0.3\n";

/// A point mass in space with one contact: M = 2, H = 1.
const GLOBAL: &str = "3\n1\n0\n3\n3\n3 3\n2 0 0\n0 2 0\n0 0 2\n0\n3\n3\n3 3\n1 0 0\n0 1 0\n0 0 1\n-2 0 0\n0 0 0\n0.1\n";

/// Runs `convert` and says that it went well.
fn convert(lab: &Lab, arguments: &[&str]) -> String {
    let ran = lab.run(&[&["convert"], arguments].concat());
    assert_eq!(ran.code, 0, "{arguments:?}: {}", ran.stderr);
    ran.stdout
}

#[test]
fn text_becomes_fclib_and_text_again_without_a_change() {
    let lab = Lab::new();
    for (name, source) in [("local.dat", CONTACT), ("global.dat", GLOBAL)] {
        lab.file(name, source);
        let said = convert(&lab, &[name, "there.hdf5"]);
        assert!(said.starts_with("there.hdf5  "), "{said}");
        convert(&lab, &["there.hdf5", "back.dat"]);
        let original = text::read(source.as_bytes()).unwrap().problem;
        let there = fclib::read(&fs::read(lab.path("there.hdf5")).unwrap()).unwrap();
        let back = text::read(&fs::read(lab.path("back.dat")).unwrap()).unwrap();
        assert_eq!(there.problem, back.problem);
        assert_eq!(original.kind(), back.problem.kind());
        let entries = |problem: &FieldProblem| {
            let matrix = match problem {
                FieldProblem::Local(local) => &local.w,
                FieldProblem::Global(global) => &global.m,
                _ => panic!("no friction"),
            };
            let mut entries: Vec<_> = matrix.entries().filter(|e| e.2 != 0.0).collect();
            entries.sort_by_key(|e| (e.0, e.1));
            entries
        };
        assert_eq!(entries(&original), entries(&back.problem));
    }
    let ran = lab.run(&["solve", "there.hdf5", "back.dat", "--solver", "block-gs"]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    assert_eq!(ran.stdout.matches("solved").count(), 2, "{}", ran.stdout);
    let ran = lab.run(&["inspect", "there.hdf5"]);
    assert!(ran.stdout.contains("3 rows of full rank"), "{}", ran.stdout);
}

#[test]
fn a_global_file_becomes_local_when_asked() {
    let lab = Lab::new();
    lab.file("global.dat", GLOBAL);
    let said = convert(
        &lab,
        &["global.dat", "local.dat", "--form", "local", "--json"],
    );
    assert!(said.contains("fc3d text"), "{said}");
    let local = read_file(lab.path("local.dat")).unwrap();
    assert!((local.problem.diagonal()[0] - 0.5).abs() < 1e-15);
    assert_eq!(local.problem.b()[1..], [0.0, 0.0]);
}

#[test]
fn what_would_be_lost_is_said_and_refused() {
    let lab = Lab::new();
    let ran = lab.run(&[
        "export",
        "stack",
        "--frame",
        "3",
        "--set",
        "n=2",
        "--out",
        "stack.dls",
    ]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let ran = lab.run(&["convert", "stack.dls", "stack.dat"]);
    assert_eq!(ran.code, 2);
    assert!(
        ran.stderr.contains("would lose something"),
        "{}",
        ran.stderr
    );
    assert!(
        ran.stderr
            .contains("the guess that a solver may start from"),
        "{}",
        ran.stderr
    );
    assert!(ran.stderr.contains("--lossy"), "{}", ran.stderr);
    assert!(!lab.path("stack.dat").exists());
    let ran = lab.run(&["convert", "stack.dls", "stack.dat", "--lossy"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stderr.contains("lost: the guess"), "{}", ran.stderr);
    // FCLIB keeps the start, and masses and Jacobian
    convert(&lab, &["stack.dls", "stack.hdf5"]);
    let (frozen, back) = (
        read_file(lab.path("stack.dls")).unwrap(),
        read_file(lab.path("stack.hdf5")).unwrap(),
    );
    assert!(
        back.provenance.contains("matrix-free"),
        "{}",
        back.provenance
    );
    assert_eq!(back.warm_start, frozen.warm_start);
    let text = read_file(lab.path("stack.dat")).unwrap();
    assert_eq!(text.problem.b(), frozen.problem.b());
    // b holds the bias, which stands next to the free velocity in the snapshot
    let of = |problem: &Problem| match to_matrix(problem).unwrap().into_parts().operator {
        Operator::Matrix(matrix) => matrix.delassus,
        Operator::Bodies(_) => panic!("a matrix"),
    };
    assert_eq!(of(&frozen.problem), of(&text.problem));
}

#[test]
fn a_snapshot_and_an_archive_are_written_from_any_file() {
    let lab = Lab::new();
    lab.file("contact.dat", CONTACT);
    convert(&lab, &["contact.dat", "contact.dls", "--law", "pyramid"]);
    let frozen = read_file(lab.path("contact.dls")).unwrap();
    assert!(frozen.provenance.contains("fc3d text file contact.dat"));
    assert_eq!(frozen.problem.blocks()[0].law.kind().id(), "pyramid");
    convert(&lab, &["contact.dat", "contact.npz"]);
    let bytes = fs::read(lab.path("contact.npz")).unwrap();
    let (whole, archive) = (String::from_utf8_lossy(&bytes), &bytes);
    assert!(archive.starts_with(b"PK\x03\x04"));
    for name in ["A.npy", "b.npy", "mu.npy", "law.npy"] {
        assert!(whole.contains(name), "{name}");
    }
    assert!(whole.contains("{'descr': '<f8', 'fortran_order': False, 'shape': (3, 3,), }"));
}

#[test]
fn archives_of_numpy_are_problem_files() {
    let lab = Lab::new();
    let patches = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/wall-4-patch.dls");
    convert(&lab, &[patches, "wall.npz"]);
    convert(&lab, &["wall.npz", "wall.dls"]);
    let (wall, back) = (
        read_file(patches).unwrap(),
        read_file(lab.path("wall.dls")).unwrap(),
    );
    let laws = |named: &NamedProblem| {
        let blocks = named.problem.blocks().iter();
        blocks.map(|block| block.law.clone()).collect::<Vec<_>>()
    };
    assert_eq!(laws(&wall), laws(&back));
    assert_eq!(wall.problem.step(), back.problem.step());
    let ran = lab.run(&["solve", "wall.npz", "--solver", "block-gs"]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("solved"), "{}", ran.stdout);
    let ran = lab.run(&["inspect", "wall.npz"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.contains("patch"), "{}", ran.stdout);
    lab.file("empty.npz", "PK\u{3}\u{4}");
    for verb in ["solve", "inspect"] {
        let ran = lab.run(&[verb, "empty.npz"]);
        assert_ne!(ran.code, 0);
        let said = ran.stdout + &ran.stderr;
        assert!(said.contains("NumPy archive cannot be read"), "{said}");
    }
}

#[test]
fn scenes_are_exported_for_other_programs() {
    let lab = Lab::new();
    for (format, file) in [
        ("fclib", "stack-frame-2.hdf5"),
        ("gfc3d", "stack-frame-2.dat"),
        ("npz", "stack-frame-2.npz"),
    ] {
        let ran = lab.run(&[
            "export", "stack", "--frame", "2", "--set", "n=2", "--format", format,
        ]);
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{format}");
        assert!(ran.stdout.starts_with(file), "{format}: {}", ran.stdout);
    }
    let field = |name: &str| read_field(&fs::read(lab.path(name)).unwrap()).unwrap();
    let (one, other) = (field("stack-frame-2.hdf5"), field("stack-frame-2.dat"));
    assert_eq!(one.problem, other.problem);
    assert_eq!(one.guesses.len(), 1);
}

#[test]
fn wrong_requests_say_what_to_do() {
    let lab = Lab::new();
    lab.file("contact.dat", CONTACT);
    lab.file("junk.dat", "3\n1\nnothing 3 3\n");
    let message = |arguments: &[&str], code: i32| {
        let ran = lab.run(&[&["convert"], arguments].concat());
        assert_eq!(ran.code, code, "{arguments:?}: {}", ran.stderr);
        ran.stderr
    };
    let said = message(&["contact.dat", "out.xyz"], 2);
    assert!(
        said.contains("end it in .dls, .dat, .hdf5 or .npz"),
        "{said}"
    );
    let said = message(&["missing.dat", "out.dls"], 2);
    assert!(said.contains("no such file"), "{said}");
    let said = message(&["junk.dat", "out.dls"], 1);
    assert!(
        said.contains("line 3: expected the storage of the matrix"),
        "{said}"
    );
    let said = message(&["contact.dat", "out.dat", "--form", "global"], 2);
    assert!(said.contains("given by its matrix"), "{said}");
    let said = message(&["contact.dat", "out.dat", "--form", "lcp"], 2);
    assert!(said.contains("block 0 is coulomb"), "{said}");
    assert!(!lab.path("out.dat").exists() && !lab.path("out.dls").exists());
}
