//! Limits of an angle while the solver integrates a frame: two rows of opposite directions that
//! turn with the bodies, each with the bias of its own error (T.61).
//!
//! During a frame, `bias` of a bundle is the position error of its rows. Jacobians and masses are
//! those of the poses at the last solve without bias.

use delassus_core::{FrameJoint, FrameSetup, JointImpulse};

use super::kernel::{Moves, visit_one};
use super::{FrameLimit, Masses, Responses, RowBlocks, RowLaw, RowsBundle};
use crate::batch::{BodiesOfThread, Visit};
use crate::bundle::Interleaved;
use crate::frame::HalfStepVisit;
use crate::lanes::Lanes;
use crate::vector::{Vector, add, cross, dot, load, scale, subtract, symmetric, turning};
use crate::velocities::{BodyVelocities, Velocities, single};

/// Rows of a limit: two bounds.
const LIMIT_ROWS: usize = 2;

/// The angular parts of a row on both bodies.
const ANGULAR: [usize; 2] = [3, 9];

impl<V: Lanes<N>, const N: usize, const D: usize> RowBlocks<V, N, D> {
    /// True if a frame with these joints can move the rows: they are two bounds of an angle.
    pub(super) fn can_follow(&self, joints: &[FrameJoint]) -> bool {
        let all = D == LIMIT_ROWS && self.law == RowLaw::Bounded;
        let own = matches!(self.responses, Responses::Recompute(_));
        all && own
            && self.seats.filled().all(|seat| {
                let bundle = self.bundles[seat.bundle].lane(seat.lane);
                let pushes = bundle.lower == [0.0] && bundle.upper == [f32::INFINITY];
                let limit = matches!(joints.get(seat.block), Some(FrameJoint::Limit { .. }));
                limit && pushes && bundle.jacobian.iter().all(is_turn)
            })
    }

    /// Takes over the errors of a frame.
    pub(super) fn begin(&mut self, frame: &FrameSetup<'_>) {
        self.end_frame();
        self.limits.resize(self.bundles.len(), FrameLimit::ZERO);
        for seat in self.seats.filled() {
            let Some(FrameJoint::Limit { errors }) = frame.joints.get(seat.block) else {
                continue;
            };
            let bundle = self.bundles[seat.bundle].lane(seat.lane);
            let mut to = FrameLimit::<1, D>::ZERO;
            for (to, row) in to.axes.iter_mut().zip(&bundle.jacobian) {
                to.copy_from_slice(&row[ANGULAR[1]..]);
            }
            to.mass = bundle.mass;
            for (to, error) in to.start.iter_mut().zip(errors) {
                *to = [single(*error)];
            }
            self.limits[seat.bundle].put(seat.lane, &to);
            self.bundles[seat.bundle].bias.put(seat.lane, &to.start);
        }
        let token = self.token;
        if D != LIMIT_ROWS {
            return;
        }
        if let Responses::Recompute(masses) = &self.responses {
            for (bundle, masses) in self.bundles.iter_mut().zip(masses) {
                weigh::<V, N, D>(token, bundle, masses);
            }
        }
    }

    /// Ends a frame, if there is one: the rows are those of the problem again.
    pub(super) fn end_frame(&mut self) {
        let token = self.token;
        for (bundle, limit) in self.bundles.iter_mut().zip(&self.limits) {
            for row in 0..D {
                write::<V, N>(
                    token,
                    load(token, &limit.axes[row]),
                    &mut bundle.jacobian[row],
                );
            }
            bundle.mass = limit.mass;
        }
        self.limits.clear();
    }

    /// Moves the rows of every bundle, and adds what their impulses do.
    #[inline(always)]
    pub(super) fn follow_all(&mut self, bodies: &mut BodiesOfThread<'_>) {
        // others never follow, and need no code
        if D != LIMIT_ROWS {
            return;
        }
        let token = self.token;
        let motions = bodies.motions.lent();
        let mut velocities = bodies.velocities.lent();
        let Responses::Recompute(masses) = &self.responses else {
            return;
        };
        let bundles = self.bundles.iter_mut().zip(&self.limits);
        for ((bundle, limit), masses) in bundles.zip(masses) {
            let [a, b]: BodyVelocities<V> = motions.gather(token, &bundle.bodies);
            let (turn_a, turn_b) = ([a[3], a[4], a[5]], [b[3], b[4], b[5]]);
            let apart = between::<V, N>(token, turn_a, turn_b);
            for row in 0..D {
                let axis = load(token, &limit.axes[row]);
                let error = V::load(token, &limit.start[row]) + dot(axis, apart);
                error.store(&mut bundle.bias[row]);
                let turned = add(axis, turning(token, turn_a, axis));
                write::<V, N>(token, turned, &mut bundle.jacobian[row]);
            }
            weigh::<V, N, D>(token, bundle, masses);
            let (law, moves) = (self.law, Moves::Masses(masses));
            visit_one::<V, N, D>(token, &mut velocities, law, bundle, &moves, Visit::Apply);
        }
    }

    /// One visit of every bundle.
    #[inline(always)]
    pub(super) fn visit_all_in_half_step(
        &mut self,
        bodies: &mut BodiesOfThread<'_>,
        visit: &HalfStepVisit,
    ) {
        if D != LIMIT_ROWS {
            return;
        }
        let token = self.token;
        let mut velocities = bodies.velocities.lent();
        let Responses::Recompute(masses) = &self.responses else {
            return;
        };
        let bundles = self.bundles.iter_mut().zip(&mut self.limits);
        for ((bundle, limit), masses) in bundles.zip(masses) {
            visit_limit::<V, N, D>(token, &mut velocities, bundle, limit, masses, visit);
        }
    }

    /// Copies out what the impulses did in the frame.
    pub(super) fn sum_impulses(&self, out: &mut [JointImpulse]) {
        for seat in self.seats.filled() {
            if let Some(limit) = self.limits.get(seat.bundle) {
                let [[x], [y], [z]] = limit.lane(seat.lane).angular;
                out[seat.block] = JointImpulse {
                    linear: [0.0; 3],
                    angular: [[x, y, z].map(f64::from); 2],
                };
            }
        }
    }
}

/// True for a row that turns both bodies against each other and does nothing else.
fn is_turn(row: &[[f32; 1]; 12]) -> bool {
    let still = [0, 1, 2, 6, 7, 8].iter().all(|at| row[*at] == [0.0]);
    still && (0..3).all(|axis| row[3 + axis][0] == -row[9 + axis][0])
}

/// Writes the angular parts of a row.
#[inline(always)]
fn write<V: Lanes<N>, const N: usize>(token: V::Token, axis: Vector<V>, row: &mut [[f32; N]; 12]) {
    let minus = V::splat(token, -1.0);
    for k in 0..3 {
        (axis[k] * minus).store(&mut row[ANGULAR[0] + k]);
        axis[k].store(&mut row[ANGULAR[1] + k]);
    }
}

#[inline(always)]
fn axis<V: Lanes<N>, const N: usize>(token: V::Token, row: &[[f32; N]; 12]) -> Vector<V> {
    let [.., x, y, z] = row;
    [V::load(token, x), V::load(token, y), V::load(token, z)]
}

/// The rotation vector from A to B since the start of the frame, in its axes, from σ of both:
/// θ = 4 atan(|σ|) σ/|σ| of the relative rotation.
#[inline(always)]
fn between<V: Lanes<N>, const N: usize>(token: V::Token, a: Vector<V>, b: Vector<V>) -> Vector<V> {
    let one = V::splat(token, 1.0);
    let (two, four) = (one + one, V::splat(token, 4.0));
    let (square_a, square_b) = (dot(a, a), dot(b, b));
    let (p, q) = (one - square_a, one - square_b);
    // q_A⁻¹ q_B times (1 + σ_A²)(1 + σ_B²)
    let scalar = p * q + four * dot(a, b);
    let vector = subtract(scale(b, two * p), scale(a, two * q));
    let vector = subtract(vector, scale(cross(a, b), four));
    let turn = scale(vector, one / ((one + square_a) * (one + square_b) + scalar));
    let square = dot(turn, turn);
    let mut series = V::splat(token, 0.0);
    for coefficient in [1.0 / 9.0, -1.0 / 7.0, 0.2, -1.0 / 3.0] {
        series = (series + V::splat(token, coefficient)) * square;
    }
    scale(turn, four * (one + series))
}

/// The effective masses of the rows of a bundle.
#[inline(always)]
fn weigh<V: Lanes<N>, const N: usize, const D: usize>(
    token: V::Token,
    bundle: &mut RowsBundle<N, D>,
    masses: &Masses<N>,
) {
    let (zero, one) = (V::splat(token, 0.0), V::splat(token, 1.0));
    for row in 0..D {
        let axis = axis::<V, N>(token, &bundle.jacobian[row]);
        let first = symmetric(token, &masses.inertia[0], axis);
        let second = symmetric(token, &masses.inertia[1], axis);
        let diagonal = dot(axis, first) + dot(axis, second);
        // an empty lane has no masses
        let diagonal = V::select(zero.less(diagonal), diagonal, one);
        (one / diagonal).store(&mut bundle.mass[row]);
    }
}

/// One row after the other (T.61).
#[inline(always)]
fn visit_limit<V: Lanes<N>, const N: usize, const D: usize>(
    token: V::Token,
    velocities: &mut Velocities<'_>,
    bundle: &mut RowsBundle<N, D>,
    limit: &mut FrameLimit<N, D>,
    masses: &Masses<N>,
    visit: &HalfStepVisit,
) {
    let zero = V::splat(token, 0.0);
    let spring = visit.stabilization.joint_spring;
    let numbers = if visit.biased {
        [spring.rate, spring.share]
    } else {
        [0.0; 2]
    };
    let [rate, share] = numbers.map(|x| V::splat(token, x));
    let inverse_h = V::splat(token, visit.stabilization.inverse_h);
    let [mut a, mut b]: BodyVelocities<V> = velocities.gather(token, &bundle.bodies);
    let mut sum = load(token, &limit.angular);
    for row in 0..D {
        let axis = axis::<V, N>(token, &bundle.jacobian[row]);
        let error = V::load(token, &bundle.bias[row]);
        let open = zero.less(error);
        let bias = error * V::select(open, inverse_h, rate);
        let share = V::select(open, zero, share);
        let mass = V::load(token, &bundle.mass[row]);
        let mass = mass - mass * share;
        let old = V::load(token, &bundle.impulse[row]);
        let spin = dot(axis, [b[3] - a[3], b[4] - a[4], b[5] - a[5]]);
        let new = ((old - share * old) - mass * (spin + bias)).at_least(zero);
        new.store(&mut bundle.impulse[row]);
        let change = scale(axis, new - old);
        let first = symmetric(token, &masses.inertia[0], change);
        let second = symmetric(token, &masses.inertia[1], change);
        for k in 0..3 {
            a[3 + k] = a[3 + k] - first[k];
            b[3 + k] = b[3 + k] + second[k];
        }
        let acts = if visit.starts_substep {
            scale(axis, new)
        } else {
            change
        };
        sum = add(sum, acts);
    }
    for (sum, to) in sum.into_iter().zip(&mut limit.angular) {
        sum.store(to);
    }
    velocities.scatter(token, &bundle.bodies[0], a);
    velocities.scatter(token, &bundle.bodies[1], b);
}
