//! The search for the axis of boxes and hulls leaves out what cannot change its result: manifolds
//! of moving pairs have the bits of a search over all axes.

use nalgebra::{Isometry3, Quaternion, UnitQuaternion, Vector3};
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::preference::EdgeSearch;
use super::{ContactQuery, PairCache, PairManifolds, are_separated, boxes, polyhedra};
use crate::geometry::{Geometry, Kind};
use crate::shape::{Cuboid, Hull, Shape};

struct Random(Pcg64Mcg);

impl Random {
    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * f64::from(self.0.next_u32()) / f64::from(u32::MAX)
    }

    fn vector(&mut self, size: f64) -> Vector3<f64> {
        Vector3::from_fn(|_, _| self.between(-size, size))
    }

    fn turn(&mut self, size: f64) -> UnitQuaternion<f64> {
        UnitQuaternion::new_normalize(Quaternion::from_parts(1.0, self.vector(size)))
    }

    fn solid(&mut self, is_box: bool) -> Geometry {
        let half = Vector3::from_fn(|_, _| self.between(0.2, 0.6));
        let shape: Shape = if is_box {
            Cuboid::new(half.x, half.y, half.z).into()
        } else {
            let count = if self.between(0.0, 1.0) < 0.5 { 6 } else { 12 };
            let points = (0..count).map(|_| half.component_mul(&self.vector(1.0)));
            Hull::new(points.collect()).into()
        };
        Geometry::new(&shape).expect("a solid")
    }

    /// Near contact, turned by little in half of the cases: then edges are nearly parallel.
    fn pose(&mut self) -> Isometry3<f64> {
        let flat = self.between(0.0, 1.0) < 0.5;
        let turn = self.turn(if flat { 1e-3 } else { 3.0 });
        let away = Vector3::new(0.0, self.between(0.5, 1.2), 0.0) + self.vector(0.2);
        Isometry3::from_parts(away.into(), turn)
    }
}

/// One look by searches in turn; the axis tests that it took.
fn look(
    pair: [&Geometry; 2],
    pose: &Isometry3<f64>,
    query: &ContactQuery,
    memory: &mut PairCache,
    out: &mut PairManifolds,
    searches: &[EdgeSearch],
) -> u64 {
    out.clear();
    let before = out.axis_tests();
    match pair.map(|solid| solid.kind) {
        [Kind::Box(a), Kind::Box(b)] => {
            boxes::by_searches([a, b], pose, query, memory, out, searches);
        }
        _ => {
            let solids = pair.map(|solid| solid.polyhedron().expect("few edges"));
            let done = polyhedra::by_searches(solids, pose, query, memory, out, searches);
            // what is left to another query shows, too
            memory.axis |= u32::from(!done) << 31;
        }
    }
    out.axis_tests() - before
}

/// Lets pairs move in steps of several sizes and compares every look with one at all axes; the axis
/// tests of both.
fn compare(seed: u64, pairs: u32, is_box: bool) -> [u64; 2] {
    let mut random = Random(Pcg64Mcg::seed_from_u64(seed));
    let query = ContactQuery::default();
    let (mut quick, mut full) = (PairManifolds::default(), PairManifolds::default());
    let mut tests = [0; 2];
    let mut touched = 0;
    for number in 0..pairs {
        let solids = [is_box || number % 3 == 0, is_box].map(|is_box| random.solid(is_box));
        let pair = [&solids[0], &solids[1]];
        let mut pose = random.pose();
        let mut memories = [PairCache::default(); 2];
        let mut separating = 0;
        for frame in 0..24 {
            let step = [0.0, 1e-9, 1e-5, 1e-3, 1e-2, 5e-2][frame % 6];
            let place = pose.translation.vector + random.vector(step);
            pose = Isometry3::from_parts(place.into(), random.turn(step) * pose.rotation);
            let [own, other] = &mut memories;
            let apart = are_separated(pair, &pose, &query, separating);
            tests[1] += look(pair, &pose, &query, other, &mut full, &[EdgeSearch::All]);
            if apart {
                tests[0] += 1;
                assert!(full.is_empty(), "pair {number}, frame {frame}");
                *own = *other;
                continue;
            }
            tests[0] += look(pair, &pose, &query, own, &mut quick, &EdgeSearch::IN_TURN);
            // the text of a number tells its bits
            let texts = [&*quick, &*full].map(|found| format!("{found:?}"));
            assert_eq!(texts[0], texts[1], "pair {number}, frame {frame}");
            assert_eq!(own, other, "pair {number}, frame {frame}");
            touched += u32::from(!full.is_empty());
            separating = if full.is_empty() { own.axis } else { 0 };
            for memory in &mut memories {
                memory.axis &= !(1 << 31);
            }
        }
    }
    assert!(touched > 4 * pairs && touched < 23 * pairs, "{touched}");
    tests
}

#[test]
fn boxes_touch_as_if_all_axes_were_tested() {
    let [quick, full] = compare(1, 2000, true);
    assert!(5 * quick < 4 * full, "{quick} of {full}");
}

#[test]
fn hulls_touch_as_if_all_axes_were_tested() {
    let [quick, full] = compare(2, 600, false);
    assert!(10 * quick < 9 * full, "{quick} of {full}");
}

#[test]
fn an_axis_that_separates_leaves_nothing_whatever_the_memory() {
    let mut random = Random(Pcg64Mcg::seed_from_u64(3));
    let query = ContactQuery::default();
    let mut out = PairManifolds::default();
    let mut separated = 0;
    for number in 0..400 {
        let solids = [number % 2 == 0, number % 4 < 2].map(|is_box| random.solid(is_box));
        let pair = [&solids[0], &solids[1]];
        let pose = random.pose();
        for axis in (1..=200).filter(|axis| are_separated(pair, &pose, &query, *axis)) {
            separated += 1;
            for cached in [0, axis, 1, 4, 9, 30] {
                let mut memory = PairCache { axis: cached };
                super::contacts(pair, &pose, &query, &mut memory, &[], &mut out);
                assert!(out.is_empty(), "pair {number}, axis {axis} after {cached}");
            }
        }
    }
    assert!(separated > 400, "{separated}");
}
