//! Balls and capsules: two segments at a distance, in closed form.

use nalgebra::{Isometry3, Vector3};

use super::{PairManifolds, Touch};
use crate::geometry::Kind;

/// Sine of the angle below which segments share a stretch, and touch at both of its ends \[-\].
const PARALLEL: f64 = 0.05;

/// Axes closer than this share of their sizes cross \[-\]: what lies between them has no direction.
const CROSSING: f64 = 1e-12;

/// Names of the two ends of a shared stretch, and of a single point.
const ENDS: [u64; 2] = [2, 3];
const SINGLE: u64 = 1;

/// Half length and radius of a ball or a capsule.
pub(super) fn segment(kind: Kind) -> Option<[f64; 2]> {
    match kind {
        Kind::Sphere(radius) => Some([0.0, radius]),
        Kind::Capsule {
            half_length,
            radius,
        } => Some([half_length, radius]),
        _ => None,
    }
}

/// The manifold of two segments along y with radii: the closest points (N.8), or both ends of what
/// parallel ones share.
pub(super) fn contacts(
    [[half_a, radius_a], [half_b, radius_b]]: [[f64; 2]; 2],
    b_in_a: &Isometry3<f64>,
    out: &mut PairManifolds,
) {
    let (centre, direction) = (b_in_a.translation.vector, b_in_a.rotation * Vector3::y());
    let [s, t] = closest([half_a, half_b], &centre, &direction);
    let place = |s: f64, t: f64| centre + t * direction - Vector3::new(0.0, s, 0.0);
    let scale = half_a + half_b + radius_a + radius_b;
    let across = Vector3::y().cross(&direction);
    let normal = match place(s, t).try_normalize(CROSSING * scale) {
        Some(normal) => normal,
        None => sideways([half_a, half_b], &direction, &across),
    };
    let touch = |s: f64, t: f64, feature: u64| Touch {
        points: [Vector3::new(0.0, s, 0.0), Vector3::new(0.0, t, 0.0)],
        radii: [radius_a, radius_b],
        separation: place(s, t).dot(&normal) - radius_a - radius_b,
        feature,
    };
    let reach = half_b * direction.y.abs();
    let low = (-half_a).max(centre.y - reach);
    let high = half_a.min(centre.y + reach);
    let beside = across.norm() <= PARALLEL && normal.y.abs() <= PARALLEL;
    out.add(normal, [0; 2], |points| {
        if beside && high - low > PARALLEL * (radius_a + radius_b) {
            let end = |s: f64, feature: u64| {
                let t = (s - centre.y) / direction.y;
                touch(s, t.clamp(-half_b, half_b), feature)
            };
            points.extend([end(low, ENDS[0]), end(high, ENDS[1])]);
        } else {
            points.push(touch(s, t, SINGLE));
        }
    });
}

/// A direction out of each other for segments that cross: across both, or across the one that has a
/// length.
fn sideways(
    [half_a, half_b]: [f64; 2],
    direction: &Vector3<f64>,
    across: &Vector3<f64>,
) -> Vector3<f64> {
    let along = match (half_a > 0.0, half_b > 0.0) {
        (true, true) => match across.try_normalize(CROSSING) {
            Some(normal) => return normal,
            None => Vector3::y(),
        },
        (true, false) => Vector3::y(),
        (false, true) => *direction,
        (false, false) => return Vector3::y(),
    };
    let least = Vector3::ith(along.iamin(), 1.0);
    (least - least.dot(&along) * along).normalize()
}

/// Places on two segments, from their middles, that are closest to each other: one along y about
/// the origin, one along `direction` about `centre`.
fn closest(
    [half_a, half_b]: [f64; 2],
    centre: &Vector3<f64>,
    direction: &Vector3<f64>,
) -> [f64; 2] {
    let cosine = direction.y;
    let along_b = |s: f64| (s * cosine - centre.dot(direction)).clamp(-half_b, half_b);
    let along_a = |t: f64| (centre.y + t * cosine).clamp(-half_a, half_a);
    let square = 1.0 - cosine * cosine;
    let start = if square > CROSSING {
        (centre.y - cosine * centre.dot(direction)) / square
    } else {
        // parallel: the middle of what they share
        let reach = half_b * cosine.abs();
        0.5 * ((-half_a).max(centre.y - reach) + half_a.min(centre.y + reach))
    };
    let t = along_b(start.clamp(-half_a, half_a));
    let s = along_a(t);
    [s, along_b(s)]
}
