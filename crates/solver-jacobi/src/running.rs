//! A scalar that carries a bound of its own rounding error: running error analysis \[Higham2002\].
//!
//! A kernel run with [`ErrorBounded`] numbers computes, with each result, how far a device may be
//! from it that makes the same operations in f32 with the accuracy that WGSL promises: + − × within
//! one unit in the last place, ÷ within 2.5, √ within 5. So the bound c u Σ|terms| of every
//! component follows from the kernel itself, cancellation included (K.5). Fused multiplication and
//! addition round less often and stay inside.
//!
//! Cost: about ten times that of f64; for tests. Limitations: a comparison between numbers that
//! their errors could exchange may be decided otherwise on a device. [`ambiguous`] counts those of
//! a thread; a result with one has no bound. Theory: docs/theory/16-gpu.md. Source: \[Higham2002\].

use std::cell::Cell;
use std::cmp::Ordering;
use std::ops::{Add, Div, Mul, Neg, Sub};

use crate::real::{Real, private::Sealed};

/// One unit in the last place of f32, relative \[-\].
const ULP: f64 = f32::EPSILON as f64;

/// Smallest normal f32: devices may flush what is smaller to zero.
const TINY: f64 = f32::MIN_POSITIVE as f64;

thread_local! {
    static AMBIGUOUS: Cell<u64> = const { Cell::new(0) };
}

/// Comparisons of this thread so far that errors could have turned \[-\].
pub fn ambiguous() -> u64 {
    AMBIGUOUS.get()
}

/// A number with a bound of the distance to what a device computes.
#[derive(Debug, Clone, Copy, Default)]
pub struct ErrorBounded {
    /// The result without rounding to f32.
    pub value: f64,
    /// Largest distance of a device's result.
    pub error: f64,
}

impl ErrorBounded {
    /// A result with the error of its operands, rounded within `ulps` units in the last place.
    #[inline(always)]
    fn rounded(value: f64, inherited: f64, ulps: f64) -> Self {
        // the device rounds its own result, which is off by what it inherited
        let size = value.abs() + inherited;
        Self {
            value,
            error: inherited + ulps * ULP * size + TINY,
        }
    }
}

impl PartialEq for ErrorBounded {
    fn eq(&self, other: &Self) -> bool {
        self.partial_cmp(other) == Some(Ordering::Equal)
    }
}

impl PartialOrd for ErrorBounded {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        let errors = self.error + other.error;
        // a number and its copy, as after a clamp, are equal on the device too
        let copies = self.value == other.value && self.error == other.error;
        if !copies && errors > 0.0 && (self.value - other.value).abs() <= errors {
            AMBIGUOUS.set(AMBIGUOUS.get() + 1);
        }
        self.value.partial_cmp(&other.value)
    }
}

impl Add for ErrorBounded {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        let value = self.value + other.value;
        if self.value == 0.0 && self.error == 0.0 {
            return other;
        }
        if other.value == 0.0 && other.error == 0.0 {
            return self;
        }
        Self::rounded(value, self.error + other.error, 1.0)
    }
}

impl Sub for ErrorBounded {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Neg for ErrorBounded {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        Self {
            value: -self.value,
            error: self.error,
        }
    }
}

impl Mul for ErrorBounded {
    type Output = Self;

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        let value = self.value * other.value;
        // exact: by zero, and by one
        for (factor, rest) in [(self, other), (other, self)] {
            if factor.error == 0.0 && factor.value == 0.0 {
                return factor;
            }
            if factor.error == 0.0 && factor.value == 1.0 {
                return rest;
            }
        }
        let inherited = self.value.abs() * other.error
            + other.value.abs() * self.error
            + self.error * other.error;
        Self::rounded(value, inherited, 1.0)
    }
}

impl Div for ErrorBounded {
    type Output = Self;

    #[inline(always)]
    fn div(self, other: Self) -> Self {
        let value = self.value / other.value;
        let smallest = other.value.abs() - other.error;
        let inherited = if smallest > 0.0 {
            (self.error + value.abs() * other.error) / smallest
        } else {
            f64::INFINITY
        };
        Self::rounded(value, inherited, 2.5)
    }
}

impl Sealed for ErrorBounded {}

impl Real for ErrorBounded {
    const ZERO: Self = Self {
        value: 0.0,
        error: 0.0,
    };
    const ONE: Self = Self {
        value: 1.0,
        error: 0.0,
    };
    const MAX: Self = Self {
        value: f32::MAX as f64,
        error: 0.0,
    };

    /// Rounded to f32, as a device gets it.
    fn of(x: f64) -> Self {
        Self {
            value: f32::of(x).widen(),
            error: 0.0,
        }
    }

    fn widen(self) -> f64 {
        self.value
    }

    fn sqrt(self) -> Self {
        let value = self.value.sqrt();
        // √(x + e) − √x ≤ e/√x and ≤ √e
        let inherited = if value > 0.0 {
            (self.error / value).min(self.error.sqrt())
        } else {
            self.error.sqrt()
        };
        Self::rounded(value, inherited, 5.0)
    }

    fn abs(self) -> Self {
        Self {
            value: self.value.abs(),
            error: self.error,
        }
    }

    fn is_finite(self) -> bool {
        self.value.is_finite() && self.error.is_finite()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Any expression of the kernels' operations, in f32 and with errors.
    fn chain<T: Real>(x: [f64; 6]) -> T {
        let [a, b, c, d, e, f] = x.map(T::of);
        let dot = a * b + c * d + e * f;
        let length = (a * a + b * b).sqrt();
        (dot - c * length) / (T::ONE + d * d) + f * (dot - a)
    }

    proptest! {
        #[test]
        fn f32_stays_inside_the_bound(x in prop::array::uniform6(-10.0_f64..10.0)) {
            let device: f32 = chain(x);
            let bound: ErrorBounded = chain(x);
            prop_assert!((f64::from(device) - bound.value).abs() <= bound.error);
            // and the bound says something: some hundred roundings of numbers up to 10⁴
            prop_assert!(bound.error < 1e-1);
        }
    }

    #[test]
    fn a_close_comparison_is_counted() {
        let third = ErrorBounded::ONE / (ErrorBounded::ONE + ErrorBounded::ONE + ErrorBounded::ONE);
        let before = ambiguous();
        assert!(third < ErrorBounded::ONE);
        assert_eq!(ambiguous(), before);
        let one = third + third + third;
        let _ = one < ErrorBounded::ONE;
        assert_eq!(ambiguous(), before + 1);
    }
}
