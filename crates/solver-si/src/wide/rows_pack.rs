//! Packing of row blocks, one lane after the other, and what a refresh takes over.
//!
//! Theory: docs/theory/14-wide.md.

use delassus_core::{BodyRows, Friction, Law, MassProperties, Problem};
use delassus_structure::geometry::pair;

use super::manifold::filled;
use super::rows::{MAX_ROWS, Masses, Responses, RowBlocks, RowLaw, RowsBundle};
use super::scaling::{LaneRows, Scaling};
use super::velocities::single;

impl<const N: usize, const D: usize> RowsBundle<N, D> {
    fn pack_scaling(&mut self, lane: usize, law: RowLaw, scaling: &Scaling<D>) {
        if law == RowLaw::Cone {
            self.lower[lane] = single(scaling.alone / scaling.mass[0]);
        }
        for i in 0..D {
            self.mass[i][lane] = single(scaling.mass[i]);
            for j in 0..D {
                self.own[i][j][lane] = single(scaling.own[i][j]);
            }
        }
    }

    fn pack_law(&mut self, lane: usize, law: &Law) {
        let (lower, upper) = match law {
            Law::Equality => (f64::NEG_INFINITY, f64::INFINITY),
            Law::Bounds { lower, upper } => (*lower, *upper),
            Law::Contact(Friction::FixedBox { limit }) => (*limit, 0.0),
            Law::Contact(friction) => (0.0, friction.mu()),
            Law::Patch(patch) => {
                for (to, lever) in self.levers.iter_mut().zip(&patch.levers) {
                    to[lane] = single(*lever);
                }
                (0.0, patch.mu)
            }
        };
        self.lower[lane] = single(lower);
        self.upper[lane] = single(upper);
    }
}

/// A_cc of a block into a lane.
fn own_matrix<const N: usize, const D: usize>(
    problem: &Problem,
    block: usize,
    matrix: &mut [[[f64; N]; D]; D],
    lane: usize,
    work: &mut Vec<f64>,
) {
    work.clear();
    work.resize(D * D, 0.0);
    problem.diagonal_block(block, work);
    for i in 0..D {
        for j in 0..D {
            matrix[i][j][lane] = work[i * D + j];
        }
    }
}

/// Effective masses of the block in a lane, with the compliance of the problem.
fn soften<const N: usize, const D: usize>(
    law: RowLaw,
    problem: &Problem,
    block: usize,
    matrix: &[[[f64; N]; D]; D],
    lane: usize,
    work: &mut Vec<f64>,
) -> Scaling<D> {
    work.clear();
    for i in 0..D {
        work.extend((0..D).map(|j| matrix[i][j][lane]));
    }
    for (local, row) in problem.blocks()[block].rows().enumerate() {
        work[local * D + local] += problem.compliance()[row];
    }
    Scaling::new(law, work)
}

fn pack_masses<const N: usize>(
    to: &mut Masses<N>,
    lane: usize,
    mass: [Option<&MassProperties>; 2],
) {
    for (side, mass) in mass.into_iter().enumerate() {
        // the world is immovable
        let mass = mass.copied().unwrap_or_else(MassProperties::immovable);
        let m = &mass.inverse_inertia;
        let inertia = [
            m[(0, 0)],
            m[(0, 1)],
            m[(0, 2)],
            m[(1, 1)],
            m[(1, 2)],
            m[(2, 2)],
        ];
        for axis in 0..3 {
            to.linear[side][axis][lane] = single(mass.inverse_mass[axis]);
        }
        for (entry, value) in inertia.into_iter().enumerate() {
            to.inertia[side][entry][lane] = single(value);
        }
    }
}

impl<const N: usize, const D: usize> RowBlocks<N, D> {
    /// Writes Jacobians, masses, laws, and everything that depends on the compliance; not the impulses.
    pub(crate) fn pack(&mut self, problem: &Problem, bodies: &BodyRows, work: &mut Vec<f64>) {
        for (index, lanes) in self.blocks.iter().enumerate() {
            let bundle = &mut self.bundles[index];
            for (lane, block) in filled(lanes) {
                let Some(pair) = pair(bodies, block) else {
                    continue;
                };
                let rows = LaneRows::<D>::new(bodies, block);
                let matrix = &mut self.matrices[index];
                own_matrix(problem, block, matrix, lane, work);
                let scaling = soften(self.law, problem, block, matrix, lane, work);
                for side in 0..2 {
                    bundle.bodies[side][lane] = pair.slots[side];
                }
                bundle.pack_law(lane, &problem.blocks()[block].law);
                bundle.pack_scaling(lane, self.law, &scaling);
                for entry in 0..12 {
                    let mut column = [0.0; D];
                    for row in 0..D {
                        column[row] = rows.jacobian[row][entry];
                    }
                    if let Responses::Projection(responses) = &mut self.responses {
                        column = scaling.fold(self.law, column);
                        for row in 0..D {
                            responses[index][row][entry][lane] = single(rows.response[row][entry]);
                        }
                    }
                    for row in 0..D {
                        bundle.jacobian[row][entry][lane] = single(column[row]);
                    }
                }
                if let Responses::Recompute(masses) = &mut self.responses {
                    pack_masses(&mut masses[index], lane, pair.mass);
                }
            }
        }
        self.refresh(problem);
    }

    /// Takes over what the compliance changes; [`Self::refresh`] has to follow.
    ///
    /// The projection layout has the effective masses inside its rows, and packs them again.
    pub(crate) fn refresh_compliance(
        &mut self,
        problem: &Problem,
        bodies: &BodyRows,
        work: &mut Vec<f64>,
    ) {
        if matches!(self.responses, Responses::Projection(_)) {
            self.pack(problem, bodies, work);
            return;
        }
        let lanes = self.blocks.iter().zip(&self.matrices);
        for (bundle, (lanes, matrix)) in self.bundles.iter_mut().zip(lanes) {
            for (lane, block) in filled(lanes) {
                let scaling = soften(self.law, problem, block, matrix, lane, work);
                bundle.pack_scaling(lane, self.law, &scaling);
            }
        }
    }

    /// Takes over bias, softness and activity; the compliance is that of [`Self::pack`].
    pub(crate) fn refresh(&mut self, problem: &Problem) {
        let projection = matches!(self.responses, Responses::Projection(_));
        for (bundle, lanes) in self.bundles.iter_mut().zip(&self.blocks) {
            for (lane, block) in filled(lanes) {
                let first = problem.blocks()[block].first_row;
                let (bias, softness) = (problem.bias(), problem.compliance());
                for row in 0..D {
                    let (mut b, mut r) = (bias[first + row], softness[first + row]);
                    if projection && self.law == RowLaw::Solved {
                        b = (0..D)
                            .map(|j| f64::from(bundle.own[row][j][lane]) * bias[first + j])
                            .sum();
                    } else if projection {
                        let mass = f64::from(bundle.mass[row][lane]);
                        (b, r) = (mass * b, mass * r);
                    }
                    bundle.bias[row][lane] = single(b);
                    bundle.softness[row][lane] = single(r);
                }
                // 0 to 7
                bundle.active[lane] = problem.active_dim(block).min(MAX_ROWS) as f32;
            }
        }
    }

    /// Takes over the impulses of all rows.
    pub(crate) fn write_impulses(&mut self, problem: &Problem, impulses: &[f64]) {
        for (bundle, lanes) in self.bundles.iter_mut().zip(&self.blocks) {
            for (lane, block) in filled(lanes) {
                let first = problem.blocks()[block].first_row;
                for row in 0..D {
                    bundle.impulse[row][lane] = single(impulses[first + row]);
                }
            }
        }
    }
}
