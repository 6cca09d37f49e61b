//! `delassus data`: the tables of a results folder as files of data frames.

mod arrays;

use std::path::Path;

use delassus_columnar::{Column, ColumnValues, to_parquet};
use delassus_report::export::{self, TypedColumn, TypedValues};
use serde_json::json;

use super::args::{DataFormat, DataVerb};
use super::failure::Failure;
use super::output::{Output, count, printable};
use super::talk::talk;
use crate::bundle::Bundle;
use crate::registry::Registry;
use crate::results;
use crate::store::write_atomic;

/// Runs the verb.
pub(crate) fn run(
    verb: &DataVerb,
    registry: &Registry,
    output: &mut Output,
) -> Result<(), Failure> {
    let bundle = results::load(&verb.folder, registry)?.bundle;
    let folder = verb.out.as_deref().unwrap_or(&verb.folder);
    std::fs::create_dir_all(folder).map_err(|error| Failure::unwritten(folder, &error))?;
    for (name, csv) in tables(&bundle)? {
        let ending = verb.format.ending();
        let path = folder.join(format!("{name}.{ending}"));
        let columns =
            export::typed(&csv).map_err(|error| Failure::run(format!("{name}: {error}")))?;
        let rows = columns.first().map_or(0, |column| rows(&column.values));
        let width = columns.len();
        let bytes = match verb.format {
            DataFormat::Csv => csv,
            DataFormat::Parquet => parquet(columns, name)?,
            DataFormat::Npz => arrays::of_table(columns, rows)?,
        };
        put(&path, &bytes)?;
        said(verb, output, &path, (name, rows, width))?;
    }
    if verb.format == DataFormat::Npz {
        let path = folder.join("impulses.npz");
        let (cells, numbers) = arrays::write_impulses(&path, &verb.folder, &bundle.records)?;
        said(verb, output, &path, ("impulses", numbers, cells))?;
    }
    Ok(())
}

/// Writes a file whole or not at all.
fn put(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    write_atomic(path, bytes).map_err(|error| Failure::unwritten(path, &error))
}

/// The tables of a run by name, as CSV.
fn tables(bundle: &Bundle) -> Result<Vec<(&'static str, Vec<u8>)>, Failure> {
    let made = |error: std::io::Error| Failure::run(format!("a table cannot be made: {error}"));
    let (id, records) = (&bundle.id, &bundle.records);
    let mut tables = vec![
        ("records", export::records_csv(id, records).map_err(made)?),
        ("summary", export::summary_csv(id, records).map_err(made)?),
    ];
    let solutions = export::solutions_csv(id, records).map_err(made)?;
    tables.extend(solutions.map(|csv| ("solutions", csv)));
    Ok(tables)
}

/// One line, or one object, per file.
fn said(
    verb: &DataVerb,
    output: &mut Output,
    path: &Path,
    (name, rows, columns): (&str, usize, usize),
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
    talk(&counts.join(", "));
    output.line(&printable(&shown))
}

/// Name and version of what a table is made of (docs/file-formats.md, "Tables").
fn schema(name: &str) -> String {
    format!("{name}/1")
}

fn rows(values: &TypedValues) -> usize {
    match values {
        TypedValues::Text(values) => values.len(),
        TypedValues::Whole(values) => values.len(),
        TypedValues::Real(values) => values.len(),
        TypedValues::Flag(values) => values.len(),
    }
}

fn parquet(columns: Vec<TypedColumn>, name: &str) -> Result<Vec<u8>, Failure> {
    let column = |column: TypedColumn| Column {
        name: column.name,
        values: match column.values {
            TypedValues::Text(values) => ColumnValues::Text(values),
            TypedValues::Whole(values) => ColumnValues::Whole(values),
            TypedValues::Real(values) => ColumnValues::Real(values),
            TypedValues::Flag(values) => ColumnValues::Flag(values),
        },
    };
    let columns: Vec<Column> = columns.into_iter().map(column).collect();
    let facts = [("delassus.schema", &*schema(name))];
    to_parquet(&columns, &facts).map_err(|error| Failure::run(error.to_string()))
}
