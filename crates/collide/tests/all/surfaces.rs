//! Shapes on surfaces of triangles: a plane is one plane, however many triangles it has.

use delassus_collide::{
    Capsule, CollisionManifold, ContactQuery, Cuboid, Cylinder, HalfSpace, HeightField, Hull, Mesh,
    Shape, Sphere,
};
use nalgebra::{Isometry3, Vector3};

use crate::support::{Random, deepest, features, touch, turn};

/// A square of 2 by 2 metres in the plane y = 0, of `cells` by `cells` squares of two triangles.
fn flat_mesh(cells: u32) -> Shape {
    let count = cells + 1;
    let at = |k: u32| 2.0 * f64::from(k) / f64::from(cells) - 1.0;
    let vertex = |k: u32| Vector3::new(at(k % count), 0.0, at(k / count));
    let cell = |k: u32| {
        let corner = k / cells * count + k % cells;
        let (right, down, across) = (corner + 1, corner + count, corner + count + 1);
        [[corner, down, right], [right, down, across]]
    };
    let mesh = Mesh {
        vertices: (0..count * count).map(vertex).collect(),
        triangles: (0..cells * cells).flat_map(cell).collect(),
    };
    mesh.into()
}

fn flat_heights(cells: usize) -> Shape {
    let field = HeightField {
        size: [2.0, 2.0],
        heights: vec![vec![0.0; cells + 1]; cells + 1],
    };
    field.into()
}

fn grounds() -> [Shape; 2] {
    [flat_mesh(8), flat_heights(8)]
}

fn cube_hull(half: f64) -> Shape {
    let sign = |k: u32, bit: u32| if k >> bit & 1 == 1 { half } else { -half };
    let corner = |k| Vector3::new(sign(k, 0), sign(k, 1), sign(k, 2));
    Hull::new((0..8).map(corner).collect()).into()
}

fn assert_apart(found: &CollisionManifold) {
    for (index, point) in found.points.iter().enumerate() {
        for other in &found.points[..index] {
            let distance = (point.points[0] - other.points[0]).norm();
            assert!(distance > 1e-6, "{found:?}");
        }
    }
}

/// What touches a flat surface is what touches a half-space, in one manifold, from either side.
fn assert_as_plane(ground: &Shape, shape: &Shape, pose: &Isometry3<f64>) -> CollisionManifold {
    let query = ContactQuery::default();
    let plane = touch(&HalfSpace::default().into(), shape, pose, &query);
    let found = touch(ground, shape, pose, &query);
    assert_eq!(found.len(), 1, "{pose} {found:?}");
    assert_eq!(found[0].parts, [0, 0]);
    assert!((found[0].normal - Vector3::y()).norm() < 1e-9, "{found:?}");
    assert!(
        (deepest(&found) - deepest(&plane)).abs() < 1e-6,
        "{found:?} {plane:?}"
    );
    assert_eq!(
        found[0].points.len(),
        plane[0].points.len(),
        "{pose} {found:?} {plane:?}"
    );
    assert_apart(&found[0]);
    let swapped = touch(shape, ground, &pose.inverse(), &query);
    assert_eq!(swapped.len(), 1);
    assert_eq!(swapped[0].parts, [0, 0]);
    assert_eq!(swapped[0].points.len(), found[0].points.len());
    assert!((deepest(&swapped) - deepest(&found)).abs() < 1e-6);
    let back = -(pose.rotation * swapped[0].normal);
    assert!((back - Vector3::y()).norm() < 1e-9);
    found.into_iter().next().unwrap()
}

#[test]
fn a_box_slides_over_many_triangles_with_four_features() {
    let cuboid: Shape = Cuboid::new(0.3, 0.2, 0.25).into();
    let mut random = Random::new(41);
    for ground in grounds() {
        for angle in [0.0, 0.3, std::f64::consts::FRAC_PI_4] {
            let mut known = None;
            for step in 0..60 {
                // every third place has corners on edges and vertices of the triangles
                let (x, z) = if step % 3 == 0 {
                    (
                        0.05 + 0.25 * f64::from(step % 4 - 2),
                        0.25 * f64::from(step % 3 - 1),
                    )
                } else {
                    (random.between(-0.5, 0.5), random.between(-0.5, 0.5))
                };
                let rotation = turn(&Vector3::y(), angle);
                let height = 0.2 + random.between(-0.01, 0.01);
                let pose = Isometry3::from_parts(Vector3::new(x, height, z).into(), rotation);
                let found = assert_as_plane(&ground, &cuboid, &pose);
                let now = features(&[found]);
                assert!(now.iter().all(|f| *f != 0), "{now:?}");
                assert_eq!(*known.get_or_insert(now.clone()), now, "{x} {z}");
            }
        }
    }
}

#[test]
fn other_shapes_touch_a_flat_surface_as_a_plane() {
    let mut random = Random::new(43);
    let flat = std::f64::consts::FRAC_PI_2;
    let lying = turn(&Vector3::x(), flat);
    let upright = turn(&Vector3::x(), 0.0);
    let shapes: [(Shape, f64, _); 6] = [
        (Sphere::new(0.2).into(), 0.2, upright),
        (Capsule::new(0.3, 0.1).into(), 0.1, lying),
        (Capsule::new(0.3, 0.1).into(), 0.4, upright),
        (Cylinder::new(0.3, 0.2).into(), 0.2, lying),
        (Cylinder::new(0.3, 0.2).into(), 0.3, upright),
        (cube_hull(0.2), 0.2, upright),
    ];
    for ground in grounds() {
        for (shape, height, rotation) in &shapes {
            for step in 0..60 {
                let (x, z) = if step % 3 == 0 {
                    (
                        0.25 * f64::from(step % 4 - 2),
                        0.25 * f64::from(step % 3 - 1),
                    )
                } else {
                    (random.between(-0.5, 0.5), random.between(-0.5, 0.5))
                };
                let rotation = turn(&Vector3::y(), 0.1 * f64::from(step)) * rotation;
                let height = height + random.between(-0.005, 0.01);
                let pose = Isometry3::from_parts(Vector3::new(x, height, z).into(), rotation);
                assert_as_plane(&ground, shape, &pose);
            }
        }
    }
}

#[test]
fn a_box_over_the_rim_touches_where_it_lies() {
    let cuboid: Shape = Cuboid::new(0.3, 0.2, 0.25).into();
    for ground in grounds() {
        let pose = Isometry3::translation(0.9, 0.195, 0.1);
        let found = touch(&ground, &cuboid, &pose, &ContactQuery::default());
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0].points.len(), 4);
        let far = found[0]
            .points
            .iter()
            .map(|p| p.points[0].x)
            .fold(0.0, f64::max);
        let near = found[0]
            .points
            .iter()
            .map(|p| p.points[0].x)
            .fold(2.0, f64::min);
        assert!(
            (far - 1.0).abs() < 1e-9 && (near - 0.6).abs() < 1e-9,
            "{found:?}"
        );
    }
}

#[test]
fn two_slopes_are_two_planes() {
    // a valley along z: one side rises to the right, the other to the left
    let rise = 0.5;
    let vertices =
        [-1.0, 0.0, 1.0].map(|x: f64| [-1.0, 1.0].map(|z| Vector3::new(x, rise * x.abs(), z)));
    let mesh: Shape = Mesh {
        vertices: vertices.into_iter().flatten().collect(),
        triangles: vec![[0, 1, 2], [2, 1, 3], [2, 3, 4], [4, 3, 5]],
    }
    .into();
    let radius = 0.2;
    let height = radius * libm::sqrt(1.0 + rise * rise) - 0.001;
    let pose = Isometry3::translation(0.0, height, 0.3);
    let found = touch(
        &mesh,
        &Sphere::new(radius).into(),
        &pose,
        &ContactQuery::default(),
    );
    let parts: Vec<u32> = found.iter().map(|touching| touching.parts[0]).collect();
    assert_eq!(parts, [0, 2], "{found:?}");
    for touching in &found {
        assert_eq!(touching.points.len(), 1);
        assert!((touching.normal.y - 1.0 / libm::sqrt(1.0 + rise * rise)).abs() < 1e-9);
    }
}

#[test]
fn cylinders_and_prisms_lie_flat_on_surfaces() {
    let mut random = Random::new(12);
    for case in 0..200 {
        let (half, radius) = (random.between(0.02, 0.4), random.between(0.05, 0.4));
        let ring = |y: f64| {
            (0..24).map(move |k| {
                let (s, c) = libm::sincos(std::f64::consts::TAU / 24.0 * f64::from(k));
                Vector3::new(radius * c, y, radius * s)
            })
        };
        let shape: Shape = if case % 2 == 0 {
            Cylinder::new(half, radius).into()
        } else {
            Hull::new(ring(-half).chain(ring(half)).collect()).into()
        };
        let gap = [0.0, 1e-17, -1e-16, -1e-12, -1e-8, 1e-12, -1e-5, 1e-6][case % 8];
        let centred = f64::from(u8::from(case % 3 > 0));
        let at = centred * random.vector(-0.5, 0.5) + Vector3::new(0.0, 0.0, 0.0);
        let place = Vector3::new(at.x, half + gap, at.z);
        let tilt = turn(&random.vector(-1.0, 1.0), [0.0, 1e-16, 1e-9][case % 3]);
        let pose = Isometry3::from_parts(
            place.into(),
            tilt * turn(&Vector3::y(), random.between(0.0, 6.0)),
        );
        for ground in grounds() {
            let found = touch(&ground, &shape, &pose, &ContactQuery::default());
            assert_eq!(found.len(), 1, "{pose} {found:?}");
            assert!((found[0].normal - Vector3::y()).norm() < 1e-9, "{found:?}");
            assert!((deepest(&found) - gap).abs() < 1e-8, "{gap:e} {found:?}");
            assert_eq!(found[0].points.len(), 4);
        }
    }
}

/// A plane of 9 by 4 metres with cells of 1 by 2 metres, as heights and as triangles that are not
/// alike.
fn wide_grounds() -> [Shape; 2] {
    let field = HeightField {
        size: [9.0, 4.0],
        heights: vec![vec![0.0; 10]; 3],
    };
    let vertex = |k: u32| {
        let [x, z] = [k % 7, k / 7].map(f64::from);
        let inner = |k: u32, last: u32| (1..last).contains(&k);
        let moved = if inner(k % 7, 6) && inner(k / 7, 4) {
            0.17 * libm::sin(f64::from(k))
        } else {
            0.0
        };
        Vector3::new(1.5 * x - 4.5 + moved, 0.0, z - 2.0 - moved)
    };
    let cell = |k: u32| {
        let corner = k / 6 * 7 + k % 6;
        let (right, down, across) = (corner + 1, corner + 7, corner + 8);
        [[corner, down, across], [corner, across, right]]
    };
    let mesh = Mesh {
        vertices: (0..35).map(vertex).collect(),
        triangles: (0..24).flat_map(cell).collect(),
    };
    [field.into(), mesh.into()]
}

/// Triangles ahead of a shape that lies level on a plane are closest at an edge behind which the
/// plane goes on: there is nothing to run against.
#[test]
fn nothing_stands_out_of_a_flat_surface() {
    let mut random = Random::new(91);
    let lying = turn(&Vector3::x(), std::f64::consts::FRAC_PI_2);
    let upright = turn(&Vector3::x(), 0.0);
    let shapes: [(Shape, f64, _); 6] = [
        (Cuboid::new(0.25, 0.1, 0.2).into(), 0.1, upright),
        (Cuboid::new(0.6, 0.3, 0.7).into(), 0.3, upright),
        (Capsule::new(0.4, 0.15).into(), 0.15, lying),
        (Cylinder::new(0.12, 0.35).into(), 0.12, upright),
        (Cylinder::new(0.5, 0.2).into(), 0.2, lying),
        (cube_hull(0.3), 0.3, upright),
    ];
    let lifts = [0.0, 3e-17, -6e-17, 2e-13, -4e-6, -3e-4, 0.008, 0.019];
    for ground in wide_grounds() {
        for (shape, height, rotation) in &shapes {
            for step in 0..600 {
                let angle = 0.05 * f64::from(step / 3);
                let rotation = match step % 3 {
                    0 => turn(&Vector3::y(), angle) * rotation,
                    _ => *rotation,
                };
                let y = height + lifts[step as usize % lifts.len()];
                let at = Vector3::new(random.between(-3.4, 3.4), y, random.between(-0.9, 0.9));
                let pose = Isometry3::from_parts(at.into(), rotation);
                let found = touch(&ground, shape, &pose, &ContactQuery::default());
                assert_eq!(found.len(), 1, "{pose} {found:?}");
                let off = (found[0].normal - Vector3::y()).norm();
                assert!(off < 1e-9, "{pose} {found:?}");
            }
        }
    }
}
