//! The command that repeats a run, as a results folder has it.

use std::ffi::OsStr;
use std::fs;
use std::path::{Component, Path};

use crate::registry::Registry;
use crate::spec::FILE_NAME;

/// What such a command begins with in a folder that cargo builds the program of.
const CARGO: &str = "cargo run --release -- run ";
/// The program that is installed.
const PROGRAM: &str = "delassus";
/// What the manifest of a checkout or of a package with a solver of its own names.
const BUILT: &str = "delassus-lab";

/// The command that repeats the run of a spec. An absolute path would tell where the user keeps
/// things: its end must do.
pub(crate) fn of(spec: &Path, registry: &Registry) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    let spec = spec.strip_prefix(&here).unwrap_or(spec);
    let spec = if spec.is_absolute() {
        Path::new(spec.file_name().unwrap_or_default())
    } else {
        spec
    };
    let begin = match is_built_in(&here) {
        true => CARGO.to_owned(),
        false => format!("{} run ", program(registry)),
    };
    quoted(&begin, &spec.display().to_string())
}

/// True in a checkout of Delassus, and in a package with a solver of its own.
fn is_built_in(folder: &Path) -> bool {
    let mut manifests = folder.ancestors().map(|folder| folder.join("Cargo.toml"));
    manifests.any(|path| fs::read_to_string(path).is_ok_and(|text| text.contains(BUILT)))
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

fn quoted(begin: &str, spec: &str) -> String {
    if spec.contains([' ', '\'', '"', '\\', '$']) {
        return format!("{begin}'{}'", spec.replace('\'', r"'\''"));
    }
    format!("{begin}{spec}")
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
        let inner = shown.strip_prefix('\'').and_then(|s| s.strip_suffix('\''));
        let spec = inner.map_or(shown.to_owned(), |inner| inner.replace(r"'\''", "'"));
        quoted(&begin, &spec) == command && is_named(Path::new(&spec), id)
    })
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
            |spec: &Path| of(spec, &registry),
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
