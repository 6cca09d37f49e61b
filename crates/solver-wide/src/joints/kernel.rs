//! The kernel of joints that hold a point: velocities of the point and of the rotations, one
//! product with W⁻¹, and the same arms back (W.10).

use super::{JointBundle, JointRows, Joints, Softness, packed};
use crate::batch::Visit;
use crate::lanes::Lanes;
use crate::prefetch;
use crate::vector::{add, cross, dot, load, scale, subtract, symmetric};
use crate::velocities::{BodyVelocities, Velocities};

impl<V: Lanes<N>, const N: usize, const K: usize, const T: usize> Joints<V, N, K, T> {
    /// One visit of every bundle.
    #[inline(always)]
    pub(super) fn visit_all(&mut self, velocities: &mut Velocities<'_>, visit: Visit) {
        let token = self.token;
        if visit == Visit::Solve && self.softness.is_empty() {
            for bundle in &mut self.bundles {
                prefetch::next::<JointBundle<N, K, T>, _>(velocities.far, &bundle.bodies[0]);
                let before: BodyVelocities<V> = velocities.gather(token, &bundle.bodies);
                let change = solve(token, bundle, None, &before);
                push(token, velocities, bundle, before, &change);
            }
            return;
        }
        for (index, bundle) in self.bundles.iter_mut().enumerate() {
            prefetch::next::<JointBundle<N, K, T>, _>(velocities.far, &bundle.bodies[0]);
            let before: BodyVelocities<V> = velocities.gather(token, &bundle.bodies);
            let change = match visit {
                Visit::Solve => solve(token, bundle, self.softness.get(index), &before),
                Visit::Apply => rows(token, &bundle.impulse),
            };
            push(token, velocities, bundle, before, &change);
        }
    }
}

/// The change of the impulses.
#[inline(always)]
fn solve<V: Lanes<N>, const N: usize, const K: usize, const T: usize>(
    token: V::Token,
    bundle: &mut JointBundle<N, K, T>,
    softness: Option<&Softness<N, K>>,
    before: &BodyVelocities<V>,
) -> JointRows<V, K> {
    let old: JointRows<V, K> = rows(token, &bundle.impulse);
    let known = known(token, bundle, softness, &old);
    let velocity = velocity(token, bundle, before, &known);
    let step = solved(token, bundle, &velocity);
    let mut change = step;
    for axis in 0..3 {
        let new = old.point[axis] - step.point[axis];
        new.store(&mut bundle.impulse.point[axis]);
        change.point[axis] = new - old.point[axis];
    }
    for row in 0..K {
        let new = old.turning[row] - step.turning[row];
        new.store(&mut bundle.impulse.turning[row]);
        change.turning[row] = new - old.turning[row];
    }
    change
}

#[inline(always)]
pub(super) fn rows<V: Lanes<N>, const N: usize, const K: usize>(
    token: V::Token,
    from: &JointRows<[f32; N], K>,
) -> JointRows<V, K> {
    let mut turning = [V::splat(token, 0.0); K];
    for row in 0..K {
        turning[row] = V::load(token, &from.turning[row]);
    }
    JointRows {
        point: load(token, &from.point),
        turning,
    }
}

/// b + R λ: what does not wait for the velocities.
#[inline(always)]
fn known<V: Lanes<N>, const N: usize, const K: usize, const T: usize>(
    token: V::Token,
    bundle: &JointBundle<N, K, T>,
    softness: Option<&Softness<N, K>>,
    old: &JointRows<V, K>,
) -> JointRows<V, K> {
    // + 0 makes a positive zero of a negative one, so that rigid lanes have the same bits with and
    //   without R
    let zero = V::splat(token, 0.0);
    let mut known: JointRows<V, K> = rows(token, &bundle.bias);
    if let Some(softness) = softness {
        known.point = add(known.point, symmetric(token, &softness.point, old.point));
        for row in 0..K {
            let soft = V::load(token, &softness.turning[row]) * old.turning[row];
            known.turning[row] = known.turning[row] + soft;
        }
    }
    known.point = add(known.point, [zero; 3]);
    for row in 0..K {
        known.turning[row] = known.turning[row] + zero;
    }
    known
}

/// w of all rows.
#[inline(always)]
pub(super) fn velocity<V: Lanes<N>, const N: usize, const K: usize, const T: usize>(
    token: V::Token,
    bundle: &JointBundle<N, K, T>,
    [a, b]: &BodyVelocities<V>,
    known: &JointRows<V, K>,
) -> JointRows<V, K> {
    let (spin_a, spin_b) = ([a[3], a[4], a[5]], [b[3], b[4], b[5]]);
    let first = cross(spin_a, load(token, &bundle.arm[0]));
    let second = cross(spin_b, load(token, &bundle.arm[1]));
    let first = add([a[0], a[1], a[2]], first);
    let second = add([b[0], b[1], b[2]], second);
    let mut turning = known.turning;
    let spin = subtract(spin_b, spin_a);
    for row in 0..K {
        let axis = load(token, &bundle.axes[row]);
        turning[row] = turning[row] + dot(axis, spin);
    }
    JointRows {
        point: add(subtract(second, first), known.point),
        turning,
    }
}

/// W⁻¹ x.
#[inline(always)]
pub(super) fn solved<V: Lanes<N>, const N: usize, const K: usize, const T: usize>(
    token: V::Token,
    bundle: &JointBundle<N, K, T>,
    x: &JointRows<V, K>,
) -> JointRows<V, K> {
    let inverse = &bundle.inverse;
    let mut point = symmetric(token, &inverse.point, x.point);
    let mut turning = [V::splat(token, 0.0); K];
    for row in 0..K {
        let coupling = load(token, &inverse.cross[row]);
        point = add(point, scale(coupling, x.turning[row]));
        let mut sum = dot(coupling, x.point);
        for other in 0..K {
            let (low, high) = if row <= other {
                (row, other)
            } else {
                (other, row)
            };
            sum = sum + V::load(token, &inverse.turning[packed(K, low, high)]) * x.turning[other];
        }
        turning[row] = sum;
    }
    JointRows { point, turning }
}

/// v ← v + M⁻¹Jᵀ x of both bodies.
#[inline(always)]
pub(super) fn push<V: Lanes<N>, const N: usize, const K: usize, const T: usize>(
    token: V::Token,
    velocities: &mut Velocities<'_>,
    bundle: &JointBundle<N, K, T>,
    [mut a, mut b]: BodyVelocities<V>,
    impulse: &JointRows<V, K>,
) {
    let mut twist_a = cross(load(token, &bundle.arm[0]), impulse.point);
    let mut twist_b = cross(load(token, &bundle.arm[1]), impulse.point);
    for row in 0..K {
        let torque = scale(load(token, &bundle.axes[row]), impulse.turning[row]);
        twist_a = add(twist_a, torque);
        twist_b = add(twist_b, torque);
    }
    // one body after the other: few registers
    let linear = scale(impulse.point, V::load(token, &bundle.mass[0]));
    let angular = symmetric(token, &bundle.inertia[0], twist_a);
    for axis in 0..3 {
        a[axis] = a[axis] - linear[axis];
        a[axis + 3] = a[axis + 3] - angular[axis];
    }
    velocities.scatter(token, &bundle.bodies[0], a);
    let linear = scale(impulse.point, V::load(token, &bundle.mass[1]));
    let angular = symmetric(token, &bundle.inertia[1], twist_b);
    for axis in 0..3 {
        b[axis] = b[axis] + linear[axis];
        b[axis + 3] = b[axis + 3] + angular[axis];
    }
    velocities.scatter(token, &bundle.bodies[1], b);
}
