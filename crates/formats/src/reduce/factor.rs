//! The factor of a mass matrix.

use delassus_core::MemoryLimit;
use faer::linalg::solvers::SolveCore;
use faer::sparse::linalg::cholesky::factorize_symbolic_cholesky;
use faer::sparse::linalg::solvers::{Llt, Lu};
use faer::sparse::{SparseColMat, Triplet};
use faer::{Conj, MatMut, Side};

use super::error::ReduceError;
use crate::matrix::{MatrixEntry, StoredMatrix};

/// Residual of a solve beyond which M counts as close to singular \[-\].
const ACCURACY: f64 = 1e-8;

/// How the mass matrix was factorized.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Factorization {
    /// Sparse Cholesky: M is symmetric positive definite.
    Cholesky,
    /// Sparse LU: it is not.
    Lu,
}

impl Factorization {
    /// The name, for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cholesky => "sparse Cholesky",
            Self::Lu => "sparse LU",
        }
    }
}

/// M and its factor.
pub(super) struct Factor {
    /// The entries of M, equal places added, column by column.
    entries: Vec<MatrixEntry>,
    size: usize,
    norm: f64,
    symmetric: bool,
    inverse: Inverse,
}

enum Inverse {
    Llt(Llt<usize, f64>),
    Lu(Box<Lu<usize, f64>>),
}

impl Factor {
    /// Factorizes a square matrix: Cholesky where it is symmetric positive definite, else LU.
    pub(super) fn new(matrix: &StoredMatrix, limit: MemoryLimit) -> Result<Self, ReduceError> {
        let size = matrix.rows;
        let entries = summed(matrix);
        // the entries, faer's copy of them and what it makes of them
        limit.admit(
            "the mass matrix M",
            6 * size_of_val(entries.as_slice()) as u64,
        )?;
        let triplets: Vec<_> = entries
            .iter()
            .map(|(i, j, x)| Triplet::new(*i, *j, *x))
            .collect();
        let sparse = SparseColMat::<usize, f64>::try_new_from_triplets(size, size, &triplets);
        let sparse = sparse.map_err(|_| ReduceError::Singular)?;
        let symmetric = is_symmetric(&entries);
        let cholesky = match symmetric {
            true => {
                let symbolic = factorize_symbolic_cholesky(
                    sparse.symbolic(),
                    Side::Lower,
                    Default::default(),
                    Default::default(),
                );
                let values = symbolic.map_err(|_| ReduceError::Singular)?.len_val();
                limit.admit("the factor of the mass matrix M", 16 * values as u64)?;
                sparse.sp_cholesky(Side::Lower).ok()
            }
            false => None,
        };
        let inverse = match cholesky {
            Some(factor) => Inverse::Llt(factor),
            None => {
                // how full the factors become shows while they are computed: as full as can be
                let full = (size as u64).saturating_mul(size as u64).saturating_mul(16);
                limit.admit(
                    "the factors of the unsymmetric or indefinite mass matrix M",
                    full,
                )?;
                Inverse::Lu(Box::new(sparse.sp_lu().map_err(|_| ReduceError::Singular)?))
            }
        };
        Ok(Self {
            norm: entries.iter().map(|(_, _, x)| x * x).sum::<f64>().sqrt(),
            entries,
            size,
            symmetric,
            inverse,
        })
    }

    pub(super) fn is_symmetric(&self) -> bool {
        self.symmetric
    }

    pub(super) fn kind(&self) -> Factorization {
        match self.inverse {
            Inverse::Llt(_) => Factorization::Cholesky,
            Inverse::Lu(_) => Factorization::Lu,
        }
    }

    /// x ← M⁻¹ x for `count` columns one after the other.
    pub(super) fn solve(&self, x: &mut [f64], count: usize) -> Result<(), ReduceError> {
        if self.size == 0 {
            return Ok(());
        }
        let right = x.to_vec();
        let columns = MatMut::from_column_major_slice_mut(x, self.size, count);
        match &self.inverse {
            Inverse::Llt(factor) => factor.solve_in_place_with_conj(Conj::No, columns),
            Inverse::Lu(factor) => factor.solve_in_place_with_conj(Conj::No, columns),
        }
        let pairs = right.chunks(self.size).zip(x.chunks(self.size));
        pairs
            .into_iter()
            .try_for_each(|(right, x)| self.check(right, x))
    }

    /// Fails unless M x is `right` as exactly as a stable solve leaves it.
    fn check(&self, right: &[f64], x: &[f64]) -> Result<(), ReduceError> {
        let norm = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
        let mut defect = right.to_vec();
        for (row, column, value) in &self.entries {
            defect[*row] -= value * x[*column];
        }
        let scale = self.norm * norm(x) + norm(right);
        let residual = if scale > 0.0 {
            norm(&defect) / scale
        } else {
            norm(&defect)
        };
        // NaN is no success
        if residual <= ACCURACY {
            return Ok(());
        }
        Err(ReduceError::Inaccurate { residual })
    }
}

/// The entries column by column, equal places added and zeros left out.
fn summed(matrix: &StoredMatrix) -> Vec<MatrixEntry> {
    let mut entries: Vec<MatrixEntry> = matrix.entries().collect();
    // stable: the order of summation is that of the file
    entries.sort_by_key(|(row, column, _)| (*column, *row));
    entries.dedup_by(|next, kept| {
        let same = (next.0, next.1) == (kept.0, kept.1);
        if same {
            kept.2 += next.2;
        }
        same
    });
    entries.retain(|entry| entry.2 != 0.0);
    entries
}

/// True if every entry has a mirror of the same value.
fn is_symmetric(entries: &[MatrixEntry]) -> bool {
    entries.iter().all(|(row, column, value)| {
        let mirror = entries.binary_search_by_key(&(*row, *column), |(i, j, _)| (*j, *i));
        mirror.is_ok_and(|at| entries[at].2 == *value)
    })
}
