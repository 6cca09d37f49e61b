//! The numbers of one block of rows before they go into a lane: J, M⁻¹Jᵀ, effective masses, the
//! block's own matrix.

use delassus_core::BodyRows;
use delassus_solver_si::kernel::{invert, largest_of};

use super::{Response, RowLaw};
use crate::velocities::single;

/// The rows of one block: J, and M⁻¹Jᵀ.
pub(super) struct LaneRows<const D: usize> {
    pub(super) jacobian: [[f64; 12]; D],
    pub(super) response: [[f64; 12]; D],
}

impl<const D: usize> LaneRows<D> {
    pub(super) fn new(bodies: &BodyRows, block: usize) -> Self {
        let mut rows = Self {
            jacobian: [[0.0; 12]; D],
            response: [[0.0; 12]; D],
        };
        let touched = bodies.bodies_of(block);
        for row in 0..D {
            let entries = bodies.row(block, row);
            // one body is the second one, as in `pair`
            let first = 2 - entries.len().min(2);
            for (side, (entry, body)) in entries.iter().zip(touched).enumerate().take(2) {
                let at = 6 * (first + side);
                rows.jacobian[row][at..at + 6].copy_from_slice(entry);
                let moved = bodies.mass[*body as usize].apply_inverse(entry);
                rows.response[row][at..at + 6].copy_from_slice(&moved);
            }
        }
        rows
    }

    /// M⁻¹Jᵀ, rounded.
    pub(super) fn packed_response(&self) -> Response<1, D> {
        let mut packed = [[[0.0]; 12]; D];
        for row in 0..D {
            for entry in 0..12 {
                packed[row][entry] = [single(self.response[row][entry])];
            }
        }
        packed
    }
}

/// How the rows of one block are scaled, and what they do to each other.
pub(super) struct RowScaling<const D: usize> {
    /// Effective masses and steps \[kg\].
    pub(super) mass: [f64; D],
    /// Rows of W times effective mass \[-\], or W⁻¹ \[kg\].
    pub(super) own: [[f64; D]; D],
    /// Effective mass of the first row \[kg\].
    pub(super) alone: f64,
}

impl<const D: usize> RowScaling<D> {
    /// `work` holds W = A_cc + R_cc, row-major, and is lost.
    pub(super) fn new(law: RowLaw, work: &mut [f64]) -> Self {
        let w = |i: usize, j: usize| work[i * D + j];
        let mut mass = [0.0; D];
        for row in 0..D {
            mass[row] = 1.0 / w(row, row);
        }
        let alone = mass[0];
        let mut share = |first: usize, last: usize| {
            let step = 1.0 / largest_of(work, D, first, last);
            mass[first..last].fill(step);
        };
        match law {
            RowLaw::Disc if D == 3 => share(1, 3),
            RowLaw::Cone if D > 1 => share(0, D),
            RowLaw::Patch if D > 3 => share(D - 3, D - 1),
            _ => {}
        }
        let mut own = [[0.0; D]; D];
        if law == RowLaw::Solved && !invert(work, D) {
            // softer than when the law was chosen, so this cannot be; zero moves nothing
            work.fill(0.0);
        }
        for i in 0..D {
            for j in 0..D {
                let factor = if law == RowLaw::Solved { 1.0 } else { mass[i] };
                own[i][j] = factor * work[i * D + j];
            }
        }
        Self { mass, own, alone }
    }

    /// Folds the effective mass into one column of the block.
    pub(super) fn fold(&self, law: RowLaw, column: [f64; D]) -> [f64; D] {
        let mut folded = [0.0; D];
        for i in 0..D {
            folded[i] = if law == RowLaw::Solved {
                (0..D).map(|j| self.own[i][j] * column[j]).sum()
            } else {
                self.mass[i] * column[i]
            };
        }
        folded
    }
}
