//! The optimisation level that a program reports is that of every crate that solves or steps.

use delassus_registry::OPT_LEVEL;
use toml::Table;

use crate::workspace::{files, read, root};

/// The level that a profile of the workspace gives a crate.
fn level(manifest: &Table, profile: &str, name: &str) -> String {
    let profiles = manifest["profile"].as_table().expect("profiles");
    let own = profiles[profile].as_table().expect("a profile");
    let package = own.get("package").and_then(|all| all.get(name));
    let set = package.and_then(|package| package.get("opt-level"));
    let set = set.or_else(|| own.get("opt-level"));
    match (set, profile) {
        (Some(level), _) => level.to_string().replace('"', ""),
        (None, "release") => "3".to_owned(),
        (None, _) => "0".to_owned(),
    }
}

/// The crates that solve or step on the processor.
fn computing() -> Vec<String> {
    let manifests = files(&["crates"], &["Cargo.toml"]);
    let names = manifests.iter().filter_map(|path| {
        let name = path.parent()?.file_name()?.to_str()?;
        let computes = name.starts_with("solver-") || name.starts_with("scheme-");
        let others = ["core", "dynamics", "structure"].contains(&name);
        (computes || others).then(|| format!("delassus-{name}"))
    });
    names.filter(|name| !name.ends_with("-gpu")).collect()
}

#[test]
fn the_reported_optimisation_level_is_that_of_every_solver() {
    let manifest: Table = read(&root().join("Cargo.toml"))
        .parse()
        .expect("a manifest");
    let names = computing();
    assert!(names.len() >= 10, "{names:?}");
    for name in &names {
        let of_release = level(&manifest, "release", name);
        assert_eq!(of_release, "3", "{name} in a release build");
        // they call the code of another program, for comparison
        let others = [
            "delassus-solver-clarabel",
            "delassus-solver-process",
            "delassus-scheme-process",
        ];
        if !others.contains(&name.as_str()) {
            let of_tests = level(&manifest, "dev", name);
            let reported = level(&manifest, "dev", "delassus-solver-auto");
            assert_eq!(of_tests, reported, "{name} in a test build");
        }
    }
    let profile = if cfg!(debug_assertions) {
        "dev"
    } else {
        "release"
    };
    // another level can be asked for by a variable of cargo
    let asked = std::env::vars().any(|(key, _)| key.starts_with("CARGO_PROFILE_"));
    if !asked {
        assert_eq!(OPT_LEVEL, level(&manifest, profile, "delassus-solver-auto"));
    }
}

/// Otherwise tests/python.sh would compile again what the tests of the workspace have compiled.
#[test]
fn the_python_package_has_the_test_profile_of_the_workspace() {
    let parse = |path: &str| -> Table { read(&root().join(path)).parse().expect("a file of TOML") };
    let dev = |manifest: &Table| -> Table {
        let profiles = manifest["profile"].as_table().expect("profiles");
        profiles["dev"].as_table().expect("a profile").clone()
    };
    let (mut ours, mut python) = (
        dev(&parse("Cargo.toml")),
        dev(&parse("crates/python/Cargo.toml")),
    );
    let packages = |profile: &mut Table| {
        let all = profile.remove("package").expect("levels of packages");
        all.as_table().expect("names with levels").clone()
    };
    let (of_workspace, of_python) = (packages(&mut ours), packages(&mut python));
    assert_eq!(ours, python);
    let lock = parse("crates/python/Cargo.lock");
    let locked = lock["package"].as_array().expect("packages");
    let mut compared = 0;
    for name in locked.iter().filter_map(|package| package["name"].as_str()) {
        if let Some(level) = of_workspace.get(name) {
            assert_eq!(of_python.get(name), Some(level), "{name}");
            compared += 1;
        }
    }
    assert!(compared > 50, "{compared} packages");
}
