//! The kernel of contact manifolds whose friction is inactive: the normals alone (W.5, W.9).
//!
//! Soft Step holds friction in its biased pass. It keeps its impulses, so neither velocities nor
//! impulses along the tangents appear here, and a push along the normal turns a body through two
//! components of its arm.

use super::layout::{ManifoldBundle, ManifoldPoint};
use crate::lanes::Lanes;
use crate::vector::{Axes, Vector, add, dot, load, scale, subtract};
use crate::velocities::Velocities;

/// One body while only normals push: velocity along the normal, and turning in the axes of the
/// manifold.
#[derive(Debug, Clone, Copy)]
struct Side<V> {
    along: V,
    turning: Vector<V>,
}

impl<V> Side<V> {
    #[inline(always)]
    fn new<const N: usize>(axes: Axes<V>, normal: Vector<V>, world: [V; 6]) -> Self
    where
        V: Lanes<N>,
    {
        let [x, y, z, p, q, r] = world;
        Self {
            along: dot(normal, [x, y, z]),
            turning: axes.into_local([p, q, r]),
        }
    }

    /// Velocity along the normal of the point at `y`, `z` along the tangents.
    #[inline(always)]
    fn speed<const N: usize>(self, [y, z]: [V; 2]) -> V
    where
        V: Lanes<N>,
    {
        self.along + (self.turning[1] * z - self.turning[2] * y)
    }

    /// World velocities after the change since `start`.
    #[inline(always)]
    fn moved<const N: usize>(
        self,
        start: Self,
        axes: Axes<V>,
        normal: Vector<V>,
        world: [V; 6],
    ) -> [V; 6]
    where
        V: Lanes<N>,
    {
        let [x, y, z] = scale(normal, self.along - start.along);
        let [p, q, r] = axes.into_world(subtract(self.turning, start.turning));
        let [vx, vy, vz, wp, wq, wr] = world;
        [vx + x, vy + y, vz + z, wp + p, wq + q, wr + r]
    }
}

/// One manifold per lane; `row` makes the step of a normal from its velocity and impulse.
#[inline(always)]
pub(super) fn solve<V: Lanes<N>, const N: usize, const P: usize>(
    token: V::Token,
    velocities: &mut Velocities<'_>,
    bundle: &mut ManifoldBundle<N, P>,
    row: impl Fn(&ManifoldPoint<N>, V, V) -> V,
) {
    let head = &bundle.head;
    let before = velocities.gather(token, &head.bodies);
    let axes = Axes::<V>::load(token, &head.normal, &head.tangent);
    let axis = load(token, &head.normal);
    let between = load(token, &head.between);
    let mass_a = V::load(token, &head.mass[0]);
    let mass_b = V::load(token, &head.mass[1]);
    let start_a = Side::new(axes, axis, before[0]);
    let start_b = Side::new(axes, axis, before[1]);
    let (mut a, mut b) = (start_a, start_b);
    for point in &mut bundle.points {
        let [_, y, z] = load(token, &point.arm);
        let (arm_a, arm_b) = ([y + between[1], z + between[2]], [y, z]);
        let old = V::load(token, &point.impulse[0]);
        let new = row(point, b.speed(arm_b) - a.speed(arm_a), old);
        let change = new - old;
        a.along = a.along - change * mass_a;
        b.along = b.along + change * mass_b;
        let turned_a = turned(token, &head.inertia[0], arm_a, change);
        let turned_b = turned(token, &head.inertia[1], arm_b, change);
        a.turning = subtract(a.turning, turned_a);
        b.turning = add(b.turning, turned_b);
        new.store(&mut point.impulse[0]);
    }
    let moved = a.moved(start_a, axes, axis, before[0]);
    velocities.scatter(token, &head.bodies[0], moved);
    let moved = b.moved(start_b, axes, axis, before[1]);
    velocities.scatter(token, &head.bodies[1], moved);
}

/// I⁻¹ (r × n) `impulse`, from the parts of r along the tangents.
#[inline(always)]
fn turned<V: Lanes<N>, const N: usize>(
    token: V::Token,
    inertia: &[[f32; N]; 6],
    [y, z]: [V; 2],
    impulse: V,
) -> Vector<V> {
    let (xy, xz) = (V::load(token, &inertia[1]), V::load(token, &inertia[2]));
    let (yy, yz) = (V::load(token, &inertia[3]), V::load(token, &inertia[4]));
    let zz = V::load(token, &inertia[5]);
    let (first, second) = (z * impulse, y * impulse);
    [
        xy * first - xz * second,
        yy * first - yz * second,
        yz * first - zz * second,
    ]
}

/// λ_n ← max(0, λ_n − m w_n) (W.5).
#[inline(always)]
pub(super) fn normal<V: Lanes<N>, const N: usize>(
    token: V::Token,
    point: &ManifoldPoint<N>,
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
