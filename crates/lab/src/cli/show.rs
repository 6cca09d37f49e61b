//! `delassus show`: a problem, a cell or a results folder at a glance.
//!
//! `inspect` gives a line per problem file, for comparing many; this is the page of one, and has
//! its active set and its worst rows as well.

mod page;
mod problem;
mod record;

use std::sync::atomic::AtomicBool;

use serde_json::json;

use super::args::ShowVerb;
use super::cells::{self, object};
use super::experiment::note_unfinished;
use super::failure::Failure;
use super::files;
use super::output::{Output, printable};
use crate::record::CellRecord;
use crate::registry::Registry;
use crate::results;
use crate::store::{EXPERIMENT, is_results};
use crate::suggest::{did_you_mean, nearest};
use page::SCHEMA;

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
    if let Some(key) = record::key_of(&verb.path) {
        let record = record::read(&verb.path, &key)?;
        return record::show(&record, None, verb.json, output);
    }
    files::no_scenes(std::slice::from_ref(&verb.path))?;
    problem::show(verb, registry, output, cancel)
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
    let wanted = |record: &&CellRecord| match &verb.cell {
        None => true,
        Some(text) => matches_cell(record, text),
    };
    let records: Vec<&CellRecord> = bundle.records.iter().filter(wanted).collect();
    if let (true, Some(text)) = (records.is_empty(), &verb.cell) {
        let names = bundle
            .records
            .iter()
            .flat_map(|r| [r.problem.name.as_str(), r.method()]);
        let close = nearest(text, names);
        return Err(Failure::request(format!(
            "--cell {}: no cell has that name, or a key that begins so{}",
            printable(text),
            did_you_mean(close.as_deref())
        )));
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

/// True for the beginning of a key, the name of problem or method, or both with a comma between.
fn matches_cell(record: &CellRecord, text: &str) -> bool {
    let (problem, method) = (record.problem.name.as_str(), record.method());
    let by_key = text.len() >= 4 && record.key.starts_with(text);
    by_key || [problem, method].contains(&text) || format!("{problem}, {method}") == text
}
