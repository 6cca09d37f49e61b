//! Caps that overlap another face by a thin lens or segment, against its closed form.

use delassus_collide::{CollisionManifold, ContactQuery, Cuboid, Cylinder, Hull, Shape};
use nalgebra::{Isometry3, Vector3};

use crate::support::{Random, touch, turn};

/// Shares of the radius by which a cap overlaps another face: within what a polygon of sixteen
/// corners leaves out, and beyond.
const OVERLAPS: [f64; 6] = [1e-3, 4e-3, 0.015, 0.03, 0.2, 0.7];

/// Depths \[m\]: open, flush, and pressed less than the thinnest overlap.
const DEPTHS: [f64; 4] = [-4e-3, 0.0, 1e-9, 1e-5];

/// How far the points of the one manifold with a vertical normal spread along a direction across
/// it; each point lies on both faces, which `outside` measures in the plane.
fn spread(
    found: &[CollisionManifold],
    direction: &Vector3<f64>,
    outside: impl Fn(&Vector3<f64>) -> f64,
    name: &str,
) -> f64 {
    let [touching] = found else {
        panic!("{name}: {found:?}");
    };
    assert!(
        (touching.normal - Vector3::y()).norm() < 1e-9,
        "{name}: {found:?}"
    );
    let places = touching.points.iter().map(|point| point.points[0]);
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for place in places {
        let out = outside(&place);
        assert!(out < 1e-4, "{name}: {out:e} outside, {found:?}");
        let along = place.dot(direction);
        (low, high) = (low.min(along), high.max(along));
    }
    high - low
}

/// True if points spread along a chord: over all of it where the overlap is thin, and otherwise
/// over most of it, since of many points four are kept.
fn is_chord(spread: f64, chord: f64, share: f64) -> bool {
    let least = if share < 0.02 { 1.0 } else { 0.7 };
    // a clipped face is larger by its slack (N.4)
    spread > least * chord - 5e-4 && spread < 1.1 * chord + 5e-4
}

/// A post on a post: the lens of two circles.
#[test]
fn thin_lenses_of_two_caps_have_their_corners() {
    let mut random = Random::new(31);
    for share in OVERLAPS {
        for depth in DEPTHS {
            let radii = [random.between(0.3, 0.9), random.between(0.3, 0.9)];
            let overlap = share * radii[0].min(radii[1]);
            let distance = radii[0] + radii[1] - overlap;
            let about = random.between(0.0, 6.0);
            let towards = Vector3::new(libm::cos(about), 0.0, libm::sin(about));
            let [a, b]: [Shape; 2] = radii.map(|radius| Cylinder::new(0.5, radius).into());
            let turned = turn(&Vector3::y(), random.between(0.0, 6.0));
            let middle = distance * towards + Vector3::new(0.0, 1.0 - depth, 0.0);
            let pose = Isometry3::from_parts(middle.into(), turned);
            let found = touch(&a, &b, &pose, &ContactQuery::default());
            let outside = |place: &Vector3<f64>| {
                let flat = Vector3::new(place.x, 0.0, place.z);
                (flat.norm() - radii[0]).max((flat - distance * towards).norm() - radii[1])
            };
            let across = Vector3::new(-towards.z, 0.0, towards.x);
            let name = format!("radii {radii:?}, overlap {overlap:e}, depth {depth:e}");
            let found = spread(&found, &across, outside, &name);
            let along = 0.5 * (distance + (radii[0] - radii[1]) * (radii[0] + radii[1]) / distance);
            let chord = 2.0 * (radii[0] * radii[0] - along * along).sqrt();
            assert!(is_chord(found, chord, share), "{name}: {found} of {chord}");
        }
    }
}

/// A box with a face whose border is a chord of the cap, and the same as a hull.
#[test]
fn thin_segments_of_a_cap_have_their_corners() {
    let mut random = Random::new(32);
    let cuboid = Cuboid::new(2.0, 0.4, 1.7);
    let corner = |k: u32| {
        let side = |bit: u32| if k >> bit & 1 == 1 { 1.0 } else { -1.0 };
        cuboid
            .half
            .component_mul(&Vector3::new(side(0), side(1), side(2)))
    };
    let plates: [Shape; 2] = [
        cuboid.into(),
        Hull::new((0..8).map(corner).collect()).into(),
    ];
    for (share, depth) in OVERLAPS.into_iter().flat_map(|o| DEPTHS.map(|d| (o, d))) {
        for plate in &plates {
            let radius = random.between(0.2, 0.6);
            let post: Shape = Cylinder::new(0.3, radius).into();
            let overlap = share * radius;
            let place = Vector3::new(
                2.0 + radius - overlap,
                0.7 - depth,
                random.between(-0.4, 0.4),
            );
            let turned = turn(&Vector3::y(), random.between(0.0, 6.0));
            let pose = Isometry3::from_parts(place.into(), turned);
            let name = format!("radius {radius}, overlap {overlap:e}, depth {depth:e}");
            let chord = 2.0 * (2.0 * radius * overlap - overlap * overlap).sqrt();
            let own = |p: &Vector3<f64>| {
                let flat = Vector3::new(p.x - place.x, 0.0, p.z - place.z);
                (p.x - 2.0).max(p.z.abs() - 1.7).max(flat.norm() - radius)
            };
            let query = ContactQuery::default();
            let found = touch(plate, &post, &pose, &query);
            let wide = spread(&found, &Vector3::z(), own, &name);
            assert!(is_chord(wide, chord, share), "{name}: {wide} of {chord}");
            // the other way round, with the post as the first
            let found = touch(&post, plate, &pose.inverse(), &query);
            let [touching] = &found[..] else {
                panic!("{name}: {found:?}");
            };
            assert!((touching.normal + Vector3::y()).norm() < 1e-9, "{name}");
            let along: Vec<f64> = touching.points.iter().map(|p| p.points[1].z).collect();
            let wide = along.iter().copied().fold(f64::MIN, f64::max)
                - along.iter().copied().fold(f64::MAX, f64::min);
            assert!(is_chord(wide, chord, share), "{name}: {wide} of {chord}");
        }
    }
}
