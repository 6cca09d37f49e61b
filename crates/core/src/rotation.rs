//! Rotations without the transcendental functions of the standard library, whose bits differ
//! between CPUs.

use nalgebra::{Matrix3, Quaternion, UnitQuaternion, Vector3};

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

/// The matrix of the map x ↦ a × x.
pub fn cross_matrix(a: &Vector3<f64>) -> Matrix3<f64> {
    Matrix3::new(0.0, -a.z, a.y, a.z, 0.0, -a.x, -a.y, a.x, 0.0)
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
}
