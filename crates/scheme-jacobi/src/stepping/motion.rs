//! `motion`: one thread per body turns its inertia with it and adds the forces of a substep to its velocity (T.1, T.2,
//! T.6).
//!
//! Both passes of a substep see the inertia of its start, as the rows do.
//! The gyroscopic torque is one Newton step of implicit Euler in the principal axes, with every row divided by its
//! moment: the matrix is without dimension, so that small bodies do not underflow in f32.

use delassus_solver_jacobi::kernels::vectors::{Triple, add, cross, dot, moved, scale, sub, xyz};
use delassus_solver_jacobi::pack::{BODY_FREE, BODY_MASS, Bodies};
use delassus_solver_jacobi::real::{Quad, Real};

use super::{GYROSCOPIC, INERTIA_QUADS, MOTION_QUADS, Stepping, product, rotated};

/// R⁻¹ of a rotation.
#[inline(always)]
fn inverse<T: Real>(q: Quad<T>) -> Quad<T> {
    [-q[0], -q[1], -q[2], q[3]]
}

#[inline(always)]
fn times<T: Real>(a: Triple<T>, b: Triple<T>) -> Triple<T> {
    [a[0] * b[0], a[1] * b[1], a[2] * b[2]]
}

/// Angular velocity after the gyroscopic torque (T.6); `ratios` are (I_z − I_y)/I_x and so on, in turn.
#[inline(always)]
fn gyroscope<T: Real>(frame: Quad<T>, ratios: Triple<T>, spin: Triple<T>, h: T) -> Triple<T> {
    let l = rotated(inverse(frame), spin);
    let k = scale(h, ratios);
    // columns of I⁻¹ times the slope, and the residual
    let first = [T::ONE, k[1] * l[2], k[2] * l[1]];
    let second = [k[0] * l[2], T::ONE, k[2] * l[0]];
    let third = [k[0] * l[1], k[1] * l[0], T::ONE];
    let rest = [k[0] * l[1] * l[2], k[1] * l[2] * l[0], k[2] * l[0] * l[1]];
    let normal = cross(second, third);
    let determinant = dot(first, normal);
    if determinant == T::ZERO {
        // the substep is so long that a Newton step has no meaning
        return spin;
    }
    let change = [
        dot(rest, normal) / determinant,
        dot(first, cross(rest, third)) / determinant,
        dot(first, cross(second, rest)) / determinant,
    ];
    rotated(frame, sub(l, change))
}

/// Inverse inertia in world axes.
#[inline(always)]
fn refresh<T: Real>(mass: &mut [Quad<T>], frame: Quad<T>, inverse: Triple<T>) {
    let (zero, one) = (T::ZERO, T::ONE);
    let x = rotated(frame, [one, zero, zero]);
    let y = rotated(frame, [zero, one, zero]);
    let z = rotated(frame, [zero, zero, one]);
    let entry = |i: usize, j: usize| {
        inverse[0] * x[i] * x[j] + inverse[1] * y[i] * y[j] + inverse[2] * z[i] * z[j]
    };
    mass[0][3] = entry(0, 0);
    mass[1] = [entry(0, 1), entry(0, 2), entry(1, 1), entry(1, 2)];
    mass[2] = [entry(2, 2), zero, zero, zero];
}

/// The thread of one body.
#[inline(always)]
pub fn body<T: Real>(
    stepping: &Stepping<T>,
    bodies: &mut Bodies<T>,
    motion: &mut [Quad<T>],
    body: usize,
) {
    let fixed = &stepping.inertia[INERTIA_QUADS * body..INERTIA_QUADS * (body + 1)];
    let own = &mut motion[MOTION_QUADS * body..MOTION_QUADS * (body + 1)];
    let (h, mode) = (stepping.settings.h, fixed[2][3]);
    let (v, w) = (xyz(own[0]), xyz(own[1]));
    if mode == T::ZERO {
        bodies.free[BODY_FREE * body] = own[0];
        bodies.free[BODY_FREE * body + 1] = own[1];
        return;
    }
    let linear = scale(fixed[0][3], add(v, scale(h, xyz(fixed[0]))));
    let linear = times(linear, xyz(fixed[6]));
    let frame = product(own[3], fixed[5]);
    if mode >= T::ONE + T::ONE {
        refresh(&mut bodies.mass[BODY_MASS * body..], frame, xyz(fixed[4]));
    }
    let mut after = w;
    if mode == T::of(f64::from(GYROSCOPIC)) {
        after = gyroscope(frame, xyz(fixed[2]), w, h);
    }
    let mass = &bodies.mass[BODY_MASS * body..];
    let (_, push) = moved([mass[0], mass[1], mass[2]], [T::ZERO; 3], xyz(fixed[1]));
    let angular = scale(fixed[1][3], add(after, scale(h, push)));
    let angular = times(angular, xyz(fixed[7]));
    bodies.free[BODY_FREE * body] = [linear[0], linear[1], linear[2], T::ZERO];
    bodies.free[BODY_FREE * body + 1] = [angular[0], angular[1], angular[2], T::ZERO];
    let gained = sub(linear, v);
    let local = rotated(inverse(frame), sub(angular, after));
    let momentum = rotated(frame, times(xyz(fixed[3]), local));
    let moment = cross(xyz(own[2]), gained);
    for axis in 0..3 {
        own[6][axis] = own[6][axis] + gained[axis];
        own[7][axis] = own[7][axis] + moment[axis];
        own[8][axis] = own[8][axis] + momentum[axis];
    }
}

/// All bodies.
pub fn run<T: Real>(stepping: &Stepping<T>, bodies: &mut Bodies<T>, motion: &mut [Quad<T>]) {
    for index in 0..bodies.len() {
        body(stepping, bodies, motion, index);
    }
}
