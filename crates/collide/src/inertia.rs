//! Mass and moments of inertia of rigid bodies.

use delassus_core::FieldError;
use nalgebra::{Isometry3, Matrix3, Rotation3, UnitQuaternion, Vector3};
use serde::{Deserialize, Serialize};

use crate::principal::principal;

/// Mass and inertia of a dynamic body.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Inertia {
    /// Mass \[kg\]; > 0.
    pub mass: f64,
    /// Principal moments at the centre of mass \[kg·m²\]; each > 0 and none above the sum of the
    /// others. All zero is a point mass, which does not rotate.
    pub moments: Vector3<f64>,
    /// From the principal axes to the body's axes.
    #[serde(default)]
    pub axes: UnitQuaternion<f64>,
}

impl Inertia {
    /// A body with principal moments \[kg·m²\] along its own axes.
    pub fn new(mass: f64, moments: Vector3<f64>) -> Self {
        Self {
            mass,
            moments,
            axes: UnitQuaternion::identity(),
        }
    }

    /// A mass without extent \[kg\]: it has no orientation and feels no torque.
    pub fn point(mass: f64) -> Self {
        Self::new(mass, Vector3::zeros())
    }

    /// Inertia tensor in the body's axes \[kg·m²\].
    pub fn tensor(&self) -> Matrix3<f64> {
        let rotation = self.axes.to_rotation_matrix();
        let rotation = rotation.matrix();
        rotation * Matrix3::from_diagonal(&self.moments) * rotation.transpose()
    }

    /// Checks mass, moments and axes.
    ///
    /// # Errors
    /// The first number that no mass distribution has.
    pub fn validate(&self) -> Result<(), FieldError> {
        // the inverse of a subnormal number is infinite
        if !(self.mass.is_normal() && self.mass > 0.0) {
            let expected = "a dynamic body has a mass > 0 [kg]; use kind = \"static\" for a body that does not move";
            return Err(FieldError::new("inertia.mass", self.mass, expected));
        }
        let moments = self.moments;
        if moments == Vector3::zeros() {
            return Ok(());
        }
        let sum = moments.sum();
        for axis in 0..3 {
            let (moment, field) = (moments[axis], format!("inertia.moments[{axis}]"));
            if !(moment.is_normal() && moment > 0.0) {
                let expected = "principal moments are > 0 [kg·m²], or all zero for a point mass";
                return Err(FieldError::new(field, moment, expected));
            }
            // a plate has moment = sum of the others; rounding must not refuse it
            if 2.0 * moment > sum * (1.0 + 1e-9) {
                let expected = "no principal moment exceeds the sum of the two others (triangle inequality): no mass distribution has this inertia";
                return Err(FieldError::new(field, moment, expected));
            }
        }
        let norm = self.axes.quaternion().norm();
        if (norm - 1.0).abs() <= 1e-6 {
            return Ok(());
        }
        let expected = "a quaternion of length 1 [-]";
        Err(FieldError::new("inertia.axes", norm, expected))
    }

    /// The inertia with this tensor \[kg·m²\], about the centre of mass and in the body's axes.
    pub fn from_tensor(mass: f64, tensor: &Matrix3<f64>) -> Self {
        let (moments, axes) = principal(tensor);
        if axes == Matrix3::identity() {
            return Self::new(mass, moments);
        }
        let rotation = Rotation3::from_matrix_unchecked(axes);
        Self {
            mass,
            moments,
            axes: UnitQuaternion::from_rotation_matrix(&rotation),
        }
    }

    /// One rigid body of several solids, each with where its centre of mass is \[m\] and how its
    /// axes are turned; the inertia is about the common centre of mass, which comes with it. `None`
    /// without any.
    pub fn sum(parts: &[(Self, Isometry3<f64>)]) -> Option<(Self, Vector3<f64>)> {
        let mass: f64 = parts.iter().map(|(part, _)| part.mass).sum();
        if parts.is_empty() {
            return None;
        }
        let moment = |(part, at): &(Self, Isometry3<f64>)| part.mass * at.translation.vector;
        let centre = parts.iter().map(moment).sum::<Vector3<f64>>() / mass;
        let tensor = |(part, at): &(Self, Isometry3<f64>)| {
            let rotation = at.rotation.to_rotation_matrix();
            let turned = rotation.matrix() * part.tensor() * rotation.matrix().transpose();
            let arm = at.translation.vector - centre;
            let square = Matrix3::from_diagonal_element(arm.norm_squared());
            turned + part.mass * (square - arm * arm.transpose())
        };
        let tensor: Matrix3<f64> = parts.iter().map(tensor).sum();
        Some((Self::from_tensor(mass, &tensor), centre))
    }
}

impl Default for Inertia {
    /// No mass: that of a body whose mass comes from its colliders.
    fn default() -> Self {
        Self::point(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Cuboid, ShapeGeometry};

    #[test]
    fn a_box_cut_in_two_has_the_inertia_of_the_whole() {
        let whole = Cuboid::new(0.3, 0.5, 0.7);
        let part = Cuboid::new(0.15, 0.5, 0.7);
        let turn = UnitQuaternion::from_euler_angles(0.3, -0.8, 1.1);
        let at = Vector3::new(1.0, 2.0, 3.0);
        let place = |x: f64| {
            let arm = turn * Vector3::new(x, 0.0, 0.0);
            Isometry3::from_parts((at + arm).into(), turn)
        };
        let half = part.inertia(1000.0).unwrap();
        let (sum, centre) = Inertia::sum(&[(half, place(-0.15)), (half, place(0.15))]).unwrap();
        let whole = whole.inertia(1000.0).unwrap();
        assert!((centre - at).norm() < 1e-15);
        assert!((sum.mass / whole.mass - 1.0).abs() < 1e-15);
        let rotation = turn.to_rotation_matrix();
        let expected = rotation.matrix() * whole.tensor() * rotation.matrix().transpose();
        // a dozen sums of numbers of that size
        assert!((sum.tensor() - expected).norm() < 1e-13 * expected.norm());
        assert!(sum.validate().is_ok());
        assert!(Inertia::sum(&[]).is_none());
    }
}
