//! Projections onto the sets of the laws (P.9, P.12), as the kernels compute them.

use delassus_core::Polygon;

use super::vectors::{Triple, clamp};
use crate::real::Real;

/// Projection onto ‖(t, s)‖ ≤ radius.
#[inline(always)]
pub fn disc<T: Real>([t, s]: [T; 2], radius: T) -> [T; 2] {
    let square = t * t + s * s;
    if square <= radius * radius {
        return [t, s];
    }
    let length = square.sqrt();
    // underflow of the squares
    if length <= radius {
        return [t, s];
    }
    let scale = radius / length;
    [scale * t, scale * s]
}

/// Projection onto `radius` times a polygon, in f64.
#[inline(always)]
pub fn polygon<T: Real>(t: [T; 2], polygon: Polygon, radius: T) -> [T; 2] {
    polygon.project(t.map(T::widen), radius.widen()).map(T::of)
}

/// Projection onto the cone ‖(t, s)‖ ≤ μ n.
#[inline(always)]
pub fn cone<T: Real>([n, t, s]: Triple<T>, mu: T) -> Triple<T> {
    let length = (t * t + s * s).sqrt();
    if n >= T::ZERO && length <= mu * n {
        return [n, t, s];
    }
    if mu * length <= -n {
        return [T::ZERO, T::ZERO, T::ZERO];
    }
    let normal = (n + mu * length) / (T::ONE + mu * mu);
    let scale = mu * normal / length;
    [normal, scale * t, scale * s]
}

/// Projection onto |x| ≤ limit.
#[inline(always)]
pub fn interval<T: Real>(x: T, limit: T) -> T {
    clamp(x, -limit, limit)
}
