//! `rack`: a wheel on an axle of a frame body rolls along a toothed bar that slides in the frame;
//! rack and pinion.
//!
//! C = p/2π · wrap(z θ_A + 2π s_B / p − φ) with the wheel's angle θ, its whole number of teeth z,
//! the bar's slide s and the pitch p, one row on three bodies (C.21). As in a gear, a full turn
//! changes the sum by a multiple of 2π, so that C is continuous over any number of turns. Nearest
//! sibling: [`super::Gear`] has a second wheel in place of the bar. Limitations: C is the error of
//! the mesh up to a whole tooth. Theory: docs/theory/07-constraints.md.

use std::f64::consts::TAU;

use nalgebra::Vector3;
use serde::{Deserialize, Serialize};

use super::{angle, joint_rows, slide};
use crate::body::Pose;
use crate::constraint::{Constraint, ConstraintDescriptor, ExampleRng, ForceKind, RowUnit, Rows};
use crate::error::FieldError;

/// Rack and pinion (C.21).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rack {
    /// Wheel A, bar B, and the frame that carries the axle and guides the bar.
    pub bodies: [usize; 3],
    /// The axle in the wheel's axes and in the frame's, unit vectors \[-\].
    pub axes: [Vector3<f64>; 2],
    /// Points of the frame and of the bar between which the slide is measured, from the centres of
    /// mass \[m\].
    pub anchors: [Vector3<f64>; 2],
    /// Direction of the slide in the frame's axes, a unit vector \[-\].
    pub slide_axis: Vector3<f64>,
    /// Teeth of the wheel \[-\]; not zero. A positive turn of the wheel moves the bar backwards, a
    /// negative number of teeth turns that around.
    pub teeth: i32,
    /// Distance of two teeth of the bar \[m\]; > 0. The wheel's radius is teeth · pitch / 2π.
    pub pitch: f64,
    /// φ, the sum z θ + 2π s / p where the teeth mesh \[rad\].
    #[serde(default)]
    pub phase: f64,
}

impl Rack {
    /// z θ_A + 2π s_B / p at the given poses \[rad\], a multiple of 2π left open: the phase that
    /// makes C zero there.
    pub fn phase_at(&self, poses: &[Pose; 3]) -> f64 {
        self.mesh(&self.turn(poses), &self.slide(poses))
    }

    /// Angle of the wheel in the frame.
    fn turn(&self, poses: &[Pose]) -> angle::Angle {
        angle::twist(&[poses[2], poses[0]], &[self.axes[1], self.axes[0]])
    }

    /// Slide of the bar in the frame.
    fn slide(&self, poses: &[Pose]) -> slide::Slide {
        slide::slide(&[poses[2], poses[1]], &self.anchors, &self.slide_axis)
    }

    fn mesh(&self, turn: &angle::Angle, slide: &slide::Slide) -> f64 {
        f64::from(self.teeth) * turn.value + TAU * slide.value / self.pitch
    }
}

impl Constraint for Rack {
    const DESCRIPTOR: ConstraintDescriptor = ConstraintDescriptor {
        id: "rack",
        aliases: &["rack and pinion"],
        summary: "a wheel on an axle of a third body rolls along a bar that slides in it",
        theory: &["C.21"],
        units: &[RowUnit::Length],
        force: ForceKind::Joint,
    };

    fn validate(&self) -> Result<(), FieldError> {
        angle::validate_axes(&self.axes)?;
        joint_rows::validate_anchors(&self.anchors)?;
        FieldError::unit_vector("slide_axis", &self.slide_axis)?;
        if self.teeth == 0 {
            let expected =
                "a wheel has at least one tooth; a negative number turns the sense around";
            return Err(FieldError::new("teeth", self.teeth, expected));
        }
        FieldError::positive("pitch", self.pitch)?;
        FieldError::finite("phase", self.phase)
    }

    fn evaluate(&self, poses: &[Pose], _time: f64, rows: &mut Rows) {
        let (turn, slide) = (self.turn(poses), self.slide(poses));
        let metres = self.pitch / TAU;
        let error = metres * angle::wrap(self.mesh(&turn, &slide) - self.phase);
        let wheel = metres * f64::from(self.teeth) * turn.gradient;
        let [frame, bar] = slide.arms.map(|arm| arm.cross(&slide.axis));
        let entries = [
            (Vector3::zeros(), wheel),
            (slide.axis, bar),
            (-slide.axis, -(frame + wheel)),
        ];
        rows.push(error, 0.0, &entries);
    }

    fn example(random: &mut ExampleRng<'_>) -> (Self, Vec<Pose>) {
        let (anchors, slide_axis, pair) = slide::example(random);
        let (frame, bar) = (pair[0], pair[1]);
        let teeth = if random.number(0.0, 1.0) < 0.5 {
            12
        } else {
            -5
        };
        let mut rack = Self {
            bodies: [0, 1, 2],
            axes: [random.direction(), random.direction()],
            anchors,
            slide_axis,
            teeth,
            pitch: random.number(0.1, 0.5),
            phase: 0.0,
        };
        let axes = [rack.axes[1], rack.axes[0]];
        let (twist, swing) = (random.number(-3.0, 3.0), random.number(0.0, 0.8));
        let turned = angle::example_poses(random, &axes, twist, swing);
        let mut wheel = random.pose(1.0);
        let relative = turned[0].orientation.inverse() * turned[1].orientation;
        wheel.orientation = frame.orientation * relative;
        // the mesh stays away from half a tooth, where C jumps
        rack.phase = angle::wrap(rack.phase_at(&[wheel, bar, frame]) + random.number(-2.0, 2.0));
        (rack, vec![wheel, bar, frame])
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::UnitQuaternion;

    use super::*;
    use crate::rotation;

    #[test]
    fn a_bar_follows_its_wheel_over_many_turns() {
        let rack = Rack {
            bodies: [0, 1, 2],
            axes: [Vector3::z(); 2],
            anchors: [Vector3::zeros(); 2],
            slide_axis: Vector3::x(),
            teeth: 12,
            pitch: 0.05,
            phase: 0.0,
        };
        let pose = |x: f64, angle: f64| Pose {
            position: (x * Vector3::x()).into(),
            orientation: rotation::about(&Vector3::z(), angle),
        };
        let frame = Pose {
            position: Vector3::zeros().into(),
            orientation: UnitQuaternion::identity(),
        };
        let radius = 12.0 * 0.05 / TAU;
        for step in 0..1000 {
            let angle = 0.1 * f64::from(step);
            let mut rows = Rows::default();
            let bar = pose(-radius * angle + 0.001, 0.0);
            rack.evaluate(&[pose(0.0, angle), bar, frame], 0.0, &mut rows);
            // a hundred radians carry an error of 1e-14, twelve teeth and a pitch make that 1e-15 m
            assert!((rows.error[0] - 0.001).abs() < 1e-13, "{angle}");
        }
    }
}
