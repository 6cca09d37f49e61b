//! The command that repeats a run, as a results folder has it.

use std::ffi::OsStr;
use std::path::{Component, Path};

use crate::spec::FILE_NAME;

/// What every such command begins with.
const RUN: &str = "cargo run --release -- run ";

/// The command that repeats the run of a spec. An absolute path would tell where the user keeps
/// things: its end must do.
pub(crate) fn of(spec: &Path) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    let spec = spec.strip_prefix(&here).unwrap_or(spec);
    let spec = if spec.is_absolute() {
        Path::new(spec.file_name().unwrap_or_default())
    } else {
        spec
    };
    quoted(&spec.display().to_string())
}

fn quoted(spec: &str) -> String {
    if spec.contains([' ', '\'', '"', '\\', '$']) {
        return format!("{RUN}'{}'", spec.replace('\'', r"'\''"));
    }
    format!("{RUN}{spec}")
}

/// True for a command that [`of`] gives for a spec of the experiment `id`, in whatever folder.
pub(crate) fn is_of(command: &str, id: &str) -> bool {
    let Some(shown) = command.strip_prefix(RUN) else {
        return false;
    };
    let inner = shown.strip_prefix('\'').and_then(|s| s.strip_suffix('\''));
    let spec = inner.map_or(shown.to_owned(), |inner| inner.replace(r"'\''", "'"));
    quoted(&spec) == command && is_named(Path::new(&spec), id)
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
        }
        for other in ["specs/smell", "smell.toml", "specs/smell/experiment.toml"] {
            assert!(!is_of(&of(Path::new(other)), "small"), "{other}");
        }
        assert_eq!(of(long), "cargo run --release -- run small.toml");
    }
}
