//! Two hulls, and a hull with a box: clipping against projections on all directions, against the
//! library, and voussoirs that touch exactly.

use delassus_collide::{ContactQuery, Cuboid, Hull, PolyhedronMethod, Shape};
use nalgebra::{Isometry3, Point3, Vector3};

use crate::support::{Random, deepest, touch};

const CASES: usize = 1500;

fn query(polyhedra: PolyhedronMethod) -> ContactQuery {
    ContactQuery {
        polyhedra,
        ..ContactQuery::default()
    }
}

/// Corners, normals of triangles and edges of a hull.
struct ShapeGeometry {
    hull: Hull,
    corners: Vec<Vector3<f64>>,
    normals: Vec<Vector3<f64>>,
    edges: Vec<Vector3<f64>>,
}

impl ShapeGeometry {
    fn new(hull: Hull) -> Self {
        let (corners, triangles) = hull.triangles().unwrap();
        let of = |[a, b, c]: [u32; 3]| [a, b, c].map(|vertex| corners[vertex as usize]);
        let normals = triangles.iter().map(|triangle| {
            let [a, b, c] = of(*triangle);
            (b - a).cross(&(c - a)).normalize()
        });
        let edges = triangles.iter().flat_map(|triangle| {
            let [a, b, c] = of(*triangle);
            [b - a, c - b, a - c].map(|edge| edge.normalize())
        });
        Self {
            normals: normals.collect(),
            edges: edges.collect(),
            hull,
            corners,
        }
    }

    /// Random points in a box.
    fn random(random: &mut Random) -> Self {
        let half = random.vector(0.3, 1.0);
        let count = 4 + (0..8).filter(|_| random.between(0.0, 1.0) < 0.5).count();
        let point = |_| half.component_mul(&random.vector(-1.0, 1.0));
        Self::new(Hull::new((0..count).map(point).collect()))
    }
}

/// The largest separation of two solids along any direction that a face or two edges have, with
/// that direction, and the smallest lead over a different one.
fn separation(solids: [&ShapeGeometry; 2], pose: &Isometry3<f64>) -> (f64, Vector3<f64>, f64) {
    let [a, b] = solids;
    let turned = |vectors: &[Vector3<f64>]| -> Vec<Vector3<f64>> {
        vectors.iter().map(|v| pose.rotation * v).collect()
    };
    let faces = turned(&b.normals);
    let edges = turned(&b.edges);
    let crossed = a
        .edges
        .iter()
        .flat_map(|u| edges.iter().map(move |v| u.cross(v)));
    let all = a.normals.iter().chain(&faces).copied().chain(crossed);
    let all = all.filter_map(|d| d.try_normalize(1e-4));
    let other = b.corners.iter().map(|p| (pose * Point3::from(*p)).coords);
    let other: Vec<Vector3<f64>> = other.collect();
    let along = |d: &Vector3<f64>| {
        let low = other.iter().map(|p| p.dot(d)).fold(f64::MAX, f64::min);
        let high = a.corners.iter().map(|p| p.dot(d)).fold(f64::MIN, f64::max);
        low - high
    };
    let mut found: Vec<(f64, Vector3<f64>)> =
        all.flat_map(|d| [d, -d]).map(|d| (along(&d), d)).collect();
    found.sort_by(|x, y| y.0.total_cmp(&x.0));
    let (best, axis) = found[0];
    let next = found.iter().find(|(_, d)| (d - axis).norm() > 1e-6);
    (best, axis, best - next.unwrap().0)
}

#[test]
fn clipping_projections_and_the_library_agree_on_random_poses() {
    let mut random = Random::new(19);
    let (mut touching, mut compared, mut apart, mut cut) = (0, 0, 0, 0);
    for case in 0..CASES {
        let a = ShapeGeometry::random(&mut random);
        let b = if case % 3 == 0 {
            let half = random.vector(0.2, 0.8);
            let sign = |k: u32, bit: u32| if k >> bit & 1 == 1 { 1.0 } else { -1.0 };
            let corner = |k| half.component_mul(&Vector3::new(sign(k, 0), sign(k, 1), sign(k, 2)));
            ShapeGeometry::new(Hull::new((0..8).map(corner).collect()))
        } else {
            ShapeGeometry::random(&mut random)
        };
        // a box is a box or the hull of its corners: the answer is the same
        let second: Shape = if case % 6 == 0 {
            let half = b.corners[0].abs();
            Cuboid { half }.into()
        } else {
            b.hull.clone().into()
        };
        let first: Shape = a.hull.clone().into();
        let direction = random.rotation() * Vector3::x();
        let pose = Isometry3::from_parts(
            (random.between(0.2, 1.4) * direction).into(),
            random.rotation(),
        );
        let (best, axis, lead) = separation([&a, &b], &pose);
        let [own, library] = [PolyhedronMethod::Clipping, PolyhedronMethod::Library]
            .map(|method| touch(&first, &second, &pose, &query(method)));
        if best > ContactQuery::default().margin {
            assert!(own.is_empty() && library.is_empty(), "{best}");
            apart += 1;
            continue;
        }
        touching += 1;
        // an earlier kind of axis makes up for 1e-2 of the separation and 1e-3 of the width
        if best > 0.0 || lead < 2.0 * (1e-2 * best.abs() + 2e-3) {
            continue;
        }
        compared += 1;
        assert!(
            (own[0].normal - axis).norm() < 1e-9,
            "{case}: {own:?} {axis} {best}"
        );
        assert!(
            (library[0].normal - axis).norm() < 1e-6,
            "{case}: {library:?} {axis}"
        );
        let [x, y] = [deepest(&own), deepest(&library)];
        // a vertex next to the face that it is deepest below is cut away
        assert!(x >= best - 1e-9, "{x} {best}");
        assert!((y - best).abs() < 1e-6, "{y} {best}");
        cut += usize::from(x > best + 1e-9);
    }
    eprintln!("{touching} touch, {compared} compared, {apart} apart, {cut} cut");
    assert!(5 * cut < compared, "{cut} of {compared}");
    assert!(
        compared > CASES / 8 && apart > CASES / 8,
        "{compared} {apart}"
    );
}

/// Two voussoirs of a semicircle of `n`, in the axes of the world.
fn voussoirs(n: usize, k: usize, thickness: f64) -> ([Hull; 2], Vector3<f64>) {
    let step = std::f64::consts::PI / n as f64;
    let at = |k: usize, side: f64, z: f64| {
        let (sine, cosine) = libm::sincos(k as f64 * step);
        let radius = 5.0 * (1.0 + 0.5 * side * thickness);
        Vector3::new(radius * cosine, radius * sine, z)
    };
    let stone = |k: usize| {
        let sides = [[-1.0, -0.5], [1.0, -0.5], [-1.0, 0.5], [1.0, 0.5]];
        let joint = |k: usize| sides.map(|[side, z]| at(k, side, z));
        let points: Vec<_> = [joint(k), joint(k + 1)].concat();
        Hull::new(points)
    };
    let (sine, cosine) = libm::sincos((k + 1) as f64 * step);
    ([stone(k), stone(k + 1)], Vector3::new(-sine, cosine, 0.0))
}

#[test]
fn voussoirs_that_touch_share_the_corners_of_their_joint() {
    for n in [3, 7, 9, 17, 33, 101] {
        for k in 0..n - 1 {
            for thickness in [0.01, 0.1, 0.3] {
                let (stones, normal) = voussoirs(n, k, thickness);
                let [a, b]: [Shape; 2] = stones.map(Into::into);
                for shift in [0.0, 1e-9, -1e-9, 1e-5, -1e-5] {
                    let pose = Isometry3::translation(
                        shift * normal.x,
                        shift * normal.y,
                        shift * normal.z,
                    );
                    let found = touch(&a, &b, &pose, &ContactQuery::default());
                    assert_eq!(found.len(), 1, "{n} {k} {thickness} {shift}");
                    let off = (found[0].normal - normal).norm();
                    assert!(off < 1e-12, "{n} {k} {thickness} {shift}: {off:e}");
                    let points = &found[0].points;
                    assert_eq!(points.len(), 4, "{n} {k} {thickness} {shift}");
                    assert!(
                        points.iter().all(|p| (p.separation - shift).abs() < 1e-13),
                        "{points:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn a_hull_across_an_edge_of_a_box_touches_in_one_point() {
    // a wedge with its edge along z from above, on the edge along x of a turned cube
    let wedge: Shape = Hull::new(
        [[0.0, 0.0], [1.0, 1.0], [-1.0, 1.0]]
            .into_iter()
            .flat_map(|[x, y]| [-1.0, 1.0].map(|z| Vector3::new(x, y, z)))
            .collect(),
    )
    .into();
    let cube: Shape = Cuboid::cube(0.5).into();
    let tip = 0.5 * 2.0_f64.sqrt();
    let turn = crate::support::turn(&Vector3::x(), std::f64::consts::FRAC_PI_4);
    for gap in [-0.01, 0.0, 0.01] {
        let above = turn.inverse() * Vector3::new(0.1, tip + gap, 0.2);
        let pose = Isometry3::from_parts(above.into(), turn.inverse());
        let found = touch(&cube, &wedge, &pose, &ContactQuery::default());
        assert_eq!((found.len(), found[0].points.len()), (1, 1));
        let point = &found[0].points[0];
        assert!((turn * found[0].normal - Vector3::y()).norm() < 1e-12);
        assert!((point.separation - gap).abs() < 1e-12);
        let place = turn * point.points[0];
        assert!(
            (place - Vector3::new(0.1, tip, 0.0)).norm() < 1e-12,
            "{place}"
        );
    }
}
