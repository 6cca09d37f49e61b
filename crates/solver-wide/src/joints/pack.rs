//! Packing of joints, one after the other, and what a refresh takes over.
//!
//! Theory: docs/theory/14-wide.md.

use delassus_core::{BodyRows, MassProperties, Problem};
use delassus_solver_si::kernel::{invert, invert_definite};
use delassus_structure::geometry::{dot, pair};
use delassus_structure::joints::{into_world, point_joint};

use super::{Inverse, JointBundle, JointRows, Joints, Softness, packed};
use crate::batch::Context;
use crate::bundle::{Interleaved, three};
use crate::lanes::Lanes;
use crate::velocities::single;

/// Three orthonormal directions, the rows of the point.
type Directions = [[f64; 3]; 3];

/// The bodies, arms and axes of a block, with its directions; `None` if it is no joint with so many
/// rotations.
fn packed_joint<const K: usize, const T: usize>(
    problem: &Problem,
    bodies: &BodyRows,
    block: usize,
) -> Option<(JointBundle<1, K, T>, Directions)> {
    let joint = point_joint(problem, bodies, block).filter(|joint| joint.turning == K)?;
    let pair = pair(bodies, block)?;
    let mut to = JointBundle::ZERO;
    let none = MassProperties::immovable();
    for side in 0..2 {
        to.bodies[side] = [pair.slots[side]];
        let mass = pair.mass[side].unwrap_or(&none);
        to.mass[side] = [single(mass.inverse_mass.x)];
        for axis in 0..3 {
            to.arm[side][axis] = [single(joint.arms[side][axis])];
            for other in axis..3 {
                let inertia = mass.inverse_inertia[(axis, other)];
                to.inertia[side][packed(3, axis, other)] = [single(inertia)];
            }
        }
    }
    for (to, from) in to.axes.iter_mut().zip(&joint.axes) {
        *to = from.map(|x| [single(x)]);
    }
    Some((to, joint.frame))
}

/// Numbers of the rows, those of the point turned into the world's axes.
fn packed_rows<const K: usize>(frame: &Directions, rows: &[f64]) -> JointRows<[f32; 1], K> {
    let mut to = JointRows::ZERO;
    to.point = into_world(frame, three(rows, 0)).map(|x| [single(x)]);
    for (to, from) in to.turning.iter_mut().zip(&rows[3..]) {
        *to = [single(*from)];
    }
    to
}

/// The impulses of the rows from those in the world's axes.
fn unpack<const K: usize>(frame: &Directions, impulse: &JointRows<[f32; 1], K>, out: &mut [f64]) {
    let world = impulse.point.map(|[x]| f64::from(x));
    for (out, direction) in out.iter_mut().zip(frame) {
        *out = dot(*direction, world);
    }
    for (out, [impulse]) in out[3..].iter_mut().zip(&impulse.turning) {
        *out = f64::from(*impulse);
    }
}

/// W⁻¹, row-major; zero holds the joint.
fn packed_inverse<const K: usize, const T: usize>(
    frame: &Directions,
    inverse: &[f64],
) -> Inverse<1, K, T> {
    let dim = 3 + K;
    // elimination leaves rounding between the two halves
    let entry = |i: usize, j: usize| 0.5 * (inverse[i * dim + j] + inverse[j * dim + i]);
    let own = [0, 1, 2].map(|i| [0, 1, 2].map(|j| entry(i, j)));
    let mut to = Inverse::ZERO;
    to.point = turned(frame, &own).map(|x| [single(x)]);
    for row in 0..K {
        let coupling = into_world(frame, [0, 1, 2].map(|axis| entry(axis, 3 + row)));
        to.cross[row] = coupling.map(|x| [single(x)]);
        for other in row..K {
            to.turning[packed(K, row, other)] = [single(entry(3 + row, 3 + other))];
        }
    }
    to
}

fn packed_softness<const K: usize>(frame: &Directions, compliance: &[f64]) -> Softness<1, K> {
    let mut own = [[0.0; 3]; 3];
    for axis in 0..3 {
        own[axis][axis] = compliance[axis];
    }
    let mut to = Softness::ZERO;
    to.point = turned(frame, &own).map(|x| [single(x)]);
    for (to, compliance) in to.turning.iter_mut().zip(&compliance[3..]) {
        *to = [single(*compliance)];
    }
    to
}

/// (A_cc + R_cc)⁻¹, row-major; false if there is none.
fn softened_inverse(matrix: &[f64], compliance: &[f64], out: &mut Vec<f64>) -> bool {
    let dim = compliance.len();
    let soften = |out: &mut Vec<f64>| {
        out.clear();
        out.extend_from_slice(matrix);
        for (row, compliance) in compliance.iter().enumerate() {
            out[row * dim + row] += compliance;
        }
    };
    soften(out);
    invert_definite(out, dim) || {
        soften(out);
        invert(out, dim)
    }
}

/// A symmetric matrix in the axes of a frame, turned into the world's: xx, xy, xz, yy, yz, zz.
fn turned(frame: &Directions, own: &[[f64; 3]; 3]) -> [f64; 6] {
    // columns of the frame's matrix times a column of M, twice
    let half = own.map(|row| into_world(frame, row));
    let column = |axis: usize| into_world(frame, [half[0][axis], half[1][axis], half[2][axis]]);
    let [x, y, z] = [column(0), column(1), column(2)];
    [x[0], x[1], x[2], y[1], y[2], z[2]]
}

impl<V: Lanes<N>, const N: usize, const K: usize, const T: usize> Joints<V, N, K, T> {
    /// A_cc of a lane, counted over all bundles.
    fn matrix(at: usize) -> std::ops::Range<usize> {
        let entries = (3 + K) * (3 + K);
        at * entries..(at + 1) * entries
    }

    /// Writes everything; false if a block is no longer what the plan says.
    pub(super) fn pack_all(&mut self, context: &mut Context<'_>) -> bool {
        let problem = context.problem;
        let mut fits = true;
        for seat in self.seats.filled() {
            let joint = packed_joint::<K, T>(problem, context.bodies, seat.block);
            let Some((mut joint, frame)) = joint else {
                fits = false;
                continue;
            };
            let at = seat.bundle * N + seat.lane;
            let rows = problem.blocks()[seat.block].rows();
            joint.impulse = packed_rows(&frame, &context.impulses[rows]);
            self.bundles[seat.bundle].put(seat.lane, &joint);
            self.frames[at] = frame;
        }
        self.weighed = false;
        if fits && !context.expects_frame {
            self.refresh_bias(problem);
            fits = self.refresh_inverse(problem, &mut context.work);
        }
        fits
    }

    /// Copies the impulses out.
    pub(super) fn unpack_impulses(&self, first_rows: &[u32], out: &mut [f64]) {
        for seat in self.seats.filled() {
            let frame = &self.frames[seat.bundle * N + seat.lane];
            let impulse = self.at_start(seat).impulse;
            unpack(frame, &impulse, &mut out[first_rows[seat.block] as usize..]);
        }
    }

    /// Takes over the bias.
    pub(super) fn refresh_bias(&mut self, problem: &Problem) {
        for seat in self.seats.filled() {
            let bias = &problem.bias()[problem.blocks()[seat.block].rows()];
            let packed = packed_rows(&self.frames[seat.bundle * N + seat.lane], bias);
            self.bundles[seat.bundle].bias.put(seat.lane, &packed);
        }
    }

    /// Takes over compliance and activity; false if a block is singular, which then moves nothing.
    pub(super) fn refresh_inverse(&mut self, problem: &Problem, work: &mut Vec<f64>) -> bool {
        if !self.weighed {
            self.weighed = true;
            for seat in self.seats.filled() {
                let own = Self::matrix(seat.bundle * N + seat.lane);
                problem.diagonal_block(seat.block, &mut self.matrices[own]);
            }
        }
        let mut regular = true;
        self.softness.clear();
        for seat in self.seats.filled() {
            let at = seat.bundle * N + seat.lane;
            let frame = &self.frames[at];
            let compliance = &problem.compliance()[problem.blocks()[seat.block].rows()];
            if compliance.iter().any(|r| *r != 0.0) {
                self.softness.resize(self.bundles.len(), Softness::ZERO);
                let packed = packed_softness(frame, compliance);
                self.softness[seat.bundle].put(seat.lane, &packed);
            }
            let solved = softened_inverse(&self.matrices[Self::matrix(at)], compliance, work);
            regular &= solved;
            if !solved || problem.active_dim(seat.block) == 0 {
                work.fill(0.0);
            }
            let packed = packed_inverse(frame, work);
            self.bundles[seat.bundle].inverse.put(seat.lane, &packed);
        }
        regular
    }
}
