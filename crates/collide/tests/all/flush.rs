//! Pairs of convex shapes at random and at flush poses, against separations computed from support
//! functions alone.

use delassus_collide::{Capsule, ContactQuery, Hull, Shape};
use nalgebra::{Isometry3, UnitQuaternion, Vector3};

use crate::support::{CONVEX, Random, ball, convex, prism, touch, turn};

/// How far a shape reaches along a direction.
fn reach(shape: &Shape, d: &Vector3<f64>) -> f64 {
    match shape {
        Shape::Sphere(sphere) => sphere.radius * d.norm(),
        Shape::Box(cuboid) => cuboid.half.dot(&d.abs()),
        Shape::Capsule(capsule) => capsule.half_length * d.y.abs() + capsule.radius * d.norm(),
        Shape::Cylinder(cylinder) => {
            let across = (d.x * d.x + d.z * d.z).sqrt();
            cylinder.half_length * d.y.abs() + cylinder.radius * across
        }
        Shape::Hull(hull) => hull
            .points
            .iter()
            .map(|p| p.dot(d))
            .fold(f64::MIN, f64::max),
        other => unreachable!("{other:?} has no end"),
    }
}

/// Separation along a direction out of A (N.10).
fn separation([a, b]: [&Shape; 2], pose: &Isometry3<f64>, d: &Vector3<f64>) -> f64 {
    let back = pose.rotation.inverse() * -d;
    pose.translation.vector.dot(d) - reach(b, &back) - reach(a, d)
}

/// The largest separation over all directions, by a search from many starts: negative where the two
/// overlap.
fn largest(shapes: [&Shape; 2], pose: &Isometry3<f64>) -> (f64, Vector3<f64>) {
    let s = |d: &Vector3<f64>| separation(shapes, pose, d);
    let count = 80;
    let mut starts: Vec<(f64, Vector3<f64>)> = (0..count)
        .map(|k| {
            let height = 1.0 - 2.0 * (f64::from(k) + 0.5) / f64::from(count);
            let (sine, cosine) = libm::sincos(2.399_963 * f64::from(k));
            let across = (1.0 - height * height).sqrt();
            let d = Vector3::new(across * cosine, height, across * sine);
            (s(&d), d)
        })
        .collect();
    let mut axes: Vec<Vector3<f64>> = Vec::new();
    for k in 0..3 {
        let axis = Vector3::ith(k, 1.0);
        axes.extend([axis, -axis, pose.rotation * axis, pose.rotation * -axis]);
    }
    starts.extend(axes.into_iter().map(|d| (s(&d), d)));
    starts.sort_by(|a, b| b.0.total_cmp(&a.0));
    let refined = starts.into_iter().take(3).map(|(mut best, mut d)| {
        let mut step = 0.05;
        while step > 1e-11 {
            let least = Vector3::ith(d.iamin(), 1.0);
            let u = d.cross(&least).normalize();
            let v = d.cross(&u);
            let mut better = false;
            for k in 0..8 {
                let (sine, cosine) =
                    libm::sincos(std::f64::consts::FRAC_PI_4 * f64::from(k) + 1e4 * step);
                let other = (d + step * (cosine * u + sine * v)).normalize();
                let value = s(&other);
                if value > best {
                    (best, d, better) = (value, other, true);
                }
            }
            if !better {
                step *= 0.5;
            }
        }
        (best, d)
    });
    refined.fold(
        (f64::MIN, Vector3::y()),
        |a, b| if b.0 > a.0 { b } else { a },
    )
}

/// One convex shape of every kind, among them prisms and balls of many faces.
fn shape(kind: usize, random: &mut Random) -> Shape {
    match kind {
        0..CONVEX => convex(kind, 1.0, random),
        CONVEX => prism(24, random.between(0.1, 1.0), random.between(0.1, 1.0)).into(),
        _ => ball(60, 0.5).into(),
    }
}

fn quarter(random: &mut Random) -> UnitQuaternion<f64> {
    let mut q = UnitQuaternion::identity();
    for _ in 0..3 {
        let axis = match random.between(0.0, 3.0) {
            low if low < 1.0 => Vector3::x(),
            middle if middle < 2.0 => Vector3::y(),
            _ => Vector3::z(),
        };
        let k = random.between(0.0, 3.999).floor();
        q = turn(&axis, k * std::f64::consts::FRAC_PI_2) * q;
    }
    q
}

/// How far a point lies outside of a shape.
fn outside(shape: &Shape, point: &Vector3<f64>) -> f64 {
    let round = |half: f64, radius: f64| {
        let y = point.y - point.y.clamp(-half, half);
        Vector3::new(point.x, y, point.z).norm() - radius
    };
    match shape {
        Shape::Sphere(sphere) => point.norm() - sphere.radius,
        Shape::Box(cuboid) => (point.abs() - cuboid.half).max(),
        Shape::Capsule(capsule) => round(capsule.half_length, capsule.radius),
        Shape::Cylinder(cylinder) => {
            let across = (point.x * point.x + point.z * point.z).sqrt();
            (across - cylinder.radius).max(point.y.abs() - cylinder.half_length)
        }
        Shape::Hull(hull) => {
            let (corners, triangles) = hull.triangles().unwrap();
            let heights = triangles.iter().map(|triangle| {
                let [a, b, c] = triangle.map(|corner| corners[corner as usize]);
                (b - a).cross(&(c - a)).normalize().dot(&(point - a))
            });
            heights.fold(f64::MIN, f64::max)
        }
        other => unreachable!("{other:?} has no inside"),
    }
}

/// Half of the smallest extent along the axes.
fn half_width(shape: &Shape) -> f64 {
    let extent = |k: usize| {
        let d = Vector3::ith(k, 1.0);
        0.5 * (reach(shape, &d) + reach(shape, &-d))
    };
    extent(0).min(extent(1)).min(extent(2))
}

/// Two shapes above each other along y, turned and shifted as the case says.
fn above(a: &Shape, b: &Shape, case: usize, random: &mut Random) -> Isometry3<f64> {
    let about_y = turn(&Vector3::y(), random.between(0.0, 6.0));
    let rotation = match case % 5 {
        0 => random.rotation(),
        1 => quarter(random),
        2 => about_y,
        3 => quarter(random) * about_y,
        _ => turn(&random.vector(-1.0, 1.0), 1e-7) * quarter(random),
    };
    let place = Isometry3::from_parts(Vector3::zeros().into(), rotation);
    let gaps = [
        0.0, 1e-16, -1e-16, -1e-12, -1e-9, -1e-6, -1e-4, -5e-3, 1e-9, 1e-4,
    ];
    let height = gaps[case % 10] - separation([a, b], &place, &Vector3::y());
    let side = [0.0, 0.0, 0.3, 0.05][(case / 5) % 4];
    let mut along = || side * random.between(-1.0, 1.0);
    let shift = Vector3::new(along(), height, along());
    Isometry3::from_parts(shift.into(), rotation)
}

/// The normal is the best direction up to the slack of (N.3), no point is deeper than the supports
/// say, the deepest is as deep, and all points are on both shapes.
fn assert_plausible([a, b]: [&Shape; 2], pose: &Isometry3<f64>) {
    let (best, _) = largest([a, b], pose);
    let found = touch(a, b, pose, &ContactQuery::default());
    let name = format!("{a:?} {b:?} {pose:?} {found:?}: {best:e}");
    let width = half_width(a).min(half_width(b));
    // (N.3), and what the search of the test leaves
    let slack = 0.011 * best.abs() + 1.1e-3 * width + 1e-9;
    if best > ContactQuery::default().margin - slack {
        return;
    }
    let [touching] = &found[..] else {
        panic!("{name}");
    };
    // what separates along any direction is a lower bound of the distance: the normal may be better
    // than what the search of the test has found
    let own = separation([a, b], pose, &touching.normal);
    assert!(own > best - slack, "{name} {own:e}");
    let depths = touching.points.iter().map(|point| point.separation);
    let deepest = depths.fold(f64::INFINITY, f64::min);
    assert!(
        deepest > own - 1e-7 && deepest < own + 1e-7,
        "{name} {own:e} {deepest:e}"
    );
    for point in &touching.points {
        let inward = pose.rotation.inverse() * -touching.normal;
        let on_a = point.points[0] + point.radii[0] * touching.normal;
        let on_b = point.points[1] + point.radii[1] * inward;
        let outside = outside(a, &on_a).max(outside(b, &on_b));
        // a clipped face is larger by its slack (N.4)
        assert!(outside < 1.5e-4 * width + 1e-9, "{name} {outside:e}");
    }
}

#[test]
fn manifolds_are_what_supports_say() {
    let mut random = Random::new(9);
    for kinds in 0..49 {
        for case in 0..5 {
            let a = shape(kinds / 7, &mut random);
            let b = shape(kinds % 7, &mut random);
            let pose = above(&a, &b, case + kinds, &mut random);
            assert_plausible([&a, &b], &pose);
        }
    }
}

#[test]
fn cylinders_lie_flat_on_everything() {
    let mut random = Random::new(10);
    for case in 0..120 {
        let a = shape(if case % 2 == 0 { 1 } else { 3 }, &mut random);
        let b = shape(3, &mut random);
        let pose = above(&a, &b, case, &mut random);
        assert_plausible([&a, &b], &pose);
        assert_plausible([&b, &a], &pose.inverse());
    }
}

#[test]
fn capsules_lie_flat_on_everything() {
    let mut random = Random::new(11);
    for case in 0..160 {
        let a = shape([1, 3, 4, 5][case % 4], &mut random);
        let b = shape(2, &mut random);
        let pose = above(&a, &b, case, &mut random);
        assert_plausible([&a, &b], &pose);
        assert_plausible([&b, &a], &pose.inverse());
    }
}

/// A capsule of 0.7 m with a radius of 0.15 m lies along the middle of a prism with six sides: both
/// ends of its line are points, one as deep as the other.
#[test]
fn a_capsule_on_a_hexagon_has_both_ends() {
    let corner = |k: u32, y: f64| {
        let (sine, cosine) = libm::sincos(std::f64::consts::FRAC_PI_3 * f64::from(k));
        Vector3::new(0.9 * cosine, y, 0.9 * sine)
    };
    let hexagon = Hull::new(
        (0..6)
            .flat_map(|k| [corner(k, -0.2), corner(k, 0.2)])
            .collect(),
    );
    let (hexagon, capsule) = (Shape::from(hexagon), Shape::from(Capsule::new(0.35, 0.15)));
    let lying = turn(&Vector3::z(), std::f64::consts::FRAC_PI_2);
    let pose = Isometry3::from_parts(Vector3::new(0.0, 0.349, 0.0).into(), lying);
    let found = touch(&hexagon, &capsule, &pose, &ContactQuery::default());
    let [touching] = &found[..] else {
        panic!("{found:?}");
    };
    assert!((touching.normal - Vector3::y()).norm() < 1e-15);
    let mut along: Vec<f64> = touching.points.iter().map(|p| p.points[0].x).collect();
    along.sort_by(f64::total_cmp);
    assert_eq!(along.len(), 2, "{found:?}");
    assert!((along[0] + 0.35).abs() < 1e-14 && (along[1] - 0.35).abs() < 1e-14);
    for point in &touching.points {
        assert!((point.separation + 1e-3).abs() < 1e-14);
    }
}
