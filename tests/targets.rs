//! What cargo is told not to compile as a test holds no test: nothing is left out unseen.

use crate::workspace::{files, read, root};

/// True if rustdoc would run a block of code in the documentation of `source`.
fn has_example(source: &str) -> bool {
    let mut open = false;
    for line in source.lines() {
        let line = line.trim_start();
        let text = line.strip_prefix("///").or(line.strip_prefix("//!"));
        let Some(text) = text else {
            open = false;
            continue;
        };
        let Some(kind) = text.trim().strip_prefix("```") else {
            continue;
        };
        if !open && !matches!(kind, "text" | "toml" | "json" | "console" | "ignore") {
            return true;
        }
        open = !open;
    }
    false
}

fn has_test(source: &str) -> bool {
    source.contains("#[test]") || source.contains("proptest!")
}

/// What is wrong with the switch `key` of a target that `has` such tests or has none.
fn wrong(target: Option<&toml::Value>, key: &str, has: bool) -> Option<String> {
    let on = target.and_then(|target| target.get(key)?.as_bool());
    match (on.unwrap_or(true), has) {
        (false, true) => Some(format!("`{key} = false`, and there is one that never runs")),
        (true, false) => Some(format!("`{key} = false` is missing: there is none to run")),
        _ => None,
    }
}

#[test]
fn targets_without_tests_are_not_compiled_as_tests() {
    let mut found = Vec::new();
    let mut crates = 0;
    for manifest in files(&["crates"], &["Cargo.toml"]) {
        let folder = manifest.parent().expect("a folder");
        let name = folder.strip_prefix(root().join("crates")).expect("a crate");
        // in crates/peers: workspaces of their own
        if name.components().count() > 1 {
            continue;
        }
        crates += 1;
        let manifest: toml::Table = read(&manifest).parse().expect("a manifest");
        let source = format!("crates/{}/src", name.display());
        let sources = files(&[&source], &[".rs"]);
        let any = |has: fn(&str) -> bool| sources.iter().any(|path| has(&read(path)));
        let lib = manifest.get("lib");
        let wrongs = [
            wrong(lib, "test", any(has_test)),
            wrong(lib, "doctest", any(has_example)),
        ];
        let of_lib = wrongs.into_iter().flatten();
        found.extend(of_lib.map(|wrong| format!("{}: {wrong}", name.display())));
        for bin in manifest
            .get("bin")
            .and_then(|bins| bins.as_array())
            .into_iter()
            .flatten()
        {
            let path = folder.join(bin["path"].as_str().expect("a path"));
            let wrong = wrong(Some(bin), "test", has_test(&read(&path)));
            found.extend(wrong.map(|wrong| format!("{}: {wrong}", path.display())));
        }
    }
    assert!(crates > 30, "the crates are gone");
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn examples_are_told_from_other_blocks() {
    assert!(has_example("/// ```\n/// let x = 1;\n/// ```\n"));
    assert!(has_example("//! ```text\n//! x\n//! ```\n//! ```no_run\n"));
    assert!(!has_example("/// ```text\n/// x\n/// ```\nfn f() {}\n"));
}

/// libtest captures the print macros, so a line that they write is not seen.
#[test]
fn skips_are_seen() {
    // in two parts, so that this file has none
    let printed = ["println!(\"", "skipped"].concat();
    let hidden: Vec<_> = files(&["crates", "tests"], &["rs"])
        .into_iter()
        .filter(|file| read(file).contains(&printed))
        .collect();
    assert!(hidden.is_empty(), "use `delassus_skips::skip`: {hidden:?}");
}

/// `cargo package --workspace` stops at a crate that depends on a path without a version; it drops
/// paths of tests alone.
#[test]
fn dependencies_on_paths_have_versions() {
    let whole: toml::Table = read(&root().join("Cargo.toml"))
        .parse()
        .expect("a manifest");
    let shared = whole["workspace"]["dependencies"].as_table();
    let shared = shared.expect("a table of dependencies");
    let mut used = 0;
    let mut found = Vec::new();
    for manifest in files(&["crates"], &["Cargo.toml"]) {
        let path = manifest.strip_prefix(root()).expect("a path").to_owned();
        let manifest: toml::Table = read(&manifest).parse().expect("a manifest");
        // those of peers, engines and the Python package are workspaces of their own
        if path.components().count() > 3 || manifest.contains_key("workspace") {
            continue;
        }
        let dependencies = ["dependencies", "build-dependencies"].into_iter();
        let tables = dependencies.filter_map(|key| manifest.get(key)?.as_table());
        for (name, entry) in tables.flatten() {
            let is_shared = entry.get("workspace").is_some();
            let entry = if is_shared { &shared[name] } else { entry };
            if entry.get("path").is_some() {
                used += 1;
                if entry.get("version").is_none() {
                    found.push(format!("{}: {name}", path.display()));
                }
            }
        }
    }
    assert!(used > 100, "{used} dependencies on paths were found");
    assert!(found.is_empty(), "no version:\n{}", found.join("\n"));
}
