//! The linear system of one Newton step: an LU factorization with partial pivoting in memory of its
//! own.

use delassus_core::{SolveError, interrupt};
use faer::dyn_stack::{MemBuffer, MemStack, StackReq};
use faer::linalg::lu::partial_pivoting::{factor, solve};
use faer::perm::PermRef;
use faer::{MatMut, MatRef, Par};

/// Unknowns of the first factorization, which makes the buffers of the kernels: larger ones need no
/// others \[-\].
const WARM_UP: usize = 384;

/// An n × n matrix, row-major, and after [`Self::factor`] its LU factors in the same place.
///
/// faer is given the columns of the transpose, which are the rows here, so that nothing is copied;
/// the systems solved are those of the matrix itself.
pub(crate) struct LinearSystem {
    /// Number of unknowns now, at most what memory was made for.
    size: usize,
    values: Vec<f64>,
    forward: Vec<usize>,
    inverse: Vec<usize>,
    memory: MemBuffer,
    /// Factorizations since it was made \[-\].
    pub(crate) factored: u64,
}

impl std::fmt::Debug for LinearSystem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LinearSystem")
            .field("size", &self.size)
            .finish_non_exhaustive()
    }
}

impl LinearSystem {
    /// Memory for `size` unknowns; the first factorization of the process, which sizes buffers of
    /// its kernels, happens here.
    pub(crate) fn new(size: usize) -> Self {
        // a smaller system may be cut into other pieces
        let needed = (1..=size).map(|n| {
            let factoring =
                factor::lu_in_place_scratch::<usize, f64>(n, n, Par::Seq, Default::default());
            factoring.or(solve::solve_transpose_in_place_scratch::<usize, f64>(
                n,
                1,
                Par::Seq,
            ))
        });
        let needed = needed.fold(StackReq::EMPTY, StackReq::or);
        let mut system = Self {
            size,
            values: vec![0.0; size * size],
            forward: vec![0; size],
            inverse: vec![0; size],
            memory: MemBuffer::new(needed),
            factored: 0,
        };
        system.size = size.min(WARM_UP);
        for i in 0..system.size {
            system.row_mut(i)[i] = 1.0;
        }
        system.factor();
        system.solve(&mut vec![1.0; size]);
        system.size = size;
        system.factored = 0;
        system
    }

    /// Sets every entry to zero, of a system of `size` unknowns from now on.
    ///
    /// # Errors
    /// [`SolveError::Interrupted`] if the limit of the caller ended it.
    pub(crate) fn clear(&mut self, size: usize) -> Result<(), SolveError> {
        self.size = size;
        interrupt::for_each(size, size, |i| self.row_mut(i).fill(0.0))
    }

    /// Row `i`, to be written before [`Self::factor`].
    pub(crate) fn row_mut(&mut self, i: usize) -> &mut [f64] {
        &mut self.values[i * self.size..(i + 1) * self.size]
    }

    /// Replaces the matrix by its factors.
    pub(crate) fn factor(&mut self) {
        if self.size == 0 {
            return;
        }
        let n = self.size;
        self.factored += 1;
        factor::lu_in_place(
            MatMut::from_column_major_slice_mut(&mut self.values[..n * n], n, n),
            &mut self.forward[..n],
            &mut self.inverse[..n],
            Par::Seq,
            MemStack::new(&mut self.memory),
            Default::default(),
        );
    }

    /// x ← H⁻¹ x, of as many leading entries as there are unknowns; entries that are not finite
    /// where H is singular.
    pub(crate) fn solve(&mut self, x: &mut [f64]) {
        if self.size == 0 {
            return;
        }
        let n = self.size;
        let factors = MatRef::from_column_major_slice(&self.values[..n * n], n, n);
        solve::solve_transpose_in_place(
            factors,
            factors,
            PermRef::new_checked(&self.forward[..n], &self.inverse[..n], n),
            MatMut::from_column_major_slice_mut(&mut x[..n], n, 1),
            Par::Seq,
            MemStack::new(&mut self.memory),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_system_is_factorized_without_allocating() {
        let size = 900;
        let mut system = LinearSystem::new(size);
        for i in 0..size {
            let row = system.row_mut(i);
            for (j, value) in row.iter_mut().enumerate() {
                *value = 1.0 / (1.0 + (i as f64 - j as f64).abs());
            }
        }
        let mut x = vec![1.0; size];
        let counted = allocation_counter::measure(|| {
            system.factor();
            system.solve(&mut x);
        });
        assert_eq!(counted.count_total, 0);
        assert!(x.iter().all(|x| x.is_finite()));
    }

    #[test]
    fn solves_an_unsymmetric_system_that_needs_a_pivot() {
        let mut system = LinearSystem::new(3);
        for (i, row) in [[0.0, 2.0, 1.0], [1.0, -1.0, 0.5], [4.0, 0.0, 3.0]]
            .iter()
            .enumerate()
        {
            system.row_mut(i).copy_from_slice(row);
        }
        system.factor();
        // H (1, 2, -1)
        let mut x = [3.0, -1.5, 1.0];
        system.solve(&mut x);
        for (x, expected) in x.iter().zip([1.0, 2.0, -1.0]) {
            assert!((x - expected).abs() < 1e-15, "{x}");
        }
    }
}
