//! The package of a method of one's own: what a program with it is built from.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use delassus_runner::passing::{Content, Files, METHOD};

use crate::cli::diagnostic::print_diagnostic;
use crate::cli::failure::Failure;
use crate::cli::output::printable;
use crate::registry::Registry;

const MANIFEST: &str = "Cargo.toml";
const LOCK: &str = "Cargo.lock";
/// Stands for the checkout in the manifest of a package that is passed on.
const CHECKOUT: &str = "DELASSUS";
/// What of a package is passed on, in addition to its manifest and its lock file.
const PARTS: [&str; 3] = ["src", "build.rs", "README.md"];
/// Files and depths of folders at most \[-\].
const MOST_FILES: usize = 500;
const MOST_DEPTH: usize = 8;

/// Adds the package and its lock file to `files`; false where no solver of another package is in
/// the registry, or its package was not found, which is said.
///
/// `named` is the folder that the user names. Otherwise it is the one that `cargo run` runs, or one
/// of those around the spec.
pub(super) fn add(
    files: &mut Files,
    named: Option<&Path>,
    spec: Option<&Path>,
    registry: &Registry,
) -> Result<bool, Failure> {
    if registry.linked().is_empty() && named.is_none() {
        return Ok(false);
    }
    let Some(folder) = folder(named, spec)? else {
        print_diagnostic(
            "note: the package of the solvers that are linked into this program was not found; --method DIR adds it",
        );
        return Ok(false);
    };
    let manifest = folder.join(MANIFEST);
    let text = fs::read_to_string(&manifest).map_err(|error| {
        Failure::run(format!(
            "{}: {error}",
            printable(&manifest.to_string_lossy())
        ))
    })?;
    let mut found = Vec::new();
    for part in PARTS {
        collect(&folder.join(part), part, MOST_DEPTH, &mut found)?;
    }
    // a member of a workspace has the lock file of that
    let lock = folder.ancestors().map(|around| around.join(LOCK));
    let lock = lock.into_iter().find(|path| is_file(path));
    match lock {
        Some(path) => found.push((LOCK.to_owned(), path)),
        None => print_diagnostic(
            "note: the package has no Cargo.lock; build it once and bundle it again",
        ),
    }
    if found.len() >= MOST_FILES {
        let shown = printable(&folder.to_string_lossy());
        let message = format!("{shown}: the package has more than {MOST_FILES} files");
        return Err(Failure::request(message));
    }
    let under =
        |(name, path): (String, PathBuf)| (format!("{METHOD}/{name}"), Content::Named(path));
    files.extend(found.into_iter().map(under));
    let made = Content::Made(elsewhere(&text).into_bytes());
    files.extend([(format!("{METHOD}/{MANIFEST}"), made)]);
    Ok(true)
}

/// A manifest in which the crates of the checkout lie in [`CHECKOUT`]: their paths on the machine
/// of the author lead nowhere on another one, and say how that machine is laid out.
fn elsewhere(manifest: &str) -> String {
    let line = |line: &str| {
        let (head, rest) = line.split_once("path = \"")?;
        let (path, tail) = rest.split_once('"')?;
        let (_, part) = path.rsplit_once("/crates/")?;
        let own = head.trim_start().starts_with("delassus");
        own.then(|| format!("{head}path = \"{CHECKOUT}/crates/{part}\"{tail}"))
    };
    let lines = manifest.split('\n');
    let lines = lines.map(|old| line(old).unwrap_or_else(|| old.to_owned()));
    lines.collect::<Vec<_>>().join("\n")
}

/// The folder of the package.
fn folder(named: Option<&Path>, spec: Option<&Path>) -> Result<Option<PathBuf>, Failure> {
    if let Some(named) = named {
        return match is_package(named) {
            true => Ok(Some(absolute(named))),
            false => Err(Failure::request(format!(
                "--method {}: is no folder with a {MANIFEST} of a package",
                printable(&named.to_string_lossy())
            ))),
        };
    }
    let built = env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    let spec = spec.map(absolute);
    let around = spec
        .iter()
        .flat_map(|spec| spec.ancestors())
        .map(Path::to_owned);
    let mut all = built.into_iter().chain(around);
    Ok(all.find(|folder| is_package(folder)))
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// A link may lead anywhere.
fn is_file(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|facts| facts.is_file())
}

/// True for a folder with the manifest of a package, which a workspace alone has not.
fn is_package(folder: &Path) -> bool {
    let manifest = folder.join(MANIFEST);
    is_file(&manifest)
        && fs::read_to_string(manifest).is_ok_and(|text| {
            let mut lines = text.lines();
            lines.any(|line| line.trim() == "[package]")
        })
}

/// The regular files at and below a path, by their names in the package, in their order.
fn collect(
    path: &Path,
    name: &str,
    depth: usize,
    found: &mut Vec<(String, PathBuf)>,
) -> Result<(), Failure> {
    let Ok(facts) = fs::symlink_metadata(path) else {
        return Ok(());
    };
    if facts.is_file() {
        found.push((name.to_owned(), path.to_owned()));
        return Ok(());
    }
    if !facts.is_dir() || depth == 0 || found.len() > MOST_FILES {
        return Ok(());
    }
    let shown = printable(&path.to_string_lossy());
    let unread = |error| Failure::run(format!("{shown}: {error}"));
    let entries = fs::read_dir(path).map_err(unread)?;
    let entries = entries.map(|entry| Ok(entry?.file_name()));
    let mut names = entries
        .collect::<std::io::Result<Vec<_>>>()
        .map_err(unread)?;
    names.sort();
    for inside in names {
        let Some(inside) = inside.to_str() else {
            continue;
        };
        collect(
            &path.join(inside),
            &format!("{name}/{inside}"),
            depth - 1,
            found,
        )?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::elsewhere;

    #[test]
    fn paths_to_the_checkout_are_those_of_no_machine() {
        let manifest = "[dependencies]\r\ndelassus-core = { path = \"/home/me/x/crates/core\" }\r\n\
                        delassus-lab = { path = \"../crates/lab\", default-features = false }\n\
                        mine = { path = \"../crates/mine\" }\ndelassus = \"0.2\"\n";
        let expected = "[dependencies]\r\ndelassus-core = { path = \"DELASSUS/crates/core\" }\r\n\
                        delassus-lab = { path = \"DELASSUS/crates/lab\", default-features = false }\n\
                        mine = { path = \"../crates/mine\" }\ndelassus = \"0.2\"\n";
        assert_eq!(elsewhere(manifest), expected);
    }
}
