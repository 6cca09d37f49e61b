//! Tables as Parquet files: typed columns with gaps, for every program that reads data frames.
//!
//! Only the part of the format that every reader supports: optional columns of four types,
//! texts by a dictionary, data pages of version 1, no compression. Equal tables give equal bytes.
//!
//! A table is written row by row. One group of rows is in memory, encoded: at most [`GROUP_ROWS`]
//! rows, and [`GROUP_BYTES`] with the row that fills it.

mod page;
mod thrift;
mod value;

use std::io::Write;

use page::{Chunk, Filling};
use thrift::Writer;
pub use value::{ColumnKind, ColumnarError, Value};

/// What a file begins and ends with.
const MAGIC: &[u8; 4] = b"PAR1";
/// Rows of a group at most \[-\]: what a reader may take into memory at once.
pub const GROUP_ROWS: usize = 1 << 18;
/// Bytes of values at which a group ends before it has [`GROUP_ROWS`] rows \[B\].
pub const GROUP_BYTES: usize = 64 << 20;

/// Writes a table row by row.
#[derive(Debug)]
pub struct ParquetWriter<W: Write> {
    file: W,
    /// Bytes written so far.
    at: u64,
    columns: Vec<Filling>,
    /// Rows of the group that is being filled.
    filled: usize,
    /// Rows and chunks of the groups that are written.
    groups: Vec<(usize, Vec<Chunk>)>,
    limits: GroupLimits,
}

/// A group ends at the first of both.
#[derive(Debug, Clone, Copy)]
struct GroupLimits {
    rows: usize,
    bytes: usize,
}

const LIMITS: GroupLimits = GroupLimits {
    rows: GROUP_ROWS,
    bytes: GROUP_BYTES,
};

impl<W: Write> ParquetWriter<W> {
    /// A table with these columns and no rows yet.
    ///
    /// # Errors
    /// Two columns of one name; the file cannot be written.
    pub fn new<'n>(
        file: W,
        columns: impl IntoIterator<Item = (&'n str, ColumnKind)>,
    ) -> Result<Self, ColumnarError> {
        Self::with_limits(file, columns, LIMITS)
    }

    fn with_limits<'n>(
        mut file: W,
        columns: impl IntoIterator<Item = (&'n str, ColumnKind)>,
        limits: GroupLimits,
    ) -> Result<Self, ColumnarError> {
        let mut all: Vec<Filling> = Vec::new();
        for (name, kind) in columns {
            if all.iter().any(|before| before.name == name) {
                let name = name.to_owned();
                return Err(ColumnarError::Name { name });
            }
            all.push(Filling::new(name, kind));
        }
        file.write_all(MAGIC)?;
        Ok(Self {
            file,
            at: MAGIC.len() as u64,
            columns: all,
            filled: 0,
            groups: Vec::new(),
            limits,
        })
    }

    /// Adds a row; `None` where it has no value.
    ///
    /// # Errors
    /// More or fewer values than columns, a value of another type; a group that is full and cannot
    /// be written.
    pub fn put<'t>(
        &mut self,
        row: impl ExactSizeIterator<Item = Option<Value<'t>>>,
    ) -> Result<(), ColumnarError> {
        let (found, expected) = (row.len(), self.columns.len());
        if found != expected {
            return Err(ColumnarError::Row { found, expected });
        }
        for (column, value) in self.columns.iter_mut().zip(row) {
            column.push(value)?;
        }
        self.filled += 1;
        let held = || self.columns.iter().map(Filling::bytes).sum::<usize>();
        if self.filled >= self.limits.rows || held() >= self.limits.bytes {
            self.end_group()?;
        }
        Ok(())
    }

    /// Writes the rows that are held as a group.
    fn end_group(&mut self) -> Result<(), ColumnarError> {
        let mut chunks = Vec::with_capacity(self.columns.len());
        for column in &mut self.columns {
            let chunk = column.write(&mut self.file, self.at)?;
            self.at += chunk.bytes;
            chunks.push(chunk);
        }
        self.groups.push((self.filled, chunks));
        self.filled = 0;
        Ok(())
    }

    /// Writes what is left and the footer, with `facts`, pairs of keys and values; what was written
    /// to.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn finish(mut self, facts: &[(&str, &str)]) -> Result<W, ColumnarError> {
        if self.filled > 0 {
            self.end_group()?;
        }
        let footer = footer(&self.columns, &self.groups, facts);
        self.file.write_all(&footer)?;
        // a footer is as long as its column names are, times the groups
        let length = u32::try_from(footer.len()).unwrap_or(u32::MAX);
        self.file.write_all(&length.to_le_bytes())?;
        self.file.write_all(MAGIC)?;
        Ok(self.file)
    }
}

/// What readers look at first: the schema, and where the columns of each group are.
fn footer(columns: &[Filling], groups: &[(usize, Vec<Chunk>)], facts: &[(&str, &str)]) -> Vec<u8> {
    let mut out = Writer::new();
    out.i32(1, 1);
    out.list(2, columns.len() + 1, |out| {
        out.text(4, "schema");
        out.i32(5, i32::try_from(columns.len()).unwrap_or(i32::MAX));
        out.end();
        for column in columns {
            column.kind.schema(out, &column.name);
            out.end();
        }
    });
    out.i64(3, groups.iter().map(|(rows, _)| *rows as u64).sum());
    out.list(4, groups.len(), |out| {
        for (rows, chunks) in groups {
            out.list(1, chunks.len(), |out| {
                for (chunk, column) in chunks.iter().zip(columns) {
                    chunk.describe(out, column);
                    out.end();
                }
            });
            out.i64(2, chunks.iter().map(|chunk| chunk.bytes).sum());
            out.i64(3, *rows as u64);
            out.end();
        }
    });
    out.list(5, facts.len(), |out| {
        for (key, value) in facts {
            out.text(1, key);
            out.text(2, value);
            out.end();
        }
    });
    out.text(6, "delassus");
    out.end();
    out.finish()
}

#[cfg(test)]
mod tests;
