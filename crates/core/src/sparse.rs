//! Block-sparse matrices partitioned like the blocks of a problem.

use std::sync::OnceLock;

use crate::error::{ProblemError, SolveError};
use crate::interrupt;
use crate::memory::MemoryLimit;

/// Multiplications that finding the mirror of a block takes as long as \[-\].
const MIRROR: usize = 20;

/// A number that follows from the entries, computed at the first access. It is no part of the
/// value: equal matrices may differ in whether it is known.
#[derive(Debug, Clone, Default)]
struct Known(OnceLock<f64>);

impl PartialEq for Known {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// A square block-sparse matrix in compressed block rows, columns ascending within a row.
///
/// Block (i, j) is `dim_i × dim_j`, row-major. The matrix need not be symmetric.
#[derive(Debug, Clone, PartialEq)]
pub struct BlockSparse {
    starts: Vec<usize>,
    row_first: Vec<usize>,
    columns: Vec<u32>,
    value_first: Vec<usize>,
    values: Vec<f64>,
    defect: Known,
}

impl Default for BlockSparse {
    /// No rows.
    fn default() -> Self {
        Self {
            starts: vec![0],
            row_first: vec![0],
            columns: Vec::new(),
            value_first: vec![0],
            values: Vec::new(),
            defect: Known::default(),
        }
    }
}

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

    /// Bytes that the matrix takes \[B\].
    pub(crate) fn memory(&self) -> usize {
        size_of_val(self.starts.as_slice())
            + size_of_val(self.row_first.as_slice())
            + size_of_val(self.columns.as_slice())
            + size_of_val(self.value_first.as_slice())
            + size_of_val(self.values.as_slice())
    }

    /// Number of scalar rows \[-\], which is also the number of scalar columns.
    pub fn rows(&self) -> usize {
        self.starts[self.starts.len() - 1]
    }

    /// Number of block rows \[-\], one per block of the problem.
    pub fn block_rows(&self) -> usize {
        self.starts.len() - 1
    }

    /// Number of stored blocks \[-\], diagonal ones included.
    pub fn stored_blocks(&self) -> usize {
        self.columns.len()
    }

    /// Number of stored scalars \[-\]: dim_i · dim_j of every stored block.
    pub fn stored_values(&self) -> usize {
        self.values.len()
    }

    /// First scalar row of block row `i`.
    pub fn start(&self, i: usize) -> usize {
        self.starts[i]
    }

    /// Dimension of block row `i`.
    pub fn dim(&self, i: usize) -> usize {
        self.starts[i + 1] - self.starts[i]
    }

    /// The stored blocks of block row `i`: `(block column, values row-major)`, columns ascending.
    #[inline]
    pub fn row(&self, i: usize) -> impl Iterator<Item = (usize, &[f64])> {
        (self.row_first[i]..self.row_first[i + 1]).map(|k| {
            let values = &self.values[self.value_first[k]..self.value_first[k + 1]];
            (self.columns[k] as usize, values)
        })
    }

    /// The stored block (i, j), if there is one.
    pub fn block(&self, i: usize, j: usize) -> Option<&[f64]> {
        let row = &self.columns[self.row_first[i]..self.row_first[i + 1]];
        // in a full row column j is the j-th
        let full = row.get(j).is_some_and(|column| *column as usize == j);
        let search = || row.binary_search_by_key(&j, |c| *c as usize).ok();
        let found = if full { j } else { search()? };
        let k = self.row_first[i] + found;
        Some(&self.values[self.value_first[k]..self.value_first[k + 1]])
    }

    /// Largest stored |A_ij|; zero if no block is stored \[1/kg | 1/(kg·m²)\].
    pub fn largest_value(&self) -> f64 {
        let (chunks, rest) = self.values.as_chunks::<8>();
        // eight maxima side by side
        let mut most = [0.0_f64; 8];
        for chunk in chunks {
            for (most, value) in most.iter_mut().zip(chunk) {
                *most = most.max(value.abs());
            }
        }
        let all = most.iter().chain(rest);
        all.fold(0.0, |most, value| most.max(value.abs()))
    }

    /// out = A x.
    ///
    /// # Panics
    /// If a slice does not have one entry per row.
    pub fn multiply(&self, x: &[f64], out: &mut [f64]) {
        // nothing ends it without a limit
        let _ = interrupt::without(|| self.multiply_in_time(x, out));
    }

    /// [`Self::multiply`] under the limit of the caller.
    ///
    /// # Errors
    /// [`SolveError::Interrupted`] if the limit ended it; `out` has some of the rows then.
    ///
    /// # Panics
    /// If a slice does not have one entry per row.
    pub fn multiply_in_time(&self, x: &[f64], out: &mut [f64]) -> Result<(), SolveError> {
        assert_eq!(out.len(), self.rows(), "one entry per row");
        let stored = self.values.len() / self.block_rows().max(1);
        interrupt::for_each(self.block_rows(), stored, |i| {
            self.multiply_row(i, x, &mut out[self.starts[i]..self.starts[i + 1]]);
        })
    }

    /// out = block row `i` of A x.
    ///
    /// # Panics
    /// If `x` does not have one entry per row or `out` not one per row of the block.
    #[inline]
    pub fn multiply_row(&self, i: usize, x: &[f64], out: &mut [f64]) {
        assert_eq!(x.len(), self.rows(), "one entry per row");
        out.fill(0.0);
        for (j, values) in self.row(i) {
            let x = &x[self.starts[j]..self.starts[j + 1]];
            match x.len() {
                1 => add_block::<1>(values, x, out),
                2 => add_block::<2>(values, x, out),
                3 => add_block::<3>(values, x, out),
                _ => {
                    for (row, target) in values.chunks_exact(x.len()).zip(out.iter_mut()) {
                        *target += row.iter().zip(x).map(|(a, x)| a * x).sum::<f64>();
                    }
                }
            }
        }
    }

    /// Diagonal of A, one number per scalar row \[1/kg | 1/(kg·m²)\]; zero where the diagonal block
    /// is not stored.
    pub fn diagonal(&self) -> Vec<f64> {
        let mut out = Vec::new();
        self.diagonal_in(&mut out);
        out
    }

    /// As [`Self::diagonal`], written to `out`.
    pub(crate) fn diagonal_in(&self, out: &mut Vec<f64>) {
        out.clear();
        out.resize(self.rows(), 0.0);
        for i in 0..self.block_rows() {
            if let Some(values) = self.block(i, i) {
                let dim = self.dim(i);
                for local in 0..dim {
                    out[self.starts[i] + local] = values[local * dim + local];
                }
            }
        }
    }

    /// The diagonal block A_ii, row-major; zeros if it is not stored.
    pub fn diagonal_block(&self, i: usize, out: &mut [f64]) {
        match self.block(i, i) {
            Some(values) => out.copy_from_slice(values),
            None => out.fill(0.0),
        }
    }

    /// Multiplies every entry by `factor`.
    pub fn scale(&mut self, factor: f64) {
        self.values.iter_mut().for_each(|v| *v *= factor);
        self.defect = Known::default();
    }

    /// ‖A − Aᵀ‖_F / ‖A‖_F \[-\]; zero for a symmetric or an empty matrix. It is computed at the
    /// first call.
    ///
    /// Matrices from files reach 0.3. A solver that needs symmetry refuses a matrix above its
    /// limit.
    pub fn symmetry_defect(&self) -> f64 {
        // nothing ends it without a limit
        interrupt::without(|| self.symmetry_defect_in_time()).unwrap_or(f64::NAN)
    }

    /// [`Self::symmetry_defect`] under the limit of the caller.
    ///
    /// # Errors
    /// [`SolveError::Interrupted`] if the limit ended it.
    pub fn symmetry_defect_in_time(&self) -> Result<f64, SolveError> {
        if let Some(known) = self.defect.0.get() {
            return Ok(*known);
        }
        let computed = self.compute_defect()?;
        Ok(*self.defect.0.get_or_init(|| computed))
    }

    fn compute_defect(&self) -> Result<f64, SolveError> {
        let (mut defect, mut norm) = (0.0, 0.0);
        let stored = self.values.len() + MIRROR * self.columns.len();
        interrupt::for_each(self.block_rows(), stored / self.block_rows().max(1), |i| {
            for (j, values) in self.row(i) {
                let mirror = self.block(j, i);
                // a block without a stored mirror counts for both triangles
                let weight = if mirror.is_some() { 1.0 } else { 2.0 };
                let (rows, columns) = (self.dim(i), self.dim(j));
                for row in 0..rows {
                    for (column, a) in values[row * columns..][..columns].iter().enumerate() {
                        let b = mirror.map_or(0.0, |m| m[column * rows + row]);
                        defect += weight * (a - b) * (a - b);
                        norm += a * a;
                    }
                }
            }
        })?;
        Ok(if norm > 0.0 {
            (defect / norm).sqrt()
        } else {
            0.0
        })
    }
}

fn outside(row: usize, column: usize) -> ProblemError {
    ProblemError::MatrixShape { row, column }
}
/// out += B x for a block of N columns: loops of known length.
#[inline]
fn add_block<const N: usize>(values: &[f64], x: &[f64], out: &mut [f64]) {
    let Some(x) = x.first_chunk::<N>() else {
        return;
    };
    for (row, target) in values.as_chunks::<N>().0.iter().zip(out) {
        *target += row.iter().zip(x).map(|(a, x)| a * x).sum::<f64>();
    }
}
