//! At most four points of a manifold, those that hold best.

use nalgebra::Vector3;

use super::{Touch, Touching};

/// Keeps `count` points: the deepest, the one farthest from it, the one that spans the largest triangle with them, and
/// the one that adds the largest triangle on the other side. A point whose feature was there in the frame before counts for more, by `persistence` of the size of
/// the manifold, so that equal choices do not alternate. The order of the points stays.
pub(super) fn keep(count: usize, touching: &mut Touching, before: &[u64], persistence: f64) {
    let points = &touching.points;
    if points.len() <= count {
        return;
    }
    let size = spread(points);
    let bonus = |point: &Touch| {
        if point.feature != 0 && before.contains(&point.feature) {
            persistence * size
        } else {
            0.0
        }
    };
    let normal = touching.normal;
    let at = |index: usize| points[index].points[0];
    let mut chosen: Vec<usize> = Vec::with_capacity(count);
    while chosen.len() < count {
        let worth = |index: usize| {
            let point = &points[index];
            let gain = match chosen.as_slice() {
                [] => -point.separation,
                [a] => (at(index) - at(*a)).norm(),
                [a, b] => height(&at(index), &at(*a), &at(*b)).abs(),
                [a, b, c, ..] => outside(&normal, &at(index), [at(*a), at(*b), at(*c)]),
            };
            gain + bonus(point)
        };
        let free = (0..points.len()).filter(|index| !chosen.contains(index));
        let best = free.fold(None, |best: Option<(usize, f64)>, index| {
            let worth = worth(index);
            match best {
                Some((_, most)) if most >= worth => best,
                _ => Some((index, worth)),
            }
        });
        let Some((index, _)) = best else { break };
        chosen.push(index);
    }
    let mut index = 0;
    touching.points.retain(|_| {
        index += 1;
        chosen.contains(&(index - 1))
    });
}

/// Largest distance from the first point \[m\].
fn spread(points: &[Touch]) -> f64 {
    let arms = points
        .iter()
        .map(|p| (p.points[0] - points[0].points[0]).norm());
    arms.fold(0.0, f64::max)
}

/// Distance of a point from a line \[m\].
fn height(point: &Vector3<f64>, a: &Vector3<f64>, b: &Vector3<f64>) -> f64 {
    let along = b - a;
    let length = along.norm();
    if length == 0.0 {
        return (point - a).norm();
    }
    along.cross(&(point - a)).norm() / length
}

/// How far a point lies outside a triangle in the plane of the normal \[m\]; negative inside.
fn outside(normal: &Vector3<f64>, point: &Vector3<f64>, corners: [Vector3<f64>; 3]) -> f64 {
    let [a, b, c] = corners;
    let turn = (b - a).cross(&(c - a)).dot(normal);
    let side = |a: &Vector3<f64>, b: &Vector3<f64>| {
        let along = b - a;
        let length = along.norm();
        if length == 0.0 {
            return f64::MIN;
        }
        let out = -along.cross(&(point - a)).dot(normal) / length;
        if turn >= 0.0 { out } else { -out }
    };
    side(&a, &b).max(side(&b, &c)).max(side(&c, &a))
}
