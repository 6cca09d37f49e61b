//! What a refresh may change of the points of `N` manifolds: bias, softness, inactive rows, and the
//! masses that follow.

use delassus_core::Problem;

use super::layout::{Extra, ManifoldPoint};
use crate::velocities::single;

/// One number per lane.
pub(super) type Wide<const N: usize> = [f32; N];

/// Three numbers per lane.
pub(super) type Wide3<const N: usize> = [Wide<N>; 3];

/// Per row of one point.
#[derive(Debug, Clone, Copy)]
pub(super) struct Numbers<const N: usize> {
    diagonal: Wide3<N>,
    softness: Wide3<N>,
    bias: Wide3<N>,
    active: Wide<N>,
    limit: Wide<N>,
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

    /// Takes over the rows of one point; true if its tangents have a bias, which the fast kernel
    /// leaves out.
    #[inline(always)]
    pub(super) fn load(&mut self, lane: usize, diagonal: &[f64; 3], bias: &[f64; 3]) -> bool {
        for axis in 0..3 {
            self.diagonal[axis][lane] = single(diagonal[axis]);
            self.bias[axis][lane] = single(bias[axis]);
        }
        (bias[1] != 0.0) | (bias[2] != 0.0)
    }

    /// A_nn \[1/kg\].
    #[inline(always)]
    pub(super) fn normals(&self) -> &Wide<N> {
        &self.diagonal[0]
    }

    /// Takes over the softness of one point; true if its tangents have some.
    #[inline(always)]
    pub(super) fn load_softness(&mut self, lane: usize, softness: &[f64; 3]) -> bool {
        for axis in 0..3 {
            self.softness[axis][lane] = single(softness[axis]);
        }
        (softness[1] != 0.0) | (softness[2] != 0.0)
    }

    /// Reads what only the full kernel does.
    #[inline(always)]
    pub(super) fn load_extra(&mut self, lane: usize, problem: &Problem, block: usize) {
        self.limit[lane] = single(problem.blocks()[block].law.limit());
        let active = problem.active_dim(block).min(3);
        self.active[lane] = [0.0, 1.0, 2.0, 3.0][active];
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
            // both, and no branch: lanes are rooted and divided together
            let largest = largest_eigenvalue(own[1], own[2], coupling);
            let tangent = [largest, own[1]][usize::from(boxed)];
            point.bias[lane] = self.bias[0][lane];
            point.softness[lane] = self.softness[0][lane];
            point.mass[0][lane] = 1.0 / own[0];
            point.mass[1][lane] = 1.0 / tangent;
        }
    }

    /// Writes what only the full kernel reads.
    #[inline(always)]
    pub(super) fn write_extra(&self, extra: &mut Extra<N>, tangents: &Wide<N>, boxed: bool) {
        for lane in 0..N {
            let own = [1, 2].map(|row| self.diagonal[row][lane] + self.softness[row][lane]);
            let coupling = tangents[lane];
            let largest = largest_eigenvalue(own[0], own[1], coupling);
            for axis in 0..2 {
                extra.bias[axis][lane] = self.bias[axis + 1][lane];
                extra.softness[axis][lane] = self.softness[axis + 1][lane];
            }
            extra.mass[lane] = 1.0 / if boxed { own[1] } else { largest };
            extra.coupling[lane] = coupling;
        }
        extra.limit = self.limit;
        extra.active = self.active;
    }
}

/// Of [[a, c], [c, b]].
#[inline(always)]
fn largest_eigenvalue(a: f32, b: f32, c: f32) -> f32 {
    let half = 0.5 * (a - b);
    0.5 * (a + b) + (half * half + c * c).sqrt()
}
