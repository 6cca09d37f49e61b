//! Block-sparse matrices from their blocks or entries.

use super::{BlockSparse, Known};
use crate::error::ProblemError;
use crate::memory::MemoryLimit;

impl BlockSparse {
    /// Builds the matrix from its blocks `(block row, block column, values row-major)`, in any
    /// order.
    ///
    /// `dims` are the dimensions of the block rows. Zero blocks may be left out.
    ///
    /// # Errors
    /// Indices out of range, a value count that does not fit, the same block twice, numbers that
    /// are not finite.
    pub fn from_blocks(
        dims: &[usize],
        mut blocks: Vec<(usize, usize, Vec<f64>)>,
    ) -> Result<Self, ProblemError> {
        blocks.sort_by_key(|(i, j, _)| (*i, *j));
        let mut matrix = Self::default();
        matrix.columns.reserve_exact(blocks.len());
        matrix.value_first.reserve_exact(blocks.len());
        let values = blocks.iter().map(|(.., values)| values.len());
        matrix.values.reserve_exact(values.sum());
        matrix.renew(dims.iter().copied(), blocks)?;
        Ok(matrix)
    }

    /// Replaces the matrix and reuses its memory. The blocks must be in ascending order of their
    /// rows, and within a row in ascending order of their columns.
    ///
    /// # Errors
    /// Those of [`Self::from_blocks`], and a block that is out of order. The matrix then has no
    /// rows.
    pub fn renew<V: IntoIterator<Item = f64>>(
        &mut self,
        dims: impl IntoIterator<Item = usize>,
        blocks: impl IntoIterator<Item = (usize, usize, V)>,
    ) -> Result<(), ProblemError> {
        self.clear();
        self.push_rows(dims, blocks).inspect_err(|_| self.clear())
    }

    /// Adds all rows to a matrix that has none.
    fn push_rows<V: IntoIterator<Item = f64>>(
        &mut self,
        dims: impl IntoIterator<Item = usize>,
        blocks: impl IntoIterator<Item = (usize, usize, V)>,
    ) -> Result<(), ProblemError> {
        let mut rows = 0;
        self.starts.extend(dims.into_iter().map(|dim| {
            rows += dim;
            rows
        }));
        self.row_first.resize(self.starts.len(), 0);
        let mut previous = None;
        for (row, column, values) in blocks {
            if row.max(column) >= self.block_rows() {
                return Err(ProblemError::MatrixShape { row, column });
            }
            if previous == Some((row, column)) {
                return Err(ProblemError::DuplicateMatrixBlock { row, column });
            }
            if previous > Some((row, column)) {
                return Err(ProblemError::MatrixOrder { row, column });
            }
            previous = Some((row, column));
            self.push_block(row, column, values)?;
        }
        for row in 1..self.row_first.len() {
            self.row_first[row] += self.row_first[row - 1];
        }
        Ok(())
    }

    /// Removes all rows and keeps the memory.
    fn clear(&mut self) {
        self.starts.truncate(1);
        self.row_first.truncate(1);
        self.columns.clear();
        self.value_first.truncate(1);
        self.values.clear();
        self.defect = Known::default();
    }

    /// Adds a block within the matrix, behind the others; `row_first` counts it.
    fn push_block(
        &mut self,
        row: usize,
        column: usize,
        values: impl IntoIterator<Item = f64>,
    ) -> Result<(), ProblemError> {
        let first = self.values.len();
        self.values.extend(values);
        let shape = ProblemError::MatrixShape { row, column };
        if self.values.len() - first != self.dim(row) * self.dim(column) {
            return Err(shape);
        }
        if self.values[first..].iter().any(|v| !v.is_finite()) {
            return Err(ProblemError::NonFinite {
                what: "matrix block row",
                index: row,
            });
        }
        self.row_first[row + 1] += 1;
        self.columns.push(u32::try_from(column).map_err(|_| shape)?);
        self.value_first.push(self.values.len());
        Ok(())
    }

    /// Builds the matrix from single entries `(row, column, value)` in any order. Entries with the
    /// same indices are added in the given order, and blocks of zeros are left out.
    ///
    /// `dims` are the dimensions of the block rows. The memory of the blocks is computed before
    /// they are allocated.
    ///
    /// # Errors
    /// Indices out of range, numbers that are not finite, dense blocks that take more than `limit`.
    pub fn from_entries(
        dims: &[usize],
        mut entries: Vec<(u32, u32, f64)>,
        limit: MemoryLimit,
    ) -> Result<Self, ProblemError> {
        let mut starts = Vec::with_capacity(dims.len() + 1);
        starts.push(0);
        let mut block_of = Vec::with_capacity(dims.iter().sum());
        for (block, dim) in dims.iter().enumerate() {
            starts.push(starts[block] + dim);
            let index = u32::try_from(block).map_err(|_| outside(block, 0))?;
            block_of.extend(std::iter::repeat_n(index, *dim));
        }
        for (i, j, value) in &entries {
            let (row, column) = (*i as usize, *j as usize);
            if row.max(column) >= block_of.len() {
                return Err(outside(row, column));
            }
            if !value.is_finite() {
                return Err(ProblemError::NonFinite {
                    what: "matrix row",
                    index: row,
                });
            }
        }
        let place = |(i, j, _): &(u32, u32, f64)| (block_of[*i as usize], block_of[*j as usize]);
        // stable: the order of summation is that of the entries
        if !entries.is_sorted_by_key(place) {
            entries.sort_by_key(place);
        }
        let (mut blocks, mut values) = (0usize, 0u64);
        for block in entries.chunk_by(|a, b| place(a) == place(b)) {
            let (i, j) = place(&block[0]);
            let (rows, columns) = (dims[i as usize] as u64, dims[j as usize] as u64);
            blocks += 1;
            values = values.saturating_add(rows.saturating_mul(columns));
        }
        let needed = values.saturating_mul(8).saturating_add(12 * blocks as u64);
        limit.admit("the matrix, its blocks dense,", needed)?;
        let mut matrix = Self {
            row_first: vec![0; dims.len() + 1],
            columns: Vec::with_capacity(blocks),
            value_first: Vec::with_capacity(blocks + 1),
            values: Vec::with_capacity(usize::try_from(values).unwrap_or(usize::MAX)),
            starts,
            defect: Known::default(),
        };
        for block in entries.chunk_by(|a, b| place(a) == place(b)) {
            let (i, j) = place(&block[0]);
            matrix.push(i as usize, j, block)?;
        }
        matrix.value_first.push(matrix.values.len());
        for i in 0..dims.len() {
            matrix.row_first[i + 1] += matrix.row_first[i];
        }
        Ok(matrix)
    }

    /// Adds block (i, j) from its entries, unless they cancel.
    fn push(&mut self, i: usize, j: u32, entries: &[(u32, u32, f64)]) -> Result<(), ProblemError> {
        let first = self.values.len();
        let (row, column) = (self.starts[i], self.starts[j as usize]);
        let columns = self.dim(j as usize);
        self.values.resize(first + self.dim(i) * columns, 0.0);
        for (k, l, value) in entries {
            let place = (*k as usize - row) * columns + (*l as usize - column);
            self.values[first + place] += value;
        }
        if self.values[first..].iter().all(|v| *v == 0.0) {
            self.values.truncate(first);
            return Ok(());
        }
        // sums can overflow
        if self.values[first..].iter().any(|v| !v.is_finite()) {
            return Err(ProblemError::NonFinite {
                what: "matrix block row",
                index: i,
            });
        }
        self.row_first[i + 1] += 1;
        self.columns.push(j);
        self.value_first.push(first);
        Ok(())
    }
}

fn outside(row: usize, column: usize) -> ProblemError {
    ProblemError::MatrixShape { row, column }
}
