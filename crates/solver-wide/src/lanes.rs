//! Lanes of f32: what a kernel is written in, for every vector level and for one plain number.
//!
//! Only operations whose result IEEE 754 fixes are here (+ − × ÷ √, comparisons, selection), so
//! every lane of every level has the bits of the scalar kernel. There is no fused multiplication
//! and no approximate reciprocal.

use std::fmt::Debug;
use std::ops::{Add, Div, Mul, Neg, Sub};

#[cfg(target_arch = "aarch64")]
use fearless_simd::Neon;
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
use fearless_simd::{Avx2, Avx512, Sse2, f32x8, f32x16};
use fearless_simd::{f32x4, prelude::*};

/// One body as it is stored: linear velocity, padding, angular velocity, padding \[m/s, rad/s\].
pub(crate) type BodyRow = [f32; 8];

/// Takes the bodies of the lanes of a bundle: x, y, z, 0 of both velocities.
pub(crate) trait Sink {
    fn put(&mut self, lane: usize, linear: [f32; 4], angular: [f32; 4]);
}

/// `N` numbers that are computed together.
pub(crate) trait Lanes<const N: usize>:
    Copy
    + Debug
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + 'static
{
    /// Proof that the processor has the level.
    type Token: Copy + Debug + Send + Sync + 'static;
    /// Which lanes meet a condition.
    type Mask: Copy;

    /// The same number in every lane.
    fn splat(token: Self::Token, value: f32) -> Self;
    /// One number per lane.
    fn load(token: Self::Token, from: &[f32; N]) -> Self;
    /// Writes one number per lane.
    fn store(self, to: &mut [f32; N]);
    fn sqrt(self) -> Self;
    /// True where `self < other`.
    fn less(self, other: Self) -> Self::Mask;
    /// True where `self <= other`.
    fn at_most(self, other: Self) -> Self::Mask;
    /// `one` where the mask is true.
    fn select(mask: Self::Mask, one: Self, other: Self) -> Self;
    fn and(a: Self::Mask, b: Self::Mask) -> Self::Mask;
    /// True if every lane is.
    fn all(mask: Self::Mask) -> bool;
    /// Turns `N` stored bodies into six vectors: linear x, y, z, angular x, y, z.
    fn transpose_in(token: Self::Token, rows: [&BodyRow; N]) -> [Self; 6];
    /// The inverse of [`Self::transpose_in`], lane by lane into `sink`.
    fn transpose_out<K: Sink>(token: Self::Token, columns: [Self; 6], sink: &mut K);
    /// Runs `work` compiled for the level; kernels inside must be inlined.
    fn vectorize<R>(token: Self::Token, work: impl FnOnce() -> R) -> R;

    /// The greater of two numbers; `self` if they do not compare.
    #[inline(always)]
    fn at_least(self, lower: Self) -> Self {
        Self::select(self.less(lower), lower, self)
    }

    /// Clamps; NaN stays NaN.
    #[inline(always)]
    fn clamped(self, lower: Self, upper: Self) -> Self {
        let raised = Self::select(self.less(lower), lower, self);
        Self::select(upper.less(self), upper, raised)
    }
}

/// Runs a kernel compiled for the level of the vectors.
macro_rules! vectorized {
    ($vector:ty, $token:expr, $kernel:expr) => {
        <$vector>::vectorize(
            $token,
            #[inline(always)]
            || $kernel,
        )
    };
}
pub(crate) use vectorized;

/// The scalar kernel: one lane, which the processor cannot vectorise.
impl Lanes<1> for f32 {
    type Token = ();
    type Mask = bool;

    #[inline(always)]
    fn splat((): (), value: f32) -> Self {
        value
    }
    #[inline(always)]
    fn load((): (), from: &[f32; 1]) -> Self {
        from[0]
    }
    #[inline(always)]
    fn store(self, to: &mut [f32; 1]) {
        to[0] = self;
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        self.sqrt()
    }
    #[inline(always)]
    fn less(self, other: Self) -> bool {
        self < other
    }
    #[inline(always)]
    fn at_most(self, other: Self) -> bool {
        self <= other
    }
    #[inline(always)]
    fn select(mask: bool, one: Self, other: Self) -> Self {
        if mask { one } else { other }
    }
    #[inline(always)]
    fn and(a: bool, b: bool) -> bool {
        a & b
    }
    #[inline(always)]
    fn all(mask: bool) -> bool {
        mask
    }
    #[inline(always)]
    fn transpose_in((): (), [row]: [&BodyRow; 1]) -> [Self; 6] {
        let [x, y, z, _, a, b, c, _] = *row;
        [x, y, z, a, b, c]
    }
    #[inline(always)]
    fn transpose_out<K: Sink>((): (), [x, y, z, a, b, c]: [Self; 6], sink: &mut K) {
        sink.put(0, [x, y, z, 0.0], [a, b, c, 0.0]);
    }
    #[inline(always)]
    fn vectorize<R>((): (), work: impl FnOnce() -> R) -> R {
        work()
    }
}

/// Four bodies, the half of their rows that starts at `first`, as x, y, z of four lanes.
#[inline(always)]
fn columns_of_four<S: Simd>(simd: S, rows: [&BodyRow; 4], first: usize) -> [f32x4<S>; 3] {
    let a = f32x4::from_slice(simd, &rows[0][first..first + 4]);
    let b = f32x4::from_slice(simd, &rows[1][first..first + 4]);
    let c = f32x4::from_slice(simd, &rows[2][first..first + 4]);
    let d = f32x4::from_slice(simd, &rows[3][first..first + 4]);
    // x and y of (a, c), of (b, d); then the lanes in order
    let (ac, bd) = (a.zip_low(c), b.zip_low(d));
    let (ac_high, bd_high) = (a.zip_high(c), b.zip_high(d));
    [ac.zip_low(bd), ac.zip_high(bd), ac_high.zip_low(bd_high)]
}

/// The inverse of [`columns_of_four`]: four rows of x, y, z, 0.
#[inline(always)]
fn rows_of_four<S: Simd>(simd: S, [x, y, z]: [f32x4<S>; 3]) -> [f32x4<S>; 4] {
    let zero: f32x4<S> = SimdBase::splat(simd, 0.0);
    let (xz, yz) = (x.zip_low(z), y.zip_low(zero));
    let (xz_high, yz_high) = (x.zip_high(z), y.zip_high(zero));
    [
        xz.zip_low(yz),
        xz.zip_high(yz),
        xz_high.zip_low(yz_high),
        xz_high.zip_high(yz_high),
    ]
}

/// Hands four bodies to the sink, the first as lane `first`.
#[inline(always)]
fn put_four<S: Simd, K: Sink>(
    simd: S,
    linear: [f32x4<S>; 3],
    angular: [f32x4<S>; 3],
    first: usize,
    sink: &mut K,
) {
    let linear = rows_of_four(simd, linear);
    let angular = rows_of_four(simd, angular);
    sink.put(first, linear[0].into(), angular[0].into());
    sink.put(first + 1, linear[1].into(), angular[1].into());
    sink.put(first + 2, linear[2].into(), angular[2].into());
    sink.put(first + 3, linear[3].into(), angular[3].into());
}

/// What is the same for every vector type.
macro_rules! arithmetic {
    ($lanes:literal) => {
        #[inline(always)]
        fn splat(token: Self::Token, value: f32) -> Self {
            SimdBase::splat(token, value)
        }
        #[inline(always)]
        fn load(token: Self::Token, from: &[f32; $lanes]) -> Self {
            SimdBase::from_slice(token, from)
        }
        #[inline(always)]
        fn store(self, to: &mut [f32; $lanes]) {
            self.store_slice(to);
        }
        #[inline(always)]
        fn sqrt(self) -> Self {
            SimdFloat::sqrt(self)
        }
        #[inline(always)]
        fn less(self, other: Self) -> Self::Mask {
            self.simd_lt(other)
        }
        #[inline(always)]
        fn at_most(self, other: Self) -> Self::Mask {
            self.simd_le(other)
        }
        #[inline(always)]
        fn select(mask: Self::Mask, one: Self, other: Self) -> Self {
            mask.select(one, other)
        }
        #[inline(always)]
        fn and(a: Self::Mask, b: Self::Mask) -> Self::Mask {
            a & b
        }
        #[inline(always)]
        fn all(mask: Self::Mask) -> bool {
            mask.all_true()
        }
        #[inline(always)]
        fn vectorize<R>(token: Self::Token, work: impl FnOnce() -> R) -> R {
            token.vectorize(work)
        }
    };
}

macro_rules! four_lanes {
    ($token:ty) => {
        impl Lanes<4> for f32x4<$token> {
            type Token = $token;
            type Mask = <Self as SimdBase<$token>>::Mask;
            arithmetic!(4);

            #[inline(always)]
            fn transpose_in(token: Self::Token, rows: [&BodyRow; 4]) -> [Self; 6] {
                let [x, y, z] = columns_of_four(token, rows, 0);
                let [a, b, c] = columns_of_four(token, rows, 4);
                [x, y, z, a, b, c]
            }
            #[inline(always)]
            fn transpose_out<K: Sink>(
                token: Self::Token,
                [x, y, z, a, b, c]: [Self; 6],
                sink: &mut K,
            ) {
                put_four(token, [x, y, z], [a, b, c], 0, sink);
            }
        }
    };
}

#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
four_lanes!(Sse2);
#[cfg(target_arch = "aarch64")]
four_lanes!(Neon);

#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
impl Lanes<8> for f32x8<Avx2> {
    type Token = Avx2;
    type Mask = <Self as SimdBase<Avx2>>::Mask;
    arithmetic!(8);

    #[inline(always)]
    fn transpose_in(token: Avx2, [a, b, c, d, e, f, g, h]: [&BodyRow; 8]) -> [Self; 6] {
        let (low, high) = ([a, b, c, d], [e, f, g, h]);
        let [x, y, z] = columns_of_four(token, low, 0);
        let [p, q, r] = columns_of_four(token, low, 4);
        let [x_high, y_high, z_high] = columns_of_four(token, high, 0);
        let [p_high, q_high, r_high] = columns_of_four(token, high, 4);
        [
            x.combine(x_high),
            y.combine(y_high),
            z.combine(z_high),
            p.combine(p_high),
            q.combine(q_high),
            r.combine(r_high),
        ]
    }

    #[inline(always)]
    fn transpose_out<K: Sink>(token: Avx2, [x, y, z, p, q, r]: [Self; 6], sink: &mut K) {
        let ((x, x_high), (y, y_high), (z, z_high)) = (x.split(), y.split(), z.split());
        let ((p, p_high), (q, q_high), (r, r_high)) = (p.split(), q.split(), r.split());
        put_four(token, [x, y, z], [p, q, r], 0, sink);
        let linear = [x_high, y_high, z_high];
        put_four(token, linear, [p_high, q_high, r_high], 4, sink);
    }
}

/// Four quarters of a vector of sixteen lanes.
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
#[inline(always)]
fn quarters(x: f32x16<Avx512>) -> [f32x4<Avx512>; 4] {
    let (low, high) = x.split();
    let ((a, b), (c, d)) = (low.split(), high.split());
    [a, b, c, d]
}

#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
impl Lanes<16> for f32x16<Avx512> {
    type Token = Avx512;
    type Mask = <Self as SimdBase<Avx512>>::Mask;
    arithmetic!(16);

    #[inline(always)]
    fn transpose_in(token: Avx512, rows: [&BodyRow; 16]) -> [Self; 6] {
        let mut columns = [SimdBase::splat(token, 0.0); 6];
        for half in 0..2 {
            let first = 4 * half;
            let a = columns_of_four(token, [rows[0], rows[1], rows[2], rows[3]], first);
            let b = columns_of_four(token, [rows[4], rows[5], rows[6], rows[7]], first);
            let c = columns_of_four(token, [rows[8], rows[9], rows[10], rows[11]], first);
            let d = columns_of_four(token, [rows[12], rows[13], rows[14], rows[15]], first);
            for axis in 0..3 {
                let (low, high) = (a[axis].combine(b[axis]), c[axis].combine(d[axis]));
                columns[3 * half + axis] = low.combine(high);
            }
        }
        columns
    }

    #[inline(always)]
    fn transpose_out<K: Sink>(token: Avx512, [x, y, z, p, q, r]: [Self; 6], sink: &mut K) {
        let (x, y, z) = (quarters(x), quarters(y), quarters(z));
        let (p, q, r) = (quarters(p), quarters(q), quarters(r));
        for part in 0..4 {
            let linear = [x[part], y[part], z[part]];
            put_four(token, linear, [p[part], q[part], r[part]], 4 * part, sink);
        }
    }
}
