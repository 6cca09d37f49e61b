//! Errors of scenes and scene files: what, where, what to do.

use std::path::PathBuf;

use delassus_core::EntryError;
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
    #[error("{}: {source}", path.display())]
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
    /// A scene file is not the form of a world: a missing or unknown field, or a value of another type.
    #[error("{}: {reason}", path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// What does not fit, with its line.
        reason: String,
    },
    /// A scene file is well formed, but the world in it is not valid.
    #[error("{}: {source}", path.display())]
    World {
        /// The file.
        path: PathBuf,
        /// The field, its value and what is allowed.
        #[source]
        source: FieldError,
    },
}
