//! A box landing flat on two contact points: what accumulated and incremental clamping do.
//!
//! `s` = 3 a²/(a² + b²) for half width a and half height b; the left point is solved first (E.13),
//! (E.14), (G.22).

/// s = m a²/I \[-\]: how strongly one corner's impulse turns the box (E.13).
pub fn shape(half_width: f64, half_height: f64) -> f64 {
    let (a, b) = (half_width * half_width, half_height * half_height);
    3.0 * a / (a + b)
}

/// Impulses of both corners after the first sweep, in units of m v \[-\] (E.14).
pub fn first_sweep(s: f64) -> [f64; 2] {
    let first = 1.0 / (1.0 + s);
    [first, 2.0 * s * first * first]
}

/// Impulses of both corners in the limit of accumulated clamping, in units of m v \[-\]: the exact
/// solution.
pub fn accumulated_limit() -> [f64; 2] {
    [0.5, 0.5]
}

/// Impulses of both corners in the limit of incremental clamping, in units of m v \[-\] (E.14).
///
/// For s < 1 (taller than √2 : 1) the impulses of the first sweep, which nothing takes back.
pub fn incremental_limit(s: f64) -> [f64; 2] {
    if s < 1.0 {
        first_sweep(s)
    } else {
        accumulated_limit()
    }
}

/// Upward velocity of the centre that incremental clamping leaves, in units of v \[-\] (E.14).
pub fn incremental_bounce(s: f64) -> f64 {
    let [first, second] = incremental_limit(s);
    first + second - 1.0
}

/// Angular velocity that incremental clamping leaves, in units of v/a \[-\] (E.14).
pub fn incremental_spin(s: f64) -> f64 {
    let [first, second] = incremental_limit(s);
    s * (second - first)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sweeps over both corners in units of m and v; `total` clamps the sum, otherwise each
    /// increment.
    fn sweep(s: f64, sweeps: usize, total: bool) -> [f64; 2] {
        let mut p = [0.0; 2];
        for _ in 0..sweeps {
            for i in 0..2 {
                let w = (1.0 + s) * p[i] + (1.0 - s) * p[1 - i] - 1.0;
                let step = -w / (1.0 + s);
                p[i] = if total {
                    (p[i] + step).max(0.0)
                } else {
                    p[i] + step.max(0.0)
                };
            }
        }
        p
    }

    /// Contraction per sweep of accumulated clamping, ((1 − s)/(1 + s))² \[-\] (G.22).
    fn accumulated_rate(s: f64) -> f64 {
        let ratio = (1.0 - s) / (1.0 + s);
        ratio * ratio
    }

    #[test]
    fn sweeps_follow_the_closed_forms() {
        for (a, b) in [(0.5, 0.5), (0.5, 1.0), (0.5, 1.5), (1.0, 0.25)] {
            let s = shape(a, b);
            let once = sweep(s, 1, true);
            let [first, second] = first_sweep(s);
            // two roundings
            assert!((once[0] - first).abs() < 1e-15 && (once[1] - second).abs() < 1e-15);
            let error = |n| (sweep(s, n, true)[0] - 0.5).abs();
            if error(5) > 1e-9 {
                assert!((error(6) / error(5) - accumulated_rate(s)).abs() < 1e-6);
            }
            let limit = sweep(s, 2000, false);
            let expected = incremental_limit(s);
            assert!((limit[0] - expected[0]).abs() < 1e-14);
            assert!((limit[1] - expected[1]).abs() < 1e-14);
        }
    }

    #[test]
    fn tall_boxes_bounce() {
        // b = 2 a: s = 0.6, P = (0.625, 0.46875), bounce s (1 − s)/(1 + s)² = 0.09375
        let s = shape(1.0, 2.0);
        assert!((s - 0.6).abs() < 1e-15);
        assert!((incremental_bounce(s) - 0.09375).abs() < 1e-15);
        assert!((incremental_spin(s) + 0.09375).abs() < 1e-15);
        assert!((accumulated_rate(s) - 0.0625).abs() < 1e-15);
        // b = 3 a: s = 0.3
        assert!((incremental_bounce(shape(1.0, 3.0)) - 0.3 * 0.7 / 1.69).abs() < 1e-15);
        // a square does not bounce
        assert_eq!(incremental_bounce(shape(1.0, 1.0)), 0.0);
        assert_eq!(incremental_spin(shape(1.0, 1.0)), 0.0);
    }
}
