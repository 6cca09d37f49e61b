//! The scalar of the kernels: f32 or f64, with the operations that WGSL has too.

use std::fmt::Debug;
use std::ops::{Add, Div, Mul, Neg, Sub};

pub(crate) mod private {
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
}

/// The arithmetic of the kernels: f32, as on the device, or f64.
pub trait Real:
    private::Sealed
    + Copy
    + Debug
    + Default
    + PartialEq
    + PartialOrd
    + Send
    + Sync
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + 'static
{
    /// 0.
    const ZERO: Self;
    /// 1.
    const ONE: Self;
    /// Largest finite number: what an infinite bound is stored as, because shaders may assume that
    /// there is no infinity.
    const MAX: Self;

    /// The nearest number; what is too large becomes [`Self::MAX`] with its sign.
    fn of(x: f64) -> Self;

    /// Widens without rounding.
    fn widen(self) -> f64;

    /// √x.
    fn sqrt(self) -> Self;

    /// |x|.
    fn abs(self) -> Self;

    /// True for all but NaN and infinities.
    fn is_finite(self) -> bool;
}

macro_rules! real {
    ($($number:ty),*) => {$(
        impl Real for $number {
            const ZERO: Self = 0.0;
            const ONE: Self = 1.0;
            const MAX: Self = Self::MAX;

            #[inline(always)]
            #[allow(
                clippy::cast_possible_truncation,
                reason = "rounding to f32 is what the function does"
            )]
            fn of(x: f64) -> Self {
                let rounded = x as Self;
                // NaN stays NaN, so that it is seen
                if rounded.is_infinite() {
                    Self::MAX.copysign(rounded)
                } else {
                    rounded
                }
            }

            #[inline(always)]
            fn widen(self) -> f64 {
                self.into()
            }

            #[inline(always)]
            fn sqrt(self) -> Self {
                self.sqrt()
            }

            #[inline(always)]
            fn abs(self) -> Self {
                self.abs()
            }

            #[inline(always)]
            fn is_finite(self) -> bool {
                self.is_finite()
            }
        }
    )*};
}

real!(f32, f64);

/// Four numbers, as a GPU loads them.
pub type Quad<T> = [T; 4];

/// Rounds three numbers and one more to a quad.
#[inline(always)]
pub(crate) fn quad<T: Real>([x, y, z]: [f64; 3], w: f64) -> Quad<T> {
    [T::of(x), T::of(y), T::of(z), T::of(w)]
}
