//! What a refresh may change of one contact point: bias, softness, held rows, and the effective masses that follow.

use delassus_core::{Friction, Law, Problem};

use super::manifold::Extra;
use super::velocities::single;
use crate::small::largest_eigenvalue_2;

/// What a refresh may change of one point.
pub(crate) struct Numbers {
    pub(crate) bias: [f64; 3],
    pub(crate) softness: [f64; 3],
    pub(crate) mass: [f64; 3],
    pub(crate) step: f64,
    coupling: f64,
    limit: f64,
    active: usize,
}

impl Numbers {
    #[inline(always)]
    pub(crate) fn new(problem: &Problem, block: usize, coupling: f64) -> Self {
        let entry = &problem.blocks()[block];
        let row = entry.first_row;
        let softness = three(problem.compliance(), row);
        let diagonal = three(problem.diagonal(), row);
        let own = [
            diagonal[0] + softness[0],
            diagonal[1] + softness[1],
            diagonal[2] + softness[2],
        ];
        let limit = match entry.law {
            Law::Contact(Friction::FixedBox { limit }) => limit,
            _ => 0.0,
        };
        Self {
            bias: three(problem.bias(), row),
            softness,
            mass: [1.0 / own[0], 1.0 / own[1], 1.0 / own[2]],
            step: 1.0 / largest_eigenvalue_2([[own[1], coupling], [coupling, own[2]]]),
            coupling,
            limit,
            active: problem.active_dim(block),
        }
    }

    pub(crate) fn needs_full(&self) -> bool {
        let tangents = [
            self.bias[1],
            self.bias[2],
            self.softness[1],
            self.softness[2],
        ];
        self.active != 3 || tangents.iter().any(|x| *x != 0.0)
    }

    pub(crate) fn write<const N: usize>(&self, extra: &mut Extra<N>, lane: usize, boxed: bool) {
        for axis in 0..2 {
            extra.bias[axis][lane] = single(self.bias[axis + 1]);
            extra.softness[axis][lane] = single(self.softness[axis + 1]);
        }
        extra.mass[lane] = single(if boxed { self.mass[2] } else { self.step });
        extra.coupling[lane] = single(self.coupling);
        extra.limit[lane] = single(self.limit);
        // 0 to 3
        extra.active[lane] = [0.0, 1.0, 2.0, 3.0][self.active.min(3)];
    }
}

#[inline(always)]
pub(crate) fn three(from: &[f64], row: usize) -> [f64; 3] {
    let slice = &from[row..row + 3];
    [slice[0], slice[1], slice[2]]
}
