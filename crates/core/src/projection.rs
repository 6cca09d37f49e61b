//! Euclidean projections onto the sets K of the laws (P.9, P.12, P.17, P.18), for scalars and small
//! slices, without allocation.

use crate::Polygon;
use crate::norm::SquareSum;

/// Projects (n, t) onto the second-order cone K_μ = {‖t‖ ≤ μ n}, in place (P.9).
///
/// `impulse` is normal first, then one or two tangents \[N·s\].
#[inline]
pub fn cone(mu: f64, impulse: &mut [f64]) {
    let Some((normal, tangents)) = impulse.split_first_mut() else {
        return;
    };
    let length = norm(tangents);
    // the sign test matters for μ = 0, where ‖t‖ ≤ μ n holds for negative n too
    if *normal >= 0.0 && length <= mu * *normal {
        return;
    }
    if mu * length <= -*normal {
        *normal = 0.0;
        tangents.fill(0.0);
        return;
    }
    let projected = (*normal + mu * length) / (1.0 + mu * mu);
    *normal = projected;
    let scale = mu * projected / length;
    tangents.iter_mut().for_each(|t| *t *= scale);
}

/// Projects (n, t) onto the dual cone K_μ* = {μ‖t‖ ≤ n}, in place.
pub fn dual_cone(mu: f64, velocity: &mut [f64]) {
    if mu > 0.0 {
        cone(1.0 / mu, velocity);
    } else if let Some(normal) = velocity.first_mut() {
        *normal = normal.max(0.0);
    }
}

/// Returns the number between `lower` and `upper` that is nearest to `x`. NaN stays NaN, so that
/// later checks detect an invalid iterate.
#[inline]
pub fn interval(x: f64, lower: f64, upper: f64) -> f64 {
    if x < lower {
        lower
    } else if x > upper {
        upper
    } else {
        x
    }
}

/// Projects onto the disc or interval ‖t‖ ≤ radius, in place.
#[inline]
pub fn disc(radius: f64, tangents: &mut [f64]) {
    let length = norm(tangents);
    if length > radius {
        let scale = radius / length;
        tangents.iter_mut().for_each(|t| *t *= scale);
    }
}

/// Projects each component onto [−limit, limit], in place.
#[inline]
pub fn square(limit: f64, tangents: &mut [f64]) {
    for t in tangents {
        *t = t.max(-limit).min(limit);
    }
}

/// Projects onto `radius` times the polygon, in place. With one tangent, projects onto |t| ≤ radius
/// (P.12).
pub fn polygon(polygon: Polygon, radius: f64, tangents: &mut [f64]) {
    match tangents {
        [t, s] => [*t, *s] = polygon.project([*t, *s], radius),
        _ => square(radius, tangents),
    }
}

/// Projects onto the ellipsoid ‖x/s‖ ≤ radius with the semi-axes `scales` times `radius`, in place
/// (P.17). Numbers that are not finite stay.
///
/// A component whose scale is zero becomes zero.
pub fn ellipsoid(radius: f64, scales: &[f64], x: &mut [f64]) {
    flatten(scales, x);
    let unit = largest(x);
    if unit == 0.0 || !unit.is_finite() || reach(unit, scales, x) <= radius / unit {
        return;
    }
    if radius <= 0.0 {
        return x.fill(0.0);
    }
    let radius = radius / unit;
    let widest = largest(scales);
    let mut multiplier = (pulled(unit, scales, x) / radius - widest * widest).max(0.0);
    for _ in 0..MOST_STEPS {
        let (length, bend) = secular(unit, scales, x, multiplier);
        // Newton's method on 1/radius − 1/‖p‖, which is convex and nearly linear: it comes from
        // below, until rounding stops it
        let next = multiplier + (length / radius - 1.0) * length * length / bend;
        if next <= multiplier || next.is_nan() {
            break;
        }
        multiplier = next;
    }
    shrink(scales, multiplier, x);
    let excess = reach(unit, scales, x) / radius;
    if excess > 1.0 {
        x.iter_mut().for_each(|x| *x /= excess);
    }
}

/// Projects (n, t) onto the cone ‖t/s‖ ≤ μ n with the semi-axes `mu` times `scales` of its section
/// n = 1, in place (P.18). Numbers that are not finite stay.
///
/// A component whose scale is zero becomes zero.
pub fn elliptic_cone(mu: f64, scales: &[f64], impulse: &mut [f64]) {
    let Some((normal, x)) = impulse.split_first_mut() else {
        return;
    };
    if mu <= 0.0 {
        *normal = normal.max(0.0);
        return x.fill(0.0);
    }
    flatten(scales, x);
    let unit = largest(&[*normal, largest(x)]);
    let height = *normal / unit;
    if unit == 0.0 || !unit.is_finite() || height >= 0.0 && reach(unit, scales, x) <= mu * height {
        return;
    }
    let (pulled, widest) = (pulled(unit, scales, x), largest(scales));
    if mu * pulled <= -height {
        *normal = 0.0;
        return x.fill(0.0);
    }
    let first = (pulled - mu * height * widest * widest) / (mu * (mu * pulled + height));
    let mut multiplier = first.max(0.0);
    for _ in 0..MOST_STEPS {
        let (length, bend) = secular(unit, scales, x, multiplier);
        // Newton's method on μn/‖p‖ − 1 + μ²θ: concave and from below for n ≥ 0, convex and from
        // above for n < 0
        let rest = mu * height / length - 1.0 + mu * mu * multiplier;
        let slope = mu * height * bend / (length * length * length) + mu * mu;
        let next = multiplier - rest / slope;
        let forward = if height >= 0.0 {
            next > multiplier
        } else {
            next < multiplier
        };
        if !forward {
            break;
        }
        multiplier = next;
    }
    shrink(scales, multiplier, x);
    *normal = unit * (reach(unit, scales, x) / mu);
}

/// Steps of Newton's method for a multiplier at most \[-\]: it takes about five.
const MOST_STEPS: usize = 60;

/// Makes components without extent zero.
fn flatten(scales: &[f64], x: &mut [f64]) {
    for (x, scale) in x.iter_mut().zip(scales) {
        if *scale <= 0.0 {
            *x = 0.0;
        }
    }
}

/// Largest absolute value; NaN if there is one.
fn largest(x: &[f64]) -> f64 {
    let larger = |most: f64, x: &f64| {
        if x.abs() > most || x.is_nan() {
            x.abs()
        } else {
            most
        }
    };
    x.iter().fold(0.0, larger)
}

/// ‖x/s‖ / unit: infinite where a component has no extent and is not zero.
pub(crate) fn reach(unit: f64, scales: &[f64], x: &[f64]) -> f64 {
    let mut squares = SquareSum::default();
    for (scale, x) in scales.iter().zip(x) {
        if *x != 0.0 {
            squares.add(x / unit / scale);
        }
    }
    squares.root()
}

/// ‖s x‖ / unit.
fn pulled(unit: f64, scales: &[f64], x: &[f64]) -> f64 {
    let mut squares = SquareSum::default();
    for (scale, x) in scales.iter().zip(x) {
        squares.add(scale * (x / unit));
    }
    squares.root()
}

/// ‖p‖ and Σ p²/(s² + θ) of p = s x/(s² + θ), x in `unit` (P.17).
fn secular(unit: f64, scales: &[f64], x: &[f64], multiplier: f64) -> (f64, f64) {
    let (mut square, mut bend) = (0.0, 0.0);
    for (scale, x) in scales.iter().zip(x) {
        if *x != 0.0 {
            let weight = scale * scale + multiplier;
            let p = scale * (x / unit) / weight;
            square += p * p;
            bend += p * p / weight;
        }
    }
    (square.sqrt(), bend)
}

/// x ← s²x/(s² + θ).
fn shrink(scales: &[f64], multiplier: f64, x: &mut [f64]) {
    for (x, scale) in x.iter_mut().zip(scales) {
        if *x != 0.0 {
            *x *= scale * scale / (scale * scale + multiplier);
        }
    }
}

/// Euclidean length of one or two components.
#[inline]
pub fn norm(tangents: &[f64]) -> f64 {
    match tangents {
        [] => 0.0,
        [t] => t.abs(),
        _ => crate::norm::norm(tangents),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cone_has_three_regions() {
        let mut inside = [1.0, 0.3, 0.4];
        cone(0.5, &mut inside);
        assert_eq!(inside, [1.0, 0.3, 0.4]);
        let mut polar = [-1.0, 1.2, 1.6];
        cone(0.5, &mut polar);
        assert_eq!(polar, [0.0, 0.0, 0.0]);
        // n' = (1 + 0.5·5)/(1.25) = 2.8, t' = 0.5·2.8/5 t
        let mut outside = [1.0, 3.0, 4.0];
        cone(0.5, &mut outside);
        assert!((outside[0] - 2.8).abs() < 1e-15);
        assert!((outside[1] - 0.84).abs() < 1e-15);
        assert!((outside[2] - 1.12).abs() < 1e-15);
    }

    #[test]
    fn cone_and_dual_cone_split_a_vector() {
        // Moreau: x = Π_K(x) − Π_K*(−x), the two parts orthogonal
        for x in [[0.3, -2.0, 0.7], [-1.0, 0.1, 0.2], [2.0, 0.1, -0.3]] {
            let (mut primal, mut dual) = (x, x.map(|v| -v));
            cone(0.7, &mut primal);
            dual_cone(0.7, &mut dual);
            let product: f64 = primal.iter().zip(&dual).map(|(a, b)| a * b).sum();
            assert!(product.abs() < 1e-15, "{product}");
            for i in 0..3 {
                assert!((primal[i] - dual[i] - x[i]).abs() < 1e-15);
            }
        }
    }

    #[test]
    fn zero_friction_projects_onto_the_normal() {
        let mut x = [2.0, 5.0, 0.0];
        cone(0.0, &mut x);
        assert_eq!(x, [2.0, 0.0, 0.0]);
        let mut pulling = [-2.0, 0.0, 0.0];
        cone(0.0, &mut pulling);
        assert_eq!(pulling, [0.0, 0.0, 0.0]);
    }
}
