//! A table that is being written row by row.

use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};

use delassus_columnar::{ColumnKind, ColumnarError, ParquetWriter, Value};
use delassus_core::Choice;
use delassus_report::export::{ColumnType, CsvTable, ExportTable, TableShape, TypedValue};

use super::super::args::DataFormat;
use super::super::failure::Failure;
use super::arrays::{Arrays, whole};
use crate::record::CellRecord;
use crate::store::Part;

/// A table, and the file that it is written to.
pub(super) struct TableFile {
    pub(super) table: ExportTable,
    path: PathBuf,
    columns: Vec<(String, ColumnType)>,
    rows: usize,
    form: Form,
}

/// How the rows are written.
enum Form {
    Csv(Box<CsvTable<Part>>),
    Parquet(Box<ParquetWriter<BufWriter<Part>>>),
    Npz(Arrays, Part),
}

impl TableFile {
    /// Begins the file of a table in `folder`.
    pub(super) fn begin(
        folder: &Path,
        table: ExportTable,
        format: DataFormat,
        shape: &TableShape,
    ) -> Result<Self, Failure> {
        let path = folder.join(format!("{table}.{}", format.ending()));
        let unwritten = |error: io::Error| Failure::unwritten(&path, &error);
        let names = table.columns(shape);
        let part = Part::begin(&path).map_err(unwritten)?;
        let types = names.iter().map(|name| ColumnType::of(name));
        let columns: Vec<(String, ColumnType)> = names.iter().cloned().zip(types).collect();
        let form = match format {
            DataFormat::Csv => Form::Csv(Box::new(CsvTable::new(part, &names).map_err(unwritten)?)),
            DataFormat::Parquet => {
                let kinds = columns.iter().map(|(name, kind)| (&**name, kind_of(*kind)));
                let writer = ParquetWriter::new(BufWriter::new(part), kinds);
                Form::Parquet(Box::new(writer.map_err(|error| failed(&path, error))?))
            }
            DataFormat::Npz => Form::Npz(Arrays::begin(folder, &columns).map_err(unwritten)?, part),
        };
        Ok(Self {
            table,
            path,
            columns,
            rows: 0,
            form,
        })
    }

    /// Adds the rows of a record.
    pub(super) fn put(
        &mut self,
        shape: &TableShape,
        experiment: &str,
        record: &CellRecord,
    ) -> Result<(), Failure> {
        let table = self.table;
        table.rows(shape, experiment, record, |row| {
            self.rows += 1;
            self.put_row(row)
        })
    }

    fn put_row(&mut self, row: &[String]) -> Result<(), Failure> {
        if let Form::Csv(csv) = &mut self.form {
            return csv
                .put(row)
                .map_err(|error| Failure::unwritten(&self.path, &error));
        }
        let mut values = Vec::with_capacity(row.len());
        for ((name, kind), text) in self.columns.iter().zip(row) {
            let value = kind.value(text);
            let table = self.table;
            values.push(value.map_err(|odd| Failure::run(format!("{table}, {name}: {odd}")))?);
        }
        match &mut self.form {
            Form::Csv(_) => Ok(()),
            Form::Parquet(writer) => {
                let row = values.into_iter().map(|value| value.map(value_of));
                writer.put(row).map_err(|error| failed(&self.path, error))
            }
            Form::Npz(arrays, _) => arrays
                .put(&values)
                .map_err(|error| Failure::unwritten(&self.path, &error)),
        }
    }

    /// Writes what is left and gives the file its name; where it is, its rows and its columns.
    pub(super) fn finish(self) -> Result<(PathBuf, usize, usize), Failure> {
        let Self { path, rows, .. } = self;
        let unwritten = |error: io::Error| Failure::unwritten(&path, &error);
        let part = match self.form {
            Form::Csv(csv) => csv.finish().map_err(unwritten)?,
            Form::Parquet(writer) => {
                let facts = [("delassus.schema", &*schema(self.table.name()))];
                let file = writer
                    .finish(&facts)
                    .map_err(|error| failed(&path, error))?;
                whole(file).map_err(unwritten)?
            }
            Form::Npz(arrays, part) => {
                let file = arrays.finish(BufWriter::new(part), rows);
                whole(file.map_err(unwritten)?).map_err(unwritten)?
            }
        };
        part.finish().map_err(unwritten)?;
        Ok((path, rows, self.columns.len()))
    }
}

fn failed(path: &Path, error: ColumnarError) -> Failure {
    match error {
        ColumnarError::Write(error) => Failure::unwritten(path, &error),
        error => Failure::run(error.to_string()),
    }
}

fn kind_of(kind: ColumnType) -> ColumnKind {
    match kind {
        ColumnType::Text => ColumnKind::Text,
        ColumnType::Whole => ColumnKind::Whole,
        ColumnType::Real => ColumnKind::Real,
        ColumnType::Flag => ColumnKind::Flag,
    }
}

fn value_of(value: TypedValue<'_>) -> Value<'_> {
    match value {
        TypedValue::Text(text) => Value::Text(text),
        TypedValue::Whole(whole) => Value::Whole(whole),
        TypedValue::Real(real) => Value::Real(real),
        TypedValue::Flag(flag) => Value::Flag(flag),
    }
}

/// Name and version of what a table is made of (docs/file-formats.md, "Tables").
pub(super) fn schema(name: &str) -> String {
    format!("{name}/1")
}
