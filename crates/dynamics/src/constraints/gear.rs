//! `gear`: two wheels on the axles of a frame body turn in the ratio of their teeth.
//!
//! C = wrap(z_A θ_A + z_B θ_B − φ) / max(|z_A|, |z_B|) with the angles θ of the wheels in the frame
//! and whole numbers of teeth z, one row on three bodies (C.19). A full turn of a wheel changes the
//! sum by a whole multiple of 2π, so that wrapping it to [−π, π] makes C continuous over any number
//! of turns: no turn is counted, and none is forgotten. Nearest sibling: [`super::Hinge`], which
//! carries each wheel. Limitations: C is the error of the mesh up to a whole tooth: a gear that is
//! forced by more than half a tooth engages in the next one, as a real one does. Ratios are
//! rational. Theory: docs/theory/07-constraints.md.

use nalgebra::Vector3;
use serde::{Deserialize, Serialize};

use super::angle;
use crate::body::Pose;
use crate::constraint::{Constraint, ConstraintDescriptor, ExampleRng, ForceKind, RowUnit, Rows};
use crate::error::FieldError;

/// Pair of gear wheels (C.19).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Gear {
    /// Wheels A and B, and the frame that carries their axles.
    pub bodies: [usize; 3],
    /// The axle of each wheel in the wheel's axes, unit vectors \[-\].
    pub axes: [Vector3<f64>; 2],
    /// The axles of A and of B in the frame's axes, unit vectors \[-\].
    pub frame_axes: [Vector3<f64>; 2],
    /// Teeth of A and of B \[-\]; not zero. Of equal sign, the wheels turn in opposite senses about
    /// their axles (z_A ω_A + z_B ω_B = 0); a negative number stands for an inner ring.
    pub teeth: [i32; 2],
    /// φ, the sum of teeth times angle where the teeth mesh \[rad\].
    #[serde(default)]
    pub phase: f64,
}

impl Gear {
    /// z_A θ_A + z_B θ_B at the given poses \[rad\], a multiple of 2π left open: the phase that
    /// makes C zero there.
    pub fn phase_at(&self, poses: &[Pose; 3]) -> f64 {
        let [a, b] = self.wheels(poses).map(|wheel| wheel.value);
        f64::from(self.teeth[0]) * a + f64::from(self.teeth[1]) * b
    }

    /// Angles of both wheels in the frame.
    fn wheels(&self, poses: &[Pose]) -> [angle::Angle; 2] {
        [0, 1].map(|wheel| {
            let pair = [poses[2], poses[wheel]];
            angle::twist(&pair, &[self.frame_axes[wheel], self.axes[wheel]])
        })
    }

    /// Teeth over the larger number of teeth \[-\].
    fn weights(&self) -> [f64; 2] {
        let teeth = self.teeth.map(f64::from);
        let most = teeth[0].abs().max(teeth[1].abs());
        teeth.map(|count| count / most)
    }
}

impl Constraint for Gear {
    const DESCRIPTOR: ConstraintDescriptor = ConstraintDescriptor {
        id: "gear",
        aliases: &["gear pair", "transmission"],
        summary: "two wheels on axles of a third body turn in the ratio of their teeth",
        theory: &["C.19", "C.20"],
        units: &[RowUnit::Angle],
        force: ForceKind::Joint,
    };

    fn validate(&self) -> Result<(), FieldError> {
        angle::validate_axes(&self.axes)?;
        FieldError::unit_vector("frame_axes[0]", &self.frame_axes[0])?;
        FieldError::unit_vector("frame_axes[1]", &self.frame_axes[1])?;
        for (wheel, teeth) in self.teeth.iter().enumerate() {
            if *teeth == 0 {
                let expected = "a wheel has at least one tooth; a negative number is an inner ring";
                return Err(FieldError::new(format!("teeth[{wheel}]"), teeth, expected));
            }
        }
        FieldError::finite("phase", self.phase)
    }

    fn evaluate(&self, poses: &[Pose], _time: f64, rows: &mut Rows) {
        let wheels = self.wheels(poses);
        let [z_a, z_b] = self.teeth.map(f64::from);
        let mesh = z_a * wheels[0].value + z_b * wheels[1].value - self.phase;
        let error = angle::wrap(mesh) / z_a.abs().max(z_b.abs());
        let weights = self.weights();
        let [a, b] = [0, 1].map(|wheel| weights[wheel] * wheels[wheel].gradient);
        let zero = Vector3::zeros();
        rows.push(error, 0.0, &[(zero, a), (zero, b), (zero, -(a + b))]);
    }

    fn example(random: &mut ExampleRng<'_>) -> (Self, Vec<Pose>) {
        let sign = |negative: bool| if negative { -1 } else { 1 };
        let mut count = || {
            let teeth = [1, 2, 5, 12, 30];
            let index = teeth.iter().rposition(|_| random.number(0.0, 1.0) < 0.4);
            teeth[index.unwrap_or(0)] * sign(random.number(0.0, 1.0) < 0.3)
        };
        let teeth = [count(), count()];
        let mut gear = Self {
            bodies: [0, 1, 2],
            axes: [random.direction(), random.direction()],
            frame_axes: [random.direction(), random.direction()],
            teeth,
            phase: 0.0,
        };
        let frame = random.pose(1.0);
        let wheels = [0, 1].map(|wheel| {
            let axes = [gear.frame_axes[wheel], gear.axes[wheel]];
            let (twist, swing) = (random.number(-3.0, 3.0), random.number(0.0, 0.8));
            let pair = angle::example_poses(random, &axes, twist, swing);
            let mut pose = random.pose(1.0);
            pose.orientation =
                frame.orientation * pair[0].orientation.inverse() * pair[1].orientation;
            pose
        });
        let poses = [wheels[0], wheels[1], frame];
        // the mesh stays away from half a tooth, where C jumps
        gear.phase = angle::wrap(gear.phase_at(&poses) + random.number(-2.0, 2.0));
        (gear, poses.to_vec())
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::UnitQuaternion;

    use super::*;
    use crate::rotation;

    #[test]
    fn wheels_mesh_over_many_turns_and_an_error_is_measured_at_the_larger_wheel() {
        let gear = Gear {
            bodies: [0, 1, 2],
            axes: [Vector3::z(); 2],
            frame_axes: [Vector3::z(); 2],
            teeth: [12, 30],
            phase: 0.0,
        };
        let pose = |angle: f64| Pose {
            position: Vector3::zeros().into(),
            orientation: rotation::about(&Vector3::z(), angle),
        };
        let frame = Pose {
            position: Vector3::zeros().into(),
            orientation: UnitQuaternion::identity(),
        };
        for step in 0..1000 {
            let driver = 0.1 * f64::from(step);
            let mut rows = Rows::default();
            let driven = -0.4 * driver + 0.01;
            gear.evaluate(&[pose(driver), pose(driven), frame], 0.0, &mut rows);
            // a hundred radians carry an error of 1e-14
            assert!((rows.error[0] - 0.01).abs() < 1e-12, "{driver}");
        }
    }
}
