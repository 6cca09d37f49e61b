//! Rotations without the standard library's transcendental functions: their bits differ between CPUs.

use nalgebra::{Matrix3, Quaternion, UnitQuaternion, Vector3};

use crate::error::FieldError;

/// The rotation by a rotation vector (axis times angle) \[rad\].
pub fn exp(vector: &Vector3<f64>) -> UnitQuaternion<f64> {
    UnitQuaternion::new_normalize(unscaled_exp(vector))
}

/// The same, of unit length up to rounding.
fn unscaled_exp(vector: &Vector3<f64>) -> Quaternion<f64> {
    let square = vector.norm_squared();
    // below this angle the series is exact to rounding
    let (scale, cosine) = if square < 1e-4 * 1e-4 {
        (0.5 - square / 48.0, 1.0 - square / 8.0)
    } else {
        let angle = square.sqrt();
        let (sine, cosine) = libm::sincos(0.5 * angle);
        (sine / angle, cosine)
    };
    Quaternion::from_parts(cosine, scale * vector)
}

/// The rotation about `axis` (a unit vector) by `angle` \[rad\].
pub fn about(axis: &Vector3<f64>, angle: f64) -> UnitQuaternion<f64> {
    exp(&(angle * axis))
}

/// `orientation` turned by a rotation vector in world axes \[rad\].
pub fn turned(orientation: &UnitQuaternion<f64>, vector: &Vector3<f64>) -> UnitQuaternion<f64> {
    if *vector == Vector3::zeros() {
        return *orientation;
    }
    let product = unscaled_exp(vector) * orientation.into_inner();
    UnitQuaternion::new_normalize(product)
}

/// The rotation vector of a rotation, at most π long \[rad\].
pub fn log(rotation: &UnitQuaternion<f64>) -> Vector3<f64> {
    let q = rotation.quaternion();
    let vector = Vector3::new(q.i, q.j, q.k);
    let (vector, scalar) = if q.w < 0.0 {
        (-vector, -q.w)
    } else {
        (vector, q.w)
    };
    let length = vector.norm();
    if length < 1e-9 {
        return 2.0 * vector;
    }
    (2.0 * libm::atan2(length, scalar) / length) * vector
}

/// The matrix of a × ·.
pub fn cross_matrix(a: &Vector3<f64>) -> Matrix3<f64> {
    Matrix3::new(0.0, -a.z, a.y, a.z, 0.0, -a.x, -a.y, a.x, 0.0)
}

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

/// Inverse of a symmetric positive definite matrix restricted to the axes that are not locked; zero on the others.
pub(crate) fn restricted_inverse(matrix: &Matrix3<f64>, locked: [bool; 3]) -> Matrix3<f64> {
    // a locked axis gets an infinite moment: remove its row and column, and give it a one that is removed again
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
    fn exp_and_log_are_inverse_over_the_whole_range() {
        for angle in [0.0, 1e-12, 1e-5, 0.9e-4, 1.1e-4, 0.1, 1.0, 3.0, 3.1] {
            let vector = angle * Vector3::new(2.0, -3.0, 6.0) / 7.0;
            let error = log(&exp(&vector)) - vector;
            assert!(error.norm() < 4e-15, "{angle}: {error}");
        }
    }

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
