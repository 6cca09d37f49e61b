//! Rank-revealing solution of tiny systems, on the stack.

use crate::linear;

/// Largest system \[-\].
pub(crate) const MAX: usize = 12;

/// Pivots below this fraction of the largest entry count as zero \[-\]: well above rounding, well
/// below data.
const SINGULAR: f64 = 1e-11;

/// A system M y = r of at most [`MAX`] unknowns.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SmallSystem {
    pub(crate) size: usize,
    pub(crate) matrix: [[f64; MAX]; MAX],
    pub(crate) right: [f64; MAX],
    /// Weight of each unknown in the norm that singles out one solution; positive.
    pub(crate) weight: [f64; MAX],
}

impl SmallSystem {
    pub(crate) fn new() -> Self {
        Self {
            size: 0,
            matrix: [[0.0; MAX]; MAX],
            right: [0.0; MAX],
            weight: [1.0; MAX],
        }
    }

    /// Gaussian elimination with complete pivoting; returns the solution and the rank.
    ///
    /// With a rank below the size, the solution is the shortest in the weighted norm if the system
    /// is consistent, and does not satisfy it otherwise: the caller evaluates the residual.
    pub(crate) fn solve(mut self) -> ([f64; MAX], usize) {
        let n = self.size;
        let mut order: [usize; MAX] = std::array::from_fn(|i| i);
        let largest = (0..n).fold(0.0, |max: f64, i| {
            max.max(linear::max_magnitude(&self.matrix[i][..n]))
        });
        let mut rank = 0;
        while rank < n {
            let (row, column) = self.largest_entry(rank);
            if self.matrix[row][column].abs() <= SINGULAR * largest {
                break;
            }
            self.matrix.swap(rank, row);
            self.right.swap(rank, row);
            self.matrix[..n]
                .iter_mut()
                .for_each(|r| r.swap(rank, column));
            order.swap(rank, column);
            for i in rank + 1..n {
                let factor = self.matrix[i][rank] / self.matrix[rank][rank];
                for j in rank..n {
                    self.matrix[i][j] -= factor * self.matrix[rank][j];
                }
                self.right[i] -= factor * self.right[rank];
            }
            rank += 1;
        }
        let mut y = [0.0; MAX];
        y[..rank].copy_from_slice(&self.right[..rank]);
        self.back_substitute(rank, &mut y);
        if rank < n {
            self.shorten(rank, &order, &mut y);
        }
        let mut out = [0.0; MAX];
        for k in 0..n {
            out[order[k]] = y[k];
        }
        (out, rank)
    }

    fn largest_entry(&self, from: usize) -> (usize, usize) {
        let mut best = (from, from);
        for i in from..self.size {
            for j in from..self.size {
                if self.matrix[i][j].abs() > self.matrix[best.0][best.1].abs() {
                    best = (i, j);
                }
            }
        }
        best
    }

    /// x ← U⁻¹ x for the leading triangle.
    fn back_substitute(&self, rank: usize, x: &mut [f64; MAX]) {
        for i in (0..rank).rev() {
            for j in i + 1..rank {
                x[i] -= self.matrix[i][j] * x[j];
            }
            x[i] /= self.matrix[i][i];
        }
    }

    /// Removes the null component of y in the weighted norm (D.5).
    fn shorten(&self, rank: usize, order: &[usize; MAX], y: &mut [f64; MAX]) {
        let n = self.size;
        let mut basis = [[0.0; MAX]; MAX];
        for (k, vector) in basis[..n - rank].iter_mut().enumerate() {
            for i in 0..rank {
                vector[i] = -self.matrix[i][rank + k];
            }
            self.back_substitute(rank, vector);
            vector[rank + k] = 1.0;
            for i in 0..n {
                vector[i] *= self.weight[order[i]];
            }
        }
        for i in 0..n {
            y[i] *= self.weight[order[i]];
        }
        for k in 0..n - rank {
            let (done, rest) = basis.split_at_mut(k);
            let vector = &mut rest[0];
            // twice: orthogonal to rounding
            for _ in 0..2 {
                for other in done.iter() {
                    linear::add_scaled(-linear::dot(other, vector), other, vector);
                }
                let length = linear::norm(vector);
                vector.iter_mut().for_each(|x| *x /= length);
            }
            linear::add_scaled(-linear::dot(vector, y), vector, y);
        }
        for i in 0..n {
            y[i] /= self.weight[order[i]];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regular_system() {
        let mut system = SmallSystem::new();
        system.size = 2;
        system.matrix[0][..2].copy_from_slice(&[0.0, 2.0]);
        system.matrix[1][..2].copy_from_slice(&[4.0, 1.0]);
        system.right[..2].copy_from_slice(&[6.0, 11.0]);
        let (y, rank) = system.solve();
        assert_eq!(rank, 2);
        assert_eq!(y[..2], [2.0, 3.0]);
    }

    #[test]
    fn singular_system_gives_the_shortest_solution() {
        // y0 + 2 y1 = 5 twice: the shortest is (1, 2); with weights (1, 2) it is y1 = y0·2/4, so
        // (2.5, 1.25)
        let mut system = SmallSystem::new();
        system.size = 2;
        system.matrix[0][..2].copy_from_slice(&[1.0, 2.0]);
        system.matrix[1][..2].copy_from_slice(&[1.0, 2.0]);
        system.right[..2].copy_from_slice(&[5.0, 5.0]);
        let (y, rank) = system.solve();
        assert_eq!(rank, 1);
        assert!((y[0] - 1.0).abs() < 1e-15 && (y[1] - 2.0).abs() < 1e-15);
        system.weight[1] = 2.0;
        let (y, _) = system.solve();
        assert!((y[0] - 2.5).abs() < 1e-15 && (y[1] - 1.25).abs() < 1e-15);
    }

    #[test]
    fn zero_system_has_rank_zero() {
        let mut system = SmallSystem::new();
        system.size = 3;
        let (y, rank) = system.solve();
        assert_eq!((y, rank), ([0.0; MAX], 0));
    }

    #[test]
    fn the_largest_entry_is_the_first_of_equals() {
        let mut system = SmallSystem::new();
        system.size = 3;
        system.matrix = [[-1.0; MAX]; MAX];
        assert_eq!(system.largest_entry(1), (1, 1));
        (system.matrix[0][2], system.matrix[2][1]) = (9.0, 2.0);
        assert_eq!(system.largest_entry(1), (2, 1));
        assert_eq!(system.largest_entry(0), (0, 2));
    }

    #[test]
    fn full_size_and_any_scale() {
        // entries 2 on the diagonal and 1 elsewhere: the row sum is n + 1
        for (size, scale) in [(MAX, 1.0), (MAX, 1e-30), (3, 1e30)] {
            let mut system = SmallSystem::new();
            system.size = size;
            for i in 0..size {
                for j in 0..size {
                    system.matrix[i][j] = if i == j { 2.0 * scale } else { scale };
                }
                system.right[i] = scale * (size + 1) as f64;
            }
            let (y, rank) = system.solve();
            assert_eq!(rank, size);
            assert!(y[..size].iter().all(|y| (y - 1.0).abs() < 1e-14));
        }
    }

    #[test]
    fn the_rank_ends_at_pivots_of_1e_11_of_the_largest_entry() {
        for scale in [1e-20, 1.0, 1e20] {
            for (pivot, expected) in [(0.9e-11, 1), (1.1e-11, 2)] {
                let mut system = SmallSystem::new();
                system.size = 2;
                system.matrix[0][0] = scale;
                system.matrix[1][1] = pivot * scale;
                assert_eq!(system.solve().1, expected, "{scale} {pivot}");
            }
        }
    }

    #[test]
    fn weights_choose_among_many_solutions_and_do_not_touch_a_single_one() {
        // y0 + 2 y1 + 3 y2 = 14: the shortest is (1, 2, 3), though its null vectors meet at an
        // angle
        let mut plane = SmallSystem::new();
        plane.size = 3;
        for i in 0..3 {
            plane.matrix[i][..3].copy_from_slice(&[1.0, 2.0, 3.0]);
            plane.right[i] = 14.0;
        }
        let (y, rank) = plane.solve();
        assert_eq!(rank, 1);
        assert!((0..3).all(|i| (y[i] - (i + 1) as f64).abs() < 1e-14));
        for k in 1..100 {
            let mut single = SmallSystem::new();
            single.size = 1;
            single.matrix[0][0] = 1.0;
            single.right[0] = f64::from(k) / 10.0;
            for weight in [49.0, 0.7, 0.1, 1e-3] {
                single.weight[0] = weight;
                assert_eq!(single.solve().0[0], single.right[0]);
            }
        }
    }
}
