//! The cone in a metric whose tangents differ: its projection and the slope of it (Z.21).

use delassus_core::norm;

/// A multiplier that changes by less than this part of itself is found \[-\].
const FOUND: f64 = 4.0 * f64::EPSILON;
/// Steps of the search for a multiplier, which takes three to six.
const STEPS: u32 = 100;

/// Which piece of the projection a point belongs to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Piece {
    /// It is in the cone.
    Inside,
    /// The nearest point is zero.
    Apex,
    /// The nearest point lies on the edge, with this s \[1/kg\].
    Edge { multiplier: f64 },
}

/// The point of the cone ‖x_T‖ ≤ μ x_n that is nearest to y in the metric β, into `out`.
pub(crate) fn project(mu: f64, beta: &[f64], y: &[f64], out: &mut [f64]) -> Piece {
    let (normal, stiff) = (y[0], beta[0]);
    let length = norm::norm(&y[1..]);
    if length <= mu * normal {
        out.copy_from_slice(y);
        return Piece::Inside;
    }
    for (out, (y, beta)) in out.iter_mut().zip(y.iter().zip(beta)).skip(1) {
        *out = beta * y;
    }
    if mu * norm::norm(&out[1..]) <= -stiff * normal {
        out.fill(0.0);
        return Piece::Apex;
    }
    let multiplier = multiplier(mu, beta, y);
    for ((out, y), beta) in out.iter_mut().zip(y).zip(beta).skip(1) {
        *out = y / (1.0 + multiplier / beta);
    }
    out[0] = norm::norm(&out[1..]) / mu;
    Piece::Edge { multiplier }
}

/// The s > 0 with β_n − μ² s = μ β_n y_n/ρ(s), ρ(s) = ‖y_T/(1 + s/β_T)‖: Newton's method in a
/// bracket, since 1/ρ is nearly linear.
fn multiplier(mu: f64, beta: &[f64], y: &[f64]) -> f64 {
    let (normal, stiff) = (y[0], beta[0]);
    // on this side of it the difference is positive, and decreasing where the normal is positive
    let mut low = if normal < 0.0 { stiff / (mu * mu) } else { 0.0 };
    let (mut high, mut s) = (f64::INFINITY, low);
    for _ in 0..STEPS {
        // ρ² and half of its derivative, negative
        let (mut square, mut fall) = (0.0, 0.0);
        for (y, beta) in y.iter().zip(beta).skip(1) {
            let share = 1.0 / (1.0 + s / beta);
            let part = y * share * y * share;
            square += part;
            fall += part * share / beta;
        }
        let root = square.sqrt();
        let load = mu * stiff * normal / root;
        let difference = stiff - mu * mu * s - load;
        if difference > 0.0 {
            low = s;
        } else {
            high = s;
        }
        let slope = mu * mu + load * fall / square;
        let newton = s + difference / slope;
        if (newton - s).abs() <= FOUND * s {
            return newton;
        }
        s = if newton > low && newton < high {
            newton
        } else if high.is_finite() {
            0.5 * (low + high)
        } else {
            2.0 * s
        };
    }
    s
}

/// G at a point x of the edge, row by row: with D = β_T + s and c = β_n/μ² − s,
/// G_TT = (D + c x̂x̂ᵀ)⁻¹, G_nT = x̂ᵀG_TT/μ, G_nn = x̂ᵀG_TT x̂/μ².
pub(crate) fn slope(mu: f64, beta: &[f64], s: f64, x: &[f64], out: &mut [f64]) {
    let dim = x.len();
    let length = mu * x[0];
    let along = |i: usize| x[i] / length;
    let soft = |i: usize| 1.0 / (beta[i] + s);
    let bend = beta[0] / (mu * mu) - s;
    let inner: f64 = (1..dim).map(|i| along(i) * soft(i) * along(i)).sum();
    // x̂ᵀ(D + c x̂x̂ᵀ)⁻¹ = share x̂ᵀD⁻¹
    let share = 1.0 / (1.0 + bend * inner);
    out[0] = share * inner / (mu * mu);
    for i in 1..dim {
        let side = share * soft(i) * along(i);
        (out[i], out[i * dim]) = (side / mu, side / mu);
        for k in 1..=i {
            let identity = if i == k { soft(i) } else { 0.0 };
            let value = identity - bend * side * soft(k) * along(k);
            (out[i * dim + k], out[k * dim + i]) = (value, value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BETA: [f64; 6] = [0.7, 0.2, 3.0, 0.05, 11.0, 0.4];

    fn point(y: &[f64; 6], mu: f64) -> ([f64; 6], Piece) {
        let mut x = [0.0; 6];
        let piece = project(mu, &BETA, y, &mut x);
        (x, piece)
    }

    /// x in K, β(x − y) in K* and the two at right angles: the conditions of a projection.
    #[test]
    fn the_nearest_point_satisfies_its_conditions() {
        for mu in [1e-3, 0.6, 40.0] {
            for normal in [-3.0, -0.4, -1e-9, 0.0, 1e-9, 0.5, 2.0] {
                let y = [normal, 0.9, -1.3, 0.4, 0.02, -2.0];
                let (x, _) = point(&y, mu);
                let push: [f64; 6] = std::array::from_fn(|i| BETA[i] * (x[i] - y[i]));
                let (reach, slip) = (norm::norm(&x[1..]), norm::norm(&push[1..]));
                let work: f64 = x.iter().zip(&push).map(|(x, p)| x * p).sum();
                let size = norm::norm(&push).max(norm::norm(&x)).max(1.0);
                assert!(reach <= mu * x[0] + 1e-14 * size, "{mu} {normal} {x:?}");
                assert!(
                    push[0] >= mu * slip - 1e-12 * size,
                    "{mu} {normal} {push:?}"
                );
                assert!(work.abs() < 1e-12 * size * size, "{mu} {normal} {work}");
            }
        }
    }

    #[test]
    fn pieces_are_those_of_the_conditions() {
        let tangents = [0.0, 0.9, -1.3, 0.4, 0.02, -2.0];
        let at = |normal: f64| {
            let mut y = tangents;
            y[0] = normal;
            point(&y, 0.6).1
        };
        assert_eq!(at(100.0), Piece::Inside);
        assert_eq!(at(-100.0), Piece::Apex);
        assert!(matches!(at(0.5), Piece::Edge { .. }));
        assert!(matches!(at(-0.5), Piece::Edge { .. }));
    }

    /// ∂x/∂y = G β, by differences.
    #[test]
    fn the_slope_is_that_of_differences() {
        let (mu, step) = (0.6, 1e-6);
        for normal in [-0.5, 0.5] {
            let y = [normal, 0.9, -1.3, 0.4, 0.02, -2.0];
            let (x, piece) = point(&y, mu);
            let Piece::Edge { multiplier } = piece else {
                panic!("{piece:?}");
            };
            let mut found = [0.0; 36];
            slope(mu, &BETA, multiplier, &x, &mut found);
            for k in 0..6 {
                let moved = |by: f64| {
                    let mut y = y;
                    y[k] += by;
                    point(&y, mu).0
                };
                let (after, before) = (moved(step), moved(-step));
                for i in 0..6 {
                    let expected = (after[i] - before[i]) / (2.0 * step) / BETA[k];
                    let error = (found[i * 6 + k] - expected).abs();
                    assert!(error < 1e-7, "{i} {k}: {} {expected}", found[i * 6 + k]);
                }
            }
        }
    }
}
