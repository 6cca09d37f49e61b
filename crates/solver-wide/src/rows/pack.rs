//! Packing of row blocks, one lane after the other, and what a refresh takes over.
//!
//! Theory: docs/theory/14-wide.md.

use delassus_core::{BodyRows, Law, MassProperties, Problem};
use delassus_structure::geometry::pair;

use super::scaling::{LaneRows, RowScaling};
use super::{MAX_ROWS, Masses, Responses, RowBlocks, RowLaw, RowsBundle};
use crate::bundle::Interleaved;
use crate::lanes::Lanes;
use crate::velocities::single;

impl<const D: usize> RowsBundle<1, D> {
    fn pack_scaling(&mut self, law: RowLaw, scaling: &RowScaling<D>) {
        if law == RowLaw::Cone {
            self.lower = [single(scaling.alone / scaling.mass[0])];
        }
        self.mass = scaling.mass.map(|x| [single(x)]);
        self.own = scaling.own.map(|row| row.map(|x| [single(x)]));
    }

    fn pack_law(&mut self, law: &Law) {
        let [lower, upper] = law.row_bounds().unwrap_or([law.limit(), law.mu()]);
        for (to, lever) in self.levers.iter_mut().zip(law.levers()) {
            *to = [single(*lever)];
        }
        self.lower = [single(lower)];
        self.upper = [single(upper)];
    }

    /// Writes the rows, and what scales them.
    fn pack_rows(
        &mut self,
        law: RowLaw,
        rows: &LaneRows<D>,
        scaling: &RowScaling<D>,
        folded: bool,
    ) {
        self.pack_scaling(law, scaling);
        for entry in 0..12 {
            let mut column = [0.0; D];
            for row in 0..D {
                column[row] = rows.jacobian[row][entry];
            }
            if folded {
                column = scaling.fold(law, column);
            }
            for row in 0..D {
                self.jacobian[row][entry] = [single(column[row])];
            }
        }
    }
}

/// A_cc of a block.
fn own_matrix<const D: usize>(problem: &Problem, block: usize) -> [[f64; D]; D] {
    let mut matrix = [[0.0; D]; D];
    problem.diagonal_block(block, matrix.as_flattened_mut());
    matrix
}

/// Effective masses of a block with this A_cc and the compliance of the problem.
fn soften<const D: usize>(
    law: RowLaw,
    problem: &Problem,
    block: usize,
    matrix: &[[f64; D]; D],
) -> RowScaling<D> {
    let mut work = *matrix;
    let compliance = &problem.compliance()[problem.blocks()[block].rows()];
    for (row, compliance) in compliance.iter().enumerate() {
        work[row][row] += compliance;
    }
    RowScaling::new(law, work.as_flattened_mut())
}

fn packed_masses(mass: [Option<&MassProperties>; 2]) -> Masses<1> {
    // the world is immovable
    let none = MassProperties::immovable();
    let mut to = Masses::ZERO;
    for (side, mass) in mass.into_iter().enumerate() {
        let mass = mass.unwrap_or(&none);
        let m = &mass.inverse_inertia;
        let inertia = [
            m[(0, 0)],
            m[(0, 1)],
            m[(0, 2)],
            m[(1, 1)],
            m[(1, 2)],
            m[(2, 2)],
        ];
        to.linear[side] = [0, 1, 2].map(|axis| [single(mass.inverse_mass[axis])]);
        to.inertia[side] = inertia.map(|x| [single(x)]);
    }
    to
}

/// Bias and softness of the rows of a lane, each with the effective mass inside in the projection
/// layout.
struct Numbers<const D: usize> {
    bias: [[f32; 1]; D],
    softness: [[f32; 1]; D],
}

impl<const D: usize> Numbers<D> {
    fn plain(bias: &[f64], softness: &[f64]) -> Self {
        let mut to = Self {
            bias: [[0.0]; D],
            softness: [[0.0]; D],
        };
        for row in 0..D {
            to.bias[row] = [single(bias[row])];
            to.softness[row] = [single(softness[row])];
        }
        to
    }

    /// `own` is W⁻¹.
    fn solved(bias: &[f64], softness: &[f64], own: &[[[f32; 1]; D]; D]) -> Self {
        let mut to = Self::plain(bias, softness);
        for row in 0..D {
            let sum: f64 = (0..D).map(|j| f64::from(own[row][j][0]) * bias[j]).sum();
            to.bias[row] = [single(sum)];
        }
        to
    }

    fn scaled(bias: &[f64], softness: &[f64], mass: &[[f32; 1]; D]) -> Self {
        let mut to = Self::plain(bias, softness);
        for row in 0..D {
            let mass = f64::from(mass[row][0]);
            to.bias[row] = [single(mass * bias[row])];
            to.softness[row] = [single(mass * softness[row])];
        }
        to
    }
}

impl<V: Lanes<N>, const N: usize, const D: usize> RowBlocks<V, N, D> {
    /// Writes Jacobians, masses, laws, and everything that depends on the compliance; not the
    /// impulses.
    pub(super) fn pack_all(&mut self, problem: &Problem, bodies: &BodyRows) {
        for seat in self.seats.filled() {
            let Some(pair) = pair(bodies, seat.block) else {
                continue;
            };
            let matrix = own_matrix(problem, seat.block);
            let scaling = soften(self.law, problem, seat.block, &matrix);
            let rows = LaneRows::new(bodies, seat.block);
            let bundle = &mut self.bundles[seat.bundle];
            let mut lane = RowsBundle::ZERO;
            // a new compliance keeps the impulses
            lane.impulse = bundle.impulse.lane(seat.lane);
            lane.bodies = pair.slots.map(|slot| [slot]);
            lane.pack_law(&problem.blocks()[seat.block].law);
            let folded = match &mut self.responses {
                Responses::Recompute(masses) => {
                    masses[seat.bundle].put(seat.lane, &packed_masses(pair.mass));
                    false
                }
                Responses::Projection(responses) => {
                    responses[seat.bundle].put(seat.lane, &rows.packed_response());
                    true
                }
            };
            lane.pack_rows(self.law, &rows, &scaling, folded);
            bundle.put(seat.lane, &lane);
            self.matrices[seat.bundle * N + seat.lane] = matrix;
        }
        self.refresh_numbers(problem);
    }

    /// Takes over what the compliance changes; [`Self::refresh_numbers`] has to follow.
    ///
    /// The projection layout has the effective masses inside its rows, and packs them again.
    pub(super) fn refresh_compliance(&mut self, problem: &Problem, bodies: &BodyRows) {
        if matches!(self.responses, Responses::Projection(_)) {
            self.pack_all(problem, bodies);
            return;
        }
        for seat in self.seats.filled() {
            let matrix = &self.matrices[seat.bundle * N + seat.lane];
            let scaling = soften(self.law, problem, seat.block, matrix);
            let bundle = &mut self.bundles[seat.bundle];
            let mut packed = RowsBundle::ZERO;
            packed.pack_scaling(self.law, &scaling);
            bundle.mass.put(seat.lane, &packed.mass);
            bundle.own.put(seat.lane, &packed.own);
            if self.law == RowLaw::Cone {
                bundle.lower.put(seat.lane, &packed.lower);
            }
        }
    }

    /// Takes over bias, softness and activity; the compliance is that of [`Self::pack_all`].
    pub(super) fn refresh_numbers(&mut self, problem: &Problem) {
        let projection = matches!(self.responses, Responses::Projection(_));
        for seat in self.seats.filled() {
            let bundle = &mut self.bundles[seat.bundle];
            let rows = problem.blocks()[seat.block].rows();
            let (bias, softness) = (&problem.bias()[rows.clone()], &problem.compliance()[rows]);
            let numbers = if !projection {
                Numbers::plain(bias, softness)
            } else if self.law == RowLaw::Solved {
                Numbers::solved(bias, softness, &bundle.own.lane(seat.lane))
            } else {
                Numbers::scaled(bias, softness, &bundle.mass.lane(seat.lane))
            };
            bundle.bias.put(seat.lane, &numbers.bias);
            bundle.softness.put(seat.lane, &numbers.softness);
            // 0 to 7
            bundle.active[seat.lane] = problem.active_dim(seat.block).min(MAX_ROWS) as f32;
        }
    }

    /// Takes over the impulses of all rows.
    pub(super) fn write_impulses(&mut self, problem: &Problem, impulses: &[f64]) {
        for seat in self.seats.filled() {
            let impulses = &impulses[problem.blocks()[seat.block].rows()];
            let to = &mut self.bundles[seat.bundle].impulse;
            for (to, impulse) in to.iter_mut().zip(impulses) {
                to[seat.lane] = single(*impulse);
            }
        }
    }
}
