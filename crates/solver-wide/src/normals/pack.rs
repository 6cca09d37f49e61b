//! Packing of manifolds of normals, one after the other, and what a refresh takes over.
//!
//! Theory: docs/theory/14-wide.md.

use delassus_core::{BodyRows, Law, Problem};
use delassus_solver_si::kernel::{largest_eigenvalue_2, own_block};
use delassus_structure::geometry::{local_inertia, pair};
use delassus_structure::normals::{NormalManifold, normal_manifold};

use super::{NormalBundle, Normals, PatchFriction};
use crate::batch::Context;
use crate::bundle::{Interleaved, three};
use crate::lanes::Lanes;
use crate::velocities::single;

/// Bodies, axes and arms of a manifold, with the impulses of its normals; nothing without bodies.
fn packed_normals<const P: usize>(
    bodies: &BodyRows,
    first: usize,
    found: &NormalManifold,
    impulses: &[f64],
) -> Option<NormalBundle<1, P>> {
    let pair = pair(bodies, first)?;
    let mut to = NormalBundle::ZERO;
    for side in 0..2 {
        to.bodies[side] = [pair.slots[side]];
        let mass = pair.mass[side];
        to.mass[side] = [single(mass.map_or(0.0, |mass| mass.inverse_mass.x))];
        to.inertia[side] = local_inertia(mass, &found.frame).map(|x| [single(x)]);
    }
    to.normal = found.frame[0].map(|x| [single(x)]);
    to.tangent = found.frame[1].map(|x| [single(x)]);
    to.between = [1, 2].map(|axis| [single(found.between[axis])]);
    let points = to.points.iter_mut().zip(&found.arms);
    for ((point, arm), impulse) in points.zip(impulses) {
        point.arm = arm.map(|x| [single(x)]);
        point.impulse = [single(*impulse)];
    }
    Some(to)
}

/// Where the friction of a patch acts, with its impulses.
fn packed_friction<const P: usize>(
    law: &Law,
    found: &NormalManifold,
    impulses: &[f64],
) -> PatchFriction<1, P> {
    let mut to = PatchFriction::ZERO;
    to.coefficient = [single(law.mu())];
    for (to, lever) in to.levers.iter_mut().zip(law.levers()) {
        *to = [single(*lever)];
    }
    to.between = [single(found.between[0])];
    to.middle = found.middle.map(|x| [single(x)]);
    to.impulse = three(impulses, P).map(|x| [single(x)]);
    to
}

/// Step of the tangents \[kg\] and effective mass of the twist \[kg·m²\]; `coupling` is A_st.
fn friction_masses(problem: &Problem, row: usize, coupling: f64) -> [f64; 2] {
    let softness = three(problem.compliance(), row);
    let diagonal = three(problem.diagonal(), row);
    let own = [0, 1, 2].map(|axis| diagonal[axis] + softness[axis]);
    let largest = largest_eigenvalue_2([[own[0], coupling], [coupling, own[1]]]);
    [1.0 / largest, 1.0 / own[2]]
}

impl<V: Lanes<N>, const N: usize, const P: usize> Normals<V, N, P> {
    /// Writes what no refresh takes over; false if a block is no longer what the plan says.
    pub(super) fn pack_all(&mut self, context: &mut Context<'_>) -> bool {
        let Context {
            problem,
            bodies,
            impulses,
            work,
            ..
        } = context;
        let mut fits = true;
        for seat in self.seats.filled() {
            let found = normal_manifold(problem, bodies, seat.block, P);
            let kind = (P, self.patch);
            let Some(found) = found.filter(|found| (found.points, found.patch) == kind) else {
                fits = false;
                continue;
            };
            let block = &problem.blocks()[seat.block];
            let impulses = &impulses[block.first_row..];
            if let Some(packed) = packed_normals(bodies, seat.block, &found, impulses) {
                self.bundles[seat.bundle].put(seat.lane, &packed);
            }
            if let Some(friction) = self.friction.get_mut(seat.bundle) {
                friction.put(seat.lane, &packed_friction(&block.law, &found, impulses));
                own_block(problem, seat.block, work);
                self.couplings[seat.bundle][seat.lane] = work[P * block.dim + P + 1];
            }
        }
        fits
    }

    pub(super) fn refresh_bias(&mut self, problem: &Problem) {
        for seat in self.seats.filled() {
            let bias = &problem.bias()[problem.blocks()[seat.block].first_row..];
            let points = &mut self.bundles[seat.bundle].points;
            for (point, bias) in points.iter_mut().zip(bias) {
                point.bias[seat.lane] = single(*bias);
            }
            if let Some(friction) = self.friction.get_mut(seat.bundle) {
                for (to, bias) in friction.bias.iter_mut().zip(&bias[P..]) {
                    to[seat.lane] = single(*bias);
                }
            }
        }
    }

    pub(super) fn refresh_compliance(&mut self, problem: &Problem) {
        for seat in self.seats.filled() {
            let row = problem.blocks()[seat.block].first_row;
            let softness = &problem.compliance()[row..];
            let rows = softness.iter().zip(&problem.diagonal()[row..]);
            let points = &mut self.bundles[seat.bundle].points;
            for (point, (softness, diagonal)) in points.iter_mut().zip(rows) {
                point.softness[seat.lane] = single(*softness);
                point.mass[seat.lane] = single(1.0 / (diagonal + softness));
            }
            if let Some(friction) = self.friction.get_mut(seat.bundle) {
                let coupling = self.couplings[seat.bundle][seat.lane];
                let masses = friction_masses(problem, row + P, coupling);
                friction.mass.put(seat.lane, &masses.map(|x| [single(x)]));
                for (to, softness) in friction.softness.iter_mut().zip(&softness[P..]) {
                    to[seat.lane] = single(*softness);
                }
            }
        }
    }

    pub(super) fn refresh_activity(&mut self, problem: &Problem) {
        self.solved.clear();
        if !problem.all_active() {
            self.solved.resize(self.bundles.len(), [[1.0; N]; P]);
        }
        let active = |block: usize, row: usize| {
            let solved = problem.active_dim(block) > row;
            f32::from(u8::from(solved))
        };
        for seat in self.seats.filled() {
            if let Some(friction) = self.friction.get_mut(seat.bundle) {
                friction.solved[seat.lane] = active(seat.block, P);
            }
            let Some(solved) = self.solved.get_mut(seat.bundle) else {
                continue;
            };
            for (local, solved) in solved.iter_mut().enumerate() {
                solved[seat.lane] = if self.patch {
                    active(seat.block, local)
                } else {
                    active(seat.block + local, 0)
                };
            }
        }
    }
}
