//! Scene files: the parts of a world as TOML or JSON.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use delassus_core::place::TextPlace;
use delassus_dynamics::{World, WorldParts};

use crate::error::SceneError;
use crate::message::{in_words, place_of};

/// Largest scene file that is read \[bytes\].
const MAX_BYTES: u64 = 64 << 20;

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
    let text = text_of(path)?;
    let parsed: Result<WorldParts, (TextPlace, String)> = match form {
        Form::Toml => toml::from_str(&text).map_err(|error| {
            let place = TextPlace::of(&text, error.span().unwrap_or(0..0));
            (place, in_words(error.message()))
        }),
        Form::Json => serde_json::from_str(&text).map_err(|error| {
            let (line, column) = (error.line(), error.column());
            let message = error.to_string();
            let place = format!(" at line {line} column {column}");
            let message = message.strip_suffix(&place).unwrap_or(&message);
            (TextPlace::at(&text, line, column), in_words(message))
        }),
    };
    let parts = parsed.map_err(|(place, reason)| format_error(path, Some(place), reason))?;
    parts.build().map_err(|source| SceneError::World {
        path: path.to_owned(),
        // JSON is parsed without places
        place: match form {
            Form::Toml => place_of(&text, &source.path).map(Box::new),
            Form::Json => None,
        },
        source,
    })
}

/// The text of a file that is not too large for a scene.
fn text_of(path: &Path) -> Result<String, SceneError> {
    let length = fs::metadata(path).map_or(0, |facts| facts.len());
    if length > MAX_BYTES {
        let reason = format!("a scene of {length} bytes; at most {MAX_BYTES} are read");
        return Err(format_error(path, None, reason));
    }
    let bytes = fs::read(path).map_err(|source| io_error(path, source))?;
    String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let text = String::from_utf8_lossy(error.as_bytes());
        let place = TextPlace::of(&text, valid..valid + 1);
        format_error(
            path,
            Some(place),
            "not UTF-8 from here on; save the file as UTF-8".to_owned(),
        )
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
    let text = text.map_err(|reason| format_error(path, None, reason))?;
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

fn format_error(path: &Path, place: Option<TextPlace>, reason: String) -> SceneError {
    SceneError::Format {
        path: path.to_owned(),
        place: place.map(Box::new),
        reason,
    }
}
