//! Errors of scenes and scene files: what, where, what to do.

use std::fmt;
use std::path::{Path, PathBuf};

use delassus_core::EntryError;
use delassus_core::source_location::SourceLocation;
use delassus_core::suggest::{did_you_mean, nearest};
use delassus_dynamics::FieldError;
use thiserror::Error;

/// Why there is no world.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SceneError {
    /// No scene of that name, an unknown parameter, a value of another type or out of range.
    #[error(transparent)]
    Entry(#[from] EntryError),
    /// The parameters are each in range, but together make no valid world.
    #[error("scene {scene}: {source}")]
    Field {
        /// The scene.
        scene: &'static str,
        /// The field of the world, its value and what is allowed.
        #[source]
        source: FieldError,
    },
    /// A scene file cannot be read or written.
    #[error("{}: {}", path.display(), in_short(path, source))]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// The name of a scene file says nothing about its form.
    #[error("{}: a scene file ends in .toml or .json", path.display())]
    Extension {
        /// The file.
        path: PathBuf,
    },
    /// A scene file is not the form of a world: a missing or unknown field, or a value of another
    /// type.
    #[error("{}{}", Located(path, place.as_deref(), reason), Others(path, more))]
    Format {
        /// The file.
        path: PathBuf,
        /// Where.
        place: Option<Box<SourceLocation>>,
        /// What does not fit.
        reason: String,
        /// The faults further down in the file.
        more: Box<[SceneFault]>,
    },
    /// A scene file is well formed, but the world in it is not valid.
    #[error("{}", Located(path, place.as_deref(), source))]
    World {
        /// The file.
        path: PathBuf,
        /// Where the field stands, if the file has it.
        place: Option<Box<SourceLocation>>,
        /// The field, its value and what is allowed.
        #[source]
        source: FieldError,
    },
}

/// A fault of a scene file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SceneFault {
    /// Where.
    pub place: SourceLocation,
    /// What does not fit.
    pub reason: String,
}

/// The other faults of a file, and the number of all.
struct Others<'a>(&'a Path, &'a [SceneFault]);

impl fmt::Display for Others<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(path, more) = self;
        for fault in *more {
            write!(f, "\n{}", Located(path, Some(&fault.place), &fault.reason))?;
        }
        match more.len() {
            0 => Ok(()),
            others => write!(f, "\n{} errors in {}", others + 1, path.display()),
        }
    }
}

/// A message about a file, with the place in it.
struct Located<'a>(&'a Path, Option<&'a SourceLocation>, &'a dyn fmt::Display);

impl fmt::Display for Located<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(path, place, message) = self;
        match place {
            Some(place) => place.report(f, &path.display().to_string(), message),
            None => write!(f, "{}: {message}", path.display()),
        }
    }
}

/// What the system says; of a file that is not there, what may have been meant.
fn in_short(path: &Path, source: &std::io::Error) -> String {
    if source.kind() != std::io::ErrorKind::NotFound {
        return source.to_string();
    }
    let folder = match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    };
    let Ok(entries) = std::fs::read_dir(folder) else {
        return format!("no such file; there is no folder {}", folder.display());
    };
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut names: Vec<String> = names.collect();
    // the order of a folder is the file system's
    names.sort();
    let wanted = path.file_name().unwrap_or_default().to_string_lossy();
    let close = nearest(&wanted, names.iter().map(String::as_str));
    format!("no such file{}", did_you_mean(close.as_deref()))
}
