//! Tables as Parquet files: typed columns with gaps, for every program that reads data frames.
//!
//! The part of the format that every reader knows and nothing else: optional columns of four types,
//! texts by a dictionary, data pages of version 1, no compression. Equal tables give equal bytes.

mod page;
mod thrift;

use thiserror::Error;

use page::Chunk;
use thrift::Writer;

/// A column with its name.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    /// Name, unique in its table.
    pub name: String,
    /// One value per row.
    pub values: ColumnValues,
}

/// The values of a column; `None` where there is none.
#[derive(Debug, Clone, PartialEq)]
pub enum ColumnValues {
    /// Texts.
    Text(Vec<Option<String>>),
    /// Whole numbers.
    Whole(Vec<Option<i64>>),
    /// Numbers, bit for bit.
    Real(Vec<Option<f64>>),
    /// Yes or no.
    Flag(Vec<Option<bool>>),
}

/// Why a table has no file.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ColumnarError {
    /// A column has another number of rows than the first.
    #[error("column {name:?} has {found} rows, the first has {expected}")]
    Rows {
        /// Its name.
        name: String,
        /// Its rows.
        found: usize,
        /// Rows of the first column.
        expected: usize,
    },
    /// Two columns have one name.
    #[error("two columns are named {name:?}")]
    Name {
        /// The name.
        name: String,
    },
    /// A page of so many bytes has no place in the format.
    #[error("the texts of column {name:?} take more than 2 GiB in one group of rows")]
    Large {
        /// Name of the column.
        name: String,
    },
}

/// What a file begins and ends with.
const MAGIC: &[u8; 4] = b"PAR1";
/// Rows of a group: what a reader may take into memory at once.
const GROUP: usize = 1 << 18;

/// The bytes of a Parquet file; `facts` are pairs of keys and values that stand in its footer.
///
/// # Errors
/// Columns of different lengths, or two of one name; texts that are too long together.
pub fn to_parquet(columns: &[Column], facts: &[(&str, &str)]) -> Result<Vec<u8>, ColumnarError> {
    let rows = columns.first().map_or(0, |column| column.values.len());
    for (i, column) in columns.iter().enumerate() {
        let name = column.name.clone();
        let found = column.values.len();
        if found != rows {
            let expected = rows;
            return Err(ColumnarError::Rows {
                name,
                found,
                expected,
            });
        }
        if columns[..i].iter().any(|before| before.name == name) {
            return Err(ColumnarError::Name { name });
        }
    }
    let mut file = MAGIC.to_vec();
    let mut groups = Vec::new();
    for from in (0..rows).step_by(GROUP) {
        let range = from..rows.min(from + GROUP);
        let mut chunks = Vec::with_capacity(columns.len());
        for column in columns {
            chunks.push(page::write(&mut file, column, range.clone())?);
        }
        groups.push((range.len(), chunks));
    }
    let footer = footer(columns, rows, &groups, facts);
    file.extend_from_slice(&footer);
    // a footer is as long as its column names are, times the groups
    let length = u32::try_from(footer.len()).unwrap_or(u32::MAX);
    file.extend_from_slice(&length.to_le_bytes());
    file.extend_from_slice(MAGIC);
    Ok(file)
}

/// What readers look at first: the schema, and where the columns of each group are.
fn footer(
    columns: &[Column],
    rows: usize,
    groups: &[(usize, Vec<Chunk>)],
    facts: &[(&str, &str)],
) -> Vec<u8> {
    let mut out = Writer::new();
    out.i32(1, 1);
    out.list(2, columns.len() + 1, |out| {
        out.text(4, "schema");
        out.i32(5, i32::try_from(columns.len()).unwrap_or(i32::MAX));
        out.end();
        for column in columns {
            column.values.schema(out, &column.name);
            out.end();
        }
    });
    out.i64(3, rows as u64);
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

impl ColumnValues {
    /// Number of rows.
    pub fn len(&self) -> usize {
        match self {
            Self::Text(values) => values.len(),
            Self::Whole(values) => values.len(),
            Self::Real(values) => values.len(),
            Self::Flag(values) => values.len(),
        }
    }

    /// True without any row.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The physical type.
    fn physical(&self) -> i32 {
        match self {
            Self::Flag(_) => 0,
            Self::Whole(_) => 2,
            Self::Real(_) => 5,
            Self::Text(_) => 6,
        }
    }

    /// An element of the schema, without its end.
    fn schema(&self, out: &mut Writer, name: &str) {
        out.i32(1, self.physical());
        // optional
        out.i32(3, 1);
        out.text(4, name);
        if matches!(self, Self::Text(_)) {
            // UTF-8, for old readers and for new ones
            out.i32(6, 0);
            out.structure(10, |out| out.structure(1, |_| {}));
        }
    }
}

#[cfg(test)]
mod tests;
