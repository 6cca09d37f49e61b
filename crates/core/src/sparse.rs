//! Block-sparse matrices partitioned like the blocks of a problem.

mod build;

use std::sync::OnceLock;

use crate::error::SolveError;
use crate::interrupt;

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

    /// Computes out = A x, and checks the caller's limit ([`crate::interrupt`]).
    ///
    /// # Errors
    /// [`SolveError::Interrupted`] if the limit is reached. Only some rows of `out` are then
    /// written.
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
    /// In matrices from files, it is up to 0.3. A solver that needs symmetry refuses a matrix whose
    /// defect exceeds [`SolverDescriptor::max_asymmetry`](crate::SolverDescriptor::max_asymmetry).
    pub fn symmetry_defect(&self) -> f64 {
        // nothing ends it without a limit
        interrupt::without(|| self.symmetry_defect_in_time()).unwrap_or(f64::NAN)
    }

    /// Returns [`Self::symmetry_defect`], and checks the caller's limit ([`crate::interrupt`])
    /// while computing it.
    ///
    /// # Errors
    /// [`SolveError::Interrupted`] if the limit is reached.
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
