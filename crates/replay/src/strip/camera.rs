//! Where a strip is seen from: a parallel projection.

use nalgebra::Vector3;

use super::canvas::Pixel;

/// Share of a still that stays free around what is seen.
const FREE: f64 = 0.06;

/// Unit vectors of a picture, and towards the eye.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Axes {
    pub(super) right: Vector3<f64>,
    pub(super) up: Vector3<f64>,
    pub(super) eye: Vector3<f64>,
}

impl Axes {
    /// Axes of a view: the angle about the vertical, and above the ground \[°\].
    pub(super) fn of([about, above]: [f64; 2]) -> Self {
        let (sin, cos) = libm::sincos(about.to_radians());
        let (rise, level) = libm::sincos(above.to_radians());
        let right = Vector3::new(cos, 0.0, -sin);
        let eye = Vector3::new(level * sin, rise, level * cos);
        Self {
            right,
            up: eye.cross(&right),
            eye,
        }
    }

    /// A place along these axes.
    pub(super) fn along(&self, place: &Vector3<f64>) -> Vector3<f64> {
        [self.right, self.up, self.eye]
            .map(|axis| axis.dot(place))
            .into()
    }
}

/// A projection on stills of one size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Camera {
    pub(super) axes: Axes,
    /// What is in the middle of a still \[m\].
    pub(super) middle: Vector3<f64>,
    /// Half of the diagonal of the box that is seen \[m\].
    pub(super) reach: f64,
    /// Pixels per metre.
    pub(super) scale: f64,
    pub(super) width: f64,
    pub(super) height: f64,
}

impl Camera {
    /// The camera that sees a box along its axes in a still of a width \[px\] whose height is a
    /// share of that within the bounds `tall`.
    pub(super) fn new(
        axes: Axes,
        [low, high]: [Vector3<f64>; 2],
        width: f64,
        tall: [f64; 2],
    ) -> Self {
        let half = [0, 1, 2].map(|axis| (0.5 * (high[axis] - low[axis])).max(1e-9));
        let middle = [axes.right, axes.up, axes.eye]
            .into_iter()
            .zip((0..3).map(|axis| 0.5 * (low[axis] + high[axis])))
            .map(|(axis, place)| place * axis);
        let (across, along) = (half[0], half[1]);
        let free = 1.0 - 2.0 * FREE;
        let height = width * (along / across).clamp(tall[0], tall[1]);
        let scale = (free * 0.5 * width / across).min(free * 0.5 * height / along);
        Self {
            axes,
            middle: middle.sum(),
            reach: Vector3::from(half).norm(),
            scale,
            width,
            height,
        }
    }

    /// Place in a still whose upper left corner is `corner`.
    pub(super) fn pixel(&self, corner: Pixel, point: &Vector3<f64>) -> Pixel {
        let from = point - self.middle;
        [
            corner[0] + 0.5 * self.width + self.scale * from.dot(&self.axes.right),
            corner[1] + 0.5 * self.height - self.scale * from.dot(&self.axes.up),
        ]
    }

    /// Light on a face, 1 for all of it: from above, from the left of the eye.
    pub(super) fn light(&self, normal: &Vector3<f64>) -> f64 {
        let sun: Vector3<f64> = 0.9 * self.axes.eye + 1.1 * Vector3::y() - 0.5 * self.axes.right;
        let sun = sun.normalize();
        0.62 + 0.42 * normal.dot(&sun).max(0.0)
    }
}
