//! Experiment specs: one TOML file that says what to solve, with what, until when, and what to
//! draw.
//!
//! Everything that can be judged from the text alone is judged here: unknown keys, wrong types,
//! impossible values, unknown solvers, generators and metrics. Each is one [`SpecError`] with its
//! place and the nearest valid name.

mod contents;
#[cfg(test)]
mod documentation;
mod parse;
mod prune;
mod schema;
mod used;
mod views;

use std::fs;
use std::path::Path;

use delassus_core::file_kind::{irregular, read_at_most};

use crate::document::context::NamedFiles;
use crate::document::text::Document;
use crate::figures::FigureSpec;
use crate::registry::Registry;

pub use crate::document::axes::{GridAxis, GridPoint, points, size};
pub use crate::document::keys::FRAME_SECONDS;
pub use crate::document::text::{SourceLocation, SpecError};
pub use contents::{FILE_NAME, Plan, SolverFamily, Spec};
use parse::FurtherErrors;
pub use schema::schema;
pub(crate) use used::PAGE;

/// Largest spec that is read \[bytes\].
const MAX_BYTES: u64 = 4 << 20;

/// Reads and checks a spec. `path` names the file, or its folder.
///
/// # Errors
/// No such file, not UTF-8, or anything in the spec that cannot be meant.
pub fn read(path: &Path, registry: &Registry) -> Result<Spec, SpecError> {
    read_and(path, registry, &|_| Vec::new())
}

/// The same. To the errors of a spec it adds the `further` ones of the part that could be read.
pub(crate) fn read_and(
    path: &Path,
    registry: &Registry,
    further: FurtherErrors<'_>,
) -> Result<Spec, SpecError> {
    read_with(path, registry, NamedFiles::Needed, further)
}

fn read_with(
    path: &Path,
    registry: &Registry,
    files: NamedFiles,
    further: FurtherErrors<'_>,
) -> Result<Spec, SpecError> {
    let path = if path.is_dir() {
        path.join(FILE_NAME)
    } else {
        path.to_owned()
    };
    let file = path.display().to_string();
    let refuse = |message: String| SpecError::of_file(&file, message);
    let bytes = read_at_most(&path, MAX_BYTES);
    let bytes = bytes.map_err(|error| refuse(missing(&path, &error)))?;
    if bytes.len() as u64 > MAX_BYTES {
        let length = fs::metadata(&path).map_or(0, |facts| facts.len());
        return Err(refuse(format!(
            "a spec of {length} bytes; at most {MAX_BYTES} are read"
        )));
    }
    check_page(&path).map_err(refuse)?;
    let text = String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let text = &String::from_utf8_lossy(error.as_bytes());
        let document = Document { file: &file, text };
        let message = "not UTF-8 from here on; save the file as UTF-8";
        document.error(valid..valid + 1, message)
    })?;
    parse::spec(&path, text, registry, files, further)
}

/// Reads a spec of whose cells there are records: where a file that it names is missing, no cells
/// follow from it, and its title, figures, tables and gates are those that it has.
///
/// # Errors
/// No such file, not UTF-8, or anything in the spec that cannot be meant.
pub fn read_for_views(path: &Path, registry: &Registry) -> Result<Spec, SpecError> {
    let read = |files| read_with(path, registry, files, &|_| Vec::new());
    read(NamedFiles::Needed).or_else(|error| read(NamedFiles::Unread).map_err(|_| error))
}

/// Refuses a page next to the spec that is a pipe, a device, a socket or a folder: a report would
/// leave it out. A link is no page.
fn check_page(spec: &Path) -> Result<(), String> {
    let page = spec.with_file_name(PAGE);
    let facts = fs::symlink_metadata(&page).ok();
    match facts.as_ref().and_then(irregular) {
        None => Ok(()),
        Some(kind) => Err(format!(
            "{} next to it is {kind}, not a file; move it away",
            page.display()
        )),
    }
}

/// Checks the text of a spec as if it were the file `path`.
///
/// # Errors
/// Anything in the spec that cannot be meant.
pub fn of_text(path: &Path, text: String, registry: &Registry) -> Result<Spec, SpecError> {
    parse::spec(path, text, registry, NamedFiles::Needed, &|_| Vec::new())
}

/// Reads the text of a spec of which nothing but the text is of interest: the files that it names
/// need not be there, and no cells follow from it.
///
/// # Errors
/// Anything in the text that cannot be meant.
pub(crate) fn text_alone(
    path: &Path,
    text: String,
    registry: &Registry,
) -> Result<Spec, SpecError> {
    parse::spec(path, text, registry, NamedFiles::Unread, &|_| Vec::new())
}

fn missing(path: &Path, error: &std::io::Error) -> String {
    if error.kind() != std::io::ErrorKind::NotFound {
        return format!("cannot read the spec: {error}");
    }
    let folder = path.parent().unwrap_or(Path::new(""));
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    if name == FILE_NAME && folder.is_dir() {
        return format!("no such file; an experiment's folder holds a file {FILE_NAME}");
    }
    let (parent, wanted) = if name == FILE_NAME {
        let own = folder.file_name().unwrap_or_default();
        (folder.parent(), own.to_string_lossy())
    } else {
        (Some(folder), name)
    };
    let parent = parent.map(|p| {
        if p == Path::new("") {
            Path::new(".")
        } else {
            p
        }
    });
    let entries = parent.and_then(|parent| fs::read_dir(parent).ok());
    let names: Vec<String> = entries
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    match crate::suggest::nearest(&wanted, names.iter().map(String::as_str)) {
        Some(found) => format!("no such file; did you mean {found:?}?"),
        None => "no such file".to_owned(),
    }
}

impl Spec {
    /// Says that the page next to the spec is left out, as it is a link.
    pub(crate) fn unread_page(&self) -> Option<String> {
        let page = self.folder.join(PAGE);
        page.is_symlink().then(|| {
            format!(
                "{} is a link, and the report is without it: no link is followed to a page; put the text itself there",
                page.display()
            )
        })
    }

    /// True for a parameter that the spec sets, as figures name it.
    pub(crate) fn sets(&self, name: &str) -> bool {
        let columns = self.plan.columns(&self.solvers);
        let (families, key) = match name.split_once('.') {
            Some(("scheme", key)) => (columns.schemes, key),
            Some(("solver", key)) => (columns.solvers, key),
            Some(("scene", key)) => (columns.problems, key),
            _ => (columns.problems, name),
        };
        let mut families = families.iter();
        families.any(|family| family.parameters.contains(&key))
    }

    /// A figure that this spec does not have: the lines of a `[[figure]]`, checked as if they were
    /// in it.
    ///
    /// # Errors
    /// Anything in the lines that cannot be meant; the errors name no place.
    pub(crate) fn figure(&self, lines: &str) -> Result<FigureSpec, SpecError> {
        let columns = self.plan.columns(&self.solvers);
        let found = parse::figure(lines, &columns);
        found.map_err(|error| error.without_places("plot"))
    }
}
