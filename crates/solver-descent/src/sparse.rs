//! Cholesky factors of sparse matrices whose pattern is made of blocks, by faer, on memory that is
//! made once.

use delassus_core::{SolveError, Unsupported, interrupt};
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::LltRegularization;
use faer::sparse::linalg::cholesky::{LltRef, SymbolicCholesky, factorize_symbolic_cholesky};
use faer::sparse::{SparseColMat, SymbolicSparseColMat};
use faer::{Conj, MatMut, Par, Side};

/// Which blocks a symmetric matrix has.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct BlockShape {
    /// Rows of each block.
    pub(crate) dims: Vec<usize>,
    /// (row, column) of the blocks below the diagonal, and after [`Self::settle`] on it.
    pub(crate) pairs: Vec<(usize, usize)>,
}

impl BlockShape {
    /// Takes all blocks out; the memory stays.
    pub(crate) fn clear(&mut self) {
        self.dims.clear();
        self.pairs.clear();
    }

    /// Adds the diagonal, and sorts what came in any order and as often as it liked.
    pub(crate) fn settle(&mut self) {
        self.pairs.extend((0..self.dims.len()).map(|i| (i, i)));
        self.pairs
            .sort_unstable_by_key(|(row, column)| (*column, *row));
        self.pairs.dedup();
    }
}

/// A symmetric matrix in blocks: its lower triangle, column by column.
#[derive(Debug)]
pub(crate) struct BlockPattern {
    starts: Vec<usize>,
    /// Of each block column the block rows from the diagonal on, ascending.
    rows: Vec<Vec<usize>>,
    /// For each, the scalar rows of the column before it.
    offsets: Vec<Vec<usize>>,
    /// First entry of each scalar column.
    columns: Vec<usize>,
}

impl BlockPattern {
    /// The pattern of blocks that are settled.
    fn new(BlockShape { dims, pairs }: &BlockShape) -> Self {
        let mut starts = vec![0];
        for dim in dims {
            starts.push(starts[starts.len() - 1] + dim);
        }
        let mut pattern = Self {
            starts,
            rows: vec![Vec::new(); dims.len()],
            offsets: vec![Vec::new(); dims.len()],
            columns: vec![0],
        };
        for (row, column) in pairs {
            pattern.rows[*column].push(*row);
        }
        for (column, rows) in pattern.rows.iter().enumerate() {
            let mut height = 0;
            for row in rows {
                pattern.offsets[column].push(height);
                height += dims[*row];
            }
            for q in 0..dims[column] {
                let last = pattern.columns[pattern.columns.len() - 1];
                pattern.columns.push(last + height - q);
            }
        }
        pattern
    }

    /// The place of entry (p, q) of the stored block (row, column), p ≥ q on the diagonal.
    pub(crate) fn place(&self, row: usize, column: usize, p: usize, q: usize) -> Option<usize> {
        let found = self.rows[column].binary_search(&row).ok()?;
        let first = self.columns[self.starts[column] + q];
        Some(first + self.offsets[column][found] + p - q)
    }

    /// Number of scalar rows \[-\].
    fn size(&self) -> usize {
        self.starts[self.starts.len() - 1]
    }

    /// The pattern as faer reads it.
    fn symbolic(&self) -> SymbolicSparseColMat<usize> {
        let mut indices = Vec::with_capacity(self.columns[self.size()]);
        for (column, rows) in self.rows.iter().enumerate() {
            for q in self.starts[column]..self.starts[column + 1] {
                let below = rows
                    .iter()
                    .flat_map(|row| self.starts[*row]..self.starts[row + 1]);
                indices.extend(below.filter(|row| *row >= q));
            }
        }
        let size = self.size();
        SymbolicSparseColMat::new_checked(size, size, self.columns.clone(), None, indices)
    }
}

/// A matrix of a fixed pattern and its factor.
pub(crate) struct SparseFactor {
    pattern: BlockPattern,
    matrix: SparseColMat<usize, f64>,
    symbolic: SymbolicCholesky<usize>,
    values: Vec<f64>,
    scratch: MemBuffer,
}

impl std::fmt::Debug for SparseFactor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SparseFactor")
            .field("size", &self.matrix.nrows())
            .field("entries", &self.values.len())
            .finish_non_exhaustive()
    }
}

impl SparseFactor {
    /// Orders the rows and makes room for the factor.
    ///
    /// # Errors
    /// A factor beyond what indices can count.
    pub(crate) fn new(shape: &BlockShape) -> Result<Self, SolveError> {
        let pattern = BlockPattern::new(shape);
        let symbolic = pattern.symbolic();
        let entries = symbolic.row_idx().len();
        let matrix = SparseColMat::new(symbolic, vec![0.0; entries]);
        let symbolic = factorize_symbolic_cholesky(
            matrix.symbolic(),
            Side::Lower,
            Default::default(),
            Default::default(),
        )
        .map_err(|_| SolveError::Factorization {
            reason: "the factor has more entries than can be counted",
        })?;
        let scratch = symbolic
            .factorize_numeric_llt_scratch::<f64>(Par::Seq, Default::default())
            .or(symbolic.solve_in_place_scratch::<f64>(1, Par::Seq));
        Ok(Self {
            values: vec![0.0; symbolic.len_val()],
            scratch: MemBuffer::new(scratch),
            pattern,
            matrix,
            symbolic,
        })
    }

    /// Entries of the factor \[-\].
    pub(crate) fn entries(&self) -> usize {
        self.values.len()
    }

    /// The pattern, and the entries of the matrix in its places.
    pub(crate) fn matrix_mut(&mut self) -> (&BlockPattern, &mut [f64]) {
        (&self.pattern, self.matrix.parts_mut().1)
    }

    /// Factorizes the matrix.
    ///
    /// # Errors
    /// A pivot that is not positive.
    pub(crate) fn factorize(&mut self) -> Result<(), SolveError> {
        if self.values.is_empty() {
            return Ok(());
        }
        // columns of equal length, a quarter more where they are not
        let (entries, size) = (self.values.len() as f64, self.matrix.nrows() as f64);
        interrupt::afford(0.6 * entries * entries / size)?;
        let factor = self.symbolic.factorize_numeric_llt(
            &mut self.values,
            self.matrix.as_ref(),
            Side::Lower,
            LltRegularization::default(),
            Par::Seq,
            MemStack::new(&mut self.scratch),
            Default::default(),
        );
        factor.map(|_| ()).map_err(|_| {
            SolveError::Unsupported(Unsupported::Indefinite {
                solver: "admm",
                advice: "take a larger rho, or another method",
            })
        })
    }

    /// x ← matrix⁻¹ x.
    pub(crate) fn solve(&mut self, x: &mut [f64]) {
        if self.values.is_empty() {
            return;
        }
        let size = x.len();
        LltRef::new(&self.symbolic, &self.values).solve_in_place_with_conj(
            Conj::No,
            MatMut::from_column_major_slice_mut(x, size, 1),
            Par::Seq,
            MemStack::new(&mut self.scratch),
        );
    }
}
