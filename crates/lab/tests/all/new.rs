//! `new`: a paper's folder.

use std::fs;
use std::path::Path;

use delassus_conformance::{
    Case, Make, Verdict, allocation, cases, chunks, convergence, oracle_residual, refusal,
    repetition, warm_start,
};
use delassus_core::{Checked, ImpulseSolver, Solver};

use crate::support::Lab;

#[path = "../../templates/new/main.rs"]
#[expect(dead_code, reason = "its main is that of another program")]
mod template;

#[test]
fn a_new_folder_holds_a_package_a_spec_and_a_page() {
    let lab = Lab::new();
    let ran = lab.run(&["new", "papers/gauss-2"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    for file in [
        "Cargo.toml",
        "Cargo.lock",
        "README.md",
        "experiment.toml",
        "src/main.rs",
        ".gitignore",
    ] {
        assert!(lab.path("papers/gauss-2").join(file).is_file(), "{file}");
        assert!(
            ran.stdout.contains(&format!("papers/gauss-2/{file}\n")),
            "{}",
            ran.stdout
        );
    }
    let read =
        |file: &str| fs::read_to_string(lab.path("papers/gauss-2").join(file)).expect("text");
    let manifest: toml::Table = read("Cargo.toml").parse().expect("a manifest");
    assert_eq!(manifest["package"]["name"].as_str(), Some("gauss-2"));
    let core = manifest["dependencies"]["delassus-core"]["path"]
        .as_str()
        .expect("a path");
    assert!(Path::new(core).join("Cargo.toml").is_file(), "{core}");
    for file in ["README.md", "experiment.toml", "src/main.rs", "Cargo.toml"] {
        let text = read(file);
        assert!(
            text.contains("gauss-2") && !text.contains("my-paper"),
            "{file}\n{text}"
        );
        assert!(!text.contains("SOURCE_"), "{file}\n{text}");
    }
    // the spec is one of a program that has the solver, and of no other
    let spec = lab.run(&["run", "papers/gauss-2", "--dry-run"]);
    spec.is_refused_with(&["unknown solver \"gauss-2\""]);
    lab.file(
        "papers/gauss-2/experiment.toml",
        read("experiment.toml").replace("use = \"gauss-2\"\nstep = [1.0, 2.0]", "use = \"jacobi\""),
    );
    let spec = lab.run(&["run", "papers/gauss-2", "--dry-run"]);
    assert_eq!(spec.code, 0, "{}", spec.stderr);
}

#[test]
fn names_that_cannot_be_are_refused_and_nothing_is_written_over() {
    let lab = Lab::new();
    for (name, why) in [
        ("My-Paper", "lower-case"),
        ("2-papers", "lower-case"),
        ("a b", "lower-case"),
        ("match", "something else"),
        ("core", "something else"),
        ("pgs", "a solver that there is"),
        ("..", "lower-case"),
    ] {
        lab.run(&["new", name]).is_refused_with(&[why]);
    }
    lab.file("mine/notes.txt", "mine");
    lab.run(&["new", "mine"])
        .is_refused_with(&["is there already"]);
    assert_eq!(fs::read_dir(lab.path("mine")).expect("a folder").count(), 1);
    lab.run(&["new", "x", "--delassus", "mine"])
        .is_refused_with(&["crates/lab/Cargo.toml"]);
    assert!(!lab.path("x").exists());
    let ran = lab.run(&[
        "new",
        "y",
        "--delassus",
        "https://example.org/delassus",
        "--json",
    ]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(ran.objects()[0]["name"], "y");
    let manifest = fs::read_to_string(lab.path("y/Cargo.toml")).expect("a manifest");
    assert!(
        manifest.contains("git = \"https://example.org/delassus\""),
        "{manifest}"
    );
}

fn make() -> Box<dyn ImpulseSolver> {
    let parameters = template::OwnParameters { step: 1.0 };
    let solver = Checked::<template::Own>::new(parameters);
    Box::new(solver.expect("parameters in their range"))
}

#[test]
fn the_solver_of_a_new_folder_keeps_the_laws() {
    assert_eq!(refusal(&make), Verdict::Holds);
    type Law = fn(Make<'_>, &Case) -> Verdict;
    let laws: [(&str, Law); 6] = [
        ("chunks", chunks),
        ("warm start", warm_start),
        ("oracle's residual", oracle_residual),
        ("convergence", convergence),
        ("repetition", |make, case| repetition(make, case, case)),
        ("allocation", allocation),
    ];
    let cases = cases();
    for (name, law) in laws {
        let mut held = 0;
        for case in &cases {
            let verdict = law(&make, case);
            assert!(
                !matches!(verdict, Verdict::Violated(_)),
                "{name}, {}: {verdict:?}",
                case.name
            );
            held += usize::from(verdict == Verdict::Holds);
        }
        assert!(held >= 3, "{name} was met on {held} cases");
    }
}
