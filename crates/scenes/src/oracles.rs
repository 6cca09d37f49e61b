//! What motions must be: closed forms and recurrences that share no code with the schemes.
//!
//! Everything here works on plain numbers. A test or an experiment steps a world with a scheme and
//! compares. Laws of one row stand in this file; the pendulum, the chain and the free rigid body
//! have files of their own.
//!
//! Theory: docs/theory/13-oracles-of-motion.md (O.1)–(O.40).

pub mod chain;
pub mod contact;
pub mod elliptic;
pub mod friction;
pub mod pendulum;
pub mod rigid;
pub mod soft_block;
pub mod soft_pair;
pub mod statics;
pub mod swept;
pub mod weld;

/// Errors of one row that starts at rest with the error `start` and is multiplied by 1 − `share` in
/// every substep: start·(1 − share)ⁿ for n = 0 … `substeps` (O.1).
pub fn decay(start: f64, share: f64, substeps: usize) -> Vec<f64> {
    let mut errors = vec![start];
    for _ in 0..substeps {
        let last = errors[errors.len() - 1];
        errors.push((1.0 - share) * last);
    }
    errors
}

/// Share of the error that a substep `h` \[s\] removes where a rigid row is a spring of `hertz`
/// \[Hz\] and damping ratio `zeta` \[-\], and a relax pass takes the velocity away (O.2).
pub fn relaxed_share(hertz: f64, zeta: f64, h: f64) -> f64 {
    let omega = std::f64::consts::TAU * hertz;
    let square = h * omega * h * omega;
    square / (1.0 + 2.0 * zeta * h * omega + square)
}

/// Speed at which Baumgarte's bias leaves an overlap \[m/s\]: β·max(0, depth − slop)/h, at most
/// `limit` (O.3).
pub fn exit_speed(beta: f64, depth: f64, slop: f64, h: f64, limit: f64) -> f64 {
    (beta * (depth - slop).max(0.0) / h).min(limit)
}

/// Radii of a bead on a circle without gravity that only a velocity constraint holds (O.5) \[m\].
///
/// `radius` and `speed` \[m/s\] at the start, substeps of `h` \[s\]. The angular momentum
/// radius·speed is exact.
pub fn bead_radii(radius: f64, speed: f64, h: f64, substeps: usize) -> Vec<f64> {
    let momentum = radius * speed;
    let mut radii = vec![radius];
    for _ in 0..substeps {
        let r = radii[radii.len() - 1];
        let travelled = h * momentum / r;
        radii.push((r * r + travelled * travelled).sqrt());
    }
    radii
}

/// Order of convergence: the slope of the least-squares line through (ln h, ln error) (O.18).
///
/// `None` without two different steps, or if a step or an error is not above zero.
pub fn order(samples: &[(f64, f64)]) -> Option<f64> {
    let usable = samples.iter().all(|(h, error)| *h > 0.0 && *error > 0.0);
    if !usable {
        return None;
    }
    let logs: Vec<(f64, f64)> = samples
        .iter()
        .map(|(h, error)| (libm::log(*h), libm::log(*error)))
        .collect();
    let count = logs.len() as f64;
    let mean_x = logs.iter().map(|(x, _)| x).sum::<f64>() / count;
    let mean_y = logs.iter().map(|(_, y)| y).sum::<f64>() / count;
    let spread: f64 = logs.iter().map(|(x, _)| (x - mean_x) * (x - mean_x)).sum();
    let common: f64 = logs.iter().map(|(x, y)| (x - mean_x) * (y - mean_y)).sum();
    (spread > 0.0).then(|| common / spread)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_decay_is_not_exponential() {
        // β = 0.2, ten steps: 0.1073742, where the exponential would give 0.1353353
        let last = decay(1.0, 0.2, 10)[10];
        assert!((last - 0.107_374_182_4).abs() < 1e-15, "{last}");
        assert_eq!(decay(3.0, 1.0, 1)[1], 0.0);
        assert_eq!(decay(3.0, 2.0, 2), [3.0, -3.0, 3.0]);
    }

    #[test]
    fn the_bead_drifts_outwards_as_the_fourth_root() {
        let (h, steps) = (0.01, 1000);
        let last = bead_radii(1.0, 1.0, h, steps)[steps];
        assert!((last - 1.046_637_127_3).abs() < 5e-11, "{last}");
        let leading = (1.0 + 2.0 * h * h * steps as f64).sqrt().sqrt();
        assert!((last - leading).abs() < h * h);
    }

    #[test]
    fn an_overlap_of_a_tenth_pops_at_more_than_a_metre_per_second() {
        let speed = exit_speed(0.2, 0.1, 0.005, 1.0 / 60.0, f64::INFINITY);
        assert!((speed - 1.14).abs() < 1e-14, "{speed}");
        assert_eq!(exit_speed(0.2, 0.1, 0.2, 1.0 / 60.0, 4.0), 0.0);
    }

    #[test]
    fn the_order_of_an_exact_power_is_its_exponent() {
        let samples: Vec<(f64, f64)> = [1.0, 0.5, 0.1]
            .iter()
            .map(|h: &f64| (*h, 7.0 * h * h * h))
            .collect();
        assert!((order(&samples).unwrap() - 3.0).abs() < 1e-14);
        assert_eq!(order(&[(1.0, 1.0)]), None);
        assert_eq!(order(&[(1.0, 0.0), (0.5, 1.0)]), None);
    }
}
