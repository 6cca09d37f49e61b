//! The Fischer–Burmeister function of numbers and of the self-dual cone (Y.7), (Y.8).

use std::array::from_fn;

use delassus_core::norm;

/// F of a cone, and the derivatives by its two arguments.
pub(super) type ConeMap<const N: usize> = ([f64; N], [[f64; N]; N], [[f64; N]; N]);

/// Part of ‖v‖ by which the square root is smoothed in derivatives, where the smallest spectral
/// value vanishes \[-\].
const SMOOTHING: f64 = 1e-9;

/// Products of numbers below this may lose digits \[√J\]: 2⁻⁴⁰⁰.
const TINY: f64 = f64::from_bits((1023 - 400) << 52);

/// a + b − (a² + b²)^½ without cancellation, and its derivatives; at the origin those along a = b.
fn scalar(a: f64, b: f64) -> (f64, f64, f64) {
    let length = norm::norm(&[a, b]);
    if length == 0.0 {
        let slope = 1.0 - std::f64::consts::FRAC_1_SQRT_2;
        return (0.0, slope, slope);
    }
    let sum = a + b;
    let value = if sum > 0.0 {
        2.0 * a * b / (sum + length)
    } else {
        sum - length
    };
    (value, 1.0 - a / length, 1.0 - b / length)
}

/// F of a row between its bounds and its derivatives by y and w; two finite bounds are nested
/// \[Billups1995\].
pub(super) fn interval(y: f64, w: f64, lower: f64, upper: f64) -> (f64, f64, f64) {
    let (mut second, mut p, mut q) = (w, 0.0, 1.0);
    if upper.is_finite() {
        let (value, a, b) = scalar(upper - y, -w);
        (second, p, q) = (-value, a, b);
    }
    if !lower.is_finite() {
        return (second, p, q);
    }
    let (value, a, b) = scalar(y - lower, second);
    (value, a + b * p, b * q)
}

/// F of a cone and its derivatives (Y.8).
pub(super) fn cone<const N: usize>(x: &[f64; N], s: &[f64; N]) -> ConeMap<N> {
    let largest = x
        .iter()
        .chain(s)
        .fold(0.0, |most: f64, v| most.max(v.abs()));
    if largest > 0.0 && largest < TINY {
        // F grows with its arguments, and its derivatives do not change
        let (f, p, q) = cone(&x.map(|v| v / TINY), &s.map(|v| v / TINY));
        return (f.map(|v| v * TINY), p, q);
    }
    let square = |a: &[f64; N]| a.iter().map(|v| v * v).sum::<f64>();
    let v0 = square(x) + square(s);
    if v0 == 0.0 {
        let slope = 1.0 - std::f64::consts::FRAC_1_SQRT_2;
        let mut matrix = [[0.0; N]; N];
        (0..N).for_each(|i| matrix[i][i] = slope);
        return ([0.0; N], matrix, matrix);
    }
    let mut v: [f64; N] = from_fn(|i| 2.0 * (x[0] * x[i] + s[0] * s[i]));
    v[0] = 0.0;
    let length = v.iter().map(|v| v * v).sum::<f64>().sqrt();
    let direction = if length > 0.0 {
        v.map(|v| v / length)
    } else {
        [0.0; N]
    };
    let root = |extra: f64| {
        let high = (v0 + length + extra).sqrt();
        let low = (v0 - length).max(0.0) + extra;
        (high, low.sqrt())
    };
    let (high, low) = root(0.0);
    let (mean, half) = (0.5 * (high + low), 0.5 * (high - low));
    let mut f: [f64; N] = from_fn(|i| x[i] + s[i] - half * direction[i]);
    f[0] = x[0] + s[0] - mean;
    let smoothing = SMOOTHING * SMOOTHING * v0;
    let (high, low) = root(smoothing);
    let inverse = inverse_arrow(high, low, direction);
    (f, derivative(&inverse, x), derivative(&inverse, s))
}

/// L_z⁻¹ for the spectral values (high, low) of z and the direction of its tangents, which has no
/// part along the normal.
fn inverse_arrow<const N: usize>(high: f64, low: f64, u: [f64; N]) -> [[f64; N]; N] {
    let (plus, minus) = (1.0 / high, 1.0 / low);
    let (mean, half) = (0.5 * (plus + minus), 0.5 * (plus - minus));
    // across the direction, z acts as the mean of its spectral values
    let across = 2.0 / (high + low);
    let mut matrix = [[0.0; N]; N];
    matrix[0] = u.map(|u| half * u);
    matrix[0][0] = mean;
    for i in 1..N {
        matrix[i][0] = half * u[i];
        for k in 1..N {
            let identity = if i == k { across } else { 0.0 };
            matrix[i][k] = identity + (mean - across) * u[i] * u[k];
        }
    }
    matrix
}

/// I − L_z⁻¹ L_x.
fn derivative<const N: usize>(inverse: &[[f64; N]; N], x: &[f64; N]) -> [[f64; N]; N] {
    let mut arrow = [[0.0; N]; N];
    for i in 0..N {
        (arrow[0][i], arrow[i][0], arrow[i][i]) = (x[i], x[i], x[0]);
    }
    let mut out = [[0.0; N]; N];
    for i in 0..N {
        for k in 0..N {
            let product: f64 = (0..N).map(|j| inverse[i][j] * arrow[j][k]).sum();
            out[i][k] = if i == k { 1.0 } else { 0.0 } - product;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vanishes_exactly_at_complementary_pairs() {
        // on the boundary, inside with zero, zero with inside
        for (x, s) in [
            ([5.0, 3.0, 4.0], [2.5, -1.5, -2.0]),
            ([2.0, 0.5, 1.0], [0.0; 3]),
            ([0.0; 3], [3.0, -1.0, 2.0]),
        ] {
            let (f, ..) = cone(&x, &s);
            assert!(f.iter().all(|v| v.abs() < 4e-15), "{f:?}");
        }
        let (f, ..) = cone(&[1.0, 0.5, 0.0], &[1.0, 0.0, 0.5]);
        assert!(f.iter().any(|v| v.abs() > 0.1));
        for (y, w) in [(-1.0, 2.0), (3.0, -0.5), (0.25, 0.0)] {
            assert!(interval(y, w, -1.0, 3.0).0.abs() < 1e-15);
        }
        assert!(interval(0.0, 1.0, -1.0, 3.0).0.abs() > 0.1);
    }

    #[test]
    fn derivatives_are_those_of_differences() {
        let step = 1e-6;
        let (x, s) = ([0.7, -0.4, 0.9], [1.2, 0.3, -0.2]);
        let (_, p, q) = cone(&x, &s);
        for k in 0..3 {
            let moved = |base: &[f64; 3], by: f64| {
                let mut moved = *base;
                moved[k] += by;
                moved
            };
            let by_x = (cone(&moved(&x, step), &s).0, cone(&moved(&x, -step), &s).0);
            let by_s = (cone(&x, &moved(&s, step)).0, cone(&x, &moved(&s, -step)).0);
            for i in 0..3 {
                let slope = |(a, b): ([f64; 3], [f64; 3])| (a[i] - b[i]) / (2.0 * step);
                assert!((slope(by_x) - p[i][k]).abs() < 1e-8);
                assert!((slope(by_s) - q[i][k]).abs() < 1e-8);
            }
        }
        let (_, p, q) = interval(0.3, -0.6, -1.0, 0.9);
        let f = |y: f64, w: f64| interval(y, w, -1.0, 0.9).0;
        let slope = |a: f64, b: f64| (a - b) / (2.0 * step);
        assert!((slope(f(0.3 + step, -0.6), f(0.3 - step, -0.6)) - p).abs() < 1e-8);
        assert!((slope(f(0.3, -0.6 + step), f(0.3, -0.6 - step)) - q).abs() < 1e-8);
    }
}
