//! Elliptic integrals and functions by the arithmetic-geometric mean \[Abramowitz1964\], 17.6 and
//! 16.4.

use std::f64::consts::PI;

/// Steps of the mean: each doubles the number of correct digits, so that six are enough for any
/// modulus in f64 that is not 1 to rounding; the rest is margin.
const STEPS: usize = 12;

/// Complete elliptic integral of the first kind K(m) for the parameter m = k², 0 ≤ m < 1 (O.8).
pub fn complete(m: f64) -> f64 {
    let (mut a, mut b) = (1.0, (1.0 - m).sqrt());
    for _ in 0..STEPS {
        (a, b) = (0.5 * (a + b), (a * b).sqrt());
    }
    PI / (2.0 * a)
}

/// Jacobi's sn(u | m) and cn(u | m), by descending from the mean \[Abramowitz1964\].
pub fn sine_cosine(u: f64, m: f64) -> (f64, f64) {
    let (mut a, mut b) = (1.0, (1.0 - m).sqrt());
    // ratios c/a of the steps; the amplitude is undone through them
    let mut ratios = [0.0; STEPS];
    for ratio in &mut ratios {
        let (mean, half) = (0.5 * (a + b), 0.5 * (a - b));
        b = (a * b).sqrt();
        a = mean;
        *ratio = half / a;
    }
    let doublings = f64::from(1_u32 << STEPS);
    let mut amplitude = doublings * a * u;
    for ratio in ratios.iter().rev() {
        amplitude = 0.5 * (amplitude + libm::asin(ratio * libm::sin(amplitude)));
    }
    let (sine, cosine) = libm::sincos(amplitude);
    (sine, cosine)
}

#[cfg(test)]
mod tests {
    use std::f64::consts::FRAC_PI_2;

    use super::*;

    #[test]
    fn complete_integrals_of_the_tables() {
        // Abramowitz and Stegun, table 17.1
        let table = [
            (0.0, FRAC_PI_2),
            (0.5, 1.854_074_677_301_372),
            (0.9, 2.578_092_113_348_173),
        ];
        for (m, value) in table {
            assert!((complete(m) - value).abs() < 4e-15, "{m}: {}", complete(m));
        }
    }

    #[test]
    fn sn_satisfies_its_differential_equation() {
        for m in [0.0, 0.3, 0.5, 0.97, 0.999] {
            for u in [-2.0, -0.3, 0.0, 0.7, 1.9, 6.0] {
                let h = 1e-4;
                let slope = (sine_cosine(u + h, m).0 - sine_cosine(u - h, m).0) / (2.0 * h);
                let (s, c) = sine_cosine(u, m);
                assert!((s * s + c * c - 1.0).abs() < 1e-14);
                let square = (1.0 - s * s) * (1.0 - m * s * s);
                assert!((slope * slope - square).abs() < 1e-7, "{m} {u}");
            }
            assert!((sine_cosine(complete(m), m).0 - 1.0).abs() < 1e-14);
        }
    }
}
