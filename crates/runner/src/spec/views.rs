//! `[[figure]]`, `[[table]]`, `[[strip]]` and `[[gate]]`: decoded and checked by their own types,
//! with errors in the words of a spec.

use std::ops::Range;

use serde::de::DeserializeOwned;
use toml::de::{DeValue, ValueDeserializer};

use crate::columns::{Columns, Place, Refusal, View};
use crate::document::section::{Item, SpecSection, among};
use crate::document::text::{Document, SpecError};
use crate::figures::FigureSpec;
use crate::gate::GateSpec;
use crate::strips::StripSpec;
use crate::tables::TableSpec;

/// Reads and checks `[[figure]]` and `[[table]]`; without `columns`, what they ask for is not
/// checked.
pub(crate) fn read(
    root: &SpecSection<'_>,
    columns: Option<&Columns<'_>>,
) -> Result<(Vec<FigureSpec>, Vec<TableSpec>), SpecError> {
    let mut figures: Vec<FigureSpec> = Vec::new();
    for (mut figure, item) in decode::<FigureSpec>(root, "figure", "[[figure]]")? {
        let taken = figures.iter().any(|f| f.id == figure.id);
        check(root, item, &figure.id, taken, &mut *figure.plot, columns)?;
        figures.push(figure);
    }
    let mut tables: Vec<TableSpec> = Vec::new();
    for (mut table, item) in decode::<TableSpec>(root, "table", "[[table]]")? {
        let taken = tables.iter().any(|t| t.id == table.id);
        check(root, item, &table.id, taken, &mut *table.show, columns)?;
        tables.push(table);
    }
    Ok((figures, tables))
}

/// Reads and checks `[[strip]]`; its pictures lie among those of the figures.
pub(crate) fn strips(
    root: &SpecSection<'_>,
    columns: Option<&Columns<'_>>,
    figures: &[FigureSpec],
) -> Result<Vec<StripSpec>, SpecError> {
    let mut strips: Vec<StripSpec> = Vec::new();
    for (mut strip, item) in decode::<StripSpec>(root, "strip", "[[strip]]")? {
        if root.get("replay").is_none() {
            let message = "[[strip]] shows recorded motion: add [replay]";
            return Err(root.document.error(item.span(), message));
        }
        let taken = strips.iter().any(|s| s.id == strip.id);
        let taken = taken || figures.iter().any(|f| f.id == strip.id);
        let id = strip.id.clone();
        check(root, item, &id, taken, &mut strip, columns)?;
        strips.push(strip);
    }
    Ok(strips)
}

/// Reads and checks `[[gate]]`.
pub(crate) fn gates(
    root: &SpecSection<'_>,
    columns: Option<&Columns<'_>>,
) -> Result<Vec<GateSpec>, SpecError> {
    let gates = decode::<GateSpec>(root, "gate", "[[gate]]")?.into_iter();
    let checked = gates.map(|(mut gate, item)| {
        let checked = columns.map_or(Ok(()), |columns| gate.check(columns));
        checked.map_err(|refusal| refused(root, item, refusal))?;
        Ok(gate)
    });
    checked.collect()
}

/// The error of what a view refuses, at its place.
fn refused(root: &SpecSection<'_>, item: &Item<'_>, refusal: Refusal) -> SpecError {
    let span = match &refusal.place {
        Place::Key(key) => find_key(item, key),
        Place::Value(text) => find_text(item, text),
    };
    let span = span.unwrap_or_else(|| item.span());
    root.document.error(span, refusal.message)
}

/// Refuses an identifier that is no file name or taken, and what the kind of view refuses.
fn check(
    root: &SpecSection<'_>,
    item: &Item<'_>,
    id: &str,
    taken: bool,
    view: &mut dyn View,
    columns: Option<&Columns<'_>>,
) -> Result<(), SpecError> {
    let refuse = |refusal| refused(root, item, refusal);
    let letter = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let message = if id.is_empty() || id.len() > 100 || !id.chars().all(letter) {
        format!("id {id:?} names a file: use letters, digits, - and _")
    } else if taken {
        format!("id {id:?} is used twice")
    } else {
        return columns
            .map_or(Ok(()), |columns| view.check(columns))
            .map_err(refuse);
    };
    let place = Place::Value(id.to_owned());
    Err(refuse(Refusal { place, message }))
}

/// Decodes every table of the array `key`.
fn decode<'d, T: DeserializeOwned>(
    root: &SpecSection<'d>,
    key: &str,
    label: &'static str,
) -> Result<Vec<(T, &'d Item<'d>)>, SpecError> {
    let Some(item) = root.get(key) else {
        return Ok(Vec::new());
    };
    let Some(array) = item.get_ref().as_array() else {
        return Err(root.error_at(item, format!("write {label}, once per {key}")));
    };
    let views = array.iter().map(|item| {
        let document = root.document;
        match T::deserialize(ValueDeserializer::from(item.clone())) {
            Ok(view) => Ok((view, item)),
            Err(error) => {
                let span = error.span().unwrap_or_else(|| item.span());
                Err(translate(document, label, item, span, error.message()))
            }
        }
    });
    views.collect()
}

/// Gives a decoding error the form of all other errors: the key, and the nearest valid name.
fn translate(
    document: Document<'_>,
    label: &str,
    item: &Item<'_>,
    span: Range<usize>,
    message: &str,
) -> SpecError {
    let names: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
    let Some((&wrong, known)) = names.split_first() else {
        let message = message.replace('\n', " ");
        return document.error(span, format!("{label}: {message}"));
    };
    let (what, span) = if message.starts_with("unknown field") {
        ("key", find_key(item, wrong).unwrap_or(span))
    } else if message.starts_with("unknown variant") {
        ("kind", find_key(item, wrong).unwrap_or(span))
    } else {
        let message = message.replace('`', "\"").replace('\n', " ");
        return document.error(span, format!("{label}: {message}"));
    };
    let message = match known {
        [] => format!("unknown {what} {wrong:?} in {label}; there is none"),
        _ => format!("unknown {what} {wrong:?} in {label}{}", among(wrong, known)),
    };
    document.error(span, message)
}

/// Where the key stands, at any depth.
fn find_key(item: &Item<'_>, key: &str) -> Option<Range<usize>> {
    match item.get_ref() {
        DeValue::Table(table) => {
            let own = table
                .iter()
                .find(|(name, _)| name.get_ref().as_ref() == key);
            own.map(|(name, _)| name.span())
                .or_else(|| table.values().find_map(|inner| find_key(inner, key)))
        }
        DeValue::Array(array) => array.iter().find_map(|inner| find_key(inner, key)),
        _ => None,
    }
}

/// Where the string stands as a value, at any depth.
fn find_text(item: &Item<'_>, text: &str) -> Option<Range<usize>> {
    match item.get_ref() {
        DeValue::String(found) => (found == text).then(|| item.span()),
        DeValue::Table(table) => table.values().find_map(|inner| find_text(inner, text)),
        DeValue::Array(array) => array.iter().find_map(|inner| find_text(inner, text)),
        _ => None,
    }
}
