//! `delassus data`: the tables of a results folder as files of data frames.
//!
//! Columns are known from a first pass that leaves samples unread. In the second pass one record is
//! in memory, with the rows of a group of a Parquet file; the columns of NumPy arrays wait in files
//! without names. Files appear when all of them are whole.

mod arrays;
mod file;

use std::path::Path;

use delassus_core::Choice;
use delassus_records::disk;
use delassus_report::export::ExportTable;
use serde_json::json;

use super::args::{DataFormat, DataVerb};
use super::diagnostic::print_diagnostic;
use super::experiment::note_unfinished;
use super::failure::Failure;
use super::output::{Output, count, printable};
use crate::registry::Registry;
use crate::results::RecordFolder;
use arrays::ImpulseFile;
use file::{TableFile, schema};

/// Runs the verb.
pub(crate) fn run(
    verb: &DataVerb,
    registry: &Registry,
    output: &mut Output,
) -> Result<(), Failure> {
    let cells = RecordFolder::open(&verb.folder, registry)?;
    note_unfinished(&verb.folder);
    let shape = cells.shape()?;
    let folder = verb.out.as_deref().unwrap_or(&verb.folder);
    disk::folder(folder).map_err(|error| Failure::unwritten(folder, &error))?;
    let tables = ExportTable::of(&shape).into_iter();
    let begun = tables.map(|table| TableFile::begin(folder, table, verb.format, &shape));
    let mut files = begun.collect::<Result<Vec<TableFile>, Failure>>()?;
    let mut impulses = match verb.format {
        DataFormat::Npz => Some(ImpulseFile::begin(folder)?),
        DataFormat::Csv | DataFormat::Parquet => None,
    };
    for record in cells.records() {
        let record = record?;
        for file in &mut files {
            file.put(&shape, cells.id(), &record)?;
        }
        if let Some(impulses) = &mut impulses {
            impulses.put(&verb.folder, &record)?;
        }
    }
    for file in files {
        let name = file.table.name();
        let (path, rows, columns) = file.finish()?;
        said(verb, output, &path, name, rows, columns)?;
    }
    if let Some(impulses) = impulses {
        let (path, cells, numbers) = impulses.finish()?;
        said(verb, output, &path, "impulses", numbers, cells)?;
    }
    Ok(())
}

/// One line, or one object, per file.
fn said(
    verb: &DataVerb,
    output: &mut Output,
    path: &Path,
    name: &str,
    rows: usize,
    columns: usize,
) -> Result<(), Failure> {
    let shown = path.to_string_lossy();
    if verb.json {
        return output.json(&json!({
            "file": shown,
            "schema": schema(name),
            "rows": rows,
            "columns": columns,
        }));
    }
    let counts = [(rows, "row"), (columns, "column")];
    let counts = counts.map(|(number, noun)| count(number as u64, noun));
    print_diagnostic(&counts.join(", "));
    output.line(&printable(&shown))
}
