//! Euclidean projections onto the sets K of the laws (P.9, P.12). Scalars and small slices; no
//! allocation.

use crate::Polygon;

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

/// Projects onto the convex hull of radius · d_i, in place; with one tangent onto |t| ≤ radius
/// (P.12).
pub fn polygon(polygon: Polygon, radius: f64, tangents: &mut [f64]) {
    match tangents {
        [t, s] => [*t, *s] = polygon.project([*t, *s], radius),
        _ => square(radius, tangents),
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
