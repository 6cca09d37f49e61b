//! `delassus show`: a problem, a cell or a results folder at a glance.
//!
//! `inspect` gives a line per problem file, for comparing many; this is the page of one, and has
//! its active set and its worst rows as well.

mod page;
mod problem;
mod record;

use std::sync::atomic::AtomicBool;

use delassus_records::folder::is_results;
use serde_json::json;

use super::args::ShowVerb;
use super::cells::{self, object};
use super::experiment::note_unfinished;
use super::failure::Failure;
use super::files;
use super::output::{Output, printable};
use crate::bundle::Bundle;
use crate::record::CellRecord;
use crate::registry::Registry;
use crate::results;
use crate::store::EXPERIMENT;
use crate::suggest::{did_you_mean, nearest};
use page::SCHEMA;

/// Digits of a key that name a cell, at least \[-\].
const LEAST: usize = 4;

/// Runs the verb.
pub(crate) fn run(
    verb: &ShowVerb,
    registry: &Registry,
    output: &mut Output,
    cancel: &AtomicBool,
) -> Result<(), Failure> {
    if verb.path.is_dir() {
        return folder(verb, registry, output);
    }
    files::check(std::slice::from_ref(&verb.path))?;
    if let Some(cell) = wanted(verb) {
        return Err(Failure::request(format!(
            "{}: is a file, and {} chooses a cell of a results folder",
            printable(&verb.path.to_string_lossy()),
            printable(cell)
        )));
    }
    if let Some(key) = record::key_of(&verb.path) {
        let record = record::read(&verb.path, &key)?;
        return record::show(&record, None, verb.json, output);
    }
    files::only_problems(std::slice::from_ref(&verb.path))?;
    problem::show(verb, registry, output, cancel)
}

/// The cell that is asked for, by its key or a name.
fn wanted(verb: &ShowVerb) -> Option<&str> {
    verb.key.as_deref().or(verb.cell.as_deref())
}

/// The cells of a results folder, or those whose key or names were asked for.
fn folder(verb: &ShowVerb, registry: &Registry, output: &mut Output) -> Result<(), Failure> {
    let shown = printable(&verb.path.to_string_lossy());
    if !is_results(&verb.path) && !results::holds_results(&verb.path) {
        return Err(Failure::request(format!(
            "{shown}: is no results folder of `delassus run`, which holds a file {EXPERIMENT}"
        )));
    }
    let bundle = results::load(&verb.path, registry)?.bundle;
    note_unfinished(&verb.path);
    let asked = wanted(verb);
    let is_shown = |record: &&CellRecord| asked.is_none_or(|text| matches_cell(record, text));
    let records: Vec<&CellRecord> = bundle.records.iter().filter(is_shown).collect();
    if let (true, Some(text)) = (records.is_empty(), asked) {
        return Err(no_cell(text, &bundle));
    }
    if let [record] = records[..] {
        return record::show(record, Some(&bundle), verb.json, output);
    }
    if verb.json {
        for record in &records {
            let mut cell = object(record);
            cell["schema"] = json!(SCHEMA);
            output.json(&cell)?;
        }
        return Ok(());
    }
    output.line(&printable(&bundle.title))?;
    let table = cells::table(&bundle, &records, true);
    output.table(&table.rows)?;
    output.line(&table.legend)
}

/// The error about a cell that the folder does not have.
fn no_cell(text: &str, bundle: &Bundle) -> Failure {
    let names = bundle
        .records
        .iter()
        .flat_map(|r| [r.problem.name.as_str(), r.method()]);
    let hint = match nearest(text, names) {
        Some(close) => did_you_mean(Some(&close)),
        None => "; `delassus show DIR` lists names and keys".to_owned(),
    };
    Failure::request(printable(&format!(
        "{text:?}: no cell has that name, or a key that begins so (at least {LEAST} digits){hint}"
    )))
}

/// True for the beginning of a key, the name of problem or method, or both with a comma between.
fn matches_cell(record: &CellRecord, text: &str) -> bool {
    let (problem, method) = (record.problem.name.as_str(), record.method());
    let by_key = text.len() >= LEAST && record.key.starts_with(text);
    by_key || [problem, method].contains(&text) || format!("{problem}, {method}") == text
}
