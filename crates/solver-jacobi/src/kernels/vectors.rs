//! Vectors of three, with every sum written out from left to right.

use crate::real::{Quad, Real};

/// Three numbers: x, y, z of a vector, or normal and tangents of a contact.
pub type Triple<T> = [T; 3];

/// The first three of four.
#[inline(always)]
pub fn xyz<T: Real>(q: Quad<T>) -> Triple<T> {
    [q[0], q[1], q[2]]
}

/// Three numbers and a zero.
#[inline(always)]
pub fn padded<T: Real>(a: Triple<T>) -> Quad<T> {
    [a[0], a[1], a[2], T::ZERO]
}

/// a + b.
#[inline(always)]
pub fn add<T: Real>(a: Triple<T>, b: Triple<T>) -> Triple<T> {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

/// a − b.
#[inline(always)]
pub fn sub<T: Real>(a: Triple<T>, b: Triple<T>) -> Triple<T> {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// s a.
#[inline(always)]
pub fn scale<T: Real>(s: T, a: Triple<T>) -> Triple<T> {
    [s * a[0], s * a[1], s * a[2]]
}

/// a · b.
#[inline(always)]
pub fn dot<T: Real>(a: Triple<T>, b: Triple<T>) -> T {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// a × b.
#[inline(always)]
pub fn cross<T: Real>(a: Triple<T>, b: Triple<T>) -> Triple<T> {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

/// The larger; the first if one is NaN, so that a broken iterate stays broken.
#[inline(always)]
pub fn max<T: Real>(a: T, b: T) -> T {
    if a < b { b } else { a }
}

/// Clamps; NaN stays NaN.
#[inline(always)]
pub fn clamp<T: Real>(x: T, lower: T, upper: T) -> T {
    if x < lower {
        lower
    } else if x > upper {
        upper
    } else {
        x
    }
}

/// M⁻¹ of a force impulse and of a torque impulse, from the quads of a body's inverse mass.
#[inline(always)]
pub fn moved<T: Real>(
    mass: [Quad<T>; 3],
    force: Triple<T>,
    torque: Triple<T>,
) -> (Triple<T>, Triple<T>) {
    let [m, i, last] = mass;
    let (xx, xy, xz, yy, yz, zz) = (m[3], i[0], i[1], i[2], i[3], last[0]);
    let linear = [m[0] * force[0], m[1] * force[1], m[2] * force[2]];
    let [x, y, z] = torque;
    let angular = [
        xx * x + xy * y + xz * z,
        xy * x + yy * y + yz * z,
        xz * x + yz * y + zz * z,
    ];
    (linear, angular)
}
