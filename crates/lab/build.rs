//! Tells the program what it was built from: commit, compiler, target, versions.
//!
//! The commit is the last one that touched the program's source, so that a change of an experiment
//! or of the documentation does not make another program of it, and kept cells stay valid.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What the program is made of, relative to the workspace.
const SOURCES: [&str; 3] = ["crates", "Cargo.toml", "Cargo.lock"];

/// Dependencies whose versions matter to numbers, files or pictures.
const REPORTED: [&str; 8] = [
    "csv",
    "faer",
    "libm",
    "nalgebra",
    "plotters",
    "rand_pcg",
    "serde_json",
    "toml",
];

fn main() {
    let crate_folder = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let root = crate_folder.join("../..");
    let commit = git(&root, &["log", "-1", "--format=%H", "--"]);
    // no commit: not a repository, or none that knows these files
    let commit = commit.filter(|hash| !hash.is_empty());
    let changed = commit.as_ref().and_then(|_| changed(&root));
    let dirty = changed.map_or_else(|| "unknown".to_owned(), |changed| changed.to_string());
    set("COMMIT", commit.as_deref().unwrap_or("unknown"));
    set("DIRTY", &dirty);
    set("RUSTC", &rustc().unwrap_or_else(|| "unknown".to_owned()));
    set("TARGET", &env::var("TARGET").unwrap_or_default());
    set("PROFILE", &env::var("PROFILE").unwrap_or_default());
    set("VERSIONS", &versions(&root));
    for path in SOURCES {
        watch(&root.join(path));
    }
    watch_git(&root);
}

fn set(name: &str, value: &str) {
    println!("cargo::rustc-env=DELASSUS_{name}={value}");
}

fn watch(path: &Path) {
    if path.exists() {
        println!("cargo::rerun-if-changed={}", path.display());
    }
}

/// A commit moves HEAD or the branch that it names. The branch has no file of its own once it is
/// packed, and one in another folder in a linked work tree; the log of HEAD grows with every move.
fn watch_git(root: &Path) {
    let branch = git_plain(root, &["symbolic-ref", "-q", "HEAD"]);
    let names = ["HEAD", "logs/HEAD", "packed-refs"].into_iter();
    for name in names.chain(branch.as_deref()) {
        if let Some(path) = git_plain(root, &["rev-parse", "--git-path", name]) {
            // relative to the folder that git was asked in
            watch(&root.join(path));
        }
    }
}

/// Whether the sources differ from the commit. A package that `delassus new` put into the checkout
/// does not count: it changes the list of members and adds lines to the lock file.
fn changed(root: &Path) -> Option<bool> {
    let crates = git_plain(root, &["status", "--porcelain", "--", "crates"])?;
    let lines = |file: &str| {
        let text = git_plain(root, &["diff", "--unified=0", "HEAD", "--", file])?;
        let lines = text.lines().skip_while(|line| !line.starts_with("@@"));
        let lines = lines.filter(|line| line.starts_with(['+', '-']));
        Some(lines.map(str::to_owned).collect::<Vec<_>>())
    };
    let workspace = lines("Cargo.toml")?;
    let workspace = workspace
        .iter()
        .any(|line| !line[1..].starts_with("members = ["));
    let versions = lines("Cargo.lock")?
        .iter()
        .any(|line| line.starts_with('-'));
    Some(!crates.is_empty() || workspace || versions)
}

/// A git command about the sources.
fn git(root: &Path, arguments: &[&str]) -> Option<String> {
    let mut all = arguments.to_vec();
    all.extend(SOURCES);
    git_plain(root, &all)
}

fn git_plain(root: &Path, arguments: &[&str]) -> Option<String> {
    let output = Command::new("git")
        .arg("-C")
        .arg(root)
        .args(arguments)
        .output()
        .ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}

fn rustc() -> Option<String> {
    let output = Command::new(env::var_os("RUSTC")?)
        .arg("--version")
        .output()
        .ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    Some(text.trim().to_owned())
}

/// `NAME VERSION` per reported package of the lock file, separated by semicolons.
fn versions(root: &Path) -> String {
    let lock = fs::read_to_string(root.join("Cargo.lock")).unwrap_or_default();
    let mut found = Vec::new();
    for package in lock.split("[[package]]") {
        let field = |key: &str| {
            let mut lines = package.lines();
            let line = lines.find_map(|line| line.strip_prefix(key));
            line.map(|value| value.trim_matches('"'))
        };
        if let (Some(name), Some(version)) = (field("name = "), field("version = "))
            && REPORTED.contains(&name)
        {
            found.push(format!("{name} {version}"));
        }
    }
    found.join(";")
}
