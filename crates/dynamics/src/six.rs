//! Rows and motions of six numbers: linear, then angular.

use nalgebra::Vector3;

/// The linear and the angular part of six numbers.
pub(crate) fn halves(six: &[f64]) -> [Vector3<f64>; 2] {
    [0, 3].map(|first| Vector3::new(six[first], six[first + 1], six[first + 2]))
}

/// Product of two rows of six.
pub(crate) fn dot(a: &[f64; 6], b: &[f64; 6]) -> f64 {
    (0..6).map(|axis| a[axis] * b[axis]).sum()
}

/// Row of the motion of B's point relative to A's along `axis`.
#[inline]
pub(crate) fn relative(axis: &Vector3<f64>, arms: &[Vector3<f64>; 2]) -> [[f64; 6]; 2] {
    let [a, b] = arms.map(|arm| {
        let angular = arm.cross(axis);
        [axis.x, axis.y, axis.z, angular.x, angular.y, angular.z]
    });
    [a.map(|x| -x), b]
}
