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

impl Real for f64 {
    const ZERO: Self = 0.0;
    const ONE: Self = 1.0;
    const MAX: Self = Self::MAX;

    #[inline(always)]
    fn of(x: f64) -> Self {
        // NaN stays NaN, so that it is seen
        if x.is_infinite() {
            Self::MAX.copysign(x)
        } else {
            x
        }
    }

    #[inline(always)]
    fn widen(self) -> f64 {
        self
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

impl Real for f32 {
    const ZERO: Self = 0.0;
    const ONE: Self = 1.0;
    const MAX: Self = Self::MAX;

    #[inline(always)]
    #[expect(
        clippy::cast_possible_truncation,
        reason = "rounding to f32 is what the function does"
    )]
    fn of(x: f64) -> Self {
        let narrow = x as f32;
        if narrow.is_infinite() {
            Self::MAX.copysign(narrow)
        } else {
            narrow
        }
    }

    #[inline(always)]
    fn widen(self) -> f64 {
        f64::from(self)
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

/// Four numbers, as a GPU loads them.
pub type Quad<T> = [T; 4];

/// Rounds three numbers and one more to a quad.
#[inline(always)]
pub(crate) fn quad<T: Real>([x, y, z]: [f64; 3], w: f64) -> Quad<T> {
    [T::of(x), T::of(y), T::of(z), T::of(w)]
}
