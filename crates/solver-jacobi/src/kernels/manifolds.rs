//! `manifolds`: one thread per manifold updates its points and writes its two wrenches.
//!
//! The rows of a point are rebuilt from the frame and its arms (W.3). In a block sweep (J.6) the
//! thread carries the two velocities along, with the masses divided by the factors of the step
//! rule; otherwise all rows see the velocities of the start. Points in order; normal, then friction
//! with the bound from the new normal impulse (J.8).

use super::IterationStep;
use super::laws;
use super::vectors::{Triple, add, cross, dot, max, moved, scale, sub, xyz};
use crate::pack::{
    BODY_FREE, BODY_MASS, FIXED, FRAME_QUADS, Iterate, MAX_POINTS, Manifolds, POINT_QUADS, Pack,
    active_of, count_of, has_extras, law, law_of,
};
use crate::real::{Quad, Real};

/// Linear and angular velocity, or force and torque impulse.
pub type SpatialVector<T> = [Triple<T>; 2];

/// What the thread of a manifold writes.
#[derive(Debug, Clone, Copy, Default)]
pub struct Update<T> {
    /// λ_{k+1} of its points \[N·s\]: normal, two tangents, 0.
    pub impulses: [Quad<T>; MAX_POINTS],
    /// Wrenches on the two bodies.
    pub wrench: [SpatialVector<T>; 2],
    /// Velocities of the two bodies as its sweeps leave them.
    pub velocity: [SpatialVector<T>; 2],
    /// Its part of the sums that [`super::control`] reads.
    pub sums: super::sums::Sums<T>,
}

/// The bodies as the thread sees them.
struct Sides<T> {
    velocity: [SpatialVector<T>; 2],
    /// Inverse masses, times the factors of the step rule; zero in a plain sweep.
    mass: [[Quad<T>; BODY_MASS]; 2],
    factor: [T; 2],
    sequential: bool,
}

/// What the points of a manifold share.
struct ManifoldHead<T> {
    /// Its first point.
    first: u32,
    /// Count, law and active rows.
    flags: u32,
    /// Normal and tangents.
    frame: [Triple<T>; 3],
    /// What the arms of body A have more than those of B \[m\].
    between: Triple<T>,
    mu: T,
}

/// One point and the frame of its manifold.
struct ManifoldPoint<T> {
    /// Normal and tangents.
    frame: [Triple<T>; 3],
    /// From the centres of the two bodies.
    arms: [Triple<T>; 2],
    bias: Triple<T>,
    compliance: Triple<T>,
    step: Triple<T>,
    law: u32,
    mu: T,
    limit: T,
    active: u32,
}

impl<T: Real> Sides<T> {
    #[inline(always)]
    fn load(
        pack: &Pack<T>,
        velocity: &[Quad<T>],
        bodies: [u32; 2],
        factor: [T; 2],
        sequential: bool,
    ) -> Self {
        let at = |side: usize| (bodies[side] & !FIXED) as usize;
        let seen = |side: usize| {
            let first = BODY_FREE * at(side);
            [xyz(velocity[first]), xyz(velocity[first + 1])]
        };
        let heavy = |side: usize| {
            let first = BODY_MASS * at(side);
            let mass = &pack.bodies.mass;
            [mass[first], mass[first + 1], mass[first + 2]]
        };
        let zero = [[T::ZERO; 4]; BODY_MASS];
        Self {
            velocity: [seen(0), seen(1)],
            mass: if sequential {
                [heavy(0), heavy(1)]
            } else {
                [zero; 2]
            },
            factor,
            sequential,
        }
    }

    /// Velocity of the second body relative to the first at a point.
    #[inline(always)]
    fn relative(&self, point: &ManifoldPoint<T>) -> Triple<T> {
        let [a, b] = self.velocity;
        let at_a = add(a[0], cross(a[1], point.arms[0]));
        let at_b = add(b[0], cross(b[1], point.arms[1]));
        sub(at_b, at_a)
    }

    /// w of one row: J v + bias + R λ.
    #[inline(always)]
    fn shifted(&self, point: &ManifoldPoint<T>, row: usize, impulse: T) -> T {
        let along = dot(point.frame[row], self.relative(point));
        along + (point.bias[row] + point.compliance[row] * impulse)
    }

    /// Velocities follow an impulse at a point, with the split masses.
    #[inline(always)]
    fn push(&mut self, point: &ManifoldPoint<T>, impulse: Triple<T>) {
        if !self.sequential {
            return;
        }
        let [a, b] = &mut self.velocity;
        let (linear, angular) = moved(self.mass[0], impulse, cross(point.arms[0], impulse));
        a[0] = sub(a[0], scale(self.factor[0], linear));
        a[1] = sub(a[1], scale(self.factor[0], angular));
        let (linear, angular) = moved(self.mass[1], impulse, cross(point.arms[1], impulse));
        b[0] = add(b[0], scale(self.factor[1], linear));
        b[1] = add(b[1], scale(self.factor[1], angular));
    }
}

/// The step of one point from `y`, friction bound from the new normal impulse; `before` and
/// `weight` make it a Chebyshev step, which is projected again.
#[inline(always)]
fn step_point<T: Real>(
    sides: &mut Sides<T>,
    point: &ManifoldPoint<T>,
    y: Triple<T>,
    before: Triple<T>,
    weight: T,
) -> Triple<T> {
    if point.law == law::CONE && point.active == 3 {
        let w = [0, 1, 2].map(|row| sides.shifted(point, row, y[row]));
        let free = [0, 1, 2].map(|row| y[row] - point.step[row] * w[row]);
        let new = laws::cone(free, point.mu);
        let new = if weight == T::ONE {
            new
        } else {
            let far = [0, 1, 2].map(|row| relax(before[row], new[row], weight));
            laws::cone(far, point.mu)
        };
        sides.push(point, along(point, sub(new, y)));
        return new;
    }
    let w = sides.shifted(point, 0, y[0]);
    let normal = max(y[0] - point.step[0] * w, T::ZERO);
    let normal = max(relax(before[0], normal, weight), T::ZERO);
    sides.push(point, scale(normal - y[0], point.frame[0]));
    if point.active < 3 {
        return [normal, y[1], y[2]];
    }
    let radius = point.limit + point.mu * normal;
    let [t, s] = match point.law {
        law::FRICTIONLESS => {
            sides.push(point, along(point, [T::ZERO, -y[1], -y[2]]));
            [T::ZERO, T::ZERO]
        }
        law::BOX => [1, 2].map(|row| {
            let w = sides.shifted(point, row, y[row]);
            let new = laws::interval(y[row] - point.step[row] * w, radius);
            let new = laws::interval(relax(before[row], new, weight), radius);
            sides.push(point, scale(new - y[row], point.frame[row]));
            new
        }),
        _ => step_disc(sides, point, y, before, weight, radius),
    };
    [normal, t, s]
}

/// Both tangents in their disc.
#[inline(always)]
fn step_disc<T: Real>(
    sides: &mut Sides<T>,
    point: &ManifoldPoint<T>,
    y: Triple<T>,
    before: Triple<T>,
    weight: T,
    radius: T,
) -> [T; 2] {
    let t = y[1] - point.step[1] * sides.shifted(point, 1, y[1]);
    let s = y[2] - point.step[2] * sides.shifted(point, 2, y[2]);
    let [t, s] = laws::disc([t, s], radius);
    let [t, s] = if weight == T::ONE {
        [t, s]
    } else {
        laws::disc(
            [relax(before[1], t, weight), relax(before[2], s, weight)],
            radius,
        )
    };
    sides.push(point, along(point, [T::ZERO, t - y[1], s - y[2]]));
    [t, s]
}

/// λ_{k−1} + ω (x − λ_{k−1}): the Chebyshev step (J.11).
#[inline(always)]
pub(crate) fn relax<T: Real>(before: T, x: T, weight: T) -> T {
    if weight == T::ONE {
        return x;
    }
    before + weight * (x - before)
}

/// An impulse in world axes.
#[inline(always)]
fn along<T: Real>(point: &ManifoldPoint<T>, x: Triple<T>) -> Triple<T> {
    let [n, t, s] = point.frame;
    add(add(scale(x[0], n), scale(x[1], t)), scale(x[2], s))
}

/// The thread of one manifold: reads `velocity` and two halves of the points' impulses.
#[inline(always)]
pub fn manifold<T: Real>(
    pack: &Pack<T>,
    velocity: &[Quad<T>],
    current: &[Quad<T>],
    previous: &[Quad<T>],
    step: IterationStep<T>,
    manifold: usize,
) -> Update<T> {
    let [first, flags, body_a, body_b] = pack.manifolds.heads[manifold];
    let at = Manifolds::<T>::first_number(manifold, first);
    let numbers = &pack.manifolds.numbers[at..];
    let [one, two, three] = [numbers[0], numbers[1], numbers[2]];
    let (n, t) = (xyz(one), xyz(two));
    let head = ManifoldHead {
        first,
        flags,
        frame: [n, t, cross(n, t)],
        between: xyz(three),
        mu: one[3],
    };
    let factor = [two[3], three[3]];
    let mut sides = Sides::load(pack, velocity, [body_a, body_b], factor, step.sequential);
    let mut out = Update::default();
    let count = count_of(flags);
    let load = |index: u32| load_point(pack, numbers, &head, index);
    // y of every point, then what the sweeps make of it
    let mut starts = [[T::ZERO; 3]; MAX_POINTS];
    for index in 0..count {
        let at = (first + index) as usize;
        let active = active_of(flags, index);
        starts[index as usize] = start_of(current[at], previous[at], step.beta, active);
    }
    let mut new = starts;
    let passes = if step.sequential { step.passes } else { 1 };
    for pass in 0..passes {
        for turn in 0..count {
            let backwards = pass % 2 == 1;
            let index = if backwards { count - 1 - turn } else { turn };
            if active_of(flags, index) > 0 {
                let at = index as usize;
                let before = xyz(previous[(first + index) as usize]);
                new[at] = step_point(&mut sides, &load(index), new[at], before, step.weight);
            }
        }
    }
    for index in 0..count {
        let (point, at) = (load(index), index as usize);
        let old = xyz(current[(first + index) as usize]);
        for row in 0..point.active as usize {
            out.sums
                .add(starts[at][row], new[at][row], old[row], point.step[row]);
        }
        out.impulses[at] = [new[at][0], new[at][1], new[at][2], T::ZERO];
        add_wrench(&mut out.wrench, point.arms, along(&point, new[at]));
    }
    out.velocity = sides.velocity;
    out
}

/// y of the rows of a point that are solved for, λ_k of the others.
#[inline(always)]
fn start_of<T: Real>(current: Quad<T>, previous: Quad<T>, beta: T, active: u32) -> Triple<T> {
    let (old, before) = (xyz(current), xyz(previous));
    let ahead = add(old, scale(beta, sub(old, before)));
    match active {
        0 => old,
        1 => [ahead[0], old[1], old[2]],
        _ => ahead,
    }
}

/// Point `index` of a manifold, from the manifold's numbers.
#[inline(always)]
fn load_point<T: Real>(
    pack: &Pack<T>,
    numbers: &[Quad<T>],
    head: &ManifoldHead<T>,
    index: u32,
) -> ManifoldPoint<T> {
    let place = FRAME_QUADS + POINT_QUADS * index as usize;
    let (one, two) = (numbers[place], numbers[place + 1]);
    let arm = xyz(one);
    let mut loaded = ManifoldPoint {
        frame: head.frame,
        arms: [add(arm, head.between), arm],
        bias: [one[3], T::ZERO, T::ZERO],
        compliance: [two[3], T::ZERO, T::ZERO],
        step: xyz(two),
        law: law_of(head.flags),
        mu: head.mu,
        limit: T::ZERO,
        active: active_of(head.flags, index),
    };
    if has_extras(head.flags) {
        let extra = 2 * (head.first + index) as usize;
        let [limits, soft] = [0, 1].map(|at| pack.manifolds.extras[extra + at]);
        loaded.limit = limits[0];
        loaded.bias = [one[3], limits[1], limits[2]];
        loaded.compliance = [two[3], soft[1], soft[2]];
    }
    loaded
}

/// The wrenches of λ_k, without a step: what a warm start needs.
pub fn wrenches<T: Real>(pack: &Pack<T>, state: &mut Iterate<T>) {
    let first_point = state.current * pack.manifolds.points();
    for (index, [first, flags, a, b]) in pack.manifolds.heads.iter().copied().enumerate() {
        let numbers = &pack.manifolds.numbers[Manifolds::<T>::first_number(index, first)..];
        let (n, t) = (xyz(numbers[0]), xyz(numbers[1]));
        let s = cross(n, t);
        let mut sums = [[[T::ZERO; 3]; 2]; 2];
        for point in 0..count_of(flags) as usize {
            let x = state.points[first_point + first as usize + point];
            let impulse = add(add(scale(x[0], n), scale(x[1], t)), scale(x[2], s));
            let arm = xyz(numbers[FRAME_QUADS + POINT_QUADS * point]);
            add_wrench(&mut sums, [add(arm, xyz(numbers[2])), arm], impulse);
        }
        for (side, body) in [a, b].into_iter().enumerate() {
            if body & FIXED == 0 {
                write_wrench(&mut state.wrench, 2 * index + side, sums[side]);
            }
        }
    }
}

/// Third law: the second body gets the impulse, the first its opposite.
#[inline(always)]
fn add_wrench<T: Real>(
    [a, b]: &mut [SpatialVector<T>; 2],
    arms: [Triple<T>; 2],
    impulse: Triple<T>,
) {
    a[0] = sub(a[0], impulse);
    a[1] = sub(a[1], cross(arms[0], impulse));
    b[0] = add(b[0], impulse);
    b[1] = add(b[1], cross(arms[1], impulse));
}

/// All manifolds: new impulses into the other half, wrenches into their slots, sums into `sums`,
/// one per manifold.
pub fn run<T: Real>(
    pack: &Pack<T>,
    state: &mut Iterate<T>,
    step: IterationStep<T>,
    sums: &mut [super::sums::Sums<T>],
) {
    let points = pack.manifolds.points();
    for index in 0..pack.manifolds.len() {
        let (mut now, mut before) = state.points.split_at(points);
        if state.current != 0 {
            std::mem::swap(&mut now, &mut before);
        }
        let out = manifold(pack, &state.velocity, now, before, step, index);
        sums[index] = out.sums;
        let [first, flags, a, b] = pack.manifolds.heads[index];
        let target = (1 - state.current) * points + first as usize;
        let count = count_of(flags) as usize;
        state.points[target..target + count].copy_from_slice(&out.impulses[..count]);
        for (side, body) in [a, b].into_iter().enumerate() {
            if body & FIXED == 0 {
                write_wrench(&mut state.wrench, 2 * index + side, out.wrench[side]);
            }
        }
    }
}

/// Wrench of one slot.
#[inline(always)]
pub(crate) fn write_wrench<T: Real>(
    wrench: &mut [Quad<T>],
    slot: usize,
    [force, torque]: SpatialVector<T>,
) {
    wrench[2 * slot] = [force[0], force[1], force[2], T::ZERO];
    wrench[2 * slot + 1] = [torque[0], torque[1], torque[2], T::ZERO];
}
