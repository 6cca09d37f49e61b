//! Volumes and moments of shapes.

use std::f64::consts::PI;

use delassus_collide::{Capsule, Cuboid, Cylinder, ShapeGeometry, Sphere};
use nalgebra::Vector3;

/// Volume and moments per density of a solid of revolution about y by slices (midpoint rule).
fn slices(half_height: f64, radius_at: impl Fn(f64) -> f64) -> (f64, Vector3<f64>) {
    let count = 200_000;
    let thickness = 2.0 * half_height / f64::from(count);
    let (mut volume, mut along, mut across) = (0.0, 0.0, 0.0);
    for k in 0..count {
        let y = (f64::from(k) + 0.5) * thickness - half_height;
        let square = radius_at(y) * radius_at(y);
        let slice = PI * square * thickness;
        volume += slice;
        along += 0.5 * slice * square;
        across += slice * (0.25 * square + y * y);
    }
    (volume, Vector3::new(across, along, across))
}

fn assert_agrees<S: ShapeGeometry + std::fmt::Debug>(
    shape: S,
    (volume, moments): (f64, Vector3<f64>),
) {
    let density = 700.0;
    let inertia = shape.inertia(density).unwrap();
    assert!(
        (shape.moments().unwrap().volume / volume - 1.0).abs() < 1e-9,
        "{shape:?}"
    );
    assert!(
        (inertia.mass / (density * volume) - 1.0).abs() < 1e-9,
        "{shape:?}"
    );
    let error = inertia.moments - density * moments;
    assert!(
        error.norm() < 1e-8 * inertia.moments.norm(),
        "{shape:?}: {error}"
    );
}

#[test]
fn closed_forms_agree_with_quadrature() {
    let cap = |y: f64, r: f64| (r * r - y * y).max(0.0).sqrt();
    assert_agrees(Sphere { radius: 0.7 }, slices(0.7, |y| cap(y, 0.7)));
    let capsule = Capsule {
        half_length: 0.9,
        radius: 0.4,
    };
    let profile = |y: f64| cap((y.abs() - 0.9).max(0.0), 0.4);
    assert_agrees(capsule, slices(1.3, profile));
    let cylinder = Cylinder {
        half_length: 0.5,
        radius: 1.2,
    };
    assert_agrees(cylinder, slices(0.5, |_| 1.2));
}

#[test]
fn a_box_has_the_moments_of_its_edges() {
    let half = Vector3::new(0.5, 1.0, 1.5);
    let inertia = Cuboid { half }.solid(12.0).unwrap();
    // m (b² + c²)/12 with edges 1, 2, 3
    assert_eq!(inertia.moments, Vector3::new(13.0, 10.0, 5.0));
    assert_eq!(Cuboid { half }.moments().unwrap().volume, 6.0);
}

#[test]
fn a_capsule_without_length_is_a_ball() {
    let capsule = Capsule {
        half_length: 0.0,
        radius: 0.3,
    };
    let ball = Sphere { radius: 0.3 };
    let (a, b) = (capsule.solid(2.0).unwrap(), ball.solid(2.0).unwrap());
    assert!((a.moments - b.moments).norm() < 1e-16);
}

#[test]
fn sizes_and_densities_that_make_no_solid_are_refused() {
    fn path<S: ShapeGeometry>(shape: S, density: f64) -> String {
        shape.inertia(density).unwrap_err().path
    }
    assert_eq!(path(Sphere { radius: -1.0 }, 1.0), "radius");
    let half = Vector3::new(1.0, f64::NAN, 1.0);
    assert_eq!(path(Cuboid { half }, 1.0), "half[1]");
    let capsule = Capsule {
        half_length: -0.1,
        radius: 1.0,
    };
    assert_eq!(path(capsule, 1.0), "half_length");
    assert_eq!(path(Sphere { radius: 1.0 }, 0.0), "density");
}
