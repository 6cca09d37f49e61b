//! How far a joint is from the nearest pose in which it is closed, from the errors of its rows.

use delassus_dynamics::constraints::AnyConstraint;
use delassus_dynamics::{ConstraintDescriptor, RowUnit};

/// How far a joint is open.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Gap {
    /// Distance between its points, or the violation of a length \[m\].
    pub(super) length: f64,
    /// Angle of the rotation that closes it \[rad\].
    pub(super) angle: f64,
}

impl Gap {
    /// The gap of a joint whose rows have these errors \[m | rad\].
    pub(super) fn of(
        constraint: &AnyConstraint,
        descriptor: &ConstraintDescriptor,
        errors: &[f64],
    ) -> Self {
        let of_unit = |unit: RowUnit| {
            let rows = descriptor.units.iter().zip(errors);
            rows.filter(move |(own, _)| **own == unit)
                .map(|(_, error)| *error)
        };
        Self {
            // rows of one joint are components of a vector, and of two bounds one is violated
            length: norm(of_unit(RowUnit::Length)),
            angle: angle(constraint, of_unit(RowUnit::Angle)),
        }
    }

    /// The larger of both \[m | rad\].
    pub(super) fn size(&self) -> f64 {
        self.length.max(self.angle)
    }
}

/// The angle that the errors of the rows of a joint are functions of \[rad\].
fn angle(constraint: &AnyConstraint, errors: impl Iterator<Item = f64>) -> f64 {
    match constraint {
        // the sine of the angle between two axes, or of its difference from a right angle (C.9),
        // (C.10)
        AnyConstraint::Hinge(_) | AnyConstraint::Universal(_) => libm::asin(norm(errors).min(1.0)),
        // twice the sine of half the angle (C.13)
        AnyConstraint::Angular(_) | AnyConstraint::Slider(_) | AnyConstraint::Weld(_) => {
            2.0 * libm::asin((0.5 * norm(errors)).min(1.0))
        }
        // angles
        _ => errors.map(f64::abs).fold(0.0, f64::max),
    }
}

fn norm(errors: impl Iterator<Item = f64>) -> f64 {
    errors.fold(0.0, libm::hypot)
}

#[cfg(test)]
mod tests {
    use delassus_dynamics::constraints::{Hinge, JointAxis, SixDof, Universal, Weld};
    use delassus_dynamics::{Pose, Rows, rotation};
    use nalgebra::{UnitQuaternion, Vector3};

    use super::*;

    /// The gap of a joint of two bodies, the second turned by an angle about z and moved.
    fn gap(constraint: impl Into<AnyConstraint>, turned: f64, moved: Vector3<f64>) -> Gap {
        let constraint = constraint.into();
        let first = Pose {
            position: Vector3::zeros().into(),
            orientation: UnitQuaternion::identity(),
        };
        let second = Pose {
            position: moved.into(),
            orientation: rotation::about(&Vector3::z(), turned),
        };
        let mut rows = Rows::default();
        constraint.evaluate(&[first, second], 0.0, &mut rows);
        Gap::of(&constraint, constraint.descriptor(), &rows.error)
    }

    #[test]
    fn angles_are_those_by_which_the_second_body_is_turned() {
        let bodies = [0, 1];
        let anchors = [Vector3::zeros(); 2];
        let hinge = Hinge {
            bodies,
            anchors,
            axes: [Vector3::x(); 2],
        };
        let universal = Universal {
            bodies,
            anchors,
            axes: [Vector3::x(), Vector3::y()],
        };
        let weld = Weld {
            bodies,
            anchors,
            orientation: UnitQuaternion::identity(),
        };
        for angle in [1e-4, 0.37, 1.2] {
            for found in [
                gap(hinge.clone(), angle, Vector3::zeros()),
                gap(universal.clone(), angle, Vector3::zeros()),
                gap(weld.clone(), angle, Vector3::zeros()),
            ] {
                assert!((found.angle - angle).abs() < 1e-14, "{found:?} {angle}");
                assert_eq!(found.length, 0.0);
            }
        }
        // beyond a right angle the rows of a hinge lead to the opposite axis
        let far = gap(hinge, 3.0, Vector3::zeros());
        assert!((far.angle - (std::f64::consts::PI - 3.0)).abs() < 1e-14);
        assert!((gap(weld, 3.0, Vector3::zeros()).angle - 3.0).abs() < 1e-12);
    }

    #[test]
    fn lengths_are_distances() {
        let hinge = Hinge {
            bodies: [0, 1],
            anchors: [Vector3::zeros(); 2],
            axes: [Vector3::z(); 2],
        };
        let found = gap(hinge, 2.0, Vector3::new(0.03, 0.0, -0.04));
        assert!((found.length - 0.05).abs() < 1e-16 && found.angle < 1e-15);
        assert_eq!(found.size(), found.length);
    }

    #[test]
    fn coordinates_are_angles() {
        let joint = SixDof {
            bodies: [0, 1],
            anchors: [Vector3::zeros(); 2],
            orientations: [UnitQuaternion::identity(); 2],
            locked: vec![JointAxis::AboutX, JointAxis::AboutY, JointAxis::AboutZ],
        };
        let found = gap(joint, 0.37, Vector3::new(1.0, 0.0, 0.0));
        assert!((found.angle - 0.37).abs() < 1e-14, "{found:?}");
        assert_eq!(found.length, 0.0);
    }
}
