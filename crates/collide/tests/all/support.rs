//! Queries on shapes, and random poses.

use delassus_collide::{
    Capsule, CollisionManifold, ContactQuery, Cuboid, Cylinder, Geometry, Hull, PairCache,
    PairManifolds, Shape, Sphere, contacts,
};
use nalgebra::{Isometry3, Point3, Quaternion, UnitQuaternion, Vector3};
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;

/// What two shapes share, without a past.
pub(crate) fn touch(
    a: &Shape,
    b: &Shape,
    b_in_a: &Isometry3<f64>,
    query: &ContactQuery,
) -> Vec<CollisionManifold> {
    touch_again([a, b], b_in_a, query, &mut PairCache::default(), &[])
}

/// What two shapes share, with the features of the frame before.
pub(crate) fn touch_again(
    shapes: [&Shape; 2],
    b_in_a: &Isometry3<f64>,
    query: &ContactQuery,
    memory: &mut PairCache,
    before: &[u64],
) -> Vec<CollisionManifold> {
    let made = shapes.map(|shape| Geometry::new(shape).unwrap());
    let mut out = PairManifolds::default();
    contacts(
        [&made[0], &made[1]],
        b_in_a,
        query,
        memory,
        before,
        &mut out,
    );
    for touching in &*out {
        check(touching, b_in_a, query.margin);
    }
    out.to_vec()
}

/// What every manifold promises.
pub(crate) fn check(touching: &CollisionManifold, b_in_a: &Isometry3<f64>, margin: f64) {
    let normal = touching.normal;
    assert!((normal.norm() - 1.0).abs() < 1e-9, "{touching:?}");
    assert!((1..=4).contains(&touching.points.len()), "{touching:?}");
    for point in &touching.points {
        let [p, q] = point.points;
        let apart = (b_in_a * Point3::from(q)).coords - p;
        let separation = apart.dot(&normal) - point.radii[0] - point.radii[1];
        let scale = p.amax()
            + q.amax()
            + b_in_a.translation.vector.amax()
            + point.radii[0]
            + point.radii[1];
        let error = (separation - point.separation).abs();
        assert!(error <= 1e-9 * scale, "{error:e} of {touching:?}");
        assert!(point.separation <= margin, "{touching:?}");
        assert!(scale.is_finite(), "{touching:?}");
    }
}

/// Smallest separation of all manifolds.
pub(crate) fn deepest(found: &[CollisionManifold]) -> f64 {
    let points = found.iter().flat_map(|touching| &touching.points);
    points
        .map(|point| point.separation)
        .fold(f64::INFINITY, f64::min)
}

/// Features of all points, sorted.
pub(crate) fn features(found: &[CollisionManifold]) -> Vec<u64> {
    let points = found.iter().flat_map(|touching| &touching.points);
    let mut features: Vec<u64> = points.map(|point| point.feature).collect();
    features.sort_unstable();
    features
}

pub(crate) fn shift(x: f64, y: f64, z: f64) -> Isometry3<f64> {
    Isometry3::translation(x, y, z)
}

/// A rotation about an axis, with the bits of `libm`.
pub(crate) fn turn(axis: &Vector3<f64>, angle: f64) -> UnitQuaternion<f64> {
    let vector = libm::sin(0.5 * angle) * axis.normalize();
    UnitQuaternion::new_normalize(Quaternion::from_parts(libm::cos(0.5 * angle), vector))
}

/// Numbers that are the same everywhere.
pub(crate) struct Random(Pcg64Mcg);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(Pcg64Mcg::seed_from_u64(seed))
    }

    /// Uniform between two limits.
    pub(crate) fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * f64::from(self.0.next_u32()) / f64::from(u32::MAX)
    }

    pub(crate) fn vector(&mut self, low: f64, high: f64) -> Vector3<f64> {
        Vector3::from_fn(|_, _| self.between(low, high))
    }

    pub(crate) fn rotation(&mut self) -> UnitQuaternion<f64> {
        loop {
            let parts = [0; 4].map(|_| self.between(-1.0, 1.0));
            let quaternion = Quaternion::new(parts[0], parts[1], parts[2], parts[3]);
            if (0.01..=1.0).contains(&quaternion.norm_squared()) {
                return UnitQuaternion::new_normalize(quaternion);
            }
        }
    }
}

/// The number of kinds of [`convex`].
pub(crate) const CONVEX: usize = 5;

/// A sphere, a box, a capsule, a cylinder or a hull, of sizes about `size`.
pub(crate) fn convex(kind: usize, size: f64, random: &mut Random) -> Shape {
    let mut number = |low: f64| size * random.between(low, 1.0);
    match kind {
        0 => Sphere::new(number(0.2)).into(),
        1 => Cuboid::new(number(0.1), number(0.1), number(0.1)).into(),
        2 => Capsule::new(number(0.0), number(0.1)).into(),
        3 => Cylinder::new(number(0.1), number(0.1)).into(),
        _ => {
            let points = (0..10).map(|_| Vector3::from_fn(|_, _| number(-1.0)));
            Hull::new(points.collect()).into()
        }
    }
}

/// A prism of `count` sides around y.
pub(crate) fn prism(count: u32, half: f64, radius: f64) -> Hull {
    let ring = |y: f64| {
        (0..count).map(move |k| {
            let angle = std::f64::consts::TAU / f64::from(count) * f64::from(k);
            let (sine, cosine) = libm::sincos(angle);
            Vector3::new(radius * cosine, y, radius * sine)
        })
    };
    Hull::new(ring(-half).chain(ring(half)).collect())
}

/// The hull of `count` points of a sphere.
pub(crate) fn ball(count: u32, radius: f64) -> Hull {
    let points = (0..count).map(|k| {
        let height = 1.0 - 2.0 * (f64::from(k) + 0.5) / f64::from(count);
        let (sine, cosine) = libm::sincos(2.4 * f64::from(k));
        let across = (1.0 - height * height).sqrt();
        radius * Vector3::new(across * cosine, height, across * sine)
    });
    Hull::new(points.collect())
}
