//! Matrices as files store them.

mod entries;
mod validate;

use crate::attribute::FileAttribute;

/// A matrix in the storage of its file, explicit zeros and the order of its entries included.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredMatrix {
    /// Number of rows \[-\].
    pub rows: usize,
    /// Number of columns \[-\].
    pub columns: usize,
    /// Its numbers.
    pub storage: MatrixEntries,
    /// What the file says of it in addition to its numbers, if anything.
    pub facts: Option<Box<MatrixFacts>>,
}

/// The numbers of a matrix; entries at the same place are added.
#[derive(Debug, Clone, PartialEq)]
pub enum MatrixEntries {
    /// Every number, column by column; rows · columns of them.
    Dense(Vec<f64>),
    /// Blocks in compressed block rows.
    Blocks(Blocks),
    /// Single entries.
    Triplets(Triplets),
    /// Single entries of one triangle of a symmetric matrix, the diagonal included.
    HalfTriplets(Triplets),
    /// Compressed columns: the major index is the column.
    Columns(Compressed),
    /// Compressed rows: the major index is the row.
    Rows(Compressed),
}

/// Blocks in compressed block rows.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Blocks {
    /// End of each block row, cumulative, strictly growing up to the number of rows.
    pub row_ends: Vec<u32>,
    /// End of each block column, cumulative, strictly growing up to the number of columns.
    pub column_ends: Vec<u32>,
    /// Offsets of the block rows into `columns`; fewer than one more than the block rows where the
    /// last ones are empty.
    pub pointers: Vec<u32>,
    /// Block column of each stored block, from 0.
    pub columns: Vec<u32>,
    /// The stored blocks one after the other, each column by column.
    pub values: Vec<f64>,
}

/// Single entries, in the order of the file.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Triplets {
    /// Row of each entry, from 0.
    pub rows: Vec<u32>,
    /// Column of each entry, from 0.
    pub columns: Vec<u32>,
    /// Value of each entry.
    pub values: Vec<f64>,
    /// Room for entries that the file declares, which may be more than there are \[-\].
    pub capacity: u64,
}

/// Compressed columns or rows.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Compressed {
    /// Offsets of the columns (or rows) into the entries; one more than there are columns (or
    /// rows).
    pub pointers: Vec<u32>,
    /// Row (or column) of each entry, from 0.
    pub indices: Vec<u32>,
    /// Value of each entry.
    pub values: Vec<f64>,
    /// Room for entries that the file declares, which may be more than there are \[-\].
    pub capacity: u64,
}

/// What a file says of a matrix in addition to its numbers (FCLIB).
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MatrixFacts {
    /// A remark, in the bytes of the file.
    pub comment: Option<Vec<u8>>,
    /// Condition number \[-\].
    pub conditioning: Option<f64>,
    /// Determinant.
    pub determinant: Option<f64>,
    /// Rank \[-\].
    pub rank: Option<i32>,
    /// Further facts by name, in the order of the file.
    pub attributes: Vec<FileAttribute>,
}

/// Row, column and value of one entry.
pub type MatrixEntry = (usize, usize, f64);

impl StoredMatrix {
    /// A matrix of `rows` × `columns` without facts.
    pub fn new(rows: usize, columns: usize, storage: MatrixEntries) -> Self {
        Self {
            rows,
            columns,
            storage,
            facts: None,
        }
    }

    /// A dense matrix; `values` column by column.
    pub fn dense(rows: usize, columns: usize, values: Vec<f64>) -> Self {
        Self::new(rows, columns, MatrixEntries::Dense(values))
    }

    /// A matrix of single entries `(row, column, value)` in this order.
    pub fn triplets(
        rows: usize,
        columns: usize,
        entries: impl IntoIterator<Item = (u32, u32, f64)>,
    ) -> Self {
        let mut triplets = Triplets::default();
        for (row, column, value) in entries {
            triplets.rows.push(row);
            triplets.columns.push(column);
            triplets.values.push(value);
        }
        triplets.capacity = triplets.values.len() as u64;
        Self::new(rows, columns, MatrixEntries::Triplets(triplets))
    }

    /// Number of stored values \[-\].
    pub fn stored(&self) -> usize {
        self.values().len()
    }

    /// The stored values, in the order of the file.
    pub fn values(&self) -> &[f64] {
        match &self.storage {
            MatrixEntries::Dense(values) => values,
            MatrixEntries::Blocks(blocks) => &blocks.values,
            MatrixEntries::Triplets(triplets) | MatrixEntries::HalfTriplets(triplets) => {
                &triplets.values
            }
            MatrixEntries::Columns(compressed) | MatrixEntries::Rows(compressed) => {
                &compressed.values
            }
        }
    }

    /// Name of the storage, for messages.
    pub fn storage_name(&self) -> &'static str {
        match &self.storage {
            MatrixEntries::Dense(_) => "dense",
            MatrixEntries::Blocks(_) => "blocks",
            MatrixEntries::Triplets(_) => "triplets",
            MatrixEntries::HalfTriplets(_) => "half triplets",
            MatrixEntries::Columns(_) => "columns",
            MatrixEntries::Rows(_) => "rows",
        }
    }

    /// The transpose, in the storage that mirrors this one; facts are left out.
    pub fn transpose(&self) -> Self {
        let storage = match &self.storage {
            MatrixEntries::Dense(values) => MatrixEntries::Dense(
                (0..values.len())
                    .map(|k| values[(k % self.columns) * self.rows + k / self.columns])
                    .collect(),
            ),
            MatrixEntries::Blocks(_) => {
                let entries = self.entries();
                let swapped =
                    entries.map(|(row, column, value)| (narrow(column), narrow(row), value));
                return Self::triplets(self.columns, self.rows, swapped);
            }
            MatrixEntries::Triplets(triplets) => MatrixEntries::Triplets(triplets.swapped()),
            MatrixEntries::HalfTriplets(triplets) => {
                MatrixEntries::HalfTriplets(triplets.swapped())
            }
            MatrixEntries::Columns(compressed) => MatrixEntries::Rows(compressed.clone()),
            MatrixEntries::Rows(compressed) => MatrixEntries::Columns(compressed.clone()),
        };
        Self::new(self.columns, self.rows, storage)
    }

    /// out = A x: `x` one per column, `out` one per row.
    pub fn multiply(&self, x: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        for (row, column, value) in self.entries() {
            out[row] += value * x[column];
        }
    }

    /// out = Aᵀ x: `x` one per row, `out` one per column.
    pub fn multiply_transposed(&self, x: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        for (row, column, value) in self.entries() {
            out[column] += value * x[row];
        }
    }
}

impl Triplets {
    fn swapped(&self) -> Self {
        Self {
            rows: self.columns.clone(),
            columns: self.rows.clone(),
            ..self.clone()
        }
    }
}

/// An index that was read as 32 bits.
fn narrow(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}
