//! Three-vectors of lanes.

use super::lanes::Lanes;

/// x, y, z, or normal, tangent, second tangent.
pub(crate) type Vector<V> = [V; 3];

#[inline(always)]
pub(crate) fn load<V: Lanes<N>, const N: usize>(
    token: V::Token,
    from: &[[f32; N]; 3],
) -> Vector<V> {
    [
        V::load(token, &from[0]),
        V::load(token, &from[1]),
        V::load(token, &from[2]),
    ]
}

#[inline(always)]
pub(crate) fn add<V: Lanes<N>, const N: usize>(a: Vector<V>, b: Vector<V>) -> Vector<V> {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

#[inline(always)]
pub(crate) fn subtract<V: Lanes<N>, const N: usize>(a: Vector<V>, b: Vector<V>) -> Vector<V> {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

#[inline(always)]
pub(crate) fn scale<V: Lanes<N>, const N: usize>(a: Vector<V>, factor: V) -> Vector<V> {
    [a[0] * factor, a[1] * factor, a[2] * factor]
}

#[inline(always)]
pub(crate) fn dot<V: Lanes<N>, const N: usize>(a: Vector<V>, b: Vector<V>) -> V {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline(always)]
pub(crate) fn cross<V: Lanes<N>, const N: usize>(a: Vector<V>, b: Vector<V>) -> Vector<V> {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

/// A symmetric matrix xx, xy, xz, yy, yz, zz times a vector.
#[inline(always)]
pub(crate) fn symmetric<V: Lanes<N>, const N: usize>(
    token: V::Token,
    m: &[[f32; N]; 6],
    x: Vector<V>,
) -> Vector<V> {
    let (xx, xy, xz) = (
        V::load(token, &m[0]),
        V::load(token, &m[1]),
        V::load(token, &m[2]),
    );
    let (yy, yz, zz) = (
        V::load(token, &m[3]),
        V::load(token, &m[4]),
        V::load(token, &m[5]),
    );
    [
        xx * x[0] + xy * x[1] + xz * x[2],
        xy * x[0] + yy * x[1] + yz * x[2],
        xz * x[0] + yz * x[1] + zz * x[2],
    ]
}

/// (R − 1) x for the turn σ = u/(1 + w): 4(1 − σ²)/(1 + σ²)² σ × x + 8/(1 + σ²)² σ × (σ × x).
#[inline(always)]
pub(crate) fn turning<V: Lanes<N>, const N: usize>(
    token: V::Token,
    turn: Vector<V>,
    x: Vector<V>,
) -> Vector<V> {
    let one = V::splat(token, 1.0);
    let square = dot(turn, turn);
    let inverse = one / (one + square);
    let twice = (inverse + inverse) * (inverse + inverse);
    let (first, second) = (twice * (one - square), twice + twice);
    // σ × (σ × x) = σ (σ·x) − x σ²
    let along = dot(turn, x);
    let double = subtract(scale(turn, along), scale(x, square));
    add(scale(cross(turn, x), first), scale(double, second))
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
    // a lane that is inside stays as it is, whatever its neighbours are: the bits do not depend on
    // the width
    [
        V::select(inside, one, V::select(outside, one * factor, one)),
        V::select(inside, two, V::select(outside, two * factor, two)),
    ]
}

/// Three orthonormal directions: normal, tangent, second tangent.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Axes<V> {
    axes: [Vector<V>; 3],
}

impl<V> Axes<V> {
    /// From the normal and the first tangent; right-handed.
    #[inline(always)]
    pub(crate) fn load<const N: usize>(
        token: V::Token,
        normal: &[[f32; N]; 3],
        tangent: &[[f32; N]; 3],
    ) -> Self
    where
        V: Lanes<N>,
    {
        let (n, t) = (load(token, normal), load(token, tangent));
        Self {
            axes: [n, t, cross(n, t)],
        }
    }

    /// Components along the axes.
    #[inline(always)]
    pub(crate) fn into_local<const N: usize>(self, world: Vector<V>) -> Vector<V>
    where
        V: Lanes<N>,
    {
        [
            dot(self.axes[0], world),
            dot(self.axes[1], world),
            dot(self.axes[2], world),
        ]
    }

    /// The vector with these components.
    #[inline(always)]
    pub(crate) fn into_world<const N: usize>(self, local: Vector<V>) -> Vector<V>
    where
        V: Lanes<N>,
    {
        let [n, t, s] = self.axes;
        add(
            add(scale(n, local[0]), scale(t, local[1])),
            scale(s, local[2]),
        )
    }
}
