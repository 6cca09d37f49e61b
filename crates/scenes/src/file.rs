//! Scene files: the parts of a world as TOML or JSON.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use delassus_core::parameter::in_words;
use delassus_dynamics::{World, WorldParts};

use crate::error::SceneError;

/// The two forms of a scene file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Toml,
    Json,
}

impl Form {
    fn of(path: &Path) -> Result<Self, SceneError> {
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("toml") => Ok(Self::Toml),
            Some("json") => Ok(Self::Json),
            _ => Err(SceneError::Extension {
                path: path.to_owned(),
            }),
        }
    }
}

/// Reads a scene file; its name ends in `.toml` or `.json`.
///
/// # Errors
/// A file that cannot be read, that is not the form of a world, or whose world is not valid.
pub fn read(path: &Path) -> Result<World, SceneError> {
    let form = Form::of(path)?;
    let text = fs::read_to_string(path).map_err(|source| io_error(path, source))?;
    let parsed: Result<WorldParts, String> = match form {
        Form::Toml => toml::from_str(&text).map_err(|error| in_words(&error)),
        Form::Json => serde_json::from_str(&text).map_err(|error| in_words(&error)),
    };
    let parts = parsed.map_err(|reason| format_error(path, reason))?;
    parts.build().map_err(|source| SceneError::World {
        path: path.to_owned(),
        source,
    })
}

/// Writes the bodies, joints and contacts of a world as a scene file; its name ends in `.toml` or `.json`. The file
/// is written whole or not at all.
///
/// Time and stored impulses are not part of a scene; of a position the nearest double is kept.
///
/// # Errors
/// A file that cannot be written.
pub fn write(world: &World, path: &Path) -> Result<(), SceneError> {
    let form = Form::of(path)?;
    let parts = world.clone().into_parts();
    let text = match form {
        Form::Toml => toml::to_string(&parts).map_err(|error| error.to_string()),
        Form::Json => serde_json::to_string_pretty(&parts).map_err(|error| error.to_string()),
    };
    let text = text.map_err(|reason| format_error(path, reason))?;
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(format!(".{}.tmp", std::process::id()));
    let temporary = path.with_file_name(name);
    let written = write_and_rename(path, &temporary, text.as_bytes());
    if written.is_err() {
        // best effort: the error that matters is the one being returned
        let _ = fs::remove_file(&temporary);
    }
    written.map_err(|source| io_error(path, source))
}

/// The bytes reach the disk before they take the name.
fn write_and_rename(path: &Path, temporary: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = File::create(temporary)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(temporary, path)
}

fn io_error(path: &Path, source: io::Error) -> SceneError {
    SceneError::Io {
        path: path.to_owned(),
        source,
    }
}

fn format_error(path: &Path, reason: String) -> SceneError {
    SceneError::Format {
        path: path.to_owned(),
        reason,
    }
}
