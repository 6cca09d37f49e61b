//! `[[figure]]`, `[[table]]`, `[[strip]]` and `[[gate]]`: decoded and checked by their own types,
//! with all errors of all of them in the words of a spec.

mod kinds;
mod known;
mod reader;
mod words;

use toml::de::DeValue;

use crate::document::section::{Item, SpecSection};
use crate::document::text::SpecError;
use crate::figures::FigureSpec;
use crate::gate::GateSpec;
use crate::strips::StripSpec;
use crate::tables::TableSpec;
pub(super) use known::KnownCells;
use known::ShownView;
use reader::ViewReader;

/// What a spec shows and asserts of its cells.
#[derive(Debug, Default)]
pub(super) struct Views {
    pub(super) figures: Vec<FigureSpec>,
    pub(super) tables: Vec<TableSpec>,
    pub(super) strips: Vec<StripSpec>,
    pub(super) gates: Vec<GateSpec>,
}

/// Reads and checks all views of a spec; the error has all that is wrong with them.
pub(super) fn read(root: &SpecSection<'_>, known: KnownCells<'_>) -> Result<Views, SpecError> {
    let mut errors = Vec::new();
    // pictures of strips lie among those of the figures
    let (mut pictures, mut names) = (Some(Vec::new()), Some(Vec::new()));
    let mut none = None;
    let views = Views {
        figures: of_kind(root, known, &mut pictures, &mut errors),
        tables: of_kind(root, known, &mut names, &mut errors),
        strips: of_kind(root, known, &mut pictures, &mut errors),
        gates: of_kind(root, known, &mut none, &mut errors),
    };
    if let (Some(strips), None) = (root.get(StripSpec::KEY), root.get("replay")) {
        let strips = strips.get_ref().as_array().into_iter().flatten();
        let message = "[[strip]] shows recorded motion: add [replay]";
        errors.extend(strips.map(|item| root.error_at(item, message)));
    }
    match SpecError::of_all(errors) {
        None => Ok(views),
        Some(error) => Err(error),
    }
}

/// The views of one kind; `names` are those that are taken, where such views have names.
fn of_kind<'d, T: ShownView>(
    root: &SpecSection<'d>,
    known: KnownCells<'_>,
    names: &mut Option<Vec<&'d str>>,
    errors: &mut Vec<SpecError>,
) -> Vec<T> {
    let Some(item) = root.get(T::KEY) else {
        return Vec::new();
    };
    let Some(array) = item.get_ref().as_array() else {
        let message = format!("write {}, once per {}", T::LABEL, T::KEY);
        errors.push(root.error_at(item, message));
        return Vec::new();
    };
    let mut views = Vec::new();
    for item in array {
        if let Some(names) = names {
            errors.extend(misnamed(root, item, names));
        }
        let mut reader = ViewReader::new(root.document, T::LABEL, item);
        views.extend(reader.read(known));
        errors.extend(reader.into_errors());
    }
    views
}

/// The error of an identifier that is no file name, or that is taken.
fn misnamed<'d>(
    root: &SpecSection<'d>,
    item: &'d Item<'d>,
    names: &mut Vec<&'d str>,
) -> Option<SpecError> {
    let table = item.get_ref().as_table()?;
    let found = table.iter().find(|(key, _)| key.get_ref() == "id");
    let (_, place) = found?;
    let DeValue::String(id) = place.get_ref() else {
        // its type is refused
        return None;
    };
    let letter = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let message = if id.is_empty() || id.len() > 100 || !id.chars().all(letter) {
        format!("id {id:?} names a file: use letters, digits, - and _")
    } else if names.contains(&id.as_ref()) {
        format!("id {id:?} is used twice")
    } else {
        names.push(id);
        return None;
    };
    Some(root.error_at(place, message))
}
