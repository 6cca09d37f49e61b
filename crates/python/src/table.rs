//! The tables of a results folder in the memory layout of Arrow, which other libraries share.
//!
//! Rust owns the memory. The Arrow C data interface hands out its addresses, and a table lives as
//! long as one of the libraries that took them.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::builder::{BooleanBuilder, Float64Builder, Int64Builder, LargeStringBuilder};
use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, to_ffi};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchIterator, StructArray};
use arrow_schema::{DataType, Field, Schema};
use delassus_core::Choice;
use delassus_registry::Registry;
use delassus_report::export::{ColumnType, ExportTable, TypedValue};
use delassus_runner::results::RecordFolder;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::errors::refused;

/// Records between two looks for Ctrl-C \[-\].
const LOOK: usize = 64;

/// A table of records; it never changes.
#[pyclass(frozen, module = "delassus._native")]
pub(crate) struct NativeTable {
    batch: RecordBatch,
}

/// The array of a table with its schema, as the Arrow C data interface has them.
type ArrayCapsules<'py> = (Bound<'py, PyCapsule>, Bound<'py, PyCapsule>);

#[pymethods]
impl NativeTable {
    /// Reads all tables of a results folder, with their names.
    #[staticmethod]
    fn read(py: Python<'_>, folder: PathBuf) -> PyResult<Vec<(&'static str, Self)>> {
        py.detach(|| read_tables(&folder))
    }

    #[getter]
    fn rows(&self) -> usize {
        self.batch.num_rows()
    }

    #[getter]
    fn columns(&self) -> Vec<String> {
        let schema = self.batch.schema_ref();
        let fields = schema.fields().iter();
        fields.map(|field| field.name().clone()).collect()
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = FFI_ArrowSchema::try_from(self.batch.schema_ref().as_ref());
        PyCapsule::new_with_value(py, schema.map_err(refused)?, c"arrow_schema")
    }

    /// The table as one array of structures. A requested schema changes nothing: it is a wish for
    /// another layout, and that of the table is fixed.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<ArrayCapsules<'py>> {
        drop(requested_schema);
        let whole = StructArray::from(self.batch.clone());
        let (array, _): (FFI_ArrowArray, _) = to_ffi(&whole.to_data()).map_err(refused)?;
        Ok((
            self.__arrow_c_schema__(py)?,
            PyCapsule::new_with_value(py, array, c"arrow_array")?,
        ))
    }

    /// The table as a stream of one batch.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        drop(requested_schema);
        let batches = [Ok(self.batch.clone())];
        let reader = RecordBatchIterator::new(batches, self.batch.schema());
        let stream = FFI_ArrowArrayStream::new(Box::new(reader));
        PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
    }
}

/// Reads the tables that `delassus data` writes.
fn read_tables(folder: &Path) -> PyResult<Vec<(&'static str, NativeTable)>> {
    let cells = RecordFolder::open(folder, &Registry::standard()).map_err(refused)?;
    let shape = cells.shape().map_err(refused)?;
    let mut tables: Vec<(ExportTable, TableBuilder)> = ExportTable::of(&shape)
        .into_iter()
        .map(|table| (table, TableBuilder::new(table.columns(&shape))))
        .collect();
    for (index, record) in cells.records().enumerate() {
        if index % LOOK == 0 {
            Python::attach(|py| py.check_signals())?;
        }
        let record = record.map_err(refused)?;
        for (table, builder) in &mut tables {
            table.rows(&shape, cells.id(), &record, |row| builder.put(row))?;
        }
    }
    let finished = tables.into_iter().map(|(table, builder)| {
        let name = table.name();
        Ok((name, builder.finish(name)?))
    });
    finished.collect()
}

/// The values of a column that is being read.
enum ColumnBuilder {
    Text(LargeStringBuilder),
    Whole(Int64Builder),
    Real(Float64Builder),
    Flag(BooleanBuilder),
}

impl ColumnBuilder {
    fn new(kind: ColumnType) -> Self {
        match kind {
            ColumnType::Text => Self::Text(LargeStringBuilder::new()),
            ColumnType::Whole => Self::Whole(Int64Builder::new()),
            ColumnType::Real => Self::Real(Float64Builder::new()),
            ColumnType::Flag => Self::Flag(BooleanBuilder::new()),
        }
    }

    fn kind(&self) -> ColumnType {
        match self {
            Self::Text(_) => ColumnType::Text,
            Self::Whole(_) => ColumnType::Whole,
            Self::Real(_) => ColumnType::Real,
            Self::Flag(_) => ColumnType::Flag,
        }
    }

    /// Adds a value of the type of the column, or a gap.
    fn put(&mut self, value: Option<TypedValue<'_>>) {
        match (self, value) {
            (Self::Text(column), Some(TypedValue::Text(text))) => column.append_value(text),
            (Self::Whole(column), Some(TypedValue::Whole(count))) => column.append_value(count),
            (Self::Real(column), Some(TypedValue::Real(number))) => column.append_value(number),
            (Self::Flag(column), Some(TypedValue::Flag(flag))) => column.append_value(flag),
            (Self::Text(column), _) => column.append_null(),
            (Self::Whole(column), _) => column.append_null(),
            (Self::Real(column), _) => column.append_null(),
            (Self::Flag(column), _) => column.append_null(),
        }
    }

    fn finish(self) -> ArrayRef {
        match self {
            Self::Text(mut column) => Arc::new(column.finish()),
            Self::Whole(mut column) => Arc::new(column.finish()),
            Self::Real(mut column) => Arc::new(column.finish()),
            Self::Flag(mut column) => Arc::new(column.finish()),
        }
    }
}

/// A table that is being read row by row.
struct TableBuilder {
    columns: Vec<(String, ColumnBuilder)>,
}

impl TableBuilder {
    fn new(names: Vec<String>) -> Self {
        let column = |name: String| {
            let builder = ColumnBuilder::new(ColumnType::of(&name));
            (name, builder)
        };
        Self {
            columns: names.into_iter().map(column).collect(),
        }
    }

    fn put(&mut self, row: &[String]) -> PyResult<()> {
        for ((name, column), text) in self.columns.iter_mut().zip(row) {
            let value = column.kind().value(text);
            column.put(value.map_err(|error| refused(format!("{name}: {error}")))?);
        }
        Ok(())
    }

    fn finish(self, name: &str) -> PyResult<NativeTable> {
        let (names, builders): (Vec<String>, Vec<ColumnBuilder>) = self.columns.into_iter().unzip();
        let arrays: Vec<ArrayRef> = builders.into_iter().map(ColumnBuilder::finish).collect();
        let field = |(name, array): (String, &ArrayRef)| -> Field {
            let kind: DataType = array.data_type().clone();
            Field::new(name, kind, true)
        };
        let fields: Vec<Field> = names.into_iter().zip(&arrays).map(field).collect();
        // as in the Parquet files (docs/file-formats.md, "Tables")
        let version = ("delassus.schema".to_owned(), format!("{name}/1"));
        let schema = Schema::new_with_metadata(fields, HashMap::from([version]));
        let batch = RecordBatch::try_new(Arc::new(schema), arrays).map_err(refused)?;
        Ok(NativeTable { batch })
    }
}
