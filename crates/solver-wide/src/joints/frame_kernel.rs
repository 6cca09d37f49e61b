//! Joints while the solver integrates a frame: rows that follow the bodies, their W⁻¹, and the
//! visits of a half-step (T.59), (T.60).

use super::kernel::{push, rows, solved, velocity};
use super::{FrameRows, JointBundle, JointRows, Joints, packed};
use crate::batch::BodiesOfThread;
use crate::frame::HalfStepVisit;
use crate::lanes::Lanes;
use crate::prefetch;
use crate::vector::{Vector, add, cross, dot, load, scale, subtract, symmetric, turning};
use crate::velocities::{BodyVelocities, Velocities};

#[inline(always)]
fn store<V: Lanes<N>, const N: usize>(from: Vector<V>, to: &mut [[f32; N]; 3]) {
    for (from, to) in from.into_iter().zip(to) {
        from.store(to);
    }
}

/// R x, or the rotation back with −σ.
#[inline(always)]
fn turned<V: Lanes<N>, const N: usize>(
    token: V::Token,
    turn: Vector<V>,
    x: Vector<V>,
) -> Vector<V> {
    add(x, turning(token, turn, x))
}

/// The impulses of the point in the axes of the start of the frame.
#[inline(always)]
pub(super) fn turned_back<V: Lanes<N>, const N: usize, const K: usize, const T: usize>(
    token: V::Token,
    bundle: &JointBundle<N, K, T>,
    rows: &FrameRows<N, K>,
) -> [[f32; N]; 3] {
    let back = scale(load(token, &rows.turn), V::splat(token, -1.0));
    let mut out = [[0.0; N]; 3];
    store(
        turned(token, back, load(token, &bundle.impulse.point)),
        &mut out,
    );
    out
}

/// The position errors at the start of the frame.
#[inline(always)]
pub(super) fn errors<V: Lanes<N>, const N: usize, const K: usize, const T: usize>(
    token: V::Token,
    bundle: &mut JointBundle<N, K, T>,
    rows: &FrameRows<N, K>,
) {
    bundle.bias.point = rows.gap;
    let axis = load(token, &rows.axis);
    for row in 0..K {
        let error: V = dot(axis, load(token, &rows.across[row]));
        error.store(&mut bundle.bias.turning[row]);
    }
}

/// Least share of its diagonal element that a pivot of a regular W may be \[-\]: a hundred
/// roundings.
const LEAST_PIVOT: f32 = 1e-5;

/// W = A, and its inverse by elimination, which needs no exchange as A is positive definite; false
/// if it is singular in f32.
#[inline(always)]
pub(super) fn invert<V: Lanes<N>, const N: usize, const K: usize, const T: usize>(
    token: V::Token,
    bundle: &mut JointBundle<N, K, T>,
) -> bool {
    let (zero, one) = (V::splat(token, 0.0), V::splat(token, 1.0));
    let mut m = [[zero; 6]; 6];
    let mass = V::load(token, &bundle.mass[0]) + V::load(token, &bundle.mass[1]);
    for axis in 0..3 {
        m[axis][axis] = mass;
    }
    for side in 0..2 {
        let inertia = &bundle.inertia[side];
        let [x, y, z] = load(token, &bundle.arm[side]);
        // r × e of the three axes e
        let levers = [[zero, z, -y], [-z, zero, x], [y, -x, zero]];
        for j in 0..3 {
            let spin = symmetric(token, inertia, levers[j]);
            for i in 0..=j {
                m[i][j] = m[i][j] + dot(levers[i], spin);
            }
            for row in 0..K {
                let axis = load(token, &bundle.axes[row]);
                m[j][3 + row] = m[j][3 + row] + dot(axis, spin);
            }
        }
        for row in 0..K {
            let spin = symmetric(token, inertia, load(token, &bundle.axes[row]));
            for other in 0..=row {
                let axis = load(token, &bundle.axes[other]);
                m[3 + other][3 + row] = m[3 + other][3 + row] + dot(axis, spin);
            }
        }
    }
    for i in 0..3 + K {
        // an empty lane has no masses
        m[i][i] = V::select(zero.less(m[i][i]), m[i][i], one);
        for j in 0..i {
            m[i][j] = m[j][i];
        }
    }
    let regular = eliminate::<V, N, K>(token, &mut m);
    let inverse = &mut bundle.inverse;
    for i in 0..3 {
        for j in i..3 {
            m[i][j].store(&mut inverse.point[packed(3, i, j)]);
        }
        for row in 0..K {
            m[i][3 + row].store(&mut inverse.cross[row][i]);
        }
    }
    for row in 0..K {
        for other in row..K {
            m[3 + row][3 + other].store(&mut inverse.turning[packed(K, row, other)]);
        }
    }
    regular
}

/// The inverse of the first 3 + K rows and columns, in their place; false if a pivot vanishes.
#[inline(always)]
fn eliminate<V: Lanes<N>, const N: usize, const K: usize>(
    token: V::Token,
    m: &mut [[V; 6]; 6],
) -> bool {
    let (zero, one) = (V::splat(token, 0.0), V::splat(token, 1.0));
    let mut least = [one; 6];
    for row in 0..3 + K {
        least[row] = V::splat(token, LEAST_PIVOT) * m[row][row];
    }
    let mut regular = true;
    for pivot in 0..3 + K {
        regular &= V::all(least[pivot].less(m[pivot][pivot]));
        let factor = one / m[pivot][pivot];
        m[pivot][pivot] = one;
        for j in 0..3 + K {
            m[pivot][j] = m[pivot][j] * factor;
        }
        for i in 0..3 + K {
            if i != pivot {
                let share = m[i][pivot];
                m[i][pivot] = zero;
                for j in 0..3 + K {
                    m[i][j] = m[i][j] - share * m[pivot][j];
                }
            }
        }
    }
    regular
}

/// Moves the rows of a bundle with its bodies, and turns the impulses of the point with A (T.59).
#[inline(always)]
fn follow<V: Lanes<N>, const N: usize, const K: usize, const T: usize>(
    token: V::Token,
    motions: &Velocities<'_>,
    bundle: &mut JointBundle<N, K, T>,
    rows: &mut FrameRows<N, K>,
) {
    let [a, b]: BodyVelocities<V> = motions.gather(token, &bundle.bodies);
    let apart = [b[0] - a[0], b[1] - a[1], b[2] - a[2]];
    let (turn_a, turn_b) = ([a[3], a[4], a[5]], [b[3], b[4], b[5]]);
    let (first, second) = (load(token, &rows.arm[0]), load(token, &rows.arm[1]));
    let gap = load(token, &rows.gap);
    // A's own point is before the gap
    let moved_a = turning(token, turn_a, subtract(first, gap));
    let moved_b = turning(token, turn_b, second);
    let change = add(apart, moved_b);
    store(add(second, moved_b), &mut bundle.arm[1]);
    store(add(first, change), &mut bundle.arm[0]);
    let gap = add(gap, subtract(change, moved_a));
    store(gap, &mut bundle.bias.point);
    let axis = turned(token, turn_b, load(token, &rows.axis));
    for row in 0..K {
        let across = turned(token, turn_a, load(token, &rows.across[row]));
        store(cross(axis, across), &mut bundle.axes[row]);
        dot(axis, across).store(&mut bundle.bias.turning[row]);
    }
    let start = turned_back::<V, N, K, T>(token, bundle, rows);
    let impulse = turned(token, turn_a, load(token, &start));
    store(impulse, &mut bundle.impulse.point);
    store(turn_a, &mut rows.turn);
}

impl<V: Lanes<N>, const N: usize, const K: usize, const T: usize> Joints<V, N, K, T> {
    /// Moves the rows of every bundle, and adds what their impulses do.
    #[inline(always)]
    pub(super) fn follow_all(&mut self, bodies: &mut BodiesOfThread<'_>) {
        // others need no code
        if !Self::FOLLOWS {
            return;
        }
        let token = self.token;
        let motions = bodies.motions.lent();
        let mut velocities = bodies.velocities.lent();
        for (bundle, frame_rows) in self.bundles.iter_mut().zip(&mut self.frame_rows) {
            prefetch::next::<JointBundle<N, K, T>, _>(velocities.far, &bundle.bodies[0]);
            prefetch::next::<FrameRows<N, K>, _>(velocities.far, &frame_rows.gap[0]);
            follow::<V, N, K, T>(token, &motions, bundle, frame_rows);
            invert::<V, N, K, T>(token, bundle);
            let before: BodyVelocities<V> = velocities.gather(token, &bundle.bodies);
            let impulse = rows(token, &bundle.impulse);
            push(token, &mut velocities, bundle, before, &impulse);
        }
    }

    /// One visit of every bundle.
    #[inline(always)]
    pub(super) fn visit_all_in_half_step(
        &mut self,
        bodies: &mut BodiesOfThread<'_>,
        visit: &HalfStepVisit,
    ) {
        if !Self::FOLLOWS {
            return;
        }
        let token = self.token;
        let mut velocities = bodies.velocities.lent();
        let spring = visit.stabilization.joint_spring;
        let numbers = if visit.biased {
            [spring.rate, spring.share]
        } else {
            [0.0; 2]
        };
        let numbers = numbers.map(|x| V::splat(token, x));
        for (bundle, frame_rows) in self.bundles.iter_mut().zip(&mut self.frame_rows) {
            prefetch::next::<JointBundle<N, K, T>, _>(velocities.far, &bundle.bodies[0]);
            prefetch::next::<FrameRows<N, K>, _>(velocities.far, &frame_rows.gap[0]);
            let before: BodyVelocities<V> = velocities.gather(token, &bundle.bodies);
            let change = solve(token, bundle, numbers, &before);
            push(token, &mut velocities, bundle, before, &change);
            let acts = if visit.starts_substep {
                rows(token, &bundle.impulse)
            } else {
                change
            };
            sum(token, bundle, frame_rows, &acts);
        }
    }
}

/// The change of the impulses, with softness as a share of A (T.60).
#[inline(always)]
fn solve<V: Lanes<N>, const N: usize, const K: usize, const T: usize>(
    token: V::Token,
    bundle: &mut JointBundle<N, K, T>,
    [rate, share]: [V; 2],
    before: &BodyVelocities<V>,
) -> JointRows<V, K> {
    let stays = V::splat(token, 1.0) - share;
    let old: JointRows<V, K> = rows(token, &bundle.impulse);
    let mut known: JointRows<V, K> = rows(token, &bundle.bias);
    known.point = scale(known.point, rate);
    for row in 0..K {
        known.turning[row] = known.turning[row] * rate;
    }
    let velocity = velocity(token, bundle, before, &known);
    let step = solved(token, bundle, &velocity);
    let mut change = step;
    for axis in 0..3 {
        let new = old.point[axis] - (stays * step.point[axis] + share * old.point[axis]);
        new.store(&mut bundle.impulse.point[axis]);
        change.point[axis] = new - old.point[axis];
    }
    for row in 0..K {
        let new = old.turning[row] - (stays * step.turning[row] + share * old.turning[row]);
        new.store(&mut bundle.impulse.turning[row]);
        change.turning[row] = new - old.turning[row];
    }
    change
}

/// Adds what impulses along the present rows do to the sums.
#[inline(always)]
fn sum<V: Lanes<N>, const N: usize, const K: usize, const T: usize>(
    token: V::Token,
    bundle: &JointBundle<N, K, T>,
    rows: &mut FrameRows<N, K>,
    impulse: &JointRows<V, K>,
) {
    let linear = add(load(token, &rows.linear), impulse.point);
    store(linear, &mut rows.linear);
    for side in 0..2 {
        let mut twist = cross(load(token, &bundle.arm[side]), impulse.point);
        for row in 0..K {
            let torque = scale(load(token, &bundle.axes[row]), impulse.turning[row]);
            twist = add(twist, torque);
        }
        let sum = add(load(token, &rows.angular[side]), twist);
        store(sum, &mut rows.angular[side]);
    }
}
