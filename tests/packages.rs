//! A package compiles alone: what its code includes lies in its own folder.

use std::path::{Component, Path, PathBuf};

use crate::workspace::{files, read, root};

/// The paths that the code of a file includes. Unit tests and the texts of documentation tests are
/// not part of a package that others compile.
fn included(text: &str) -> impl Iterator<Item = &str> {
    let code = text.split("#[cfg(test)]").next().unwrap_or_default();
    let macros = ["include_str!(", "include_bytes!("];
    macros.into_iter().flat_map(move |name| {
        let places = code.match_indices(name);
        places.filter_map(move |(at, _)| {
            let line = code[..at].rsplit('\n').next().unwrap_or_default();
            let path = code[at + name.len()..].trim_start().strip_prefix('"')?;
            let path = path.split('"').next().unwrap_or_default();
            (line != "#[doc = ").then_some(path)
        })
    })
}

/// True if a path that begins in this folder of a package stays in the package.
fn stays(folder: &Path, path: &str) -> bool {
    let mut inside = PathBuf::from(folder);
    Path::new(path).components().all(|part| match part {
        Component::ParentDir => inside.pop(),
        part => {
            inside.push(part);
            true
        }
    })
}

#[test]
fn packages_include_only_files_of_their_own() {
    let mut outside = Vec::new();
    let mut count = 0;
    for path in files(&["crates"], &[".rs"]) {
        let shown = path.strip_prefix(root()).expect("a file of the workspace");
        let mut parts = shown.components();
        let package = parts.nth(1).expect("a package");
        let within = parts.as_path();
        // the programs of other projects are workspaces of their own
        if package.as_os_str() == "peers" || !within.starts_with("src") {
            continue;
        }
        let folder = within.parent().expect("a folder");
        for path in included(&read(&path)) {
            count += 1;
            if !stays(folder, path) {
                outside.push(format!("{}: {path}", shown.display()));
            }
        }
    }
    assert!(count > 50, "only {count} included files were found");
    assert!(
        outside.is_empty(),
        "a package needs a link to each of these in its folder: {outside:#?}"
    );
}

#[test]
fn includes_are_recognised() {
    let text = "const A: &str = include_str!(\n    \"../a.txt\"\n);\n#[doc = include_str!(\"b.md\")]\n\
                const C: &[u8] = include_bytes!(\"c\");\n#[cfg(test)]\ninclude_str!(\"d\")";
    let found: Vec<&str> = included(text).collect();
    assert_eq!(found, ["../a.txt", "c"]);
    assert!(stays(Path::new("src/cli"), "../../texts/a.txt"));
    assert!(!stays(Path::new("src/cli"), "../../../a.txt"));
}
