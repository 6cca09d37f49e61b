//! Rows and motions of six numbers: linear, then angular.

pub(crate) use delassus_core::relative;
use nalgebra::Vector3;

/// The linear and the angular part of six numbers.
pub(crate) fn split_spatial(six: &[f64]) -> [Vector3<f64>; 2] {
    [0, 3].map(|first| Vector3::new(six[first], six[first + 1], six[first + 2]))
}

/// Product of two rows of six.
pub(crate) fn dot(a: &[f64; 6], b: &[f64; 6]) -> f64 {
    (0..6).map(|axis| a[axis] * b[axis]).sum()
}
