//! Checks many numbers at once: for infinities and NaN, and for numbers whose products may
//! overflow.

/// Index of the first infinity or NaN. A first pass checks all numbers without branches, so that
/// the compiler can vectorise it; only if it fails, a second pass searches for the index.
pub(crate) fn first_not_finite(values: &[f64]) -> Option<usize> {
    if all_below(values, INFINITE_EXPONENT) {
        return None;
    }
    values.iter().position(|v| !v.is_finite())
}

/// Biased exponent of infinities and NaN.
const INFINITE_EXPONENT: u64 = 0x7ff;

/// Biased exponent of 2²⁵⁶: products of two smaller numbers stay below 2⁵¹², and a sum of 2⁵⁰⁰ of
/// them is finite.
const SMALL_EXPONENT: u64 = 1023 + 256;

/// True if every number is below 2²⁵⁶ in magnitude: a row of a Jacobian of such numbers, times
/// velocities of such numbers, plus another one, is finite.
pub(crate) fn are_small(values: &[f64]) -> bool {
    all_below(values, SMALL_EXPONENT)
}

/// Biased exponent of 2¹²⁷: a cross product of two smaller vectors is small.
const FACTOR_EXPONENT: u64 = 1023 + 127;

/// True if every number is below 2¹²⁷ in magnitude: cross products of such vectors are small in the
/// sense of [`are_small`].
pub(crate) fn are_small_factors(values: &[f64]) -> bool {
    all_below(values, FACTOR_EXPONENT)
}

/// True if every number has a smaller biased exponent.
///
/// Adding the distance from `exponent` to 2¹¹ carries into the sign's bit exactly where the
/// exponent is not smaller; three integer operations per number, without branches, for any vector
/// unit.
fn all_below(values: &[f64], exponent: u64) -> bool {
    let carry = (0x800 - exponent) << 52;
    let carried = |x: &f64| (x.to_bits() & !SIGN) + carry;
    values.iter().fold(0, |any, x| any | carried(x)) & SIGN == 0
}

/// The bit of the sign.
pub(crate) const SIGN: u64 = 1 << 63;
