//! The direction of dependencies between the crates of the workspace.

use std::collections::BTreeSet;

use crate::workspace::{files, read, root};

/// What each crate may use from the workspace, apart from its tests.
const ALLOWED: &[(&str, &[&str])] = &[
    // no code: features of crates that several builds share
    ("features", &[]),
    ("parameters-derive", &[]),
    ("core", &["features", "parameters-derive"]),
    ("metrics", &["core"]),
    ("systems", &["core"]),
    // a container of arrays, which knows no problem
    ("hdf5", &[]),
    ("formats", &["core", "hdf5"]),
    ("problems", &["core", "systems", "formats"]),
    // a C header: its tests alone use the workspace
    ("capture", &[]),
    ("structure", &["core"]),
    ("solver-si", &["core", "structure"]),
    // blocks that fit no lane go by the rule of `pgs`
    ("solver-wide", &["core", "structure", "solver-si"]),
    ("solver-jacobi", &["core", "structure"]),
    // the twin of its shaders packs its problems: one layout, one definition
    ("solver-gpu", &["core", "structure", "solver-jacobi"]),
    ("solver-dense", &["core"]),
    // problems without bodies go to the engine of the dense methods
    ("solver-newton", &["core", "solver-dense"]),
    ("solver-descent", &["core"]),
    // others' code on the matrix that the dense solvers assemble
    ("solver-clarabel", &["core", "solver-dense"]),
    // problems go to other programs as snapshots
    ("solver-process", &["core", "problems"]),
    // judged by the metrics, polished by a dense Newton method
    ("solver-wrap", &["core", "metrics", "solver-dense"]),
    // chooses between the others by their progress
    (
        "solver-auto",
        &[
            "core",
            "metrics",
            "solver-si",
            "solver-dense",
            "solver-descent",
            "solver-newton",
        ],
    ),
    ("collide", &["core"]),
    // devices, buffers and kernels are those of the solvers
    ("collide-gpu", &["core", "collide", "solver-gpu"]),
    // a solve to a tolerance is judged by the evaluator that judges every solver
    ("dynamics", &["core", "metrics", "collide"]),
    ("scheme-jacobi", &["core", "dynamics", "solver-jacobi"]),
    ("scheme-reduced", &["core", "dynamics"]),
    // processes and messages are those of solvers of other programs
    ("scheme-process", &["core", "dynamics", "solver-process"]),
    // the same exception: the twin freezes the frames that the device runs
    (
        "scheme-gpu",
        &[
            "core",
            "dynamics",
            "solver-jacobi",
            "solver-gpu",
            "scheme-jacobi",
            "collide-gpu",
        ],
    ),
    ("scenes", &["core", "systems", "metrics", "dynamics"]),
    // what tests print that cannot run
    ("skips", &[]),
    (
        "conformance",
        &["core", "metrics", "problems", "dynamics", "skips"],
    ),
    (
        "registry",
        &[
            "core",
            "dynamics",
            "solver-si",
            "solver-wide",
            "solver-dense",
            "solver-newton",
            "solver-auto",
            "solver-descent",
            "solver-process",
            // a feature, off by default
            "solver-clarabel",
            "solver-jacobi",
            "solver-gpu",
            "solver-wrap",
            "scheme-jacobi",
            "scheme-reduced",
            "scheme-process",
            "scheme-gpu",
        ],
    ),
    (
        "reference",
        &["core", "metrics", "registry", "solver-dense"],
    ),
    // numbers alone: samples in, intervals out
    ("statistics", &[]),
    ("records", &["core"]),
    (
        "motion",
        &["core", "metrics", "dynamics", "registry", "records"],
    ),
    // frames as plain numbers, whoever steps the world
    ("replay", &[]),
    // pictures and tables as files for others, whatever they show
    ("pdf", &[]),
    ("columnar", &[]),
    // curves, axes and legends, whatever they show: no records
    ("charts", &["core"]),
    // marks in a text and cells of tables, whoever made them
    ("findings", &[]),
    // figures and tables know no problem, scene, scheme or solver
    (
        "report",
        &[
            "core",
            "metrics",
            "statistics",
            "records",
            "replay",
            "pdf",
            "charts",
            "findings",
        ],
    ),
    (
        "runner",
        &[
            "core",
            "metrics",
            "problems",
            "dynamics",
            "scenes",
            "registry",
            // ranks of problems
            "solver-dense",
            // whether problems are worlds of one structure
            "solver-jacobi",
            "reference",
            "statistics",
            "records",
            "motion",
            "replay",
            "report",
            // the vector levels of the machine
            "solver-wide",
        ],
    ),
    (
        "lab",
        &[
            "core",
            "pdf",
            "columnar",
            "metrics",
            "formats",
            "problems",
            "dynamics",
            "scenes",
            "registry",
            "reference",
            "records",
            "motion",
            // whether anything touches in a motion
            "replay",
            "report",
            "runner",
            // what the machine offers: vector levels and adapters
            "solver-wide",
            "solver-gpu",
            // ranks of problems
            "solver-dense",
        ],
    ),
    // what another program needs, without files, reports and the command line
    ("delassus", &["core", "dynamics", "metrics", "registry"]),
    // every reader, and everything that names reach
    (
        "fuzzing",
        &[
            "core", "hdf5", "formats", "problems", "records", "registry", "replay", "report",
            "runner", "scenes",
        ],
    ),
    (
        "bench",
        &[
            "core",
            "metrics",
            "problems",
            "collide",
            "dynamics",
            "scenes",
            "solver-si",
            "solver-wide",
        ],
    ),
];

/// Folders outside the workspace; each crate in them has a workspace and a lock file of its own.
const EXCLUDED: &[&str] = &[
    "crates/peers",
    "crates/python",
    "tests/browser",
    "tests/fuzz",
];

#[test]
fn crates_depend_in_the_declared_direction() {
    for (name, allowed) in ALLOWED {
        let manifest = root().join("crates").join(name).join("Cargo.toml");
        let manifest: toml::Table = read(&manifest).parse().expect("a valid manifest");
        let dependencies = manifest.get("dependencies").and_then(|d| d.as_table());
        let keys = dependencies.into_iter().flat_map(|d| d.keys());
        for used in keys.filter_map(|key| key.strip_prefix("delassus-")) {
            assert!(allowed.contains(&used), "{name} must not depend on {used}");
        }
    }
}

#[test]
fn records_are_shown_without_what_makes_them() {
    let allowed = |name: &str| {
        let entry = ALLOWED.iter().find(|(known, _)| *known == name);
        entry.unwrap_or_else(|| panic!("{name} is not listed")).1
    };
    let mut needed = BTreeSet::new();
    let mut open = vec!["report"];
    while let Some(next) = open.pop() {
        open.extend(allowed(next).iter().filter(|used| needed.insert(**used)));
    }
    for maker in [
        "systems", "problems", "collide", "dynamics", "scenes", "registry",
    ] {
        assert!(!needed.contains(maker), "report needs {maker}");
    }
}

#[test]
fn every_crate_is_listed() {
    let entries = std::fs::read_dir(root().join("crates")).expect("the crates folder");
    let found: BTreeSet<String> = entries
        .map(|entry| {
            entry
                .expect("an entry")
                .file_name()
                .to_string_lossy()
                .into()
        })
        .collect();
    let excluded = EXCLUDED
        .iter()
        .filter_map(|name| name.strip_prefix("crates/"));
    let names = ALLOWED.iter().map(|(name, _)| *name).chain(excluded);
    let listed: BTreeSet<String> = names.map(Into::into).collect();
    assert_eq!(found, listed);
}

#[test]
fn excluded_crates_stand_outside_the_workspace_and_give_their_reasons() {
    let manifest: toml::Table = read(&root().join("Cargo.toml"))
        .parse()
        .expect("a manifest");
    let excluded = manifest["workspace"]["exclude"].as_array();
    let excluded: Vec<&str> = excluded
        .into_iter()
        .flatten()
        .filter_map(|v| v.as_str())
        .collect();
    assert_eq!(excluded, EXCLUDED);
    let reasons = read(&root().join("docs/decisions/0001-dependencies.md"));
    for manifest in files(EXCLUDED, &["/Cargo.toml"]) {
        let folder = manifest.parent().expect("a folder");
        let shown = folder.strip_prefix(root()).expect("below the root");
        if shown.components().any(|part| part.as_os_str() == "target") {
            continue;
        }
        let name = shown.display();
        let manifest: toml::Table = read(&manifest).parse().expect("a manifest");
        assert!(
            manifest.contains_key("workspace"),
            "{name} joins a workspace"
        );
        assert!(folder.join("Cargo.lock").exists(), "{name} locks nothing");
        for table in ["dependencies", "dev-dependencies"] {
            let table = manifest.get(table).and_then(|t| t.as_table());
            let foreign = table.into_iter().flat_map(|t| t.keys());
            for used in foreign.filter(|used| !used.starts_with("delassus")) {
                assert!(
                    reasons.contains(&format!("`{used}`")),
                    "{used} has no reason"
                );
            }
        }
    }
}

#[test]
fn heavy_dependencies_stay_in_their_crates() {
    let owners: &[(&str, &[&str])] = &[
        // the benches factorize the same matrix beside
        (
            "faer",
            &[
                "solver-dense",
                "solver-newton",
                "solver-descent",
                "formats",
                "bench",
            ],
        ),
        ("plotters", &["charts"]),
        ("pdf-writer", &["pdf"]),
        ("tiny-skia", &["replay"]),
        ("clap", &["lab"]),
        ("fearless_simd", &["solver-wide"]),
        ("rayon", &["solver-wide", "solver-wrap", "solver-jacobi"]),
        ("wgpu", &["solver-gpu", "scheme-gpu", "collide-gpu"]),
        ("criterion", &["bench"]),
        ("parry3d-f64", &["collide"]),
    ];
    for (dependency, crates) in owners {
        for (name, _) in ALLOWED {
            let manifest = root().join("crates").join(name).join("Cargo.toml");
            let manifest: toml::Table = read(&manifest).parse().expect("a valid manifest");
            let tables = ["dependencies", "dev-dependencies"];
            let uses = tables.iter().any(|table| {
                let table = manifest.get(*table).and_then(|t| t.as_table());
                table.is_some_and(|t| t.contains_key(*dependency))
            });
            assert!(!uses || crates.contains(name), "{name} uses {dependency}");
        }
    }
}

#[test]
fn every_dependency_has_a_reason() {
    let manifest: toml::Table = read(&root().join("Cargo.toml"))
        .parse()
        .expect("a manifest");
    let reasons = read(&root().join("docs/decisions/0001-dependencies.md"));
    let dependencies = manifest["workspace"]["dependencies"].as_table();
    let foreign = dependencies.into_iter().flat_map(|d| d.keys());
    for name in foreign.filter(|name| !name.starts_with("delassus")) {
        assert!(
            reasons.contains(&format!("`{name}`")),
            "{name} has no reason"
        );
    }
}
