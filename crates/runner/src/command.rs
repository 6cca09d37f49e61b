//! The command that repeats a run, as a results folder has it.

use std::ffi::OsStr;
use std::fs;
use std::path::{Component, Path, PathBuf};

use crate::registry::Registry;
use crate::spec::FILE_NAME;

/// What such a command begins with in a folder that cargo builds the program of.
const CARGO: &str = "cargo run --release -- run ";
/// The program that is installed.
const PROGRAM: &str = "delassus";
/// What the manifest of a checkout or of a package with a solver of its own names.
const BUILT: &str = "delassus-lab";

/// What stands before a folder of results that is not the one of every spec of this name.
const OUT: &str = " --out ";

/// The command that repeats the run of a spec into `folder`. An absolute path would tell where the
/// user keeps things: its end must do.
///
/// A spec in the folder of its results, as that of `play`, is run into this folder again, even if
/// `usual`, the folder of a spec of this name, is another.
pub(crate) fn of(spec: &Path, folder: &Path, usual: &Path, registry: &Registry) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    let from_here = |path| Path::strip_prefix(path, &here).unwrap_or(path);
    let (spec, folder) = (from_here(spec), from_here(folder));
    let is_inside = spec.parent() == Some(folder) && folder != usual;
    let spec = if spec.is_absolute() {
        Path::new(spec.file_name().unwrap_or_default())
    } else {
        spec
    };
    let begin = match is_built_in(&here) {
        true => CARGO.to_owned(),
        false => format!("{} run ", program(registry)),
    };
    let repeated = format!("{begin}{}", quoted(&spec.display().to_string()));
    match is_inside {
        true => format!("{repeated}{OUT}{}", folder_of(spec)),
        false => repeated,
    }
}

/// The folder that a spec stands in, as a command writes it.
fn folder_of(spec: &Path) -> String {
    match spec.parent() {
        Some(folder) if folder != Path::new("") => quoted(&folder.display().to_string()),
        _ => ".".to_owned(),
    }
}

/// True in a checkout of Delassus, and in a package with a solver of its own.
fn is_built_in(folder: &Path) -> bool {
    let mut manifests = folder.ancestors().map(|folder| folder.join("Cargo.toml"));
    manifests.any(|path| fs::read_to_string(path).is_ok_and(|text| text.contains(BUILT)))
}

/// How to run a spec whose package has a solver of its own, which this program lacks: the folder of
/// the package and the command there. `None` if this program has such solvers, or no package with
/// one is around the spec.
pub fn of_package(spec: &Path, registry: &Registry) -> Option<(PathBuf, String)> {
    if !registry.linked().is_empty() {
        return None;
    }
    let spec = std::path::absolute(spec).ok()?;
    let own = |folder: &&Path| {
        let manifest = fs::read_to_string(folder.join("Cargo.toml"));
        let manifest = manifest.unwrap_or_default();
        manifest.contains(BUILT) && manifest.lines().any(|line| line.trim() == "[package]")
    };
    let folder = spec.ancestors().skip(1).find(own)?;
    let inside = spec.strip_prefix(folder).unwrap_or(&spec);
    let inside = match inside == Path::new(FILE_NAME) {
        true => ".".to_owned(),
        false => quoted(&inside.display().to_string()),
    };
    Some((folder.to_owned(), format!("{CARGO}{inside}")))
}

/// The name of this program: that of a package which links a solver of the same name, or ours.
fn program(registry: &Registry) -> String {
    let own = std::env::current_exe().ok();
    let own = own.as_deref().and_then(Path::file_stem);
    let linked = registry.linked();
    let mut names = linked.iter().map(|entry| entry.descriptor.id);
    let own = names.find(|name| own == Some(OsStr::new(name)));
    own.unwrap_or(PROGRAM).to_owned()
}

fn quoted(path: &str) -> String {
    if path.contains([' ', '\'', '"', '\\', '$']) {
        return format!("'{}'", path.replace('\'', r"'\''"));
    }
    path.to_owned()
}

/// True for a command that [`of`] gives for a spec of the experiment `id`, in whatever folder.
pub(crate) fn is_of(command: &str, id: &str, registry: &Registry) -> bool {
    let linked = registry.linked();
    let names = linked.iter().map(|entry| entry.descriptor.id);
    let programs = names.chain([PROGRAM]).map(|name| format!("{name} run "));
    let mut begins = programs.chain([CARGO.to_owned()]);
    begins.any(|begin| {
        let Some(shown) = command.strip_prefix(&begin) else {
            return false;
        };
        // a folder of results may have the name of the option
        let ends = shown.match_indices(OUT).map(|(at, _)| at);
        let mut ends = ends.chain([shown.len()]);
        ends.any(|end| {
            let (spec, out) = (unquoted(&shown[..end]), &shown[end..]);
            let spec = Path::new(&spec);
            (out.is_empty() || out == format!("{OUT}{}", folder_of(spec)))
                && quoted(&spec.display().to_string()) == shown[..end]
                && is_named(spec, id)
        })
    })
}

fn unquoted(shown: &str) -> String {
    let inner = shown.strip_prefix('\'').and_then(|s| s.strip_suffix('\''));
    inner.map_or(shown.to_owned(), |inner| inner.replace(r"'\''", "'"))
}

/// True for a spec that may be named `id`: as its folder, as its file, or as both.
fn is_named(spec: &Path, id: &str) -> bool {
    let last = |path: &Path| match path.components().next_back() {
        Some(Component::Normal(name)) => Some(name.to_string_lossy().into_owned()),
        // the working folder, or one around it
        _ => None,
    };
    let Some(name) = last(spec) else {
        return true;
    };
    let folder = last(spec.parent().unwrap_or(Path::new("")));
    if spec.file_name() == Some(OsStr::new(FILE_NAME)) {
        return folder.is_none_or(|folder| folder == id) || name == id;
    }
    let stem = spec.file_stem().unwrap_or_default().to_string_lossy();
    let both = match &folder {
        Some(folder) => format!("{folder}-{stem}") == id,
        None => id.ends_with(&format!("-{stem}")),
    };
    // the whole name is that of a folder
    both || stem == id || name == id
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_name_the_spec_of_their_experiment() {
        let registry = Registry::standard();
        let (of, is_of) = (
            |spec: &Path| of(spec, Path::new("out"), Path::new("results/id"), &registry),
            |command: &str, id: &str| is_of(command, id, &registry),
        );
        let rooted = std::env::current_dir().unwrap().join("specs/small");
        let long = Path::new("/somewhere else/it's/small.toml");
        for (spec, id) in [
            (Path::new("specs/small"), "small"),
            (&rooted, "small"),
            (Path::new("specs/small/experiment.toml"), "small"),
            (Path::new("experiment.toml"), "whatever"),
            (Path::new("."), "whatever"),
            (Path::new("a.b.toml"), "a.b"),
            (Path::new("specs/small/other.toml"), "small-other"),
            (Path::new("it's $5.toml"), "it's $5"),
            (long, "small"),
        ] {
            let command = of(spec);
            assert!(is_of(&command, id), "{command} {id}");
            assert!(!is_of(&command.replace("cargo", "carga"), id));
            assert!(!is_of(&format!("{command} --out /"), id), "{command}");
            let installed = command.replace(CARGO, "delassus run ");
            assert!(is_of(&installed, id), "{installed} {id}");
            assert!(!is_of(&installed.replace("delassus", "rm"), id));
        }
        for other in ["specs/smell", "smell.toml", "specs/smell/experiment.toml"] {
            assert!(!is_of(&of(Path::new(other)), "small"), "{other}");
        }
        // results next to their spec
        let inside = |spec: &str, usual: &str| {
            let spec = Path::new(spec);
            super::of(spec, spec.parent().unwrap(), Path::new(usual), &registry)
        };
        let begin = "cargo run --release -- run ";
        for (spec, usual, end) in [
            (
                "results/play-a/play.toml",
                "results/play",
                "results/play-a/play.toml --out results/play-a",
            ),
            (
                "results/demo/demo.toml",
                "results/demo",
                "results/demo/demo.toml",
            ),
            (
                "it's/play.toml",
                "results/play",
                r"'it'\''s/play.toml' --out 'it'\''s'",
            ),
            ("/a/play.toml", "results/play", "play.toml --out ."),
        ] {
            let command = inside(spec, usual);
            assert_eq!(command, format!("{begin}{end}"));
            let id = Path::new(spec).file_stem().unwrap().to_str().unwrap();
            assert!(is_of(&command, id), "{command}");
            assert!(!is_of(&format!("{command} --out /.."), id), "{command}");
        }
        // tests run in a checkout
        assert_eq!(of(long), "cargo run --release -- run small.toml");
    }

    #[test]
    fn cargo_builds_in_a_checkout_or_a_package_alone() {
        let folder = tempfile::tempdir().unwrap();
        assert!(!is_built_in(folder.path()));
        let inner = folder.path().join("a/b");
        fs::create_dir_all(&inner).unwrap();
        fs::write(
            folder.path().join("Cargo.toml"),
            "[package]\nname = \"x\"\n",
        )
        .unwrap();
        assert!(!is_built_in(&inner));
        fs::write(
            folder.path().join("a/Cargo.toml"),
            "delassus-lab = { path = \"\" }\n",
        )
        .unwrap();
        assert!(is_built_in(&inner) && !is_built_in(folder.path()));
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        assert!(is_built_in(&root) && is_built_in(&root.join("docs")));
    }
}
