//! Two boxes: clipping against the library, against projections of corners, and from either side.

use delassus_collide::{ContactQuery, Cuboid, PolyhedronMethod, Shape};
use nalgebra::{Isometry3, Point3, Vector3};

use crate::support::{Random, deepest, shift, touch, turn};

const CASES: usize = 4000;

struct Case {
    halves: [Vector3<f64>; 2],
    pose: Isometry3<f64>,
}

impl Case {
    fn random(random: &mut Random) -> Self {
        let halves = [0; 2].map(|_| random.vector(0.1, 1.0));
        let rotation = random.rotation();
        let direction = random.rotation() * Vector3::x();
        let reach = halves[0].norm() + halves[1].norm();
        let distance = random.between(0.4, 0.8) * reach;
        let pose = Isometry3::from_parts((distance * direction).into(), rotation);
        Self { halves, pose }
    }

    fn shapes(&self) -> [Shape; 2] {
        self.halves.map(|half| Cuboid { half }.into())
    }

    fn smallest(&self) -> f64 {
        self.halves[0].min().min(self.halves[1].min())
    }

    /// Separations along all axes, the largest first, from the projections of the corners; with the
    /// rank of the axis: faces of A, of B, edges.
    fn separations(&self) -> Vec<(f64, Vector3<f64>, usize)> {
        let corners = |half: &Vector3<f64>| {
            let sign = |k: u32, bit: u32| if k >> bit & 1 == 1 { 1.0 } else { -1.0 };
            [0, 1, 2, 3, 4, 5, 6, 7]
                .map(|k| half.component_mul(&Vector3::new(sign(k, 0), sign(k, 1), sign(k, 2))))
        };
        let a = corners(&self.halves[0]);
        let b = corners(&self.halves[1]).map(|p| (self.pose * Point3::from(p)).coords);
        let own = [0, 1, 2].map(|k| Vector3::ith(k, 1.0));
        let other = own.map(|axis: Vector3<f64>| self.pose.rotation * axis);
        let edges = own
            .iter()
            .flat_map(|u| other.iter().map(move |v| u.cross(v)));
        let all = own.iter().chain(&other).copied().chain(edges);
        let along = |(index, axis): (usize, Vector3<f64>)| {
            let axis = axis.try_normalize(1e-4)?;
            let range = |points: &[Vector3<f64>]| {
                let heights = points.iter().map(|p| p.dot(&axis));
                heights.fold((f64::MAX, f64::MIN), |(l, h), x| (l.min(x), h.max(x)))
            };
            let ((low, high), (l, h)) = (range(&a), range(&b));
            let towards = if self.pose.translation.vector.dot(&axis) < 0.0 {
                -axis
            } else {
                axis
            };
            let rank = usize::from(index > 2) + usize::from(index > 5);
            Some(((l - high).max(low - h), towards, rank))
        };
        let mut found: Vec<_> = all.enumerate().filter_map(along).collect();
        found.sort_by(|x, y| y.0.total_cmp(&x.0));
        found
    }

    /// True if no axis of an earlier rank is preferred to the best: one rank makes up for at most
    /// 1e-3 of the smallest half edge and 1e-2 of the separation. Of equal ranks the best is ahead
    /// of rounding.
    fn is_clear(&self) -> bool {
        let axes = self.separations();
        let (best, _, rank) = axes[0];
        axes[1..].iter().all(|(next, _, other)| {
            let ranks = rank.saturating_sub(*other) as f64;
            let slack = 1e-2 * next.abs() + 1e-3 * self.smallest();
            best - next > 1e-9 + ranks * slack
        })
    }
}

fn query(polyhedra: PolyhedronMethod) -> ContactQuery {
    ContactQuery {
        polyhedra,
        ..ContactQuery::default()
    }
}

#[test]
fn clipping_and_the_library_agree_on_random_poses() {
    let mut random = Random::new(13);
    let (mut ties, mut touching, mut one_sided) = (0, 0, 0);
    for _ in 0..CASES {
        let case = Case::random(&mut random);
        let [a, b] = case.shapes();
        let [own, library] = [PolyhedronMethod::Clipping, PolyhedronMethod::Library]
            .map(|method| touch(&a, &b, &case.pose, &query(method)));
        let (separation, axis, _) = case.separations()[0];
        if separation > ContactQuery::default().margin {
            assert!(own.is_empty() && library.is_empty());
            continue;
        }
        touching += 1;
        if !case.is_clear() {
            ties += 1;
            continue;
        }
        // boxes that are apart may be farther apart than any axis shows
        if separation > 0.0 && own.is_empty() != library.is_empty() {
            one_sided += 1;
            continue;
        }
        if own.is_empty() {
            assert!(separation > 0.0, "{separation}");
            continue;
        }
        assert!((own[0].normal - axis).norm() < 1e-9);
        assert!((library[0].normal - axis).norm() < 1e-9);
        let [x, y] = [deepest(&own), deepest(&library)];
        assert!(
            (x - y).abs() < 1e-4 * case.smallest(),
            "{x} {y} {separation}"
        );
        assert!(x >= separation - 1e-9);
    }
    eprintln!("{touching} touch, {ties} ties, {one_sided} apart and found by one");
    assert!(touching > CASES / 3, "{touching}");
    assert!(10 * ties < touching, "{ties} of {touching}");
    assert!(100 * one_sided < touching, "{one_sided} of {touching}");
}

#[test]
fn seen_from_the_other_box_the_normal_turns_round() {
    let mut random = Random::new(17);
    let mut compared = 0;
    for _ in 0..CASES {
        let case = Case::random(&mut random);
        let turned = Case {
            halves: [case.halves[1], case.halves[0]],
            pose: case.pose.inverse(),
        };
        if !(case.is_clear() && turned.is_clear()) {
            continue;
        }
        let [a, b] = case.shapes();
        let found = touch(&a, &b, &case.pose, &query(PolyhedronMethod::Clipping));
        let swapped = touch(
            &b,
            &a,
            &case.pose.inverse(),
            &query(PolyhedronMethod::Clipping),
        );
        assert_eq!(found.len(), swapped.len());
        let ([found], [swapped]) = (found.as_slice(), swapped.as_slice()) else {
            continue;
        };
        compared += 1;
        let back = -(case.pose.rotation * swapped.normal);
        assert!((found.normal - back).norm() < 1e-12);
        let sorted = |points: &[delassus_collide::Touch]| {
            let mut all: Vec<f64> = points.iter().map(|p| p.separation).collect();
            all.sort_by(f64::total_cmp);
            all
        };
        let [x, y] = [sorted(&found.points), sorted(&swapped.points)];
        assert_eq!(x.len(), y.len());
        for (x, y) in x.iter().zip(&y) {
            assert!((x - y).abs() < 1e-12, "{found:?} {swapped:?}");
        }
    }
    assert!(compared > CASES / 4, "{compared}");
}

#[test]
fn crossed_edges_touch_in_one_point() {
    // an edge along x below an edge along z, both boxes turned by 45 degrees
    let half = 0.5_f64;
    let cube: Shape = Cuboid::cube(half).into();
    let quarter = std::f64::consts::FRAC_PI_4;
    let tip = 2.0_f64.sqrt() * half;
    let (first, second) = (turn(&Vector3::x(), quarter), turn(&Vector3::z(), quarter));
    for gap in [-0.01, 0.01] {
        let centre = first.inverse() * Vector3::new(0.1, 2.0 * tip + gap, -0.2);
        let pose = Isometry3::from_parts(centre.into(), first.inverse() * second);
        let found = touch(&cube, &cube, &pose, &ContactQuery::default());
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].points.len(), 1);
        let point = &found[0].points[0];
        assert!((point.separation - gap).abs() < 1e-12);
        assert!((first * found[0].normal - Vector3::y()).norm() < 1e-12);
        // the lower edge lies above the origin, the upper one below its centre
        let expected = Vector3::new(0.1, tip, 0.0);
        assert!(
            (first * point.points[0] - expected).norm() < 1e-12,
            "{point:?}"
        );
    }
}

#[test]
fn apart_by_less_than_the_margin_counts() {
    let (a, b): (Shape, Shape) = (Cuboid::cube(0.5).into(), Cuboid::new(0.2, 0.3, 0.4).into());
    for method in [PolyhedronMethod::Clipping, PolyhedronMethod::Library] {
        let found = touch(&a, &b, &shift(0.1, 0.8 + 0.015, 0.0), &query(method));
        assert_eq!(found[0].points.len(), 4);
        let close = |x: f64, y: f64| (x - y).abs() < 1e-12;
        assert!(found[0].points.iter().all(|p| close(p.separation, 0.015)));
        assert!(touch(&a, &b, &shift(0.1, 0.8 + 0.021, 0.0), &query(method)).is_empty());
    }
}
