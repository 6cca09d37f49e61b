//! Units in the last place: how many floating-point numbers lie between two (M.35).
//!
//! Zero means equal, of either sign of zero. A number that is not finite has a place too, beyond
//! the largest.

/// Numbers of f64 from one to the other \[ulp\].
pub fn distance(a: f64, b: f64) -> u64 {
    place(a).abs_diff(place(b))
}

/// Numbers of f32 from one to the other \[ulp\].
pub fn distance_f32(a: f32, b: f32) -> u32 {
    place_f32(a).abs_diff(place_f32(b))
}

/// The largest distance between entries of two vectors \[ulp\]; zero of nothing. What one has more
/// than the other does not count.
pub fn largest(a: &[f64], b: &[f64]) -> u64 {
    let pairs = a.iter().zip(b);
    pairs.map(|(a, b)| distance(*a, *b)).max().unwrap_or(0)
}

/// The same after rounding to f32 \[ulp\].
pub fn largest_f32(a: &[f64], b: &[f64]) -> u64 {
    let pairs = a.iter().zip(b);
    let far = pairs.map(|(a, b)| distance_f32(single(*a), single(*b)));
    u64::from(far.max().unwrap_or(0))
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "rounding is what is asked for"
)]
fn single(x: f64) -> f32 {
    x as f32
}

/// Place in the order of all numbers; both zeros have place 0.
fn place(x: f64) -> i64 {
    let bits = x.to_bits().cast_signed();
    if bits < 0 { i64::MIN - bits } else { bits }
}

fn place_f32(x: f32) -> i32 {
    let bits = x.to_bits().cast_signed();
    if bits < 0 { i32::MIN - bits } else { bits }
}

/// A distance as the value of a metric \[ulp\].
#[expect(
    clippy::cast_precision_loss,
    reason = "beyond 2^53 nobody counts single numbers"
)]
pub(crate) fn real(distance: u64) -> f64 {
    distance as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_one_apart_on_both_sides_of_zero() {
        for x in [1.0, -1.0, 0.0, 5e-324, -5e-324, 1e300, f64::MAX, 2.0] {
            assert_eq!(distance(x, x), 0, "{x}");
            assert_eq!(distance(x, x.next_up()), 1, "{x}");
            assert_eq!(distance(x.next_down(), x), 1, "{x}");
        }
        assert_eq!(distance(0.0, -0.0), 0);
        assert_eq!(distance(5e-324, -5e-324), 2);
        // a binade has 2^52 numbers
        assert_eq!(distance(1.0, 2.0), 1 << 52);
        assert_eq!(distance(-1.0, 1.0), 2 * 0x3ff0_0000_0000_0000);
        assert_eq!(
            distance(f64::MIN, f64::MAX),
            2 * (0x7ff0_0000_0000_0000 - 1)
        );
        assert_eq!(distance_f32(1.0, 2.0), 1 << 23);
        assert_eq!(distance_f32(-0.0, 1e-45), 1);
        assert_eq!(distance_f32(f32::MIN, f32::MAX), 2 * (0x7f80_0000 - 1));
    }

    #[test]
    fn the_largest_counts() {
        let (a, b) = (
            [1.0, -3.0, 0.0],
            [1.0, (-3.0f64).next_down().next_down(), -0.0],
        );
        assert_eq!(largest(&a, &b), 2);
        // two doubles apart are one single
        assert_eq!(largest_f32(&a, &b), 0);
        assert_eq!((largest(&[], &[]), largest_f32(&[], &[])), (0, 0));
        assert_eq!(largest_f32(&[1.0], &[1.0 + 2f64.powi(-23)]), 1);
    }
}
