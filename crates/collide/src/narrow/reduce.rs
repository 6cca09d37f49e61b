//! At most four points of a manifold, those that hold best.

use arrayvec::ArrayVec;
use nalgebra::Vector3;

use super::{CollisionManifold, ContactQuery, MAX_POINTS, Touch};

/// Keeps `count` points: the deepest, the one farthest from it, the one that spans the largest
/// triangle with them, and the one that adds the largest triangle to that one (N.7). A point whose
/// feature was there in the frame before counts for more, so that equal choices do not alternate:
/// by `persistence` of the margin in depth, of the size of the manifold in distance. All points of
/// the frame before stay together if no other choice is better by that much: of a hexagon the four
/// would depend on which corner is deepest. The order of the points stays. `places` is memory.
pub(super) fn keep(
    count: usize,
    touching: &mut CollisionManifold,
    before: &[u64],
    query: &ContactQuery,
    places: &mut Vec<Vector3<f64>>,
) {
    let points = &touching.points;
    if points.len() <= count {
        return;
    }
    let normal = touching.normal;
    // in the plane of the manifold, where it makes no difference which of the two colliders is A
    let flat = |point: &Touch| point.points[0] - point.points[0].dot(&normal) * normal;
    places.clear();
    places.extend(points.iter().map(flat));
    let mut chosen = choose(count, touching, before, query, places);
    let known =
        |index: &usize| before.contains(&points[*index].feature) && points[*index].feature != 0;
    // one more than are wanted are too many
    let old: Chosen = (0..points.len()).filter(known).take(count + 1).collect();
    let deepest = |of: &[usize]| {
        let depths = of.iter().map(|index| -points[*index].separation);
        depths.fold(f64::NEG_INFINITY, f64::max)
    };
    if query.persistence > 0.0
        && old.len() == count
        && area(&old, places) * (1.0 + query.persistence) >= area(&chosen, places)
        && deepest(&old) + query.persistence * query.margin >= deepest(&chosen)
    {
        chosen = old;
    }
    let mut index = 0;
    touching.points.retain(|_| {
        index += 1;
        chosen.contains(&(index - 1))
    });
}

/// One point after the other, each the best in addition to those before it; `places` are those in
/// the plane of the manifold \[m\].
fn choose(
    count: usize,
    touching: &CollisionManifold,
    before: &[u64],
    query: &ContactQuery,
    places: &[Vector3<f64>],
) -> Chosen {
    let CollisionManifold { points, normal, .. } = touching;
    let at = |index: usize| places[index];
    let bonus = |point: &Touch, size: f64| {
        if point.feature != 0 && before.contains(&point.feature) {
            query.persistence * size
        } else {
            0.0
        }
    };
    let size = spread(places).max(f64::MIN_POSITIVE);
    let mut chosen = Chosen::new();
    while chosen.len() < count {
        let worth = |index: usize| {
            let point = &points[index];
            let gain = match chosen.as_slice() {
                [] => -point.separation,
                [a] => (at(index) - at(*a)).norm(),
                [a, b] => height(&at(index), &at(*a), &at(*b)).abs(),
                [a, b, c, ..] => added(normal, &at(index), [at(*a), at(*b), at(*c)]) / size,
            };
            let scale = if chosen.is_empty() {
                query.margin
            } else {
                size
            };
            gain + bonus(point, scale) - DEEPER * point.separation
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
    chosen
}

/// Numbers of points, up to one more than are kept.
type Chosen = ArrayVec<usize, { MAX_POINTS + 1 }>;

/// How much of the depth breaks ties between places that are as good \[-\]: corners on one side of
/// a face often are.
const DEEPER: f64 = 1e-3;

/// Largest distance from the first place \[m\].
fn spread(places: &[Vector3<f64>]) -> f64 {
    let arms = places.iter().map(|place| (place - places[0]).norm());
    arms.fold(0.0, f64::max)
}

/// Twice the area between four of these places, in whatever order they are named \[m²\]; zero of
/// fewer.
fn area(of: &[usize], places: &[Vector3<f64>]) -> f64 {
    let [a, b, c, d] = *of else { return 0.0 };
    let across = |[a, b]: [usize; 2], [c, d]: [usize; 2]| {
        (places[b] - places[a])
            .cross(&(places[d] - places[c]))
            .norm()
    };
    // the right pair of diagonals is the one with the largest product
    let pairs = [
        across([a, c], [b, d]),
        across([a, b], [c, d]),
        across([a, d], [b, c]),
    ];
    pairs.into_iter().fold(0.0, f64::max)
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

/// Twice the area that a point adds to a triangle in the plane of the normal \[m²\]; negative
/// inside.
fn added(normal: &Vector3<f64>, point: &Vector3<f64>, corners: [Vector3<f64>; 3]) -> f64 {
    let [a, b, c] = corners;
    let turn = (b - a).cross(&(c - a)).dot(normal);
    let side = |a: &Vector3<f64>, b: &Vector3<f64>| {
        let out = -(b - a).cross(&(point - a)).dot(normal);
        if turn >= 0.0 { out } else { -out }
    };
    side(&a, &b).max(side(&b, &c)).max(side(&c, &a))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{Rng, SeedableRng};
    use rand_pcg::Pcg64Mcg;

    /// Corners of a convex polygon around an ellipse in the plane z = 0, in turn.
    fn polygon(count: u32, mut number: impl FnMut() -> f64) -> Vec<Touch> {
        let mut angles: Vec<f64> = (0..count)
            .map(|_| std::f64::consts::TAU * number())
            .collect();
        angles.sort_by(f64::total_cmp);
        let flat = 0.2 + 0.8 * number();
        (1..)
            .zip(angles)
            .map(|(feature, angle)| {
                let place = Vector3::new(libm::cos(angle), flat * libm::sin(angle), 0.0);
                Touch {
                    points: [place; 2],
                    radii: [0.0; 2],
                    separation: -0.01 * number(),
                    feature,
                }
            })
            .collect()
    }

    fn polygon_area(points: &[Touch]) -> f64 {
        let first = points[0].points[0];
        let fan = points[1..].windows(2).map(|pair| {
            let [a, b] = [pair[0].points[0] - first, pair[1].points[0] - first];
            0.5 * a.cross(&b).z
        });
        fan.sum()
    }

    #[test]
    fn keeps_the_deepest_and_half_of_the_area() {
        let mut random = Pcg64Mcg::seed_from_u64(11);
        let mut number = move || f64::from(random.next_u32()) / f64::from(u32::MAX);
        let query = ContactQuery {
            persistence: 0.0,
            ..ContactQuery::default()
        };
        let mut least = f64::MAX;
        for case in 0..20_000 {
            let points = polygon(5 + case % 4, &mut number);
            let deepest = points.iter().map(|p| p.separation).fold(0.0, f64::min);
            let whole = polygon_area(&points);
            let mut touching = CollisionManifold {
                normal: Vector3::z(),
                points,
                parts: [0; 2],
            };
            keep(4, &mut touching, &[], &query, &mut Vec::new());
            assert_eq!(touching.points.len(), 4);
            assert!(touching.points.iter().any(|p| p.separation == deepest));
            least = least.min(polygon_area(&touching.points) / whole);
        }
        assert!(least >= 0.5, "{least}");
    }

    #[test]
    fn points_of_the_frame_before_stay_where_others_are_as_good() {
        let corner = |k: u64| {
            let angle = std::f64::consts::FRAC_PI_4 * k as f64;
            let place = Vector3::new(libm::cos(angle), libm::sin(angle), 0.0);
            Touch {
                points: [place; 2],
                radii: [0.0; 2],
                separation: 0.0,
                feature: k + 1,
            }
        };
        for before in [[1, 3, 5, 7], [2, 4, 6, 8]] {
            let mut touching = CollisionManifold {
                normal: Vector3::z(),
                points: (0..8).map(corner).collect(),
                parts: [0; 2],
            };
            let query = ContactQuery::default();
            keep(4, &mut touching, &before, &query, &mut Vec::new());
            let kept: Vec<u64> = touching.points.iter().map(|p| p.feature).collect();
            assert_eq!(kept, before);
        }
    }
}
