//! The kernel of joints that hold a point: velocities of the point and of the rotations, one product with W⁻¹, and the
//! same arms back (W.10).

use super::joints::{JointBundle, Joints, Softness, packed};
use super::lanes::Lanes;
use super::vector::{Vector, add, cross, dot, load, scale, subtract, symmetric};
use super::velocities::Store;

/// Numbers of the rows of `N` joints: of the point, of the rotations.
type RowValues<V, const K: usize> = (Vector<V>, [V; K]);

/// One sweep over the joints.
#[inline(always)]
pub(crate) fn solve<V: Lanes<N>, S: Store, const N: usize, const K: usize, const T: usize>(
    token: V::Token,
    store: &mut S,
    joints: &mut Joints<N, K, T>,
) {
    if joints.softness.is_empty() {
        for bundle in &mut joints.bundles {
            visit::<V, S, N, K, T>(token, store, bundle, None);
        }
    } else {
        for (bundle, softness) in joints.bundles.iter_mut().zip(&joints.softness) {
            visit::<V, S, N, K, T>(token, store, bundle, Some(softness));
        }
    }
}

/// Adds what the impulses of the joints do to the velocities.
#[inline(always)]
pub(crate) fn apply<V: Lanes<N>, S: Store, const N: usize, const K: usize, const T: usize>(
    token: V::Token,
    store: &mut S,
    joints: &Joints<N, K, T>,
) {
    for bundle in &joints.bundles {
        let a = store.gather::<V, N>(token, &bundle.bodies[0]);
        let b = store.gather::<V, N>(token, &bundle.bodies[1]);
        let impulse = impulses(token, bundle);
        push(token, store, bundle, [a, b], &impulse);
    }
}

#[inline(always)]
fn visit<V: Lanes<N>, S: Store, const N: usize, const K: usize, const T: usize>(
    token: V::Token,
    store: &mut S,
    bundle: &mut JointBundle<N, K, T>,
    softness: Option<&Softness<N, K>>,
) {
    let a = store.gather::<V, N>(token, &bundle.bodies[0]);
    let b = store.gather::<V, N>(token, &bundle.bodies[1]);
    let old = impulses(token, bundle);
    let known = known(token, bundle, softness, &old);
    let velocity = velocity(token, bundle, [&a, &b], &known);
    let step = solved(token, bundle, &velocity);
    let mut change = step;
    for axis in 0..3 {
        let new = old.0[axis] - step.0[axis];
        new.store(&mut bundle.impulse[axis]);
        change.0[axis] = new - old.0[axis];
    }
    for row in 0..K {
        let new = old.1[row] - step.1[row];
        new.store(&mut bundle.impulse_turning[row]);
        change.1[row] = new - old.1[row];
    }
    push(token, store, bundle, [a, b], &change);
}

#[inline(always)]
fn impulses<V: Lanes<N>, const N: usize, const K: usize, const T: usize>(
    token: V::Token,
    bundle: &JointBundle<N, K, T>,
) -> RowValues<V, K> {
    let mut turning = [V::splat(token, 0.0); K];
    for row in 0..K {
        turning[row] = V::load(token, &bundle.impulse_turning[row]);
    }
    (load(token, &bundle.impulse), turning)
}

/// b + R λ: what does not wait for the velocities.
#[inline(always)]
fn known<V: Lanes<N>, const N: usize, const K: usize, const T: usize>(
    token: V::Token,
    bundle: &JointBundle<N, K, T>,
    softness: Option<&Softness<N, K>>,
    old: &RowValues<V, K>,
) -> RowValues<V, K> {
    // + 0 makes a positive zero of a negative one, so that rigid lanes have the same bits with and without R
    let zero = V::splat(token, 0.0);
    let mut point = load(token, &bundle.bias);
    let mut turning = [zero; K];
    for row in 0..K {
        turning[row] = V::load(token, &bundle.bias_turning[row]);
    }
    if let Some(softness) = softness {
        point = add(point, symmetric(token, &softness.point, old.0));
        for row in 0..K {
            turning[row] = turning[row] + V::load(token, &softness.turning[row]) * old.1[row];
        }
    }
    for row in 0..K {
        turning[row] = turning[row] + zero;
    }
    (add(point, [zero; 3]), turning)
}

/// w of all rows.
#[inline(always)]
fn velocity<V: Lanes<N>, const N: usize, const K: usize, const T: usize>(
    token: V::Token,
    bundle: &JointBundle<N, K, T>,
    [a, b]: [&[V; 6]; 2],
    known: &RowValues<V, K>,
) -> RowValues<V, K> {
    let (spin_a, spin_b) = ([a[3], a[4], a[5]], [b[3], b[4], b[5]]);
    let first = cross(spin_a, load(token, &bundle.arm[0]));
    let second = cross(spin_b, load(token, &bundle.arm[1]));
    let first = add([a[0], a[1], a[2]], first);
    let second = add([b[0], b[1], b[2]], second);
    let mut turning = known.1;
    let spin = subtract(spin_b, spin_a);
    for row in 0..K {
        let axis = load(token, &bundle.axes[row]);
        turning[row] = turning[row] + dot(axis, spin);
    }
    (add(subtract(second, first), known.0), turning)
}

/// W⁻¹ x.
#[inline(always)]
fn solved<V: Lanes<N>, const N: usize, const K: usize, const T: usize>(
    token: V::Token,
    bundle: &JointBundle<N, K, T>,
    x: &RowValues<V, K>,
) -> RowValues<V, K> {
    let mut point = symmetric(token, &bundle.point, x.0);
    let mut turning = [V::splat(token, 0.0); K];
    for row in 0..K {
        let coupling = load(token, &bundle.cross[row]);
        point = add(point, scale(coupling, x.1[row]));
        let mut sum = dot(coupling, x.0);
        for other in 0..K {
            let (low, high) = if row <= other {
                (row, other)
            } else {
                (other, row)
            };
            sum = sum + V::load(token, &bundle.turning[packed(K, low, high)]) * x.1[other];
        }
        turning[row] = sum;
    }
    (point, turning)
}

/// v += M⁻¹Jᵀ x of both bodies, whose velocities are given.
#[inline(always)]
fn push<V: Lanes<N>, S: Store, const N: usize, const K: usize, const T: usize>(
    token: V::Token,
    store: &mut S,
    bundle: &JointBundle<N, K, T>,
    [a, b]: [[V; 6]; 2],
    impulse: &RowValues<V, K>,
) {
    let mut twist = cross(load(token, &bundle.arm[0]), impulse.0);
    let mut other = cross(load(token, &bundle.arm[1]), impulse.0);
    for row in 0..K {
        let torque = scale(load(token, &bundle.axes[row]), impulse.1[row]);
        twist = add(twist, torque);
        other = add(other, torque);
    }
    let (mass_a, mass_b) = (
        V::load(token, &bundle.mass[0]),
        V::load(token, &bundle.mass[1]),
    );
    let linear = scale(impulse.0, mass_a);
    let angular = symmetric(token, &bundle.inertia[0], twist);
    let mut moved = a;
    for axis in 0..3 {
        moved[axis] = a[axis] - linear[axis];
        moved[axis + 3] = a[axis + 3] - angular[axis];
    }
    store.scatter(token, &bundle.bodies[0], moved);
    let linear = scale(impulse.0, mass_b);
    let angular = symmetric(token, &bundle.inertia[1], other);
    let mut moved = b;
    for axis in 0..3 {
        moved[axis] = b[axis] + linear[axis];
        moved[axis + 3] = b[axis + 3] + angular[axis];
    }
    store.scatter(token, &bundle.bodies[1], moved);
}
