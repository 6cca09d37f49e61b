//! Between our types and those of the library of geometry.

use nalgebra::{Isometry3, Vector3};
use parry3d_f64::math::{Pose, Rotation, Vector};

pub(crate) fn vector(v: &Vector3<f64>) -> Vector {
    Vector::new(v.x, v.y, v.z)
}

pub(crate) fn from_vector(v: Vector) -> Vector3<f64> {
    Vector3::new(v.x, v.y, v.z)
}

pub(crate) fn parry(pose: &Isometry3<f64>) -> Pose {
    let q = pose.rotation.quaternion();
    let rotation = Rotation::from_xyzw(q.i, q.j, q.k, q.w);
    Pose::from_parts(vector(&pose.translation.vector), rotation)
}
