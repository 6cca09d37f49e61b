//! Shapes that coincide, shapes of very different sizes, and any shapes anywhere.

use delassus_collide::{
    Capsule, ContactQuery, Cuboid, HalfSpace, HeightField, Mesh, PolyhedronMethod, Shape, Sphere,
};
use nalgebra::{Isometry3, Vector3};
use proptest::prelude::*;

use crate::support::{CONVEX, Random, convex, deepest, shift, touch, turn};

fn queries() -> [ContactQuery; 2] {
    [PolyhedronMethod::Clipping, PolyhedronMethod::Library].map(|polyhedra| ContactQuery {
        polyhedra,
        ..ContactQuery::default()
    })
}

#[test]
fn coincident_centres_give_a_finite_contact() {
    let still = Isometry3::identity();
    let turned = Isometry3::from_parts(Vector3::zeros().into(), turn(&Vector3::x(), 0.7));
    for query in queries() {
        for pose in [still, turned] {
            let sphere: Shape = Sphere::new(0.3).into();
            let found = touch(&sphere, &sphere, &pose, &query);
            assert!((deepest(&found) + 0.6).abs() < 1e-12);
            let cuboid: Shape = Cuboid::new(0.5, 0.2, 0.3).into();
            let found = touch(&cuboid, &cuboid, &pose, &query);
            assert!(found.len() == 1 && deepest(&found) < -0.3, "{found:?}");
            let capsule: Shape = Capsule::new(0.5, 0.1).into();
            let found = touch(&capsule, &capsule, &pose, &query);
            assert!((deepest(&found) + 0.2).abs() < 1e-12, "{found:?}");
            // out of the other one sideways, not lengthwise
            assert!(found[0].normal.y.abs() < 1e-9, "{found:?}");
        }
    }
}

#[test]
fn small_and_large_sizes_touch_as_others() {
    for (large, small) in [(1e3, 1e-3), (1.0, 1e-6), (1e6, 1.0), (1e-6, 1e-6)] {
        let below: Shape = Cuboid::cube(large).into();
        let above: Shape = Cuboid::cube(small).into();
        let overlap = 0.01 * small;
        let pose = shift(0.3 * large, large + small - overlap, -0.2 * large);
        for query in queries() {
            let found = touch(&below, &above, &pose, &query);
            assert_eq!(found.len(), 1);
            assert!(
                (deepest(&found) + overlap).abs() < 1e-9 * large,
                "{found:?}"
            );
            assert!((found[0].normal - Vector3::y()).norm() < 1e-9, "{found:?}");
        }
    }
}

#[test]
fn centres_on_edges_and_corners_of_a_box() {
    let cuboid: Shape = Cuboid::new(0.5, 0.25, 1.0).into();
    let ball: Shape = Sphere::new(0.1).into();
    for x in [0.0, 0.5] {
        for y in [0.0, 0.25] {
            for z in [0.0, 1.0] {
                // a ball with its centre on the surface has no direction to leave by: finite or
                // none
                touch(&cuboid, &ball, &shift(x, y, z), &ContactQuery::default());
                touch(
                    &cuboid,
                    &cuboid,
                    &shift(2.0 * x, 2.0 * y, 2.0 * z),
                    &ContactQuery::default(),
                );
            }
        }
    }
}

/// One shape of every kind, of sizes about `size`.
fn shape(kind: usize, size: f64, random: &mut Random) -> Shape {
    match kind {
        0..CONVEX => convex(kind, size, random),
        CONVEX => HalfSpace::default().into(),
        6 => {
            let vertices = (0..9).map(|k| {
                Vector3::new(
                    size * f64::from(k % 3 - 1),
                    size * random.between(-0.3, 1.0),
                    size * f64::from(k / 3 - 1),
                )
            });
            let triangles = [0, 1, 3, 4]
                .into_iter()
                .flat_map(|k| [[k, k + 3, k + 1], [k + 1, k + 3, k + 4]]);
            Mesh {
                vertices: vertices.collect(),
                triangles: triangles.collect(),
            }
            .into()
        }
        _ => HeightField {
            size: [2.0 * size; 2],
            heights: (0..3)
                .map(|_| (0..3).map(|_| size * random.between(-0.3, 1.0)).collect())
                .collect(),
        }
        .into(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    /// `touch` checks every promise of a manifold.
    #[test]
    fn every_pair_gives_manifolds_that_hold_what_they_promise(
        seed in 0_u64..u64::MAX,
        kinds in (0_usize..8, 0_usize..8),
        scale in -3_i32..4,
        distance in 0.0_f64..2.5,
    ) {
        let mut random = Random::new(seed);
        let [first, second] = [1.0, libm::pow(10.0, f64::from(scale))];
        let a = shape(kinds.0, first, &mut random);
        let b = shape(kinds.1, second, &mut random);
        let direction = random.rotation() * Vector3::x();
        let place = distance * first.max(second) * direction;
        let pose = Isometry3::from_parts(place.into(), random.rotation());
        for query in queries() {
            let found = touch(&a, &b, &pose, &query);
            let again = touch(&a, &b, &pose, &query);
            prop_assert_eq!(found, again);
        }
    }
}
