//! The dense Delassus matrix A = J M⁻¹ Jᵀ of a problem (D.1), and what its rows say about
//! redundancy.
//!
//! Every solver of this crate starts here. A problem with bodies is assembled body by body, over
//! the pairs of rows that touch the same body; a problem that carries its matrix is copied. Memory:
//! 8 m² bytes, so 128 MB at the 4000 rows that the descriptors allow; time O(Σ_b m_b²) for m_b rows
//! on body b.

use delassus_core::{
    BodyRows, CoupledCompliance, Determinism, Operator, Problem, SolveError, SolverDescriptor,
    interrupt,
};
use faer::MatRef;

use crate::linear;
use crate::spectral;

/// Properties of solvers that factorize A on this processor.
pub(crate) const DENSE: SolverDescriptor = SolverDescriptor {
    needs_positive_diagonal: false,
    max_rows: MAX_ROWS,
    determinism: Determinism::Processor,
    ..SolverDescriptor::COMPLETE
};

/// Rows that a dense solver accepts by default: one matrix takes 128 MB.
pub const MAX_ROWS: usize = 4000;

/// Eigenvalues of the scaled matrix below this fraction of the largest one count as zero \[-\].
///
/// Rounding in the assembly leaves about 1e-15; the margin above that is for matrices read from
/// printed digits.
pub const RANK_TOLERANCE: f64 = 1e-10;

/// Multiplications that an entry of A takes per body and block: six, and two places in memory, for
/// the rows of a block \[-\].
const PAIR: usize = 60;

/// Bytes of `copies` dense matrices of the problem, and of vectors in addition to them \[B\].
pub(crate) fn memory(problem: &Problem, copies: u64) -> u64 {
    let rows = problem.rows() as u64;
    let matrix = rows.saturating_mul(rows).saturating_mul(8);
    matrix.saturating_mul(copies).saturating_add(200 * rows)
}

/// A square matrix with contiguous rows: A or A + R of one problem \[1/kg on linear rows\].
#[derive(Debug, Clone, PartialEq)]
pub struct DenseDelassus {
    rows: usize,
    values: Vec<f64>,
}

impl DenseDelassus {
    /// Assembles A without compliance (D.1); symmetric to the last bit if the problem has bodies.
    ///
    /// # Errors
    /// [`SolveError::Factorization`] if an entry overflows, which finite but absurd Jacobians can
    /// cause. [`SolveError::Interrupted`] if the time that is left does not suffice.
    pub fn assemble(problem: &Problem) -> Result<Self, SolveError> {
        let rows = problem.rows();
        // cleared, summed, checked, copied and scaled, m² entries each
        interrupt::afford(8.0 * (rows * rows) as f64)?;
        let mut matrix = Self {
            rows,
            values: vec![0.0; rows * rows],
        };
        match problem.operator() {
            Operator::Bodies(bodies) => matrix.add_bodies(problem, bodies)?,
            Operator::Matrix(given) => {
                let blocks = given.delassus.block_rows();
                let cost = rows * rows.div_ceil(blocks.max(1));
                interrupt::for_each(blocks, cost, |block| {
                    matrix.copy_block_row(&given.delassus, block);
                })?;
            }
        }
        let mut finite = true;
        interrupt::for_each(rows, rows, |i| {
            finite &= matrix.row(i).iter().all(|a| a.is_finite());
        })?;
        if finite {
            return Ok(matrix);
        }
        Err(SolveError::Factorization {
            reason: "an entry of J M^-1 J^T overflows",
        })
    }

    /// Assembles A + R.
    ///
    /// # Errors
    /// See [`Self::assemble`].
    pub fn assemble_with_compliance(problem: &Problem) -> Result<Self, SolveError> {
        let mut matrix = Self::assemble(problem)?;
        for (row, compliance) in problem.compliance().iter().enumerate() {
            matrix.values[row * matrix.rows + row] += compliance;
        }
        for (block, lower) in problem.coupled_compliance().iter() {
            let first = problem.blocks()[block].first_row;
            for ((i, j), r) in CoupledCompliance::lower_indices().zip(lower) {
                let (i, j) = (first + i, first + j);
                matrix.values[i * matrix.rows + j] += r;
                matrix.values[j * matrix.rows + i] += r;
            }
        }
        Ok(matrix)
    }

    /// Number of rows m \[-\].
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Row `i`, m entries.
    ///
    /// # Panics
    /// If there is no such row.
    #[inline]
    pub fn row(&self, i: usize) -> &[f64] {
        &self.values[i * self.rows..(i + 1) * self.rows]
    }

    /// The matrix as faer sees it, without a copy.
    pub fn as_mat(&self) -> MatRef<'_, f64> {
        MatRef::from_row_major_slice(&self.values, self.rows, self.rows)
    }

    /// out = this matrix times x.
    ///
    /// # Errors
    /// [`SolveError::Interrupted`] if the limit of the caller ended it.
    ///
    /// # Panics
    /// If a slice does not have m entries.
    pub fn multiply(&self, x: &[f64], out: &mut [f64]) -> Result<(), SolveError> {
        assert_eq!(x.len(), self.rows, "one entry per row");
        assert_eq!(out.len(), self.rows, "one entry per row");
        interrupt::for_each(self.rows, self.rows, |i| {
            out[i] = linear::dot(self.row(i), x);
        })
    }

    /// Rank and null dimension of this matrix (D.3).
    ///
    /// # Errors
    /// [`SolveError::Factorization`] if the singular value decomposition fails.
    pub fn redundancy(&self) -> Result<Redundancy, SolveError> {
        let scale = self.scaling();
        let scaled = self.scaled(&scale)?;
        let singular = spectral::singular_values(scaled.as_mat())?;
        Ok(Redundancy::from_singular_values(&singular))
    }

    /// d with d_i² = 1 / A_ii (D.2); rows without a positive diagonal take their largest entry
    /// instead.
    pub(crate) fn scaling(&self) -> Vec<f64> {
        (0..self.rows)
            .map(|i| {
                let diagonal = self.values[i * self.rows + i];
                let size = if diagonal > 0.0 {
                    diagonal
                } else {
                    linear::max_magnitude(self.row(i))
                };
                // a subnormal size would overflow below; such a row carries no information
                if size > f64::MIN_POSITIVE {
                    1.0 / size.sqrt()
                } else {
                    1.0
                }
            })
            .collect()
    }

    /// diag(d) A diag(d).
    pub(crate) fn scaled(&self, d: &[f64]) -> Result<Self, SolveError> {
        let mut values = Vec::with_capacity(self.values.len());
        interrupt::for_each(self.rows, self.rows, |i| {
            let row = self.row(i).iter().zip(d);
            values.extend(row.map(|(value, e)| value * (d[i] * e)));
        })?;
        Ok(Self {
            rows: self.rows,
            values,
        })
    }

    /// The rows and columns in `keep`, in that order.
    pub(crate) fn principal(&self, keep: &[usize]) -> Result<Self, SolveError> {
        let rows = keep.len();
        let mut values = Vec::with_capacity(rows * rows);
        interrupt::for_each(rows, rows, |i| {
            let row = self.row(keep[i]);
            values.extend(keep.iter().map(|j| row[*j]));
        })?;
        Ok(Self { rows, values })
    }

    fn add_bodies(&mut self, problem: &Problem, bodies: &BodyRows) -> Result<(), SolveError> {
        let blocks = problem.blocks();
        let mut touching: Vec<Vec<(usize, usize)>> = vec![Vec::new(); bodies.len()];
        for block in 0..blocks.len() {
            for (position, body) in bodies.bodies_of(block).iter().enumerate() {
                touching[*body as usize].push((block, position));
            }
        }
        let mut moved: Vec<(usize, [f64; 6])> = Vec::new();
        for (body, list) in touching.iter().enumerate() {
            let mass = &bodies.mass[body];
            if mass.is_immovable() {
                continue;
            }
            moved.clear();
            for (block, position) in list {
                for local in 0..blocks[*block].dim {
                    let entry = bodies.row(*block, local)[*position];
                    moved.push((blocks[*block].first_row + local, mass.apply_inverse(&entry)));
                }
            }
            let mut first = 0;
            interrupt::for_each(list.len(), PAIR * moved.len(), |at| {
                let (block, position) = list[at];
                for local in 0..blocks[block].dim {
                    let entry = bodies.row(block, local)[position];
                    let i = blocks[block].first_row + local;
                    // lower triangle and mirror: symmetric whatever the rounding of M⁻¹
                    for (j, response) in &moved[..=first] {
                        let value = linear::dot(&entry, response);
                        self.values[i * self.rows + j] += value;
                        if *j != i {
                            self.values[j * self.rows + i] += value;
                        }
                    }
                    first += 1;
                }
            })?;
        }
        Ok(())
    }

    fn copy_block_row(&mut self, matrix: &delassus_core::BlockSparse, block: usize) {
        let first = matrix.start(block);
        for (column, values) in matrix.row(block) {
            let (start, width) = (matrix.start(column), matrix.dim(column));
            for (local, source) in values.chunks_exact(width).enumerate() {
                let offset = (first + local) * self.rows + start;
                self.values[offset..offset + width].copy_from_slice(source);
            }
        }
    }
}

/// What the spectrum of the scaled matrix says about redundant rows (D.3).
///
/// With a null dimension above zero the impulses of a consistent problem are not unique; its
/// velocities are where its laws are convex (F.4).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Redundancy {
    /// Number of rows m \[-\].
    pub rows: usize,
    /// Singular values above [`RANK_TOLERANCE`] times the largest \[-\].
    pub rank: usize,
    /// Largest singular value of the scaled matrix \[-\].
    pub largest: f64,
    /// Smallest singular value that counts for the rank \[-\]; zero if the rank is zero.
    pub smallest: f64,
}

impl Redundancy {
    /// m minus the rank: the number of independent combinations of rows that no impulse moves
    /// \[-\].
    pub fn null_dimension(&self) -> usize {
        self.rows - self.rank
    }

    /// Ratio of the extreme singular values that count for the rank \[-\]; 1 if the rank is zero.
    pub fn condition(&self) -> f64 {
        if self.rank == 0 {
            1.0
        } else {
            self.largest / self.smallest
        }
    }

    fn from_singular_values(values: &[f64]) -> Self {
        let largest = linear::max_magnitude(values);
        let counted = values.iter().filter(|s| **s > RANK_TOLERANCE * largest);
        Self {
            rows: values.len(),
            rank: counted.clone().count(),
            largest,
            smallest: counted
                .fold(f64::INFINITY, |min, s| min.min(*s))
                .min(largest),
        }
    }
}

/// Rank and null dimension of A = J M⁻¹ Jᵀ, without compliance (D.3).
///
/// # Errors
/// See [`DenseDelassus::assemble`] and [`DenseDelassus::redundancy`].
pub fn redundancy(problem: &Problem) -> Result<Redundancy, SolveError> {
    DenseDelassus::assemble(problem)?.redundancy()
}

/// The normal rows of contacts: one of each point, with friction or without; rows of other laws are
/// none.
pub fn normal_rows(problem: &Problem) -> Vec<usize> {
    let blocks = problem.blocks().iter();
    blocks
        .flat_map(|block| block.first_row..block.first_row + block.law.contact_points())
        .collect()
}

/// Rank and null dimension of the rows and columns of A in `keep`, without compliance (D.3).
///
/// A is applied to one row after the other, so that memory and time go with the rows kept: of a
/// large pile's problem the normals alone can be asked for.
///
/// # Errors
/// [`SolveError::Factorization`] if an entry overflows or the singular value decomposition fails.
///
/// # Panics
/// If a row of `keep` is not one of the problem.
pub fn redundancy_of(problem: &Problem, keep: &[usize]) -> Result<Redundancy, SolveError> {
    let mut matrix = DenseDelassus {
        rows: keep.len(),
        values: Vec::with_capacity(keep.len() * keep.len()),
    };
    let (mut unit, mut column) = (vec![0.0; problem.rows()], vec![0.0; problem.rows()]);
    for row in keep {
        unit[*row] = 1.0;
        problem.apply_delassus(&unit, &mut column);
        unit[*row] = 0.0;
        // a column in place of a row: transposing changes no singular value
        matrix.values.extend(keep.iter().map(|row| column[*row]));
    }
    if matrix.values.iter().any(|a| !a.is_finite()) {
        return Err(SolveError::Factorization {
            reason: "an entry of J M^-1 J^T overflows",
        });
    }
    matrix.redundancy()
}

#[cfg(test)]
impl DenseDelassus {
    pub(crate) fn from_rows<const N: usize>(matrix: [[f64; N]; N]) -> Self {
        Self {
            rows: N,
            values: matrix.concat(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_scaled_by_their_diagonal_or_their_largest_entry() {
        let matrix = DenseDelassus::from_rows([
            [4.0, 1.0, 0.0, 0.0],
            [1.0, 0.0, -16.0, 0.0],
            [0.0, -16.0, -1.0, 0.0],
            [0.0; 4],
        ]);
        assert_eq!(matrix.scaling(), [0.5, 0.25, 0.25, 1.0]);
        // the smallest normal number carries no information yet, its double does
        let tiny = |size| DenseDelassus::from_rows([[size]]).scaling()[0];
        assert_eq!(tiny(f64::MIN_POSITIVE), 1.0);
        assert_eq!(tiny(4.0 * f64::MIN_POSITIVE), 1.0 / (2.0f64.powi(-510)));
    }

    #[test]
    fn the_rank_counts_relative_to_the_largest_singular_value() {
        for scale in [1.0, 1e3, 1e-3] {
            let values = [5.0, 0.9e-10, 1.0, 1.1e-10].map(|s| s * scale);
            // the limit is 5e-10 of the scale
            let found = Redundancy::from_singular_values(&values);
            assert_eq!((found.rank, found.null_dimension()), (2, 2));
            let values = [0.5, 0.49e-10, 1.0, 1.1e-10].map(|s| s * scale);
            let found = Redundancy::from_singular_values(&values);
            assert_eq!((found.rank, found.null_dimension()), (3, 1));
            assert_eq!(found.smallest, 1.1e-10 * scale);
            assert!((found.condition() * 1.1e-10 - 1.0).abs() < 1e-15);
        }
    }
}
