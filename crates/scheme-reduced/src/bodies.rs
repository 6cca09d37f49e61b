//! What the bodies of a world are to a tree.

use delassus_dynamics::{Body, BodyKind};
use nalgebra::{UnitQuaternion, Vector3};

/// True for a mass without orientation.
pub(crate) fn is_point(body: &Body) -> bool {
    body.is_dynamic() && body.inertia.moments == Vector3::zeros()
}

/// True for a body that holds what is tied to it.
pub(crate) fn is_anchor(body: &Body) -> bool {
    let still = body.velocity == Vector3::zeros() && body.spin == Vector3::zeros();
    body.kind == BodyKind::Static || (body.kind == BodyKind::Kinematic && still)
}

/// Orientation of a body; a point mass has the axes of the world.
pub(crate) fn frame_of(body: &Body) -> UnitQuaternion<f64> {
    if is_point(body) {
        UnitQuaternion::identity()
    } else {
        body.orientation
    }
}
