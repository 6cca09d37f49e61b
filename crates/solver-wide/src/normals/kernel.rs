//! The kernel of manifolds of normals: normals point by point, then the tangents and the twist of a
//! patch (W.9, G.5).
//!
//! A normal sees the velocity between the bodies along one direction and two components of each
//! rotation, so the bodies' velocities are not carried from point to point, only these; forces go
//! back into the world once, at the end.

use super::{NormalBundle, NormalPoint, Normals, PatchFriction};
use crate::batch::Visit;
use crate::lanes::Lanes;
use crate::prefetch;
use crate::vector::{Axes, Vector, add, cross, load, project, scale, subtract, symmetric};
use crate::velocities::{BodyVelocities, Velocities};

/// What the rows of a manifold see and change, in its axes.
#[derive(Debug, Clone, Copy)]
struct Motion<V> {
    /// Velocity of B less that of A.
    apart: Vector<V>,
    /// Rotations of A and B.
    turning: [Vector<V>; 2],
    /// Sum of the impulses on B.
    impulse: Vector<V>,
}

/// What enters the world, in the axes of the manifold.
#[derive(Debug, Clone, Copy)]
struct Change<V> {
    impulse: Vector<V>,
    turning: [Vector<V>; 2],
}

/// Masses of both bodies.
#[derive(Debug, Clone, Copy)]
struct Masses<'a, V, const N: usize> {
    /// Sum of both inverse masses.
    sum: V,
    inertia: &'a [[[f32; N]; 6]; 2],
}

impl<V: Lanes<N>, const N: usize, const P: usize> Normals<V, N, P> {
    /// One visit of every bundle.
    #[inline(always)]
    pub(super) fn visit_all(&mut self, velocities: &mut Velocities<'_>, visit: Visit) {
        let token = self.token;
        for (index, bundle) in self.bundles.iter_mut().enumerate() {
            prefetch::next::<NormalBundle<N, P>, _>(velocities.far, &bundle.bodies[0]);
            let before: BodyVelocities<V> = velocities.gather(token, &bundle.bodies);
            let friction = self.friction.get_mut(index);
            let axes = Axes::load(token, &bundle.normal, &bundle.tangent);
            let change = match (visit, self.solved.get(index)) {
                (Visit::Apply, _) => apply(token, bundle, friction),
                (Visit::Solve, solved) => solve(token, bundle, friction, solved, axes, &before),
            };
            finish(token, velocities, bundle, axes, before, &change);
        }
    }
}

/// What the impulses do.
#[inline(always)]
fn apply<V: Lanes<N>, const N: usize, const P: usize>(
    token: V::Token,
    bundle: &NormalBundle<N, P>,
    friction: Option<&mut PatchFriction<N, P>>,
) -> Change<V> {
    let zero = [V::splat(token, 0.0); 3];
    let masses = masses(token, bundle);
    let mut motion = Motion {
        apart: zero,
        turning: [zero; 2],
        impulse: zero,
    };
    for point in &bundle.points {
        let change = V::load(token, &point.impulse);
        let arms = arms(token, bundle, point);
        push_normal(token, &masses, arms, &mut motion, change);
    }
    if let Some(friction) = friction {
        let [one, two, twist] = load(token, &friction.impulse);
        let middle = middle(token, bundle, friction);
        push_tangents(token, &masses, middle, &mut motion, [one, two]);
        push_twist(token, &masses, &mut motion, twist);
    }
    Change {
        impulse: motion.impulse,
        turning: motion.turning,
    }
}

#[inline(always)]
fn solve<V: Lanes<N>, const N: usize, const P: usize>(
    token: V::Token,
    bundle: &mut NormalBundle<N, P>,
    friction: Option<&mut PatchFriction<N, P>>,
    solved: Option<&[[f32; N]; P]>,
    axes: Axes<V>,
    [a, b]: &BodyVelocities<V>,
) -> Change<V> {
    let zero = V::splat(token, 0.0);
    let apart = subtract([b[0], b[1], b[2]], [a[0], a[1], a[2]]);
    let start = [
        axes.into_local([a[3], a[4], a[5]]),
        axes.into_local([b[3], b[4], b[5]]),
    ];
    let mut motion = Motion {
        apart: axes.into_local(apart),
        turning: start,
        impulse: [zero; 3],
    };
    let masses = masses(token, bundle);
    let mut normals = [zero; P];
    for index in 0..P {
        let point = &bundle.points[index];
        let arms = arms(token, bundle, point);
        let old = V::load(token, &point.impulse);
        let mut new = normal(token, point, arms, &motion, old);
        if let Some(solved) = solved {
            new = held(token, &solved[index], new, old);
        }
        push_normal(token, &masses, arms, &mut motion, new - old);
        normals[index] = new;
    }
    if let Some(friction) = friction {
        let middle = middle(token, bundle, friction);
        rub(token, &masses, middle, friction, &mut motion, &normals);
    }
    for index in 0..P {
        normals[index].store(&mut bundle.points[index].impulse);
    }
    Change {
        impulse: motion.impulse,
        turning: [
            subtract(motion.turning[0], start[0]),
            subtract(motion.turning[1], start[1]),
        ],
    }
}

#[inline(always)]
fn masses<V: Lanes<N>, const N: usize, const P: usize>(
    token: V::Token,
    bundle: &NormalBundle<N, P>,
) -> Masses<'_, V, N> {
    Masses {
        sum: V::load(token, &bundle.mass[0]) + V::load(token, &bundle.mass[1]),
        inertia: &bundle.inertia,
    }
}

/// Arms of one point on A and B, along the tangents.
#[inline(always)]
fn arms<V: Lanes<N>, const N: usize, const P: usize>(
    token: V::Token,
    bundle: &NormalBundle<N, P>,
    point: &NormalPoint<N>,
) -> [[V; 2]; 2] {
    let b = [V::load(token, &point.arm[0]), V::load(token, &point.arm[1])];
    let between = [
        V::load(token, &bundle.between[0]),
        V::load(token, &bundle.between[1]),
    ];
    [[b[0] + between[0], b[1] + between[1]], b]
}

/// Arms of the point where friction acts, on A and B.
#[inline(always)]
fn middle<V: Lanes<N>, const N: usize, const P: usize>(
    token: V::Token,
    bundle: &NormalBundle<N, P>,
    friction: &PatchFriction<N, P>,
) -> [Vector<V>; 2] {
    let b = load(token, &friction.middle);
    let between = [
        V::load(token, &friction.between),
        V::load(token, &bundle.between[0]),
        V::load(token, &bundle.between[1]),
    ];
    [add(b, between), b]
}

/// λ_n ← max(0, λ_n − m w_n) (W.5).
#[inline(always)]
fn normal<V: Lanes<N>, const N: usize>(
    token: V::Token,
    point: &NormalPoint<N>,
    [[a_1, a_2], [b_1, b_2]]: [[V; 2]; 2],
    motion: &Motion<V>,
    old: V,
) -> V {
    let mass = V::load(token, &point.mass);
    let bias = V::load(token, &point.bias);
    let known = old - mass * (bias + V::load(token, &point.softness) * old);
    let [a, b] = &motion.turning;
    // ω · (r × n) = ω_t r_s − ω_s r_t
    let turning = (b[1] * b_2 - b[2] * b_1) - (a[1] * a_2 - a[2] * a_1);
    (known - mass * (motion.apart[0] + turning)).at_least(V::splat(token, 0.0))
}

#[inline(always)]
fn held<V: Lanes<N>, const N: usize>(token: V::Token, solved: &[f32; N], new: V, old: V) -> V {
    let solved = V::splat(token, 0.0).less(V::load(token, solved));
    V::select(solved, new, old)
}

/// I⁻¹ (r × n) of an arm along the tangents.
#[inline(always)]
fn turned<V: Lanes<N>, const N: usize>(
    token: V::Token,
    inertia: &[[f32; N]; 6],
    [one, two]: [V; 2],
) -> Vector<V> {
    // closures would stay calls
    let (xt, xs) = (V::load(token, &inertia[1]), V::load(token, &inertia[2]));
    let (tt, ts) = (V::load(token, &inertia[3]), V::load(token, &inertia[4]));
    let ss = V::load(token, &inertia[5]);
    [
        xt * two - xs * one,
        tt * two - ts * one,
        ts * two - ss * one,
    ]
}

#[inline(always)]
fn push_normal<V: Lanes<N>, const N: usize>(
    token: V::Token,
    masses: &Masses<'_, V, N>,
    arms: [[V; 2]; 2],
    motion: &mut Motion<V>,
    change: V,
) {
    let a = turned(token, &masses.inertia[0], arms[0]);
    let b = turned(token, &masses.inertia[1], arms[1]);
    motion.apart[0] = motion.apart[0] + masses.sum * change;
    motion.impulse[0] = motion.impulse[0] + change;
    motion.turning[0] = subtract(motion.turning[0], scale(a, change));
    motion.turning[1] = add(motion.turning[1], scale(b, change));
}

/// Tangents in the disc μ Σλ_n, then the twist in μ Σℓλ_n (G.5).
#[inline(always)]
fn rub<V: Lanes<N>, const N: usize, const P: usize>(
    token: V::Token,
    masses: &Masses<'_, V, N>,
    middle: [Vector<V>; 2],
    friction: &mut PatchFriction<N, P>,
    motion: &mut Motion<V>,
    normals: &[V; P],
) {
    let zero = V::splat(token, 0.0);
    let (mut sum, mut moment) = (zero, zero);
    for index in 0..P {
        sum = sum + normals[index];
        moment = moment + V::load(token, &friction.levers[index]) * normals[index];
    }
    let coefficient = V::load(token, &friction.coefficient);
    let bias: Vector<V> = load(token, &friction.bias);
    let softness: Vector<V> = load(token, &friction.softness);
    let old = load(token, &friction.impulse);
    let [x, y, z] = old;
    let soft = add(bias, [softness[0] * x, softness[1] * y, softness[2] * z]);
    let a = cross(motion.turning[0], middle[0]);
    let b = cross(motion.turning[1], middle[1]);
    let step = V::load(token, &friction.mass[0]);
    let one = old[0] - step * (motion.apart[1] + (b[1] - a[1]) + soft[0]);
    let two = old[1] - step * (motion.apart[2] + (b[2] - a[2]) + soft[1]);
    let [one, two] = project(one, two, coefficient * sum);
    let one = held(token, &friction.solved, one, old[0]);
    let two = held(token, &friction.solved, two, old[1]);
    push_tangents(token, masses, middle, motion, [one - old[0], two - old[1]]);
    let velocity = motion.turning[1][0] - motion.turning[0][0] + soft[2];
    let twist = old[2] - V::load(token, &friction.mass[1]) * velocity;
    let limit = coefficient * moment;
    let twist = held(
        token,
        &friction.solved,
        twist.clamped(-limit, limit),
        old[2],
    );
    push_twist(token, masses, motion, twist - old[2]);
    one.store(&mut friction.impulse[0]);
    two.store(&mut friction.impulse[1]);
    twist.store(&mut friction.impulse[2]);
}

#[inline(always)]
fn push_tangents<V: Lanes<N>, const N: usize>(
    token: V::Token,
    masses: &Masses<'_, V, N>,
    middle: [Vector<V>; 2],
    motion: &mut Motion<V>,
    [one, two]: [V; 2],
) {
    // nothing looks at the velocity of the middle after its tangents
    let impulse = [V::splat(token, 0.0), one, two];
    let a = symmetric(token, &masses.inertia[0], cross(middle[0], impulse));
    let b = symmetric(token, &masses.inertia[1], cross(middle[1], impulse));
    motion.impulse[1] = motion.impulse[1] + one;
    motion.impulse[2] = motion.impulse[2] + two;
    motion.turning[0] = subtract(motion.turning[0], a);
    motion.turning[1] = add(motion.turning[1], b);
}

#[inline(always)]
fn push_twist<V: Lanes<N>, const N: usize>(
    token: V::Token,
    masses: &Masses<'_, V, N>,
    motion: &mut Motion<V>,
    change: V,
) {
    let a = first_column(token, &masses.inertia[0]);
    let b = first_column(token, &masses.inertia[1]);
    motion.turning[0] = subtract(motion.turning[0], scale(a, change));
    motion.turning[1] = add(motion.turning[1], scale(b, change));
}

/// I⁻¹ n.
#[inline(always)]
fn first_column<V: Lanes<N>, const N: usize>(
    token: V::Token,
    inertia: &[[f32; N]; 6],
) -> Vector<V> {
    [
        V::load(token, &inertia[0]),
        V::load(token, &inertia[1]),
        V::load(token, &inertia[2]),
    ]
}

/// Adds a change to the velocities that both bodies had.
#[inline(always)]
fn finish<V: Lanes<N>, const N: usize, const P: usize>(
    token: V::Token,
    velocities: &mut Velocities<'_>,
    bundle: &NormalBundle<N, P>,
    axes: Axes<V>,
    before: BodyVelocities<V>,
    change: &Change<V>,
) {
    let impulse = axes.into_world(change.impulse);
    let mass = [
        -V::load(token, &bundle.mass[0]),
        V::load(token, &bundle.mass[1]),
    ];
    for side in 0..2 {
        let linear = scale(impulse, mass[side]);
        let angular = axes.into_world(change.turning[side]);
        let mut after = before[side];
        for axis in 0..3 {
            after[axis] = after[axis] + linear[axis];
            after[axis + 3] = after[axis + 3] + angular[axis];
        }
        velocities.scatter(token, &bundle.bodies[side], after);
    }
}
