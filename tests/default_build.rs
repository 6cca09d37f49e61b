//! What the README's first command compiles, and that later commands compile little of it again.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use crate::workspace::{read, root};
use delassus_conformance::skip;

/// Crates of one build by name and version, each with its sets of features: build scripts and
/// derives may use a crate with another set.
type Crates = BTreeMap<String, BTreeSet<String>>;

/// The most crates that the program may have, with those of build scripts and derives.
const MOST: usize = 211;

/// Crates that take long to compile and that the program must not need.
const HEAVY: [&str; 16] = [
    "wgpu",
    "wgpu-core",
    "wgpu-hal",
    "naga",
    "ash",
    "clarabel",
    "delassus-solver-gpu",
    "delassus-scheme-gpu",
    "delassus-collide-gpu",
    "delassus-solver-clarabel",
    "delassus-fuzzing",
    "delassus-conformance",
    "delassus-skips",
    "criterion",
    "proptest",
    "jsonschema",
];

/// Crates that have other features in tests, with the reason. What depends on them is compiled
/// twice.
const DIFFERENT: [(&str, &str); 4] = [
    ("delassus-lab", "tests of the program have all its features"),
    (
        "delassus-registry",
        "tests cover solvers on a GPU and clarabel",
    ),
    ("indicatif", "tests of the bar read a terminal in memory"),
    (
        "num-rational",
        "jsonschema asks for integers of any length, a crate that the program does not have",
    ),
];

/// The crates that cargo would compile, without the network; `None` if cargo has not downloaded all
/// of them.
fn crates(arguments: &[&str]) -> Option<Crates> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["tree", "--locked", "--offline", "--prefix", "none"]);
    cargo.args(["--format", "{p}\t{f}"]).args(arguments);
    let output = cargo.current_dir(root()).output().expect("cargo starts");
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        skip(
            "default_build",
            format!("cargo does not have every package here: {said}"),
        );
        return None;
    }
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let mut crates = Crates::new();
    for line in text.lines() {
        let (package, features) = line.split_once('\t').unwrap_or((line, ""));
        let name: Vec<&str> = package.split(' ').take(2).collect();
        let features = features.trim_end_matches(" (*)").to_owned();
        crates.entry(name.join(" ")).or_default().insert(features);
    }
    Some(crates)
}

/// The crates of the program alone.
fn program() -> Option<Crates> {
    crates(&["-p", "delassus-lab", "--edges", "normal,build"])
}

fn names(crates: &Crates) -> BTreeSet<&str> {
    let names = crates.keys().filter_map(|name| name.split(' ').next());
    names.collect()
}

#[test]
fn the_first_command_builds_the_program_alone() {
    let manifest: toml::Table = read(&root().join("Cargo.toml"))
        .parse()
        .expect("a manifest");
    let members = manifest["workspace"]["default-members"].as_array();
    let members: Vec<_> = members.into_iter().flatten().collect();
    assert_eq!(members, [&toml::Value::from("crates/lab")]);

    let Some(program) = program() else { return };
    let names = names(&program);
    let found: Vec<_> = HEAVY.iter().filter(|name| names.contains(*name)).collect();
    assert!(found.is_empty(), "the program needs {found:?}");
    assert!(names.contains("delassus-lab") && names.contains("faer"));
    let count = program.len();
    assert!(count <= MOST, "the program has {count} crates");
}

#[test]
fn crates_have_the_same_features_in_the_program_and_in_tests() {
    let Some(program) = program() else { return };
    let commands: [&[&str]; 7] = [
        &["--workspace"],
        &["-p", "delassus-core"],
        &["-p", "delassus-solver-si"],
        &["-p", "delassus-solver-wide"],
        &["-p", "delassus-dynamics"],
        &["-p", "delassus-report"],
        &["-p", "delassus-examples"],
    ];
    for command in commands {
        let arguments = [command, &["--edges", "normal,build,dev"]].concat();
        let Some(tests) = crates(&arguments) else {
            return;
        };
        let mut different = Vec::new();
        for (name, features) in &tests {
            let known = DIFFERENT
                .iter()
                .any(|(known, _)| name.split(' ').next() == Some(*known));
            if let Some(of_program) = program.get(name)
                && !known
                && !features.is_subset(of_program)
            {
                different.push((name, features, of_program));
            }
        }
        assert!(
            different.is_empty(),
            "cargo test {command:?} compiles these again; add the features to crates/features: {different:#?}"
        );
    }
}

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[test]
fn the_release_profile_names_crates_of_the_program() {
    let manifest: toml::Table = read(&root().join("Cargo.toml"))
        .parse()
        .expect("a manifest");
    let Some(program) = program() else { return };
    let names = names(&program);
    let packages = manifest["profile"]["release"]["package"].as_table();
    let others = packages
        .into_iter()
        .flat_map(|packages| packages.keys())
        .filter(|name| !names.contains(name.as_str()));
    // `delassus new` omits it from profiles: OF_TESTS in crates/lab/src/cli/new/workspace.rs
    assert_eq!(others.collect::<Vec<_>>(), ["delassus-conformance"]);
}
