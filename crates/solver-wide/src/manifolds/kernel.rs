//! The kernel of contact manifolds: normal, then tangents, point by point, in the axes of the
//! manifold (W.3–W.6).
//!
//! Velocities are turned into the axes of the manifold once; there a point's rows are the unit
//! vectors, so neither Jacobians nor responses exist: only cross products with the arms. What comes
//! back into the world is the change of the velocities, so that a manifold that changes nothing
//! leaves them bit for bit.

use super::Manifolds;
use super::layout::{Extra, Head, ManifoldBundle, ManifoldPoint};
use super::normal_bias::NormalBias;
use super::normals_kernel::{self, normal};
use crate::batch::Visit;
use crate::lanes::Lanes;
use crate::prefetch;
use crate::vector::{Axes, Vector, add, cross, load, project, scale, subtract, symmetric};
use crate::velocities::{BodyVelocities, Velocities};

/// Velocities of both bodies in the axes of the manifold, or what changes of them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Motion<V> {
    linear: [Vector<V>; 2],
    angular: [Vector<V>; 2],
}

/// Which rows a visit solves.
#[derive(Clone, Copy)]
pub(super) enum VisitedRows<'a, V, const N: usize> {
    /// Disc friction, tangents without bias and softness, no inactive rows.
    Disc,
    /// As `Disc`, while the solver integrates a frame.
    Frame(NormalBias<V>),
    /// Disc friction, with what `Disc` leaves out.
    DiscWithExtras(&'a [Extra<N>]),
    /// Tangents bounded one by one.
    Box(&'a [Extra<N>]),
}

impl<V: Lanes<N>, const N: usize, const P: usize> Manifolds<V, N, P> {
    /// One visit of every bundle.
    #[inline(always)]
    pub(super) fn visit_all(&mut self, velocities: &mut Velocities<'_>, visit: Visit) {
        let token = self.token;
        let solves = visit == Visit::Solve;
        if solves && self.normals_only {
            for bundle in &mut self.bundles {
                prefetch::next::<ManifoldBundle<N, P>, _>(velocities.far, &bundle.head.bodies[0]);
                normals_kernel::solve::<V, N, P>(
                    token,
                    velocities,
                    bundle,
                    #[inline(always)]
                    |point, velocity, old| normal(token, point, velocity, old),
                );
            }
        } else if solves && self.extras.is_empty() {
            for bundle in &mut self.bundles {
                prefetch::next::<ManifoldBundle<N, P>, _>(velocities.far, &bundle.head.bodies[0]);
                let before = velocities.gather(token, &bundle.head.bodies);
                let axes = Axes::<V>::load(token, &bundle.head.normal, &bundle.head.tangent);
                let ManifoldBundle { head, points } = bundle;
                let change = solve(token, head, points, VisitedRows::Disc, axes, &before);
                finish(token, velocities, &bundle.head, axes, before, &change);
            }
        } else {
            for (index, bundle) in self.bundles.iter_mut().enumerate() {
                prefetch::next::<ManifoldBundle<N, P>, _>(velocities.far, &bundle.head.bodies[0]);
                let rows = match self.extras.get(index).filter(|_| solves) {
                    None => None,
                    Some(extras) if self.boxed => Some(VisitedRows::Box(&extras[..])),
                    Some(extras) => Some(VisitedRows::DiscWithExtras(&extras[..])),
                };
                let ManifoldBundle { head, points } = bundle;
                visit_any::<V, N>(token, velocities, head, points, rows);
            }
        }
    }
}

/// One visit of one bundle of any number of points; without `rows` it applies the impulses alone.
/// It is compiled once per level and not per number of points, because few scenes need it.
#[inline(never)]
fn visit_any<V: Lanes<N>, const N: usize>(
    token: V::Token,
    velocities: &mut Velocities<'_>,
    head: &Head<N>,
    points: &mut [ManifoldPoint<N>],
    rows: Option<VisitedRows<'_, V, N>>,
) {
    V::vectorize(
        token,
        #[inline(always)]
        || {
            let before = velocities.gather(token, &head.bodies);
            let axes = Axes::<V>::load(token, &head.normal, &head.tangent);
            let change = match rows {
                None => apply(token, head, points),
                Some(rows) => solve(token, head, points, rows, axes, &before),
            };
            finish(token, velocities, head, axes, before, &change);
        },
    );
}

/// What the impulses do.
#[inline(always)]
fn apply<V: Lanes<N>, const N: usize>(
    token: V::Token,
    head: &Head<N>,
    points: &[ManifoldPoint<N>],
) -> Motion<V> {
    let between = load(token, &head.between);
    let zero = [V::splat(token, 0.0); 3];
    let mut motion = Motion {
        linear: [zero; 2],
        angular: [zero; 2],
    };
    for point in points {
        let impulse = load(token, &point.impulse);
        push(token, head, point, between, &mut motion, impulse);
    }
    motion
}

#[inline(always)]
pub(super) fn solve<V: Lanes<N>, const N: usize>(
    token: V::Token,
    head: &Head<N>,
    points: &mut [ManifoldPoint<N>],
    rows: VisitedRows<'_, V, N>,
    axes: Axes<V>,
    [a, b]: &BodyVelocities<V>,
) -> Motion<V> {
    let between = load(token, &head.between);
    let friction = V::load(token, &head.friction);
    let start = Motion {
        linear: [
            axes.into_local([a[0], a[1], a[2]]),
            axes.into_local([b[0], b[1], b[2]]),
        ],
        angular: [
            axes.into_local([a[3], a[4], a[5]]),
            axes.into_local([b[3], b[4], b[5]]),
        ],
    };
    let mut motion = start;
    // by index: with an exclusive reference the compiler moves the stores, spills vectors, and a
    // pass with AVX-512 takes 1.12 times as long
    for index in 0..points.len() {
        let point = &points[index];
        let velocity = relative(token, point, between, &motion);
        let old = load(token, &point.impulse);
        let new = match rows {
            VisitedRows::Disc => {
                let n = normal(token, point, velocity[0], old[0]);
                disc(token, point, friction, velocity, old, n)
            }
            VisitedRows::Frame(bias) => {
                let n = bias.normal(token, point, velocity[0], old[0]);
                disc(token, point, friction, velocity, old, n)
            }
            VisitedRows::DiscWithExtras(extras) => {
                full(token, point, &extras[index], friction, velocity, old)
            }
            VisitedRows::Box(extras) => {
                boxed(token, point, &extras[index], friction, velocity, old)
            }
        };
        let change = subtract(new, old);
        push(token, head, point, between, &mut motion, change);
        let impulse = &mut points[index].impulse;
        new[0].store(&mut impulse[0]);
        new[1].store(&mut impulse[1]);
        new[2].store(&mut impulse[2]);
    }
    for side in 0..2 {
        motion.linear[side] = subtract(motion.linear[side], start.linear[side]);
        motion.angular[side] = subtract(motion.angular[side], start.angular[side]);
    }
    motion
}

/// Velocity of B's point relative to A's, in the axes of the manifold.
#[inline(always)]
fn relative<V: Lanes<N>, const N: usize>(
    token: V::Token,
    point: &ManifoldPoint<N>,
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
fn push<V: Lanes<N>, const N: usize>(
    token: V::Token,
    head: &Head<N>,
    point: &ManifoldPoint<N>,
    between: Vector<V>,
    motion: &mut Motion<V>,
    impulse: Vector<V>,
) {
    let (mass_a, mass_b) = (V::load(token, &head.mass[0]), V::load(token, &head.mass[1]));
    let arm_b = load(token, &point.arm);
    let arm_a = add(arm_b, between);
    let turned_a = symmetric(token, &head.inertia[0], cross(arm_a, impulse));
    let turned_b = symmetric(token, &head.inertia[1], cross(arm_b, impulse));
    motion.linear[0] = subtract(motion.linear[0], scale(impulse, mass_a));
    motion.linear[1] = add(motion.linear[1], scale(impulse, mass_b));
    motion.angular[0] = subtract(motion.angular[0], turned_a);
    motion.angular[1] = add(motion.angular[1], turned_b);
}

/// Adds a change in the axes of the manifold to the velocities that both bodies had.
#[inline(always)]
pub(super) fn finish<V: Lanes<N>, const N: usize>(
    token: V::Token,
    velocities: &mut Velocities<'_>,
    head: &Head<N>,
    axes: Axes<V>,
    before: BodyVelocities<V>,
    change: &Motion<V>,
) {
    for side in 0..2 {
        let linear = axes.into_world(change.linear[side]);
        let angular = axes.into_world(change.angular[side]);
        let mut after = before[side];
        for axis in 0..3 {
            after[axis] = after[axis] + linear[axis];
            after[axis + 3] = after[axis + 3] + angular[axis];
        }
        velocities.scatter(token, &head.bodies[side], after);
    }
}

/// The rows of a point after its normal, which has become `n`.
#[inline(always)]
fn disc<V: Lanes<N>, const N: usize>(
    token: V::Token,
    point: &ManifoldPoint<N>,
    friction: V,
    velocity: Vector<V>,
    old: Vector<V>,
    n: V,
) -> Vector<V> {
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
    point: &ManifoldPoint<N>,
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
    point: &ManifoldPoint<N>,
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
    point: &ManifoldPoint<N>,
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
