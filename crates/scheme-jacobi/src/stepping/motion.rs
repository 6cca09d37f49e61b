//! `motion`: one thread per body turns its inertia with it and adds the forces of a substep to its
//! velocity (T.1, T.2, T.6).
//!
//! Both passes of a substep see the inertia of its start, as the rows do. The gyroscopic torque is
//! one Newton step of implicit Euler in the principal axes, with every row divided by its moment:
//! the matrix is without dimension, so that small bodies do not underflow in f32.

use delassus_solver_jacobi::kernels::vectors::{
    Triple, add, cross, dot, moved, padded, scale, sub, xyz,
};
use delassus_solver_jacobi::pack::{BODY_FREE, BODY_MASS, Bodies};
use delassus_solver_jacobi::real::{Quad, Real};

use super::{
    BodyConstants, BodyMotion, GYROSCOPIC, KEEPS, Stepping, TURNS, inverse, product, rotated,
};

#[inline(always)]
fn times<T: Real>(a: Triple<T>, b: Triple<T>) -> Triple<T> {
    [a[0] * b[0], a[1] * b[1], a[2] * b[2]]
}

/// Angular velocity after the gyroscopic torque (T.6); `ratios` are (I_z − I_y)/I_x and so on, in
/// turn.
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
pub(super) fn refresh<T: Real>(mass: &mut [Quad<T>], frame: Quad<T>, inverse: Triple<T>) {
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

/// The thread of one body, in a substep of `h` \[s\].
#[inline(always)]
pub fn body<T: Real>(
    h: T,
    fixed: &BodyConstants<T>,
    bodies: &mut Bodies<T>,
    own: &mut BodyMotion<T>,
    body: usize,
) {
    let (v, w) = (xyz(own.velocity), xyz(own.spin));
    if fixed.mode == KEEPS {
        bodies.free[BODY_FREE * body] = own.velocity;
        bodies.free[BODY_FREE * body + 1] = own.spin;
        return;
    }
    let linear = scale(fixed.linear_slowing, add(v, scale(h, fixed.acceleration)));
    let linear = times(linear, xyz(fixed.free_axes));
    let frame = product(own.turn, fixed.axes);
    if fixed.mode >= TURNS {
        let mass = &mut bodies.mass[BODY_MASS * body..];
        refresh(mass, frame, xyz(fixed.inverse_moments));
    }
    let mut after = w;
    if fixed.mode == GYROSCOPIC {
        after = gyroscope(frame, fixed.ratios, w, h);
    }
    let mass = &bodies.mass[BODY_MASS * body..];
    let (_, push) = moved([mass[0], mass[1], mass[2]], [T::ZERO; 3], fixed.torque);
    let angular = scale(fixed.angular_slowing, add(after, scale(h, push)));
    let angular = times(angular, xyz(fixed.free_turns));
    bodies.free[BODY_FREE * body] = padded(linear);
    bodies.free[BODY_FREE * body + 1] = padded(angular);
    let gained = sub(linear, v);
    let local = rotated(inverse(frame), sub(angular, after));
    let momentum = rotated(frame, times(xyz(fixed.moments), local));
    let moment = cross(xyz(own.displacement), gained);
    own.gained = padded(add(xyz(own.gained), gained));
    own.moment = padded(add(xyz(own.moment), moment));
    own.momentum = padded(add(xyz(own.momentum), momentum));
}

/// All bodies.
pub fn run<T: Real>(stepping: &Stepping<T>, bodies: &mut Bodies<T>, motion: &mut [BodyMotion<T>]) {
    let h = stepping.settings.h;
    for (index, (fixed, own)) in stepping.inertia.iter().zip(motion).enumerate() {
        body(h, fixed, bodies, own, index);
    }
}
