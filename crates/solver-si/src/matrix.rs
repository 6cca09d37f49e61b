//! Packed rows of problems given by their matrix.
//!
//! The off-diagonal blocks of a block row are contiguous; their product with λ is formed once per
//! visit of the block, the diagonal block W = A_cc + R_cc is applied row by row as the block's
//! impulses change.

use delassus_core::interrupt::{self, UnitLooks};
use delassus_core::{MatrixRows, Problem, SolveError};

use crate::view::{BlockView, Visit};

/// Multiplications that taking over one block takes as long as, in addition to its values \[-\].
const TAKING: usize = 5;

/// Where a block lies in the packed arrays.
#[derive(Debug, Clone, Copy)]
struct BlockSpan {
    first_row: usize,
    dim: usize,
    /// First diagonal value; dim² of them.
    first_own: usize,
    /// Range of the off-diagonal blocks.
    first_block: usize,
    last_block: usize,
    first_value: usize,
    /// True if every column block has three columns, as this one has rows.
    triples: bool,
}

impl BlockSpan {
    /// Multiplications that an update takes as long as \[-\].
    #[inline(always)]
    fn work(&self) -> usize {
        (self.last_block - self.first_block) * (self.dim * self.dim + TAKING)
    }
}

/// An off-diagonal block: the rows of λ that it multiplies.
#[derive(Debug, Clone, Copy)]
struct Coupling {
    first_row: usize,
    dim: usize,
}

/// Packed block rows.
#[derive(Debug, Clone, Default)]
pub(crate) struct PackedMatrix {
    spans: Vec<BlockSpan>,
    columns: Vec<Coupling>,
    values: Vec<f64>,
    own: Vec<f64>,
    b: Vec<f64>,
    effective_masses: Vec<f64>,
    /// Off-diagonal sums of the block under update.
    sums: Vec<f64>,
    /// Looks at the limit of the caller between the blocks of a sweep.
    looks: UnitLooks,
}

impl PackedMatrix {
    /// Packs the off-diagonal blocks and reuses the memory of earlier ones; [`Self::refresh`] fills
    /// in the rest.
    ///
    /// # Errors
    /// [`SolveError::Interrupted`] if the limit of the caller ended it.
    pub(crate) fn pack(
        &mut self,
        problem: &Problem,
        matrix: &MatrixRows,
    ) -> Result<(), SolveError> {
        let blocks = problem.blocks();
        self.make_room(problem, matrix);
        let mut first_own = 0;
        let stored = matrix.delassus.stored_values() + TAKING * matrix.delassus.stored_blocks();
        interrupt::for_each(blocks.len(), stored / blocks.len().max(1), |index| {
            let block = &blocks[index];
            let (first_block, first_value) = (self.columns.len(), self.values.len());
            let mut triples = block.dim == 3;
            for (j, values) in matrix.delassus.row(index).filter(|(j, _)| *j != index) {
                triples &= blocks[j].dim == 3;
                self.values.extend_from_slice(values);
                self.columns.push(Coupling {
                    first_row: blocks[j].first_row,
                    dim: blocks[j].dim,
                });
            }
            self.spans.push(BlockSpan {
                first_row: block.first_row,
                dim: block.dim,
                first_own,
                first_block,
                last_block: self.columns.len(),
                first_value,
                triples,
            });
            first_own += block.dim * block.dim;
        })
    }

    /// Takes all blocks out and makes room for others.
    fn make_room(&mut self, problem: &Problem, matrix: &MatrixRows) {
        let blocks = problem.blocks();
        self.spans.clear();
        self.spans.reserve(blocks.len());
        self.columns.clear();
        self.columns.reserve_exact(matrix.delassus.stored_blocks());
        self.values.clear();
        self.values.reserve_exact(matrix.delassus.stored_values());
        self.own
            .resize(blocks.iter().map(|b| b.dim * b.dim).sum(), 0.0);
        self.b.resize(problem.rows(), 0.0);
        self.effective_masses.resize(problem.rows(), 0.0);
        let largest = blocks.iter().map(|b| b.dim).max().unwrap_or(0);
        self.sums.resize(largest, 0.0);
    }

    /// Takes over b and the compliance.
    pub(crate) fn refresh(&mut self, problem: &Problem) {
        self.forget_cut();
        self.b.copy_from_slice(problem.b());
        for (index, span) in self.spans.iter().enumerate() {
            let own = &mut self.own[span.first_own..span.first_own + span.dim * span.dim];
            problem.diagonal_block(index, own);
            problem.add_compliance(index, own);
            for local in 0..span.dim {
                let row = span.first_row + local;
                self.effective_masses[row] = 1.0 / own[local * span.dim + local];
            }
        }
    }

    /// Whether a limit ended a sweep on the way; `None` if sweeps are short.
    pub(crate) fn is_cut_short(&self) -> Option<bool> {
        let work = self.values.len() + TAKING * self.columns.len();
        UnitLooks::fits(work).then_some(self.looks.is_over())
    }

    /// The impulses are those of whole sweeps.
    pub(crate) fn forget_cut(&mut self) {
        self.looks = UnitLooks::default();
    }

    /// Updates one block, unless a limit has ended the sweep.
    #[inline(always)]
    pub(crate) fn with_block(&mut self, block: usize, impulses: &mut [f64], visitor: impl Visit) {
        let span = self.spans[block];
        if self.looks.add(span.work()) {
            return;
        }
        self.sum_off_diagonal(span, impulses);
        let rows = span.first_row..span.first_row + span.dim;
        visitor.visit(&mut MatrixView {
            sums: &self.sums[..span.dim],
            own: &self.own[span.first_own..span.first_own + span.dim * span.dim],
            effective_masses: &self.effective_masses[rows.clone()],
            impulses: &mut impulses[rows],
        });
    }

    /// w of every row (P.2), unless a limit has ended the sweep.
    pub(crate) fn all_velocities(&mut self, impulses: &[f64], out: &mut [f64]) {
        for index in 0..self.spans.len() {
            let span = self.spans[index];
            if self.looks.add(span.work()) {
                return;
            }
            self.sum_off_diagonal(span, impulses);
            for local in 0..span.dim {
                let first = span.first_own + local * span.dim;
                let own = &self.own[first..first + span.dim];
                let impulses = &impulses[span.first_row..span.first_row + span.dim];
                out[span.first_row + local] = self.sums[local] + product(own, impulses);
            }
        }
    }

    /// sums ← b_c + Σ_{d ≠ c} A_cd λ_d.
    #[inline(always)]
    fn sum_off_diagonal(&mut self, span: BlockSpan, impulses: &[f64]) {
        let b = &self.b[span.first_row..span.first_row + span.dim];
        let columns = &self.columns[span.first_block..span.last_block];
        let values = &self.values[span.first_value..];
        if span.triples {
            let mut sums = [b[0], b[1], b[2]];
            for (column, a) in columns.iter().zip(values.as_chunks::<9>().0) {
                let x = &impulses[column.first_row..column.first_row + 3];
                sums[0] += a[0] * x[0] + a[1] * x[1] + a[2] * x[2];
                sums[1] += a[3] * x[0] + a[4] * x[1] + a[5] * x[2];
                sums[2] += a[6] * x[0] + a[7] * x[1] + a[8] * x[2];
            }
            self.sums[..3].copy_from_slice(&sums);
            return;
        }
        let sums = &mut self.sums[..span.dim];
        sums.copy_from_slice(b);
        let mut first = 0;
        for column in columns {
            let x = &impulses[column.first_row..column.first_row + column.dim];
            let block = &values[first..first + span.dim * column.dim];
            for (sum, row) in sums.iter_mut().zip(block.chunks_exact(column.dim)) {
                *sum += product(row, x);
            }
            first += span.dim * column.dim;
        }
    }
}

/// One block of a matrix problem.
struct MatrixView<'a> {
    sums: &'a [f64],
    own: &'a [f64],
    effective_masses: &'a [f64],
    impulses: &'a mut [f64],
}

impl BlockView for MatrixView<'_> {
    #[inline(always)]
    fn impulse(&self, local: usize) -> f64 {
        self.impulses[local]
    }

    #[inline(always)]
    fn velocity(&self, local: usize) -> f64 {
        let dim = self.sums.len();
        let own = &self.own[local * dim..(local + 1) * dim];
        self.sums[local] + product(own, self.impulses)
    }

    #[inline(always)]
    fn effective_mass(&self, local: usize) -> f64 {
        self.effective_masses[local]
    }

    #[inline(always)]
    fn set_impulse(&mut self, local: usize, impulse: f64) {
        self.impulses[local] = impulse;
    }

    #[inline(always)]
    fn velocity_without_own(&self, local: usize, _w_row: &[f64]) -> f64 {
        self.sums[local]
    }
}

#[inline(always)]
fn product(row: &[f64], x: &[f64]) -> f64 {
    let mut sum = 0.0;
    for (a, x) in row.iter().zip(x) {
        sum += a * x;
    }
    sum
}
