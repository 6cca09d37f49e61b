//! What a refresh may change of the points of `N` manifolds: bias, softness, held rows, and the masses that follow.

use delassus_core::{Law, Problem};

use super::{Extra, ManifoldPoint};
use crate::small::largest_eigenvalue_2;
use crate::wide::bundle::three;
use crate::wide::velocities::single;

/// One number per lane before it is rounded.
pub(super) type Wide<const N: usize> = [f64; N];

/// Three numbers per lane.
pub(super) type Wide3<const N: usize> = [Wide<N>; 3];

/// Per row of one point.
#[derive(Debug, Clone, Copy)]
pub(super) struct Numbers<const N: usize> {
    diagonal: Wide3<N>,
    softness: Wide3<N>,
    bias: Wide3<N>,
    active: [f32; N],
    limit: [f32; N],
}

impl<const N: usize> Numbers<N> {
    /// An empty lane has a mass, so that nothing divides by zero.
    pub(super) const EMPTY: Self = Self {
        diagonal: [[1.0; N]; 3],
        softness: [[0.0; N]; 3],
        bias: [[0.0; N]; 3],
        active: [0.0; N],
        limit: [0.0; N],
    };

    /// Reads one point; true if its tangents have bias or softness, which the fast kernel leaves out.
    #[inline(always)]
    pub(super) fn load(&mut self, lane: usize, problem: &Problem, block: usize) -> bool {
        let entry = &problem.blocks()[block];
        let diagonal = three(problem.diagonal(), entry.first_row);
        let softness = three(problem.compliance(), entry.first_row);
        let bias = three(problem.bias(), entry.first_row);
        for axis in 0..3 {
            self.diagonal[axis][lane] = diagonal[axis];
            self.softness[axis][lane] = softness[axis];
            self.bias[axis][lane] = bias[axis];
        }
        self.limit[lane] = match entry.law {
            Law::Contact(friction) => single(friction.limit()),
            Law::Equality | Law::Bounds { .. } | Law::Patch(_) | Law::Rolling(_) => 0.0,
        };
        let active = problem.active_dim(block).min(3);
        self.active[lane] = [0.0, 1.0, 2.0, 3.0][active];
        [bias[1], bias[2], softness[1], softness[2]] != [0.0; 4]
    }

    /// Writes bias, softness and effective masses; `tangents` are A_st.
    #[inline(always)]
    pub(super) fn write(&self, point: &mut ManifoldPoint<N>, tangents: &Wide<N>, boxed: bool) {
        for lane in 0..N {
            let own = [
                self.diagonal[0][lane] + self.softness[0][lane],
                self.diagonal[1][lane] + self.softness[1][lane],
                self.diagonal[2][lane] + self.softness[2][lane],
            ];
            let coupling = tangents[lane];
            let largest = largest_eigenvalue_2([[own[1], coupling], [coupling, own[2]]]);
            point.bias[lane] = single(self.bias[0][lane]);
            point.softness[lane] = single(self.softness[0][lane]);
            point.mass[0][lane] = single(1.0 / own[0]);
            point.mass[1][lane] = single(1.0 / if boxed { own[1] } else { largest });
        }
    }

    /// Writes what only the full kernel reads.
    #[inline(always)]
    pub(super) fn write_extra(&self, extra: &mut Extra<N>, tangents: &Wide<N>, boxed: bool) {
        for lane in 0..N {
            let own = [1, 2].map(|row| self.diagonal[row][lane] + self.softness[row][lane]);
            let coupling = tangents[lane];
            let largest = largest_eigenvalue_2([[own[0], coupling], [coupling, own[1]]]);
            for axis in 0..2 {
                extra.bias[axis][lane] = single(self.bias[axis + 1][lane]);
                extra.softness[axis][lane] = single(self.softness[axis + 1][lane]);
            }
            extra.mass[lane] = single(1.0 / if boxed { own[1] } else { largest });
            extra.coupling[lane] = single(coupling);
        }
        extra.limit = self.limit;
        extra.active = self.active;
    }
}
