//! What the build takes from others: from one registry, locked, licensed, and with build scripts
//! that are known.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use delassus_conformance::skip;
use serde_json::Value;

use crate::workspace::{read, root};

/// Crates that run a program of their own while they are built, with what it is for. None of them
/// downloads: each looks at the compiler or the target, writes a file into its own output folder,
/// or compiles sources that it brings.
const BUILD_SCRIPTS: &[(&str, &str)] = &[
    ("ahash", "asks the compiler and the target what they can do"),
    ("alloca", "compiles a C function that it brings"),
    ("ash", "asks the target for the linker's name of Vulkan"),
    ("clarabel", "asks which features are on"),
    ("constant_time_eq", "asks the compiler what it can do"),
    ("crc32fast", "asks the compiler what it can do"),
    ("crossbeam-deque", "asks the target what it can do"),
    ("crossbeam-epoch", "asks the target what it can do"),
    ("crossbeam-utils", "asks the target what it can do"),
    ("crunchy", "writes unrolled loops"),
    (
        "delassus-features",
        "ours: does nothing, so that cargo reads its build dependencies",
    ),
    (
        "delassus-lab",
        "ours: hashes the sources for the keys of cells",
    ),
    (
        "delassus-solver-auto",
        "ours: hands the optimisation level to the source",
    ),
    ("getrandom", "asks the target what it can do"),
    ("heapless", "asks the target what it can do"),
    (
        "jsonschema-value",
        "looks for Python where a feature asks for it",
    ),
    ("libc", "asks the compiler and the target what they can do"),
    ("libm", "asks the compiler what it can do"),
    ("matrixmultiply", "asks the compiler what it can do"),
    ("naga", "names sets of features"),
    ("nano-gemm-c32", "writes kernels"),
    ("nano-gemm-c64", "writes kernels"),
    ("nano-gemm-f32", "writes kernels"),
    ("nano-gemm-f64", "writes kernels"),
    ("nix", "names sets of targets"),
    ("num-traits", "asks the compiler what it can do"),
    ("objc2", "names sets of targets; macOS alone"),
    ("parking_lot_core", "asks the compiler what it can do"),
    ("paste", "asks the compiler what it can do"),
    ("portable-atomic", "asks the compiler what it can do"),
    ("portable-atomic-util", "asks the compiler what it can do"),
    ("private-gemm-x86", "writes kernels"),
    ("proc-macro2", "asks the compiler what it can do"),
    (
        "pulldown-cmark",
        "writes a page of examples where a feature asks for it",
    ),
    ("pulp", "asks the compiler what it can do"),
    ("quote", "asks the compiler what it can do"),
    ("rayon-core", "lets one version be linked"),
    (
        "rustix",
        "asks the compiler and the target what they can do",
    ),
    ("ref-cast", "writes a module named after the version"),
    ("rustversion", "asks the compiler for its version"),
    ("serde", "asks the compiler what it can do"),
    ("serde_core", "asks the compiler what it can do"),
    ("serde_json", "asks the target for the size of its words"),
    (
        "signal-hook",
        "compiles a C function that it brings, where a feature asks for it",
    ),
    ("syn", "asks the compiler what it can do"),
    ("thiserror", "asks the compiler what it can do"),
    ("unicode-general-category", "writes a table of characters"),
    (
        "wasm-bindgen",
        "asks the compiler what it can do; the web alone",
    ),
    (
        "wasm-bindgen-shared",
        "lets one version be linked; the web alone",
    ),
    ("wgpu", "names sets of features"),
    ("wgpu-core", "names sets of features"),
    ("wgpu-hal", "names sets of features"),
    ("winapi", "names libraries of Windows"),
    ("winapi-i686-pc-windows-gnu", "names libraries of Windows"),
    ("winapi-x86_64-pc-windows-gnu", "names libraries of Windows"),
    ("zerocopy", "asks the compiler what it can do"),
    ("zmij", "asks the compiler what it can do"),
];

/// Crates that the lock file has in several versions, and how many: others ask for them.
const SEVERAL: &[(&str, usize)] = &[
    ("bit-set", 2),
    ("bit-vec", 2),
    ("equator", 2),
    ("equator-macro", 2),
    ("getrandom", 2),
    ("glam", 4),
    ("hashbrown", 2),
    ("itertools", 2),
    ("miniz_oxide", 2),
    ("r-efi", 2),
    ("rustc-hash", 2),
    ("strsim", 2),
    ("syn", 3),
    ("thiserror", 2),
    ("thiserror-impl", 2),
];

/// What cargo says of every package that is built here, without asking the network; `None`, with
/// the reason, where not all of them have been downloaded, which happens before the whole workspace
/// is built for the first time.
fn packages() -> Option<Vec<Value>> {
    let version = Command::new("rustc").arg("-vV").output().expect("rustc");
    let version = String::from_utf8_lossy(&version.stdout).into_owned();
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["metadata", "--locked", "--offline", "--format-version", "1"]);
    cargo.args(["--filter-platform", host.expect("the host of rustc")]);
    let output = cargo.current_dir(root()).output().expect("cargo starts");
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let why = format!("cargo does not have every package here: {said}");
        skip("supply_chain", why);
        return None;
    }
    let mut metadata: Value = serde_json::from_slice(&output.stdout).expect("JSON of cargo");
    match metadata["packages"].take() {
        Value::Array(packages) => Some(packages),
        other => panic!("packages: {other}"),
    }
}

/// The packages of the lock file.
fn locked() -> Vec<toml::Table> {
    let lock: toml::Table = read(&root().join("Cargo.lock"))
        .parse()
        .expect("Cargo.lock");
    let packages = lock["package"].as_array().expect("an array").iter();
    packages.filter_map(|p| p.as_table().cloned()).collect()
}

/// What a program that loads something from elsewhere is written with.
const NETWORK: [&str; 9] = [
    "TcpStream",
    "UdpSocket",
    "reqwest",
    "ureq",
    "hyper::",
    "curl",
    "wget",
    "git clone",
    "download",
];

fn text<'p>(package: &'p Value, key: &str) -> &'p str {
    package[key].as_str().unwrap_or_default()
}

/// The source of the program that runs while a package is built.
fn build_script(package: &Value) -> Option<&str> {
    let mut targets = package["targets"].as_array()?.iter();
    let kinds = |target: &Value| target["kind"].as_array().cloned().unwrap_or_default();
    let script = targets.find(|target| kinds(target).iter().any(|kind| kind == "custom-build"));
    script?["src_path"].as_str()
}

#[test]
fn build_scripts_are_known_and_load_nothing() {
    let Some(packages) = packages() else { return };
    let known: BTreeSet<&str> = BUILD_SCRIPTS.iter().map(|(name, _)| *name).collect();
    let (mut new, mut read_scripts) = (Vec::new(), 0);
    for package in &packages {
        let Some(script) = build_script(package) else {
            continue;
        };
        let name = text(package, "name");
        if !known.contains(name) {
            new.push(name);
        }
        let source = read(Path::new(script)).to_lowercase();
        let code = source
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"));
        let code: String = code.collect::<Vec<_>>().join("\n");
        let found = NETWORK
            .iter()
            .find(|word| code.contains(&word.to_lowercase()));
        assert_eq!(found, None, "the build script of {name}, {script}");
        read_scripts += 1;
    }
    assert!(
        new.is_empty(),
        "read these build scripts, then list them with what they do: {new:?}"
    );
    assert!(read_scripts >= 20, "only {read_scripts} build scripts");
}

#[test]
fn the_lock_file_has_one_registry_and_every_crate_that_is_listed() {
    let locked = locked();
    let text = |package: &toml::Table, key: &str| {
        let value = package.get(key).and_then(|value| value.as_str());
        value.unwrap_or_default().to_owned()
    };
    let mut counts = BTreeMap::new();
    let mut registries = BTreeSet::new();
    for package in &locked {
        let (name, source) = (text(package, "name"), text(package, "source"));
        // the crates of the workspace, and packages that `delassus new` has put into this checkout
        let ours = source.is_empty();
        let theirs = source.starts_with("registry+") && text(package, "checksum").len() == 64;
        assert!(ours || theirs, "{name} comes from {source:?}");
        registries.extend(theirs.then_some(source));
        *counts.entry(name).or_insert(0) += 1;
    }
    assert_eq!(registries.len(), 1, "{registries:?}");
    let gone = BUILD_SCRIPTS
        .iter()
        .filter(|(name, _)| !counts.contains_key(*name));
    assert_eq!(
        gone.count(),
        0,
        "a build script of a crate that nobody uses is listed"
    );
    counts.retain(|_, count| *count > 1);
    let several: Vec<(&str, usize)> = counts.iter().map(|(name, n)| (name.as_str(), *n)).collect();
    assert_eq!(several, SEVERAL, "crates in several versions");
}

#[test]
fn every_crate_has_a_licence_that_is_accepted() {
    let deny: toml::Table = read(&root().join("deny.toml")).parse().expect("deny.toml");
    let allowed = deny["licenses"]["allow"].as_array().expect("an array");
    let allowed: BTreeSet<&str> = allowed.iter().filter_map(|name| name.as_str()).collect();
    let accepted = |name: &str| allowed.contains(name.trim_matches(['(', ')', ' ']));
    let Some(packages) = packages() else { return };
    let refused: Vec<String> = packages
        .iter()
        // a package that `delassus new` put here has the licence that its author gives it
        .filter(|package| {
            !package["source"].is_null() || text(package, "name").starts_with("delassus-")
        })
        .filter(|package| {
            // each part that must hold has a choice that is accepted
            let licence = text(package, "license").replace('/', " OR ");
            let mut parts = licence.split(" AND ");
            !parts.all(|part| part.split(" OR ").any(accepted))
        })
        .map(|package| format!("{}: {:?}", text(package, "name"), text(package, "license")))
        .collect();
    assert!(refused.is_empty(), "{refused:?}");
}
