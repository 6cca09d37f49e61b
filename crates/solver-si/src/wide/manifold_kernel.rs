//! The kernel of contact manifolds: normal, then tangents, point by point, in the axes of the manifold (W.3–W.6).
//!
//! Velocities are turned into the axes of the manifold once; there a point's rows are the unit vectors, so neither
//! Jacobians nor responses exist: only cross products with the arms. What comes back into the world is the change of
//! the velocities, so that a manifold that changes nothing leaves them bit for bit.

use super::held_kernel;
use super::lanes::Lanes;
use super::manifold::{Extra, ManifoldBundle, Manifolds, Point};
use super::vector::{Frame, Vector, add, cross, load, scale, subtract, symmetric};
use super::velocities::Store;

/// Velocities of both bodies in the axes of the manifold.
#[derive(Debug, Clone, Copy)]
struct Motion<V> {
    linear: [Vector<V>; 2],
    angular: [Vector<V>; 2],
}

/// One sweep over the manifolds.
#[inline(always)]
pub(crate) fn solve<V: Lanes<N>, S: Store, const N: usize, const P: usize>(
    token: V::Token,
    store: &mut S,
    manifolds: &mut Manifolds<N, P>,
) {
    if manifolds.normals_only {
        for bundle in &mut manifolds.bundles {
            held_kernel::visit::<V, S, N, P>(token, store, bundle);
        }
    } else if manifolds.extras.is_empty() {
        for bundle in &mut manifolds.bundles {
            visit::<V, S, N, P>(token, store, bundle, &Rows::Fast);
        }
    } else if manifolds.boxed {
        for (bundle, extras) in manifolds.bundles.iter_mut().zip(&manifolds.extras) {
            visit::<V, S, N, P>(token, store, bundle, &Rows::Boxed(extras));
        }
    } else {
        for (bundle, extras) in manifolds.bundles.iter_mut().zip(&manifolds.extras) {
            visit::<V, S, N, P>(token, store, bundle, &Rows::Full(extras));
        }
    }
}

/// Adds what the impulses of the manifolds do to the velocities.
#[inline(always)]
pub(crate) fn apply<V: Lanes<N>, S: Store, const N: usize, const P: usize>(
    token: V::Token,
    store: &mut S,
    manifolds: &Manifolds<N, P>,
) {
    for bundle in &manifolds.bundles {
        let frame = Frame::<V>::load(token, &bundle.normal, &bundle.tangent);
        let between = load(token, &bundle.between);
        let zero = [V::splat(token, 0.0); 3];
        let mut motion = Motion {
            linear: [zero; 2],
            angular: [zero; 2],
        };
        for point in &bundle.points {
            let impulse = load(token, &point.impulse);
            push(token, bundle, point, between, &mut motion, impulse);
        }
        let (a, b) = (&bundle.bodies[0], &bundle.bodies[1]);
        let world_a = store.gather::<V, N>(token, a);
        let world_b = store.gather::<V, N>(token, b);
        store.scatter(
            token,
            a,
            moved(frame, world_a, motion.linear[0], motion.angular[0]),
        );
        store.scatter(
            token,
            b,
            moved(frame, world_b, motion.linear[1], motion.angular[1]),
        );
    }
}

/// Which rows a visit solves: a constant after inlining.
enum Rows<'a, const N: usize, const P: usize> {
    /// Disc friction, tangents without bias and softness, nothing held.
    Fast,
    /// Disc friction.
    Full(&'a [Extra<N>; P]),
    /// Tangents bounded one by one.
    Boxed(&'a [Extra<N>; P]),
}

#[inline(always)]
fn visit<V: Lanes<N>, S: Store, const N: usize, const P: usize>(
    token: V::Token,
    store: &mut S,
    bundle: &mut ManifoldBundle<N, P>,
    rows: &Rows<'_, N, P>,
) {
    let bodies = bundle.bodies;
    let frame = Frame::<V>::load(token, &bundle.normal, &bundle.tangent);
    let between = load(token, &bundle.between);
    let friction = V::load(token, &bundle.friction);
    let world_a = store.gather::<V, N>(token, &bodies[0]);
    let world_b = store.gather::<V, N>(token, &bodies[1]);
    let [ax, ay, az, ap, aq, ar] = world_a;
    let [bx, by, bz, bp, bq, br] = world_b;
    let start = Motion {
        linear: [
            frame.into_local([ax, ay, az]),
            frame.into_local([bx, by, bz]),
        ],
        angular: [
            frame.into_local([ap, aq, ar]),
            frame.into_local([bp, bq, br]),
        ],
    };
    let mut motion = start;
    for index in 0..P {
        let point = &bundle.points[index];
        let velocity = relative(token, point, between, &motion);
        let old = load(token, &point.impulse);
        let new = update(token, rows, (index, point), friction, velocity, old);
        push(
            token,
            bundle,
            point,
            between,
            &mut motion,
            subtract(new, old),
        );
        let impulse = &mut bundle.points[index].impulse;
        new[0].store(&mut impulse[0]);
        new[1].store(&mut impulse[1]);
        new[2].store(&mut impulse[2]);
    }
    let linear = [
        subtract(motion.linear[0], start.linear[0]),
        subtract(motion.linear[1], start.linear[1]),
    ];
    let angular = [
        subtract(motion.angular[0], start.angular[0]),
        subtract(motion.angular[1], start.angular[1]),
    ];
    store.scatter(
        token,
        &bodies[0],
        moved(frame, world_a, linear[0], angular[0]),
    );
    store.scatter(
        token,
        &bodies[1],
        moved(frame, world_b, linear[1], angular[1]),
    );
}

/// The new impulse of one point.
#[inline(always)]
fn update<V: Lanes<N>, const N: usize, const P: usize>(
    token: V::Token,
    rows: &Rows<'_, N, P>,
    (index, point): (usize, &Point<N>),
    friction: V,
    velocity: Vector<V>,
    old: Vector<V>,
) -> Vector<V> {
    match rows {
        Rows::Fast => disc(token, point, friction, velocity, old),
        Rows::Full(extras) => full(token, point, &extras[index], friction, velocity, old),
        Rows::Boxed(extras) => boxed(token, point, &extras[index], friction, velocity, old),
    }
}

/// Velocity of B's point relative to A's, in the axes of the manifold.
#[inline(always)]
fn relative<V: Lanes<N>, const N: usize>(
    token: V::Token,
    point: &Point<N>,
    between: Vector<V>,
    motion: &Motion<V>,
) -> Vector<V> {
    let arm_b = load(token, &point.arm);
    let arm_a = add(arm_b, between);
    let b = add(motion.linear[1], cross(motion.angular[1], arm_b));
    let a = add(motion.linear[0], cross(motion.angular[0], arm_a));
    subtract(b, a)
}

/// Applies an impulse at a point, to B and against A.
#[inline(always)]
fn push<V: Lanes<N>, const N: usize, const P: usize>(
    token: V::Token,
    bundle: &ManifoldBundle<N, P>,
    point: &Point<N>,
    between: Vector<V>,
    motion: &mut Motion<V>,
    impulse: Vector<V>,
) {
    let (mass_a, mass_b) = (
        V::load(token, &bundle.mass[0]),
        V::load(token, &bundle.mass[1]),
    );
    let arm_b = load(token, &point.arm);
    let arm_a = add(arm_b, between);
    let turned_a = symmetric(token, &bundle.inertia[0], cross(arm_a, impulse));
    let turned_b = symmetric(token, &bundle.inertia[1], cross(arm_b, impulse));
    motion.linear[0] = subtract(motion.linear[0], scale(impulse, mass_a));
    motion.linear[1] = add(motion.linear[1], scale(impulse, mass_b));
    motion.angular[0] = subtract(motion.angular[0], turned_a);
    motion.angular[1] = add(motion.angular[1], turned_b);
}

/// World velocities after a change in the axes of the manifold.
#[inline(always)]
fn moved<V: Lanes<N>, const N: usize>(
    frame: Frame<V>,
    world: [V; 6],
    linear: Vector<V>,
    angular: Vector<V>,
) -> [V; 6] {
    let [x, y, z] = frame.into_world(linear);
    let [p, q, r] = frame.into_world(angular);
    [
        world[0] + x,
        world[1] + y,
        world[2] + z,
        world[3] + p,
        world[4] + q,
        world[5] + r,
    ]
}

/// λ_n ← max(0, λ_n − m w_n) (W.5).
#[inline(always)]
pub(super) fn normal<V: Lanes<N>, const N: usize>(
    token: V::Token,
    point: &Point<N>,
    velocity: V,
    old: V,
) -> V {
    let mass = V::load(token, &point.mass[0]);
    let bias = V::load(token, &point.bias);
    let softness = V::load(token, &point.softness);
    // what does not depend on the velocity comes first: it is off the chain from point to point
    let known = old - mass * (bias + softness * old);
    (known - mass * velocity).at_least(V::splat(token, 0.0))
}

/// λ_t within the disc ‖λ_t‖ ≤ radius (W.6).
#[inline(always)]
pub(crate) fn project<V: Lanes<N>, const N: usize>(one: V, two: V, radius: V) -> [V; 2] {
    let square = one * one + two * two;
    let inside = square.at_most(radius * radius);
    // no root while every lane sticks
    if V::all(inside) {
        return [one, two];
    }
    let length = square.sqrt();
    let outside = radius.less(length);
    let factor = radius / length;
    // a lane that is inside stays as it is, whatever its neighbours are: the bits do not depend on the width
    [
        V::select(inside, one, V::select(outside, one * factor, one)),
        V::select(inside, two, V::select(outside, two * factor, two)),
    ]
}

#[inline(always)]
fn disc<V: Lanes<N>, const N: usize>(
    token: V::Token,
    point: &Point<N>,
    friction: V,
    velocity: Vector<V>,
    old: Vector<V>,
) -> Vector<V> {
    let n = normal(token, point, velocity[0], old[0]);
    let change = n - old[0];
    let step = V::load(token, &point.mass[1]);
    let w_1 = velocity[1] + V::load(token, &point.coupling[0]) * change;
    let w_2 = velocity[2] + V::load(token, &point.coupling[1]) * change;
    let [one, two] = project(old[1] - step * w_1, old[2] - step * w_2, friction * n);
    [n, one, two]
}

/// Keeps the rows that are not solved for.
#[inline(always)]
fn held<V: Lanes<N>, const N: usize>(token: V::Token, active: V, row: f32, new: V, old: V) -> V {
    V::select(V::splat(token, row).less(active), new, old)
}

#[inline(always)]
fn full<V: Lanes<N>, const N: usize>(
    token: V::Token,
    point: &Point<N>,
    extra: &Extra<N>,
    friction: V,
    velocity: Vector<V>,
    old: Vector<V>,
) -> Vector<V> {
    let active = V::load(token, &extra.active);
    let n = normal(token, point, velocity[0], old[0]);
    let n = held(token, active, 0.0, n, old[0]);
    let change = n - old[0];
    let step = V::load(token, &point.mass[1]);
    let [w_1, w_2] = tangents(token, point, extra, velocity, old, change);
    let [one, two] = project(old[1] - step * w_1, old[2] - step * w_2, friction * n);
    [
        n,
        held(token, active, 1.0, one, old[1]),
        held(token, active, 2.0, two, old[2]),
    ]
}

/// w of both tangents after the normal.
#[inline(always)]
fn tangents<V: Lanes<N>, const N: usize>(
    token: V::Token,
    point: &Point<N>,
    extra: &Extra<N>,
    velocity: Vector<V>,
    old: Vector<V>,
    change: V,
) -> [V; 2] {
    let soft_1 = V::load(token, &extra.bias[0]) + V::load(token, &extra.softness[0]) * old[1];
    let soft_2 = V::load(token, &extra.bias[1]) + V::load(token, &extra.softness[1]) * old[2];
    [
        velocity[1] + V::load(token, &point.coupling[0]) * change + soft_1,
        velocity[2] + V::load(token, &point.coupling[1]) * change + soft_2,
    ]
}

/// Tangents one after the other, each within limit + μ λ_n.
#[inline(always)]
fn boxed<V: Lanes<N>, const N: usize>(
    token: V::Token,
    point: &Point<N>,
    extra: &Extra<N>,
    friction: V,
    velocity: Vector<V>,
    old: Vector<V>,
) -> Vector<V> {
    let active = V::load(token, &extra.active);
    let n = normal(token, point, velocity[0], old[0]);
    let n = held(token, active, 0.0, n, old[0]);
    let [w_1, w_2] = tangents(token, point, extra, velocity, old, n - old[0]);
    let limit = V::load(token, &extra.limit) + friction * n;
    let (mass_1, mass_2) = (V::load(token, &point.mass[1]), V::load(token, &extra.mass));
    let one = (old[1] - mass_1 * w_1).clamped(-limit, limit);
    let one = held(token, active, 1.0, one, old[1]);
    let w_2 = w_2 + V::load(token, &extra.coupling) * (one - old[1]);
    let two = (old[2] - mass_2 * w_2).clamped(-limit, limit);
    [n, one, held(token, active, 2.0, two, old[2])]
}
