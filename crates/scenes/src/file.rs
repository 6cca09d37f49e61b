//! Scene files: the parts of a world as TOML or JSON.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use delassus_core::file_kind::read_at_most;
use delassus_core::source_location::SourceLocation;
use delassus_dynamics::{World, WorldParts};

use crate::document::{self, Fault};
use crate::error::SceneError;
use crate::faults::{self, Reader};
use crate::fixing::{self, FixedInertia};
use crate::message::{in_words, span_of};
use crate::origins::Origins;
use crate::unread;
use crate::wording::of_type;

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
    // a name that says no form is refused before its file is read
    Form::of(path)?;
    of_bytes(path, &bytes_of(path)?)
}

/// Reads a scene from bytes as if they were the file `path`.
///
/// # Errors
/// As [`read`].
pub fn of_bytes(path: &Path, bytes: &[u8]) -> Result<World, SceneError> {
    let form = Form::of(path)?;
    let text = text_of(path, bytes)?;
    world_of(path, form, text, Moments::Checked).map(|(world, _)| world)
}

/// Reads a scene file, and gives bodies whose principal moments no mass distribution has the
/// nearest that one has.
///
/// # Errors
/// As [`read`], but for these moments.
pub fn read_fixing_inertia(path: &Path) -> Result<(World, Vec<FixedInertia>), SceneError> {
    let form = Form::of(path)?;
    let bytes = bytes_of(path)?;
    world_of(path, form, text_of(path, &bytes)?, Moments::Fixed)
}

/// What becomes of principal moments that no mass distribution has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Moments {
    /// They are errors.
    Checked,
    /// The nearest take their place.
    Fixed,
}

type Read = (World, Vec<FixedInertia>);

fn world_of(path: &Path, form: Form, text: &str, moments: Moments) -> Result<Read, SceneError> {
    match form {
        Form::Json => json_world(path, text, moments),
        Form::Toml => {
            let read = |text: &str| build(form, text, document::parts(text)?, moments);
            read(text).map_err(|fault| toml_error(path, text, fault, &|text| read(text).err()))
        }
    }
}

/// All that is wrong with a TOML text, of which its reader found `fault` first.
fn toml_error(path: &Path, text: &str, fault: Fault, read: Reader<'_>) -> SceneError {
    let field = fault.field.clone();
    let named = fault
        .path
        .as_ref()
        .is_none_or(|path| span_of(text, path).is_some());
    let mut faults = faults::all(text, fault, read).into_iter();
    let (place, reason) = faults
        .next()
        .map(|fault| (fault.place, fault.reason))
        .unzip();
    // an empty file has no line to show
    let place = place.filter(|_| named && !text.is_empty()).map(Box::new);
    let path = path.to_owned();
    match field {
        Some(source) if faults.len() == 0 => SceneError::World {
            path,
            place,
            source: *source,
        },
        _ => SceneError::Format {
            path,
            place,
            reason: reason.unwrap_or_default(),
            more: faults.collect(),
        },
    }
}

fn json_world(path: &Path, text: &str, moments: Moments) -> Result<Read, SceneError> {
    let parts = match with_names(text) {
        // the places would be those of another text
        Some(text) => text
            .and_then(|text| document::parts(&text).map_err(|fault| fault.message))
            .map_err(|message| format_error(path, None, in_words(&message)))?,
        None => serde_json::from_str(text)
            .map(without_sections)
            .map_err(|error| {
                let (line, column) = (error.line(), error.column());
                let message = error.to_string();
                let place = format!(" at line {line} column {column}");
                let message = message.strip_suffix(&place).unwrap_or(&message);
                let place = SourceLocation::at(text, line, column);
                let place = Some(place).filter(|_| !text.is_empty());
                let reason = of_type(message, "the value").unwrap_or_else(|| in_words(message));
                format_error(path, place, reason)
            })?,
    };
    build(Form::Json, text, parts, moments).map_err(|fault| match fault.field {
        // JSON is parsed without places
        Some(source) => SceneError::World {
            path: path.to_owned(),
            place: None,
            source: *source,
        },
        None => format_error(path, None, fault.message),
    })
}

/// The parts of a file that has no sections.
fn without_sections(parts: WorldParts) -> (WorldParts, Origins) {
    (parts, Origins::default())
}

/// The TOML text of a JSON text with bodies by name, or with scenes, rods or ropes; `None` for
/// others.
fn with_names(text: &str) -> Option<Result<String, String>> {
    let value: serde_json::Value = serde_json::from_str(text).ok()?;
    let toml = || toml::to_string(&value).map_err(|error| error.to_string());
    document::has_names(&value).then(toml)
}

fn build(
    form: Form,
    text: &str,
    (mut parts, origins): (WorldParts, Origins),
    moments: Moments,
) -> Result<Read, Fault> {
    let fixed = match moments {
        Moments::Fixed => fixing::fix(&mut parts),
        Moments::Checked => Vec::new(),
    };
    let broken = fixing::broken(&parts);
    let read = match unread::possible(&parts) {
        true => unread::find(&document_of(form, text)),
        false => Ok(()),
    };
    let built = read.and_then(|()| parts.build());
    let built = built.map_err(|source| origins.in_file(fixing::explain(source, &broken)));
    let world = built.map_err(Fault::of_field)?;
    Ok((world, fixed))
}

/// A text that was parsed before, without the defaults of its parts.
fn document_of(form: Form, text: &str) -> serde_json::Value {
    let parsed = match form {
        Form::Toml => toml::from_str(text).ok(),
        Form::Json => serde_json::from_str(text).ok(),
    };
    parsed.unwrap_or_default()
}

/// The bytes of a file that is not too large for a scene.
fn bytes_of(path: &Path) -> Result<Vec<u8>, SceneError> {
    let bytes = read_at_most(path, MAX_BYTES).map_err(|source| io_error(path, source))?;
    if bytes.len() as u64 > MAX_BYTES {
        let length = fs::metadata(path).map_or(0, |facts| facts.len());
        let reason = format!("a scene of {length} bytes; at most {MAX_BYTES} are read");
        return Err(format_error(path, None, reason));
    }
    Ok(bytes)
}

fn text_of<'b>(path: &Path, bytes: &'b [u8]) -> Result<&'b str, SceneError> {
    std::str::from_utf8(bytes).map_err(|error| {
        let valid = error.valid_up_to();
        let text = String::from_utf8_lossy(bytes);
        let place = SourceLocation::of(&text, valid..valid + 1);
        format_error(
            path,
            Some(place),
            "not UTF-8 from here on; save the file as UTF-8".to_owned(),
        )
    })
}

/// Writes the bodies, joints and contacts of a world as a scene file; its name ends in `.toml` or
/// `.json`. The file is written whole or not at all.
///
/// Time and stored impulses are not part of a scene; of a position the nearest double is kept.
///
/// # Errors
/// A file that cannot be written.
pub fn write(world: &World, path: &Path) -> Result<(), SceneError> {
    let text = text(world, path)?;
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

/// The text of the scene file `path` of a world.
///
/// # Errors
/// A name that says no form.
pub fn text(world: &World, path: &Path) -> Result<String, SceneError> {
    let form = Form::of(path)?;
    let mut parts = world.clone().into_parts();
    unread::remove(&mut parts);
    let text = match form {
        Form::Toml => toml::to_string(&parts).map_err(|error| error.to_string()),
        Form::Json => serde_json::to_string_pretty(&parts).map_err(|error| error.to_string()),
    };
    text.map_err(|reason| format_error(path, None, reason))
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

fn format_error(path: &Path, place: Option<SourceLocation>, reason: String) -> SceneError {
    SceneError::Format {
        path: path.to_owned(),
        place: place.map(Box::new),
        reason,
        more: Box::default(),
    }
}
