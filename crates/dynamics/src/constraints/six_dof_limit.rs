//! `six-dof-limit`: coordinates of B in the axes of A stay in ranges; goes with [`super::SixDof`].
//!
//! C = (c_i − lower_i, upper_i − c_i) for the six coordinates of (C.24), two rows each; rows
//! without a range are zero and never enter a problem. The first and the last angle count their
//! turns (L.16). Theory: docs/theory/08-limits-and-drives.md.

use std::f64::consts::FRAC_PI_2;

use delassus_core::Choice;
use nalgebra::{UnitQuaternion, Vector3};
use serde::{Deserialize, Serialize};

use super::angle;
use super::cardan::{self, Frames, JointAxis};
use crate::body::Pose;
use crate::constraint::RowUnit::{Angle, Length};
use crate::constraint::{Constraint, ConstraintDescriptor, ExampleRng, ForceKind, Rows, Track};
use crate::error::FieldError;

/// Ranges of the coordinates of a generic joint (L.15).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SixDofLimit {
    /// Indices of the bodies A and B in the world, from 0.
    pub bodies: [usize; 2],
    /// Where the frames sit in each body's axes, from its centre of mass \[m\].
    pub anchors: [Vector3<f64>; 2],
    /// How they are turned in each body's axes.
    #[serde(default)]
    pub orientations: [UnitQuaternion<f64>; 2],
    /// The ranges; coordinates without one are free.
    pub ranges: Vec<AxisRange>,
}

/// Range of one coordinate.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AxisRange {
    /// The coordinate.
    pub axis: JointAxis,
    /// Smallest value \[m | rad\].
    pub lower: f64,
    /// Largest value \[m | rad\]; ≥ lower.
    pub upper: f64,
}

impl Constraint for SixDofLimit {
    const DESCRIPTOR: ConstraintDescriptor = ConstraintDescriptor {
        id: "six-dof-limit",
        aliases: &["generic limit", "d6 limit"],
        summary: "distances along and angles about the axes of A stay in ranges; a row per bound",
        theory: &["C.24", "C.25", "L.15", "L.16"],
        units: &[
            Length, Length, Length, Length, Length, Length, Angle, Angle, Angle, Angle, Angle,
            Angle,
        ],
        force: ForceKind::Limit,
    };

    fn validate(&self) -> Result<(), FieldError> {
        self.frames().validate()?;
        for (index, range) in self.ranges.iter().enumerate() {
            let checked = range.validate();
            checked.map_err(|error| error.within(&format!("ranges[{index}]")))?;
            if self.ranges[..index].iter().any(|r| r.axis == range.axis) {
                let path = format!("ranges[{index}].axis");
                let expected = "a coordinate has one range";
                return Err(FieldError::new(path, range.axis, expected));
            }
        }
        Ok(())
    }

    fn evaluate(&self, poses: &[Pose], time: f64, rows: &mut Rows) {
        self.evaluate_from(poses, &self.start(poses, time), time, rows);
    }

    fn evaluate_from(&self, poses: &[Pose], track: &Track, _time: f64, rows: &mut Rows) {
        for &axis in JointAxis::ALL {
            match self.range(axis) {
                Some(range) => {
                    let frames = self.frames();
                    let before = WINDING.iter().position(|winding| *winding == axis);
                    let before = before.and_then(|index| track.get(index));
                    let turns = before.map_or(0.0, |before| {
                        let value = frames.angle(poses, axis).value;
                        angle::unwound(value, *before) - value
                    });
                    frames.push(rows, poses, axis, 1.0, turns - range.lower);
                    frames.push(rows, poses, axis, -1.0, range.upper - turns);
                }
                None => {
                    for _ in 0..2 {
                        rows.push(0.0, 0.0, &[(Vector3::zeros(), Vector3::zeros()); 2]);
                    }
                }
            }
        }
    }

    /// The first and the last angle, if one of them has a range.
    fn start(&self, poses: &[Pose], _time: f64) -> Track {
        if WINDING.iter().all(|axis| self.range(*axis).is_none()) {
            return Track::new();
        }
        let start = |axis: JointAxis| {
            let value = self.frames().angle(poses, axis).value;
            self.range(axis).map_or(value, |range| {
                angle::start_in(value, [range.lower, range.upper])
            })
        };
        WINDING.into_iter().map(start).collect()
    }

    fn follow(&self, poses: &[Pose], turns: [Vector3<f64>; 2], time: f64, track: &mut Track) {
        let found = WINDING.map(|axis| self.frames().angle(poses, axis));
        if found[0].cosine < COUNTED {
            *track = self.start(poses, time);
            return;
        }
        for (before, angle) in track.iter_mut().zip(found) {
            let ahead = *before + angle.gradient.dot(&(turns[1] - turns[0]));
            *before = angle::unwound(angle.value, ahead);
        }
    }

    fn example(random: &mut ExampleRng<'_>) -> (Self, Vec<Pose>) {
        let (anchors, orientations, poses) = cardan::example(random);
        let mut ranges = Vec::new();
        for &axis in JointAxis::ALL {
            if random.number(0.0, 1.0) < 0.6 {
                ranges.push(AxisRange {
                    axis,
                    lower: random.number(-1.0, 0.0),
                    upper: random.number(0.0, 1.0),
                });
            }
        }
        let limit = Self {
            bodies: [0, 1],
            anchors,
            orientations,
            ranges,
        };
        (limit, poses)
    }
}

/// The coordinates that count turns.
const WINDING: [JointAxis; 2] = [JointAxis::AboutX, JointAxis::AboutZ];

/// Cosine of the second angle below which the others start to count anew \[-\]: 84°.
const COUNTED: f64 = 0.1;

impl SixDofLimit {
    fn range(&self, axis: JointAxis) -> Option<&AxisRange> {
        self.ranges.iter().find(|range| range.axis == axis)
    }

    fn frames(&self) -> Frames<'_> {
        Frames {
            anchors: &self.anchors,
            orientations: &self.orientations,
        }
    }
}

impl AxisRange {
    fn validate(&self) -> Result<(), FieldError> {
        let bound = match self.axis {
            JointAxis::X | JointAxis::Y | JointAxis::Z => f64::MAX,
            JointAxis::AboutX | JointAxis::AboutZ => angle::MOST_TURNED,
            // beyond it the other two angles jump
            JointAxis::AboutY => FRAC_PI_2,
        };
        for (field, value) in [("lower", self.lower), ("upper", self.upper)] {
            if value.is_nan() || value.abs() > bound {
                let expected = "a finite number; an angle of at most a million radians, about-y in [−π/2, π/2] [m | rad]";
                return Err(FieldError::new(field, value, expected));
            }
        }
        if self.lower > self.upper {
            let expected = format!("the lower bound is at most the upper one, {}", self.upper);
            return Err(FieldError::new("lower", self.lower, &expected));
        }
        Ok(())
    }
}
