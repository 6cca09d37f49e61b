//! Asymptotic factor per sweep of a residual sequence.

/// Samples that a fit needs.
const FEWEST_SAMPLES: usize = 8;
/// Decay that a fit needs, ln of the ratio of first and last value: one decade and a half.
const LEAST_DECAY: f64 = 3.4;
/// Decay beyond which the window is longer and the power of the sweep count is fitted too: forty
/// decades.
const LONG_DECAY: f64 = 92.0;
/// The power is kept where it brings the misfit below this share of the straight line's.
const POWER_GAIN: f64 = 0.5;
/// Residuals are norms: below this the squares that they were made from are subnormal numbers.
const UNDERFLOW: f64 = 1e-150;
/// Margin above the smallest value within which a sequence can be on its rounding floor: two
/// decades.
const FLOOR_MARGIN: f64 = 100.0;
/// A tail within the margin that is this many times longer than the decay explains is a floor.
const FLOOR_PATIENCE: f64 = 3.0;

/// Factor per sweep ρ \[-\] at which `points` = (sweeps, residual) decay in the end (A.1).
///
/// Fits ln r = a + k ln ρ + p ln k over the lower half of the decay (in decades) above the rounding
/// floor, by least squares with weights that vanish at both ends of the window, so that the
/// oscillation of complex modes cancels. Where the decay exceeds forty decades, the window is its
/// lower three quarters, and the power p is kept if it halves the misfit: at a defective eigenvalue
/// (optimal relaxation) the residual falls like k ρᵏ. Elsewhere p = 0.
///
/// `None` with fewer than eight samples in the window, less than one and a half decades of decay,
/// growth, or a decay that slows down (convergence that is not linear has no factor). A residual
/// that is exactly zero ends the sequence; values that are not finite are left out.
pub fn asymptotic_rate(points: &[(u64, f64)]) -> Option<f64> {
    let decaying = above_floor(points);
    let (first, last) = (decaying.first()?.1, decaying.last()?.1);
    if first - last < LEAST_DECAY {
        return None;
    }
    let long = first - last > LONG_DECAY;
    let skipped = if long { 0.25 } else { 0.5 };
    let top = first + skipped * (last - first);
    let start = decaying.iter().rposition(|(_, y)| *y >= top)?;
    let window = &decaying[start..];
    if window.len() < FEWEST_SAMPLES {
        return None;
    }
    let line = fit::<2>(window)?;
    let slope = if long {
        let power = fit::<3>(window)?;
        // oscillation is no curvature: then the power would only add its own error
        let curved = power.misfit < POWER_GAIN * line.misfit;
        if curved { power.slope } else { line.slope }
    } else if slows_down(window) {
        return None;
    } else {
        line.slope
    };
    let rate = libm::exp(slope);
    (rate.is_finite() && slope < 0.0).then_some(rate)
}

/// (sweeps, ln r) of the samples above the rounding floor; a zero ends the sequence, what is not
/// finite is left out.
pub(super) fn above_floor(points: &[(u64, f64)]) -> Vec<(f64, f64)> {
    let mut usable: Vec<(f64, f64)> = points
        .iter()
        .take_while(|(_, r)| r.is_nan() || r.abs() >= UNDERFLOW)
        .filter(|(_, r)| r.is_finite() && *r > 0.0)
        .map(|(k, r)| (super::count(*k), libm::log(*r)))
        .collect();
    usable.truncate(floor_start(&usable));
    usable
}

/// True if the later half of the sweeps has less than half the decay of the earlier one: not a
/// geometric sequence.
fn slows_down(window: &[(f64, f64)]) -> bool {
    let (first, last) = (window[0], window[window.len() - 1]);
    let middle = 0.5 * (first.0 + last.0);
    let at = window
        .partition_point(|p| p.0 < middle)
        .clamp(1, window.len() - 1);
    let half = window[at];
    let decay = |a: (f64, f64), b: (f64, f64)| (a.1 - b.1) / (b.0 - a.0);
    window.len() >= 2 * FEWEST_SAMPLES && decay(half, last) < 0.5 * decay(first, half)
}

/// Number of leading points that lie above the rounding floor.
fn floor_start(points: &[(f64, f64)]) -> usize {
    let Some(lowest) = points.iter().map(|p| p.1).min_by(f64::total_cmp) else {
        return 0;
    };
    let margin = libm::log(FLOOR_MARGIN);
    let Some(near) = points.iter().position(|p| p.1 <= lowest + margin) else {
        return points.len();
    };
    let (head, tail) = (&points[..=near], &points[near..]);
    let decay = head[0].1 - head[near].1;
    let head_sweeps = head[near].0 - head[0].0;
    let tail_sweeps = tail[tail.len() - 1].0 - tail[0].0;
    // sweeps that the decay so far needs for the margin, against those that were spent within it
    let explained = margin * head_sweeps / decay;
    let flat = decay > 0.0 && tail_sweeps > FLOOR_PATIENCE * explained.max(1.0);
    if flat { near + 1 } else { points.len() }
}

/// A weighted least-squares fit.
struct Fit {
    /// Slope of ln r per sweep.
    slope: f64,
    /// Weighted sum of the squared differences.
    misfit: f64,
}

/// Fits ln r by weighted least squares with `N` basis functions: 1, k, ln k.
fn fit<const N: usize>(window: &[(f64, f64)]) -> Option<Fit> {
    let (k0, k1) = (window.first()?.0, window.last()?.0);
    let length = k1 - k0;
    if length <= 0.0 {
        return None;
    }
    let k_mid = 0.5 * (k0 + k1);
    let log_mid = libm::log(k_mid);
    let y_mid = window[window.len() / 2].1;
    let weighted = |i: usize| {
        let (k, y) = window[i];
        let before = window[i.saturating_sub(1)].0;
        let after = window[(i + 1).min(window.len() - 1)].0;
        let t = (k - k0) / length;
        // never exactly zero, so that short windows keep their end points
        let taper = t * (1.0 - t) + 1e-3;
        let weight = 0.5 * (after - before) / length * taper * taper;
        let log_k = if k > 0.0 { libm::log(k) } else { 0.0 };
        (
            weight,
            [1.0, (k - k_mid) / length, log_k - log_mid],
            y - y_mid,
        )
    };
    let mut normal = [[0.0; 4]; 3];
    for i in 0..window.len() {
        let (weight, basis, y) = weighted(i);
        for row in 0..N {
            for column in 0..N {
                normal[row][column] += weight * basis[row] * basis[column];
            }
            normal[row][3] += weight * basis[row] * y;
        }
    }
    let solution = eliminate::<N>(&mut normal)?;
    let squares = (0..window.len()).map(|i| {
        let (weight, basis, y) = weighted(i);
        let fitted: f64 = basis[..N].iter().zip(&solution).map(|(b, x)| b * x).sum();
        weight * (y - fitted) * (y - fitted)
    });
    Some(Fit {
        slope: solution[1] / length,
        misfit: squares.sum(),
    })
}

/// Gaussian elimination with partial pivoting of an N × N system whose right-hand side is column 3.
fn eliminate<const N: usize>(a: &mut [[f64; 4]; 3]) -> Option<[f64; 3]> {
    for step in 0..N {
        let pivot = (step..N).max_by(|i, j| a[*i][step].abs().total_cmp(&a[*j][step].abs()))?;
        a.swap(step, pivot);
        if a[step][step].abs() < 1e-300 {
            return None;
        }
        for row in step + 1..N {
            let factor = a[row][step] / a[step][step];
            for column in step..4 {
                a[row][column] -= factor * a[step][column];
            }
        }
    }
    let mut x = [0.0; 3];
    for row in (0..N).rev() {
        let known: f64 = (row + 1..N).map(|column| a[row][column] * x[column]).sum();
        x[row] = (a[row][3] - known) / a[row][row];
    }
    Some(x)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// r(k) for k = 0.. until it falls below `last`.
    fn sequence(last: f64, r: impl Fn(f64) -> f64) -> Vec<(u64, f64)> {
        let all = (0..2_000_000).map(|k| (k, r(super::super::count(k))));
        all.take_while(|(k, r)| *k < 5 || *r > last).collect()
    }

    fn three_digits(points: &[(u64, f64)], exact: f64) {
        let rate = asymptotic_rate(points).expect("a rate");
        assert!((rate - exact).abs() < 5e-4 * exact, "{rate} for {exact}");
    }

    #[test]
    fn geometric_decay_is_exact() {
        for rho in [0.05, 0.5, 0.9, 0.9755283, 0.999] {
            let points = sequence(1e-140, |k| 3.0 * libm::pow(rho, k));
            let rate = asymptotic_rate(&points).expect("a rate");
            // rounding of ln r alone: ln r ~ 300 carries 4e-14 absolute
            assert!((rate - rho).abs() < 1e-11, "{rate} for {rho}");
        }
    }

    #[test]
    fn a_defective_eigenvalue_falls_like_k_rho_to_the_k() {
        for rho in [0.1716, 0.560388, 0.729454, 0.939092] {
            three_digits(&sequence(1e-140, |k| (k + 1.0) * libm::pow(rho, k)), rho);
            three_digits(
                &sequence(1e-140, |k| (1.0 + 0.5 * k) * libm::pow(rho, k)),
                rho,
            );
        }
    }

    #[test]
    fn complex_modes_oscillate_about_the_envelope() {
        for rho in [0.3, 0.729454, 0.9] {
            for angle in [0.4, 1.1, 2.5] {
                let two_modes = |k: f64| {
                    let (a, b) = (libm::cos(angle * k), libm::cos(0.37 * angle * k + 1.0));
                    let (c, d) = (libm::sin(angle * k), libm::sin(0.2 * angle * k));
                    libm::pow(rho, k) * libm::sqrt(a * a + 0.3 * c * c + 0.5 * b * b + 0.1 * d * d)
                };
                three_digits(&sequence(1e-140, two_modes), rho);
                // one pair seen through one component: its dips reach far down
                let dips = |k: f64| libm::pow(rho, k) * (libm::cos(angle * k + 0.3).abs() + 1e-3);
                three_digits(&sequence(1e-120, dips), rho);
            }
        }
    }

    #[test]
    fn faster_modes_and_sparse_samples_do_not_disturb() {
        let r = |k: f64| libm::pow(0.95, k) + 20.0 * libm::pow(0.8, k);
        three_digits(&sequence(1e-140, r), 0.95);
        let every_tenth: Vec<_> = sequence(1e-140, r).into_iter().step_by(10).collect();
        three_digits(&every_tenth, 0.95);
    }

    #[test]
    fn the_rounding_floor_is_left_out() {
        // a noisy floor at 1e-16, four times longer than the decay
        let noise = |k: f64| 1e-16 * (1.5 + libm::sin(12.9898 * k));
        let points: Vec<_> = (0..2000u64)
            .map(|k| {
                let k_f = super::super::count(k);
                (k, libm::pow(0.9, k_f) + noise(k_f))
            })
            .collect();
        let rate = asymptotic_rate(&points).expect("a rate");
        // the floor is 1 % of the last value used
        assert!((rate - 0.9).abs() < 1e-3, "{rate}");
    }

    #[test]
    fn too_little_to_go_by_is_no_rate() {
        assert_eq!(asymptotic_rate(&[]), None);
        assert_eq!(asymptotic_rate(&[(0, 1.0)]), None);
        assert_eq!(asymptotic_rate(&[(0, 1.0), (1, 0.0)]), None);
        let flat: Vec<_> = (0..100).map(|k| (k, 1.0)).collect();
        assert_eq!(asymptotic_rate(&flat), None);
        let growing: Vec<_> = (0..100)
            .map(|k| (k, libm::exp(super::super::count(k))))
            .collect();
        assert_eq!(asymptotic_rate(&growing), None);
        // sublinear convergence: the factor tends to one
        let power = (0..10_000).map(|k| (k, 1.0 / (1.0 + super::super::count(k * k))));
        assert_eq!(asymptotic_rate(&power.collect::<Vec<_>>()), None);
        let bad: Vec<_> = (0..100).map(|k| (k, f64::NAN)).collect();
        assert_eq!(asymptotic_rate(&bad), None);
    }

    #[test]
    fn an_exact_zero_ends_the_sequence() {
        let mut points = sequence(1e-30, |k| libm::pow(0.5, k));
        let next = points.len() as u64;
        points.extend((next..next + 50).map(|k| (k, 0.0)));
        three_digits(&points, 0.5);
    }
}
