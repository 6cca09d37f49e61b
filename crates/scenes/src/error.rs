//! Errors of scenes and scene files: what, where, what to do.

use std::path::PathBuf;

use delassus_core::ParameterError;
use delassus_dynamics::FieldError;
use thiserror::Error;

/// Why there is no world.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SceneError {
    /// No scene has that identifier.
    #[error("unknown scene {id:?}; there are {known}")]
    UnknownScene {
        /// What was asked for.
        id: String,
        /// Every identifier, separated by commas.
        known: String,
    },
    /// The parameters do not fit the scene: an unknown key, or a value of another type.
    #[error("scene {scene}: {reason}")]
    Parameters {
        /// The scene.
        scene: &'static str,
        /// What does not fit.
        reason: String,
    },
    /// A parameter is out of its range.
    #[error("scene {scene}: {source}")]
    Parameter {
        /// The scene.
        scene: &'static str,
        /// The parameter, its value and its range.
        #[source]
        source: ParameterError,
    },
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
