//! Pairs of shapes whose contacts have a closed form.

use delassus_collide::{
    Capsule, CollisionManifold, ContactQuery, Cuboid, Cylinder, HalfSpace, Hull, Shape, Sphere,
};
use nalgebra::{Isometry3, Point3, Vector3};

use crate::support::{Random, deepest, shift, touch, turn};

const CLOSE: f64 = 1e-12;

fn sphere(radius: f64) -> Shape {
    Sphere::new(radius).into()
}

fn ground() -> Shape {
    HalfSpace::default().into()
}

/// The one point of two shapes has this separation and normal, seen from either.
fn assert_touch(a: &Shape, b: &Shape, pose: &Isometry3<f64>, gap: f64, normal: Vector3<f64>) {
    let found = touch(a, b, pose, &ContactQuery::default());
    assert!((deepest(&found) - gap).abs() < CLOSE, "{found:?}");
    assert!((found[0].normal - normal).norm() < CLOSE, "{found:?}");
    let swapped = touch(b, a, &pose.inverse(), &ContactQuery::default());
    assert!((deepest(&swapped) - gap).abs() < CLOSE, "{swapped:?}");
    let back = -(pose.rotation * swapped[0].normal);
    assert!((back - normal).norm() < CLOSE, "{swapped:?}");
    assert_eq!(found[0].points.len(), swapped[0].points.len());
}

#[test]
fn spheres() {
    let direction: Vector3<f64> = Vector3::new(2.0, -1.0, 2.0) / 3.0;
    for gap in [-0.3_f64, -1e-3, 0.0, 0.01] {
        let pose = Isometry3::from_parts(
            ((0.7 + gap) * direction).into(),
            turn(&Vector3::new(1.0, 2.0, 3.0), 0.7),
        );
        assert_touch(&sphere(0.5), &sphere(0.2), &pose, gap, direction);
    }
}

#[test]
fn a_sphere_on_a_plane_and_on_a_box() {
    let up = Vector3::y();
    let cuboid: Shape = Cuboid::new(0.5, 0.3, 0.4).into();
    for gap in [-0.05, 0.0, 0.01] {
        let at = 0.2 + gap;
        assert_touch(&ground(), &sphere(0.2), &shift(3.0, at, 1.0), gap, up);
        // above a face, next to an edge, before a corner
        let face = shift(0.1, 0.3 + at, -0.3);
        assert_touch(&cuboid, &sphere(0.2), &face, gap, up);
        let direction = Vector3::new(0.6, 0.8, 0.0);
        let edge = Vector3::new(0.5, 0.3, 0.1) + at * direction;
        assert_touch(&cuboid, &sphere(0.2), &edge_pose(edge), gap, direction);
        let direction = Vector3::new(2.0, 1.0, -2.0) / 3.0;
        let corner = Vector3::new(0.5, 0.3, -0.4) + at * direction;
        assert_touch(&cuboid, &sphere(0.2), &edge_pose(corner), gap, direction);
    }
    // with its centre inside, by the nearest face
    assert_touch(&cuboid, &sphere(0.2), &shift(0.1, 0.25, 0.0), -0.25, up);
}

fn edge_pose(place: Vector3<f64>) -> Isometry3<f64> {
    Isometry3::from_parts(place.into(), turn(&Vector3::new(1.0, -1.0, 0.5), 1.1))
}

#[test]
fn a_capsule_on_a_plane() {
    let capsule: Shape = Capsule::new(0.6, 0.2).into();
    let lying = turn(&Vector3::z(), std::f64::consts::FRAC_PI_2);
    for (angle, count) in [(0.0, 2), (0.01, 2), (0.1, 1), (1.0, 1)] {
        let pose = Isometry3::from_parts(
            Vector3::new(0.0, 0.19 + 0.6 * libm::sin(angle), 0.0).into(),
            turn(&Vector3::z(), angle) * lying,
        );
        let found = touch(&ground(), &capsule, &pose, &ContactQuery::default());
        assert_eq!(found[0].points.len(), count, "{angle}");
        assert!((deepest(&found) + 0.01).abs() < CLOSE);
    }
}

#[test]
fn capsules() {
    let [a, b]: [Shape; 2] = [Capsule::new(0.6, 0.2).into(), Capsule::new(0.5, 0.1).into()];
    let across = turn(&Vector3::x(), std::f64::consts::FRAC_PI_2);
    for gap in [-0.05, 0.01] {
        let crossed = Isometry3::from_parts(Vector3::new(0.3 + gap, 0.1, 0.2).into(), across);
        assert_touch(&a, &b, &crossed, gap, Vector3::x());
        let in_line = shift(0.0, 0.6 + 0.5 + 0.3 + gap, 0.0);
        assert_touch(&a, &b, &in_line, gap, Vector3::y());
        let skew = Isometry3::from_parts(
            Vector3::new(0.3 + gap, 0.0, 0.0).into(),
            turn(&Vector3::x(), 0.3),
        );
        assert_touch(&a, &b, &skew, gap, Vector3::x());
    }
}

#[test]
fn parallel_capsules_touch_at_both_ends_of_what_they_share() {
    let [a, b]: [Shape; 2] = [Capsule::new(0.6, 0.2).into(), Capsule::new(0.5, 0.1).into()];
    let found = touch(&a, &b, &shift(0.31, 0.3, 0.0), &ContactQuery::default());
    let mut heights: Vec<f64> = found[0].points.iter().map(|p| p.points[0].y).collect();
    heights.sort_by(f64::total_cmp);
    assert_eq!(heights.len(), 2);
    assert!((heights[0] + 0.2).abs() < CLOSE && (heights[1] - 0.6).abs() < CLOSE);
    assert!(
        found[0]
            .points
            .iter()
            .all(|p| (p.separation - 0.01).abs() < CLOSE)
    );
    assert!(found[0].points[0].feature != found[0].points[1].feature);
    // of the same length, side by side
    let found = touch(&a, &a, &shift(0.0, 0.0, 0.39), &ContactQuery::default());
    assert_eq!(found[0].points.len(), 2);
    assert!((deepest(&found) + 0.01).abs() < CLOSE);
}

#[test]
fn a_cylinder_on_a_plane() {
    let (half_length, radius) = (0.5, 0.3);
    let cylinder: Shape = Cylinder::new(half_length, radius).into();
    let tilted = |angle: f64, height: f64| {
        Isometry3::from_parts(
            Vector3::new(0.0, height, 0.0).into(),
            turn(&Vector3::z(), angle) * turn(&Vector3::y(), 0.4),
        )
    };
    let standing = touch(
        &ground(),
        &cylinder,
        &tilted(0.0, 0.49),
        &ContactQuery::default(),
    );
    assert_eq!(standing[0].points.len(), 4);
    for point in &standing[0].points {
        let on_rim = libm::hypot(point.points[1].x, point.points[1].z);
        assert!((on_rim - radius).abs() < CLOSE && (point.separation + 0.01).abs() < CLOSE);
    }
    let lying = std::f64::consts::FRAC_PI_2;
    let lying = touch(
        &ground(),
        &cylinder,
        &tilted(lying, 0.29),
        &ContactQuery::default(),
    );
    assert_eq!(lying[0].points.len(), 2);
    for point in &lying[0].points {
        assert!((point.points[1].y.abs() - half_length).abs() < CLOSE);
        assert!((point.separation + 0.01).abs() < CLOSE, "{point:?}");
    }
    for angle in [0.01, 0.2, 0.8, 1.3, 1.55] {
        let height = half_length * libm::cos(angle) + radius * libm::sin(angle) - 0.005;
        let found = touch(
            &ground(),
            &cylinder,
            &tilted(angle, height),
            &ContactQuery::default(),
        );
        assert!(
            (deepest(&found) + 0.005).abs() < CLOSE,
            "{angle}: {found:?}"
        );
    }
}

fn corners(half: &Vector3<f64>) -> Hull {
    let sign = |k: u32, bit: u32| if k >> bit & 1 == 1 { 1.0 } else { -1.0 };
    let corner = |k| half.component_mul(&Vector3::new(sign(k, 0), sign(k, 1), sign(k, 2)));
    Hull::new((0..8).map(corner).collect())
}

/// Furthest place of a manifold from the places of another one.
fn stray(found: &CollisionManifold, others: &CollisionManifold) -> f64 {
    let from = |place: &Vector3<f64>| {
        let far = others.points.iter().map(|p| (p.points[0] - place).norm());
        far.fold(f64::INFINITY, f64::min)
    };
    found
        .points
        .iter()
        .map(|p| from(&p.points[0]))
        .fold(0.0, f64::max)
}

#[test]
fn the_hull_of_the_corners_of_a_box_touches_as_the_box() {
    let mut random = Random::new(23);
    let (below, half) = (Vector3::new(1.0, 0.2, 0.8), Vector3::new(0.2, 0.3, 0.4));
    let below: Shape = Cuboid { half: below }.into();
    let (cuboid, hull): (Shape, Shape) = (Cuboid { half }.into(), corners(&half).into());
    for case in 0..200 {
        let tilt = [0.0, 1e-4, 0.02, 0.5][case % 4];
        let axis = Vector3::new(random.between(-1.0, 1.0), 0.0, random.between(-1.0, 1.0));
        let rotation = turn(&axis, tilt) * turn(&Vector3::y(), random.between(0.0, 3.0));
        let low = (0..8_u32).map(|k| {
            let sign = |bit: u32| if k >> bit & 1 == 1 { 1.0 } else { -1.0 };
            let corner = half.component_mul(&Vector3::new(sign(0), sign(1), sign(2)));
            (rotation * Point3::from(corner)).y
        });
        let height = 0.2 - low.fold(0.0, f64::min) - 0.004;
        let place = Vector3::new(random.between(-0.3, 0.3), height, random.between(-0.2, 0.2));
        let pose = Isometry3::from_parts(place.into(), rotation);
        let [own, found] =
            [&cuboid, &hull].map(|shape| touch(&below, shape, &pose, &ContactQuery::default()));
        assert_eq!((own.len(), found.len()), (1, 1), "{case}");
        assert!(
            (deepest(&own) - deepest(&found)).abs() < 1e-6,
            "{own:?} {found:?}"
        );
        assert!(
            (own[0].normal - found[0].normal).norm() < 1e-4,
            "{own:?} {found:?}"
        );
        assert!(
            found[0].points.len() >= own[0].points.len(),
            "{own:?} {found:?}"
        );
        assert!(
            stray(&own[0], &found[0]) < 1e-3,
            "{case}: {own:?} {found:?}"
        );
    }
}
