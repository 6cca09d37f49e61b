//! Volumes and inertia tensors of hulls against closed forms and against integrals over slices.

use std::f64::consts::{SQRT_2, TAU};

use delassus_collide::{Cuboid, Hull, Inertia, ShapeGeometry};
use nalgebra::{Isometry3, Matrix3, UnitQuaternion, Vector3};

use crate::support::Random;

/// Volume, centre and the tensor of gyration about it.
type Integrals = (f64, Vector3<f64>, Matrix3<f64>);

/// Compares the inertia of a hull, put together from its principal axes, with given integrals.
fn assert_has(hull: &Hull, (volume, centre, gyration): Integrals) {
    let moments = hull.moments().unwrap();
    let reach = hull.points.iter().map(|p| p.norm()).fold(0.0, f64::max);
    assert!((moments.volume / volume - 1.0).abs() < 1e-12, "{hull:?}");
    assert!((moments.centre - centre).norm() < 1e-13 * reach, "{hull:?}");
    let density = 730.0;
    let inertia = hull.inertia(density).unwrap();
    let expected = density * volume * gyration;
    let error = (inertia.tensor() - expected).amax();
    assert!(error < 2e-12 * expected.amax(), "{hull:?}: {error:e}");
    assert!(inertia.validate().is_ok());
}

/// The same solid turned, moved and scaled.
fn placed(
    points: &[Vector3<f64>],
    (volume, centre, gyration): Integrals,
    random: &mut Random,
) -> (Hull, Integrals) {
    let turn = random.rotation();
    let shift = random.vector(-1.0, 1.0);
    let scale = random.between(0.2, 3.0);
    let place = |p: &Vector3<f64>| scale * (turn * p) + shift;
    let rotation = turn.to_rotation_matrix();
    let turned = scale * scale * (rotation.matrix() * gyration * rotation.matrix().transpose());
    let hull = Hull::new(points.iter().map(place).collect());
    (hull, (scale.powi(3) * volume, place(&centre), turned))
}

fn signs(count: u32) -> impl Iterator<Item = [f64; 3]> {
    (0..1_u32 << count).map(|k| [0, 1, 2].map(|bit| if k >> bit & 1 == 1 { 1.0 } else { -1.0 }))
}

/// Corners of the five regular solids, their edge and the moment per mass and square of the edge.
fn regular() -> [(Vec<Vector3<f64>>, f64, f64, f64); 5] {
    let golden = 0.5 * (1.0 + 5.0_f64.sqrt());
    let cube: Vec<Vector3<f64>> = signs(3).map(Vector3::from).collect();
    let tetrahedron = cube.iter().filter(|p| p.product() > 0.0).copied().collect();
    let octahedron = (0..3)
        .flat_map(|k| [Vector3::ith(k, 1.0), Vector3::ith(k, -1.0)])
        .collect();
    let around = |first: f64, second: f64| {
        signs(2).flat_map(move |[s, t, _]| {
            let [a, b] = [s * first, t * second];
            [
                Vector3::new(0.0, a, b),
                Vector3::new(a, b, 0.0),
                Vector3::new(b, 0.0, a),
            ]
        })
    };
    let icosahedron = around(1.0, golden).collect();
    let dodecahedron = cube
        .iter()
        .copied()
        .chain(around(1.0 / golden, golden))
        .collect();
    [
        (tetrahedron, 2.0 * SQRT_2, SQRT_2 / 12.0, 0.05),
        (octahedron, SQRT_2, SQRT_2 / 3.0, 0.1),
        (cube, 2.0, 1.0, 1.0 / 6.0),
        (
            icosahedron,
            2.0,
            5.0 * (3.0 + 5.0_f64.sqrt()) / 12.0,
            golden * golden / 10.0,
        ),
        (
            dodecahedron,
            2.0 / golden,
            (15.0 + 7.0 * 5.0_f64.sqrt()) / 4.0,
            (39.0 * golden + 28.0) / 150.0,
        ),
    ]
}

#[test]
fn regular_solids_have_one_moment_however_they_are_turned() {
    let mut random = Random::new(1);
    for (points, edge, volume, moment) in regular() {
        let gyration = Matrix3::from_diagonal_element(moment * edge * edge);
        let integrals = (volume * edge.powi(3), Vector3::zeros(), gyration);
        for _ in 0..200 {
            let (hull, integrals) = placed(&points, integrals, &mut random);
            assert_has(&hull, integrals);
        }
    }
}

#[test]
fn prisms_have_the_moments_of_their_polygon() {
    let mut random = Random::new(2);
    for count in 3..30_u32 {
        let (radius, half) = (random.between(0.1, 1.0), random.between(0.05, 2.0));
        let sector = TAU / f64::from(count);
        let ring = |y: f64| {
            (0..count).map(move |k| {
                let (sine, cosine) = libm::sincos(sector * f64::from(k));
                Vector3::new(radius * cosine, y, radius * sine)
            })
        };
        let points: Vec<Vector3<f64>> = ring(-half).chain(ring(half)).collect();
        let area = 0.5 * f64::from(count) * radius * radius * libm::sin(sector);
        let along = radius * radius * (2.0 + libm::cos(sector)) / 6.0;
        let across = 0.5 * along + half * half / 3.0;
        let gyration = Matrix3::from_diagonal(&Vector3::new(across, along, across));
        let integrals = (2.0 * half * area, Vector3::zeros(), gyration);
        for _ in 0..20 {
            let (hull, integrals) = placed(&points, integrals, &mut random);
            assert_has(&hull, integrals);
        }
    }
}

/// Integrals about the origin: volume, ∫x and ∫x xᵀ.
type Raw = (f64, Vector3<f64>, Matrix3<f64>);

fn raw(volume: f64, centre: Vector3<f64>, gyration: Matrix3<f64>) -> Raw {
    let spread = Matrix3::from_diagonal_element(0.5 * gyration.trace()) - gyration;
    (
        volume,
        volume * centre,
        volume * (spread + centre * centre.transpose()),
    )
}

fn about_centre((volume, first, second): Raw) -> Integrals {
    let centre = first / volume;
    let spread = second / volume - centre * centre.transpose();
    (
        volume,
        centre,
        Matrix3::from_diagonal_element(spread.trace()) - spread,
    )
}

/// A corner of a cube, cut off: closed form of a tetrahedron by the mean of its corners.
fn cut(corner: Vector3<f64>, depth: Vector3<f64>) -> Raw {
    let ends = (0..3).map(|k| corner - Vector3::ith(k, depth[k] * corner[k].signum()));
    let corners: Vec<Vector3<f64>> = ends.chain([corner]).collect();
    let volume = depth.product() / 6.0;
    let sum: Vector3<f64> = corners.iter().sum();
    let squares: Matrix3<f64> = corners.iter().map(|p| p * p.transpose()).sum();
    (
        volume,
        volume * sum / 4.0,
        volume * (sum * sum.transpose() + squares) / 20.0,
    )
}

#[test]
fn boxes_with_cut_corners_are_boxes_without_tetrahedra() {
    let mut random = Random::new(3);
    for case in 0..600 {
        // a third are cubes with equal cuts, a third nearly so
        let odd = [0.0, 1e-9, 0.3][case % 3];
        let mut about = |size: f64| random.vector(size, size * (1.0 + odd));
        let half = about(0.5);
        let depth = about(0.35);
        let list: Vec<[f64; 3]> = signs(3).collect();
        let cuts = [1_usize, 2, 4, 8][case % 4];
        let (mut volume, mut first, mut second) = {
            let whole = Cuboid { half }.moments().unwrap();
            raw(whole.volume, Vector3::zeros(), whole.gyration)
        };
        let mut points = Vec::new();
        // the last corner first: the one in (1, 1, 1)
        for (at, sign) in list.iter().rev().enumerate() {
            let corner = half.component_mul(&Vector3::from(*sign));
            if at >= cuts {
                points.push(corner);
                continue;
            }
            points.extend((0..3).map(|k| corner - Vector3::ith(k, depth[k] * sign[k])));
            let (v, f, s) = cut(corner, depth);
            (volume, first, second) = (volume - v, first - f, second - s);
        }
        let integrals = about_centre((volume, first, second));
        assert_has(&Hull::new(points.clone()), integrals);
        let (hull, integrals) = placed(&points, integrals, &mut random);
        assert_has(&hull, integrals);
    }
}

/// Integrals of a convex solid by slices across z: between the heights of corners the moments of a
/// slice are polynomials of degree four at most, which three points of Gauss integrate exactly.
fn slices(hull: &Hull) -> Integrals {
    let (corners, triangles) = hull.triangles().unwrap();
    let mut heights: Vec<f64> = corners.iter().map(|p| p.z).collect();
    heights.sort_by(f64::total_cmp);
    let mut sum = (0.0, Vector3::zeros(), Matrix3::zeros());
    let node = 0.6_f64.sqrt();
    for pair in heights.windows(2) {
        let (middle, half) = (0.5 * (pair[0] + pair[1]), 0.5 * (pair[1] - pair[0]));
        for (at, weight) in [(-node, 5.0 / 9.0), (0.0, 8.0 / 9.0), (node, 5.0 / 9.0)] {
            let part = slice(&corners, &triangles, middle + at * half);
            let weight = weight * half;
            sum.0 += weight * part.0;
            sum.1 += weight * part.1;
            sum.2 += weight * part.2;
        }
    }
    about_centre(sum)
}

/// Area and moments of the section of a closed surface at a height, by Green's theorem: each
/// triangle gives one side.
fn slice(corners: &[Vector3<f64>], triangles: &[[u32; 3]], z: f64) -> Raw {
    let mut sum = (0.0, Vector3::zeros(), Matrix3::zeros());
    for triangle in triangles {
        let points = triangle.map(|corner| corners[corner as usize]);
        let [mut from, mut to] = [None, None];
        for k in 0..3 {
            let (p, q) = (points[k], points[(k + 1) % 3]);
            let crossing = || p + (z - p.z) / (q.z - p.z) * (q - p);
            if p.z <= z && q.z > z {
                to = Some(crossing());
            } else if p.z > z && q.z <= z {
                from = Some(crossing());
            }
        }
        if let (Some(a), Some(b)) = (from, to) {
            // a triangle of the plane with the point over the origin
            let twice = a.x * b.y - a.y * b.x;
            let [a, b] = [a, b].map(|p| Vector3::new(p.x, p.y, 0.0));
            let flat = a + b;
            let squares = flat * flat.transpose() + a * a.transpose() + b * b.transpose();
            let up = Vector3::new(0.0, 0.0, z);
            let (area, first) = (0.5 * twice, twice * flat / 6.0);
            sum.0 += area;
            sum.1 += first + area * up;
            sum.2 += twice * squares / 24.0
                + first * up.transpose()
                + up * first.transpose()
                + area * up * up.transpose();
        }
    }
    sum
}

#[test]
fn random_hulls_have_the_moments_of_their_slices() {
    let mut random = Random::new(4);
    for case in 0..300 {
        let count = 5 + case % 40;
        let stretch = random.vector(0.05, 1.0);
        let centre = random.vector(-2.0, 2.0);
        let turn = random.rotation();
        let point = |random: &mut Random| {
            let flat = random.vector(-1.0, 1.0).component_mul(&stretch);
            turn * flat + centre
        };
        let hull = Hull::new((0..count).map(|_| point(&mut random)).collect());
        let (corners, triangles) = hull.triangles().unwrap();
        for triangle in &triangles {
            let [a, b, c] = triangle.map(|corner| corners[corner as usize]);
            let normal = (b - a).cross(&(c - a)).normalize();
            let out = hull.points.iter().map(|p| normal.dot(&(p - a)));
            assert!(out.fold(f64::MIN, f64::max) < 1e-9, "{hull:?}");
        }
        assert_has(&hull, slices(&hull));
    }
}

#[test]
fn bodies_of_equal_parts_around_a_diagonal_have_its_symmetry() {
    let mut random = Random::new(5);
    for _ in 0..200 {
        // three boxes that a third of a turn about (1, 1, 1) takes into each other
        let half = random.vector(0.1, 0.6);
        let at = random.vector(-1.0, 1.0);
        let third = UnitQuaternion::from_axis_angle(
            &nalgebra::Unit::new_normalize(Vector3::repeat(1.0)),
            TAU / 3.0,
        );
        let part = Cuboid { half }.solid(2.0).unwrap();
        let mut turn = UnitQuaternion::identity();
        let parts = [(); 3].map(|()| {
            turn = third * turn;
            (part, Isometry3::from_parts((turn * at).into(), turn))
        });
        let (sum, centre) = Inertia::sum(&parts).unwrap();
        let mut expected = Matrix3::zeros();
        for (_, place) in parts {
            let own = place.rotation.to_rotation_matrix();
            let arm = place.translation.vector - centre;
            expected += own.matrix() * part.tensor() * own.matrix().transpose()
                + 2.0
                    * (Matrix3::from_diagonal_element(arm.norm_squared()) - arm * arm.transpose());
        }
        assert!((sum.tensor() - expected).amax() < 1e-14 * expected.amax());
        let diagonal = Vector3::repeat(1.0);
        let turned = sum.tensor() * diagonal;
        assert!((turned - turned.mean() * diagonal).amax() < 1e-14 * expected.amax());
    }
}

#[test]
fn plates_and_needles_keep_their_thickness() {
    let mut random = Random::new(6);
    for thin in [1e-2, 1e-3, 1e-4, 1e-5] {
        for half in [
            Vector3::new(0.7, thin, 0.4),
            Vector3::new(0.6 * thin, thin, 0.5),
        ] {
            let points: Vec<_> = signs(3)
                .map(|s| half.component_mul(&Vector3::from(s)))
                .collect();
            let whole = Cuboid { half }.moments().unwrap();
            let turn = random.rotation();
            let hull = Hull::new(points.iter().map(|p| turn * p).collect());
            let moments = hull.moments().unwrap();
            // corners are rounded, and planes through them: a share of at most 1e-13 / thin of the
            // thickness
            let near = 1e-13 / thin;
            let error = (moments.volume / whole.volume - 1.0).abs();
            assert!(error < near, "{half}: {error:e}");
            let rotation = turn.to_rotation_matrix();
            let expected = rotation.matrix() * whole.gyration * rotation.matrix().transpose();
            assert!(
                (moments.gyration - expected).amax() < near * expected.amax(),
                "{half}"
            );
        }
    }
}
