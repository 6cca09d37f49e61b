//! `poses`: one thread per body moves its pose by the velocity of the biased solve (T.3, T.4).
//!
//! The turn is the exponential (T.4) of the rotation vector hω, by its series at a quarter of the
//! angle, squared: shaders promise a sine to 5·10⁻⁴ only. Up to a whole turn per substep what is
//! cut off is below the rounding of f32.

use delassus_solver_jacobi::kernels::vectors::{Triple, add, dot, padded, scale, xyz};
use delassus_solver_jacobi::pack::BODY_FREE;
use delassus_solver_jacobi::real::{Quad, Real};

use super::{BodyMotion, product};

/// The rotation by a rotation vector \[rad\].
#[inline(always)]
pub fn exponential<T: Real>(vector: Triple<T>) -> Quad<T> {
    let x = scale(T::of(0.25), vector);
    let s = dot(x, x);
    let sine = T::ONE
        + s * (T::of(-1.0 / 6.0)
            + s * (T::of(1.0 / 120.0) + s * (T::of(-1.0 / 5040.0) + s * T::of(1.0 / 362_880.0))));
    let cosine = T::ONE
        + s * (T::of(-0.5)
            + s * (T::of(1.0 / 24.0) + s * (T::of(-1.0 / 720.0) + s * T::of(1.0 / 40320.0))));
    let half = [sine * x[0], sine * x[1], sine * x[2], cosine];
    product(half, half)
}

#[inline(always)]
pub(super) fn normalised<T: Real>(q: Quad<T>) -> Quad<T> {
    let square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    let length = square.sqrt();
    [q[0] / length, q[1] / length, q[2] / length, q[3] / length]
}

/// The thread of one body.
#[inline(always)]
pub fn body<T: Real>(h: T, velocity: &[Quad<T>], own: &mut BodyMotion<T>, body: usize) {
    let v = xyz(velocity[BODY_FREE * body]);
    let w = xyz(velocity[BODY_FREE * body + 1]);
    own.displacement = padded(add(xyz(own.displacement), scale(h, v)));
    own.turn = normalised(product(exponential(scale(h, w)), own.turn));
}

/// All bodies; `h` is the substep \[s\], `velocity` are the settled velocities.
pub fn run<T: Real>(h: T, velocity: &[Quad<T>], motion: &mut [BodyMotion<T>]) {
    for (index, own) in motion.iter_mut().enumerate() {
        body(h, velocity, own, index);
    }
}
