//! Rotations of the core, and what bodies and contacts add to them.

pub use delassus_core::rotation::{about, cross_matrix, exp, log, turned};
use nalgebra::{Matrix3, UnitQuaternion, Vector3};

use crate::error::FieldError;

/// Two unit vectors that complete the unit vector `n` to a right-handed frame n, t₁, t₂.
#[inline]
pub fn tangents(n: &Vector3<f64>) -> [Vector3<f64>; 2] {
    // the axis that n is farthest from gives the best-conditioned cross product
    let axis = if n.x.abs() <= n.y.abs() && n.x.abs() <= n.z.abs() {
        Vector3::x()
    } else if n.y.abs() <= n.z.abs() {
        Vector3::y()
    } else {
        Vector3::z()
    };
    let first = n.cross(&axis);
    let first = first / first.norm();
    [first, n.cross(&first)]
}

/// Inverse of a symmetric positive definite matrix restricted to the axes that are not locked; zero
/// on the others.
pub(crate) fn restricted_inverse(matrix: &Matrix3<f64>, locked: [bool; 3]) -> Matrix3<f64> {
    // a locked axis gets an infinite moment: remove its row and column, and give it a one that is
    // removed again
    let mut reduced = *matrix;
    for axis in (0..3).filter(|axis| locked[*axis]) {
        reduced.fill_row(axis, 0.0);
        reduced.fill_column(axis, 0.0);
        reduced[(axis, axis)] = 1.0;
    }
    let mut inverse = reduced.try_inverse().unwrap_or_else(Matrix3::zeros);
    for axis in (0..3).filter(|axis| locked[*axis]) {
        inverse[(axis, axis)] = 0.0;
    }
    0.5 * (inverse + inverse.transpose())
}

/// Refuses a quaternion that is not finite and of unit length.
pub(crate) fn validate(field: &str, q: &UnitQuaternion<f64>) -> Result<(), FieldError> {
    let norm = q.quaternion().norm();
    if (norm - 1.0).abs() <= 1e-6 {
        Ok(())
    } else {
        Err(FieldError::new(field, norm, "a quaternion of length 1 [-]"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tangents_complete_a_right_handed_frame() {
        let directions = [
            [1.0, 0.0, 0.0],
            [0.0, -1.0, 0.0],
            [0.0, 0.0, 1.0],
            [0.6, -0.48, 0.64],
        ];
        for n in directions.map(Vector3::from) {
            let [a, b] = tangents(&n);
            let frame = Matrix3::from_columns(&[n, a, b]);
            assert!((frame.determinant() - 1.0).abs() < 1e-15);
            assert!((frame.transpose() * frame - Matrix3::identity()).norm() < 1e-15);
        }
    }
}
