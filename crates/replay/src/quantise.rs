//! Numbers in few bits, each with a bound of its error.
//!
//! | what | bits | bound |
//! |---|---|---|
//! | a coordinate on a [`PositionGrid`] | 16 | half a step: the length of the box along that axis over 131 070 |
//! | an [`orientation`] | 48 | 1.5e-4 rad: [`ORIENTATION_ERROR`] |
//! | a [`direction`] | 16 | 0.0168 rad: [`DIRECTION_ERROR`] |
//! | a magnitude on a [`LogScale`] | 8 | a factor of 1.023, [`LogScale::FACTOR`], within five decades of the largest |

use std::f64::consts::FRAC_1_SQRT_2;

use nalgebra::{Quaternion, UnitQuaternion, Vector3};
use serde::{Deserialize, Serialize};

/// Steps of a coordinate.
const STEPS: f64 = 65_535.0;
/// The middle code of a component of an orientation: zero is exact.
const MIDDLE: f64 = 16_383.0;
/// The middle code of a coordinate on the octahedron.
const CENTRE: f64 = 127.0;

/// Bound of the angle between an orientation and its code \[rad\].
///
/// Each of the three components kept is wrong by at most ε = √½ / (2 · 16383). The fourth, w ≥ ½,
/// is the root of one less the squares of the others, whose sum is 3/4 at most: its error is at
/// most √3 · √(3/4) / ½ · ε = 3 ε. The quaternion is wrong by √(3 + 9) ε, and the angle of a
/// rotation is twice that; the last factor is for terms of second order.
pub const ORIENTATION_ERROR: f64 =
    2.0 * 3.464_101_615_137_755 * FRAC_1_SQRT_2 / (2.0 * MIDDLE) * 1.001;

/// Bound of the angle between a direction and its code \[rad\].
///
/// Two coordinates on the octahedron |x| + |y| + |z| = 1 are wrong by at most ε = 1 / 254, the
/// third by 2 ε. The point is at least 1/√3 away from the centre, so that the angle is at most √6 ·
/// √3 ε, with a little for the arc.
pub const DIRECTION_ERROR: f64 = 4.242_640_687_119_285 / (2.0 * CENTRE) * 1.001;

/// A box with 2¹⁶ places along each axis.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PositionGrid {
    /// The corner of code zero \[m\].
    pub low: [f64; 3],
    /// Distance of neighbouring places \[m\].
    pub step: [f64; 3],
}

impl PositionGrid {
    /// The grid of a box \[m\].
    pub fn new(low: &Vector3<f64>, high: &Vector3<f64>) -> Self {
        let step = (high - low) / STEPS;
        Self {
            low: (*low).into(),
            step: step.into(),
        }
    }

    /// The nearest place; outside of the box that is one on its surface.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "clamped to 16 bits"
    )]
    pub fn code(&self, point: &Vector3<f64>) -> [u16; 3] {
        [0, 1, 2].map(|axis| {
            let steps = (point[axis] - self.low[axis]) / self.step[axis];
            // a box without extent has one place
            let steps = if steps.is_finite() { steps } else { 0.0 };
            steps.round().clamp(0.0, STEPS) as u16
        })
    }

    /// The place of a code \[m\].
    pub fn point(&self, code: [u16; 3]) -> Vector3<f64> {
        let place = [0, 1, 2].map(|axis| self.low[axis] + self.step[axis] * f64::from(code[axis]));
        place.into()
    }
}

/// Three components of an orientation, the largest left out; the lowest bits of the first two say
/// which that is.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "between 0 and 2 · 16383"
)]
pub fn orientation_code(orientation: &UnitQuaternion<f64>) -> [u16; 3] {
    let all = orientation.coords;
    // of equal ones the first, so that equal orientations have equal codes
    let largest = (1..4).fold(0, |best, i| {
        if all[i].abs() > all[best].abs() {
            i
        } else {
            best
        }
    });
    let sign = if all[largest] < 0.0 { -1.0 } else { 1.0 };
    let mut others = (0..4).filter(|i| *i != largest).map(|i| sign * all[i]);
    [0, 1, 2].map(|place| {
        let component = others.next().unwrap_or(0.0);
        let level = (component / FRAC_1_SQRT_2 * MIDDLE + MIDDLE).round();
        let level = level.clamp(0.0, 2.0 * MIDDLE) as u16;
        let bit = match place {
            0 => largest & 1,
            1 => largest >> 1,
            _ => 0,
        };
        level << 1 | bit as u16
    })
}

/// The orientation of a code.
pub fn orientation(code: [u16; 3]) -> UnitQuaternion<f64> {
    let largest = usize::from(code[0] & 1 | (code[1] & 1) << 1);
    let kept = code.map(|c| (f64::from(c >> 1) / MIDDLE - 1.0) * FRAC_1_SQRT_2);
    let rest = 1.0 - kept.iter().map(|x| x * x).sum::<f64>();
    let mut kept = kept.into_iter();
    let all = [0, 1, 2, 3].map(|i| {
        if i == largest {
            rest.max(0.0).sqrt()
        } else {
            kept.next().unwrap_or(0.0)
        }
    });
    UnitQuaternion::from_quaternion(Quaternion::from(all))
}

/// A direction as a place on the octahedron.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "between 0 and 2 · 127"
)]
pub fn direction_code(direction: &Vector3<f64>) -> [u8; 2] {
    let size = direction.abs().sum();
    if !(size > 0.0 && size.is_finite()) {
        return direction_code(&Vector3::y());
    }
    let point = direction / size;
    let mut place = [point.x, point.z];
    if point.y < 0.0 {
        place = folded(place);
    }
    place.map(|x| (x * CENTRE + CENTRE).round() as u8)
}

/// The unit vector of a code.
pub fn direction(code: [u8; 2]) -> Vector3<f64> {
    let place = code.map(|c| f64::from(c) / CENTRE - 1.0);
    let height = 1.0 - place[0].abs() - place[1].abs();
    let place = if height < 0.0 { folded(place) } else { place };
    Vector3::new(place[0], height, place[1]).normalize()
}

/// Turns the lower half of the octahedron outside, and back.
fn folded([x, z]: [f64; 2]) -> [f64; 2] {
    let sign = |x: f64| if x < 0.0 { -1.0 } else { 1.0 };
    [(1.0 - z.abs()) * sign(x), (1.0 - x.abs()) * sign(z)]
}

/// Magnitudes as logarithms: five decades below a largest value, and zero.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct LogScale {
    /// The largest magnitude.
    pub top: f64,
}

impl LogScale {
    /// Decades below the largest magnitude; what is smaller is zero.
    pub const DECADES: f64 = 5.0;
    /// Bound of the factor between a magnitude and its code: half a level, 10^(2.5 / 254).
    pub const FACTOR: f64 = 1.022_922;

    /// The nearest level; that of the largest magnitude for what is larger, and for infinity.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "clamped to 8 bits"
    )]
    pub fn code(&self, magnitude: f64) -> u8 {
        let share = magnitude / self.top;
        if self.top <= 0.0 || share.is_nan() || share <= 0.0 {
            return 0;
        }
        let level = 255.0 + 254.0 / Self::DECADES * libm::log10(share);
        level.round().clamp(0.0, 255.0) as u8
    }

    /// The magnitude of a level.
    pub fn magnitude(&self, code: u8) -> f64 {
        match code {
            0 => 0.0,
            code => self.top * libm::exp10((f64::from(code) - 255.0) * Self::DECADES / 254.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A sequence that fills the unit interval evenly.
    fn fraction(index: u32, irrational: f64) -> f64 {
        (f64::from(index) * irrational).fract()
    }

    #[test]
    fn places_are_within_half_a_step() {
        let (low, high) = (
            Vector3::new(-3.0, 0.0, 1e7),
            Vector3::new(5.0, 0.1, 1e7 + 1.0),
        );
        let grid = PositionGrid::new(&low, &high);
        for i in 0..5000 {
            let share = [0.6180339887, 0.4142135624, 0.7320508076].map(|x| fraction(i, x));
            let point = low + (high - low).component_mul(&Vector3::from(share));
            let error = grid.point(grid.code(&point)) - point;
            for axis in 0..3 {
                let bound = 0.5 * grid.step[axis] + 1e-8 * f64::from(axis == 2);
                assert!(error[axis].abs() <= bound * (1.0 + 1e-9), "{error}");
            }
        }
        assert_eq!(grid.code(&Vector3::repeat(f64::NAN)), [0; 3]);
        assert_eq!(grid.code(&Vector3::new(99.0, -1.0, 0.0)), [65535, 0, 0]);
        let flat = PositionGrid::new(&low, &low);
        assert_eq!(flat.point(flat.code(&low)), low);
    }

    #[test]
    fn orientations_are_within_their_bound() {
        let mut worst: f64 = 0.0;
        for i in 1..20_000 {
            let parts = [0.6180339887, 0.4142135624, 0.7320508076, 0.2360679775];
            let parts = parts.map(|x| 2.0 * fraction(i, x) - 1.0);
            let exact = UnitQuaternion::from_quaternion(Quaternion::from(parts));
            let found = orientation(orientation_code(&exact));
            worst = worst.max(exact.angle_to(&found));
        }
        assert!(worst < ORIENTATION_ERROR, "{worst}");
        assert!(
            worst > 0.3 * ORIENTATION_ERROR,
            "the bound is loose: {worst}"
        );
        let identity = UnitQuaternion::identity();
        assert_eq!(orientation(orientation_code(&identity)), identity);
    }

    #[test]
    fn directions_are_within_their_bound() {
        let mut worst: f64 = 0.0;
        for i in 1..20_000 {
            let parts = [0.6180339887, 0.4142135624, 0.7320508076];
            let exact = Vector3::from(parts.map(|x| 2.0 * fraction(i, x) - 1.0)).normalize();
            worst = worst.max(exact.angle(&direction(direction_code(&exact))));
        }
        assert!(worst < DIRECTION_ERROR, "{worst}");
        assert!(worst > 0.3 * DIRECTION_ERROR, "the bound is loose: {worst}");
        for axis in [
            Vector3::x(),
            -Vector3::x(),
            Vector3::y(),
            -Vector3::y(),
            -Vector3::z(),
        ] {
            assert_eq!(direction(direction_code(&axis)), axis);
        }
    }

    #[test]
    fn magnitudes_are_within_their_factor() {
        let scale = LogScale { top: 7.0 };
        for i in 0..5000 {
            let exact = 7.0 * libm::exp10(-5.0 * fraction(i, 0.6180339887));
            let factor = scale.magnitude(scale.code(exact)) / exact;
            assert!(
                factor < LogScale::FACTOR && factor > 1.0 / LogScale::FACTOR,
                "{factor}"
            );
        }
        assert_eq!(
            (scale.code(7.0), scale.code(0.0), scale.code(f64::NAN)),
            (255, 0, 0)
        );
        assert_eq!((scale.code(7e9), scale.code(f64::INFINITY)), (255, 255));
        assert_eq!(scale.magnitude(scale.code(7e-7)), 0.0);
        assert_eq!(LogScale::default().code(0.0), 0);
    }
}
