//! Node positions of strings of links: straight, bent like an arc, hanging like a catenary.
//!
//! All curves lie in the x-y plane. A curve of n links has n + 1 nodes.

use nalgebra::Vector3;

/// Halvings of an interval: enough for any double.
const HALVINGS: usize = 200;

/// Nodes from `start`, link k of length `link` \[m\] at `angles[k]` from the downward vertical
/// towards +x \[rad\].
pub(crate) fn chain(start: Vector3<f64>, link: f64, angles: &[f64]) -> Vec<Vector3<f64>> {
    let mut nodes = vec![start];
    let mut node = start;
    for angle in angles {
        let (sine, cosine) = libm::sincos(*angle);
        node += link * Vector3::new(sine, -cosine, 0.0);
        nodes.push(node);
    }
    nodes
}

/// Nodes on a circle that sags from the origin to `span` on the x axis \[m\]; `count` ≥ 2 links,
/// longer than the span together.
pub(crate) fn arc(count: usize, link: f64, span: f64) -> Vec<Vector3<f64>> {
    // link k turns by the same angle against the one before; the first slopes down by `slope`
    let turn = |slope: f64, k: usize| slope * (2.0 * k as f64 / (count - 1) as f64 - 1.0);
    let reach = |slope: f64| -> f64 { (0..count).map(|k| link * libm::cos(turn(slope, k))).sum() };
    let slope = bisect(0.0, std::f64::consts::PI, |slope| reach(slope) > span);
    let angles: Vec<f64> = (0..count)
        .map(|k| std::f64::consts::FRAC_PI_2 + turn(slope, k))
        .collect();
    chain(Vector3::zeros(), link, &angles)
}

/// Nodes of the equilibrium of equal links with equal masses at the nodes between them, hung from
/// the origin and from `span` on the x axis \[m\]; `count` ≥ 2 links, longer than the span
/// together.
///
/// The vertical force grows by one weight w from link to link and the horizontal force H is the
/// same in all of them: link k has the slope (w/H)(k − (n − 1)/2).
pub(crate) fn catenary(count: usize, link: f64, span: f64) -> Vec<Vector3<f64>> {
    let slope = |ratio: f64, k: usize| ratio * (k as f64 - 0.5 * (count - 1) as f64);
    let across = |slope: f64| link / (1.0 + slope * slope).sqrt();
    let reach = |ratio: f64| -> f64 { (0..count).map(|k| across(slope(ratio, k))).sum() };
    let mut upper = 1.0;
    // an odd number of links keeps the middle one level: its length is the least span
    while reach(upper) > span && upper < 1e300 {
        upper *= 2.0;
    }
    let ratio = bisect(0.0, upper, |ratio| reach(ratio) > span);
    let mut nodes = vec![Vector3::zeros()];
    let mut node = Vector3::zeros();
    for k in 0..count {
        let slope = slope(ratio, k);
        let dx = across(slope);
        node += Vector3::new(dx, slope * dx, 0.0);
        nodes.push(node);
    }
    nodes
}

/// The place between `low` and `high` where `below` changes from true to false.
fn bisect(mut low: f64, mut high: f64, below: impl Fn(f64) -> bool) -> f64 {
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        if below(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_string(nodes: &[Vector3<f64>], link: f64, span: f64) {
        for pair in nodes.windows(2) {
            assert!(((pair[1] - pair[0]).norm() - link).abs() < 1e-14);
        }
        let end = nodes.last().unwrap() - Vector3::new(span, 0.0, 0.0);
        assert!(end.norm() < 1e-12, "{end}");
    }

    #[test]
    fn curves_have_equal_links_and_end_at_the_span() {
        for count in [2, 3, 7, 50] {
            let link = 1.3 / count as f64;
            assert_string(&arc(count, link, 1.0), link, 1.0);
            assert_string(&catenary(count, link, 1.0), link, 1.0);
        }
    }

    #[test]
    fn the_sag_of_a_hanging_string_is_the_published_one() {
        // oracle O31: span 1, length 1.5; its last digit for n = 100 is rounded up from 0.502665627
        let published = [
            (4, 0.5243196),
            (10, 0.5059459),
            (20, 0.5034466),
            (100, 0.5026656),
        ];
        for (count, sag) in published {
            let nodes = catenary(count, 1.5 / count as f64, 1.0);
            let lowest = nodes.iter().map(|n| -n.y).fold(0.0, f64::max);
            assert!((lowest - sag).abs() < 6e-8, "{count}: {lowest}");
        }
    }
}
