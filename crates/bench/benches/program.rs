//! What a user waits for before any solver works: help, lists, the demo, and the resumption of a
//! large finished run.
//!
//! Every time is that of a whole process of the program as `cargo run --release` builds it. The
//! spec of ten thousand cells is run once, untimed, which takes as long as the disk takes to keep
//! them.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use criterion::Criterion;

/// Cells of the run that is resumed: chains times relaxations \[-\].
const CHAINS: usize = 100;
const RELAXATIONS: usize = 100;

fn main() {
    let mut criterion = Criterion::default().configure_from_args().sample_size(20);
    let program = Program {
        file: built(),
        folder: tempfile::tempdir().expect("a temporary folder"),
    };
    for words in ["--help", "list solvers", "list scenes"] {
        criterion.bench_function(words, |bencher| bencher.iter(|| program.run(words)));
    }
    criterion.bench_function("demo", |bencher| {
        bencher.iter_with_setup(|| program.remove("results"), |()| program.run("demo"));
    });
    resume(&mut criterion, &program);
    criterion.final_summary();
}

/// The program in a folder of its own.
struct Program {
    file: PathBuf,
    folder: tempfile::TempDir,
}

impl Program {
    /// Runs the program; cells may fail, as one sweep solves nothing.
    fn run(&self, words: &str) {
        let output = Command::new(&self.file)
            .args(words.split(' '))
            .current_dir(&self.folder)
            .output()
            .expect("the program starts");
        let code = output.status.code();
        assert!(
            matches!(code, Some(0 | 1)),
            "{words}: {code:?}\n{}",
            String::from_utf8_lossy(&output.stderr)
        );
    }

    fn remove(&self, name: &str) {
        fs::remove_dir_all(self.folder.path().join(name)).ok();
    }
}

/// Builds the program of the README's first command; its file.
fn built() -> PathBuf {
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/../../Cargo.toml");
    let output = Command::new(env!("CARGO"))
        .args(["build", "--release", "--locked", "--bin", "delassus"])
        .args(["--manifest-path", manifest])
        .args(["--message-format", "json-render-diagnostics"])
        .output()
        .expect("cargo runs");
    let messages = String::from_utf8_lossy(&output.stdout);
    messages
        .lines()
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
        .find_map(|message| Some(PathBuf::from(message["executable"].as_str()?)))
        .unwrap_or_else(|| panic!("{}", String::from_utf8_lossy(&output.stderr)))
}

fn resume(criterion: &mut Criterion, program: &Program) {
    let file = program.folder.path().join("experiment.toml");
    fs::write(file, spec()).expect("a spec is written");
    let words = "run experiment.toml --out kept --quiet";
    let mut first = true;
    criterion.bench_function("resume 10000 cells", |bencher| {
        if std::mem::take(&mut first) {
            program.run(words);
        }
        bencher.iter(|| program.run(words));
    });
}

/// Every chain under every relaxation, one sweep each.
fn spec() -> String {
    let chains: Vec<String> = (2..2 + CHAINS).map(|n| n.to_string()).collect();
    let relaxations: Vec<String> = (0..RELAXATIONS)
        .map(|k| format!("{}", 0.5 + 0.01 * k as f64))
        .collect();
    format!(
        r#"title = "Ten thousand cells"

[[problem]]
use = "chain"
n = [{}]

[[solver]]
use = "psor"
omega = [{}]

[stop]
tolerance = 1e-12
metrics = ["natural_map"]
max_sweeps = 1

[measure]
metrics = ["natural_map"]

[[table]]
id = "cells"
caption = "How far one sweep comes."
show = {{ cells = {{}} }}
"#,
        chains.join(", "),
        relaxations.join(", ")
    )
}
