//! Where colliders are, roughly.

use nalgebra::Vector3;

/// Where a collider is, roughly.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Bounds {
    /// Within a box along the axes of the world.
    Box {
        /// Smallest coordinates \[m\].
        low: Vector3<f64>,
        /// Largest coordinates \[m\].
        high: Vector3<f64>,
    },
    /// Below a plane.
    Below {
        /// Unit normal of the plane \[-\].
        normal: Vector3<f64>,
        /// Its distance from the origin along the normal \[m\].
        height: f64,
    },
}

impl Bounds {
    /// True if a box reaches below a plane.
    pub(crate) fn reaches(&self, normal: &Vector3<f64>, height: f64) -> bool {
        match self {
            Self::Box { low, high } => {
                let lowest =
                    Vector3::from_fn(|axis, _| if normal[axis] > 0.0 { low } else { high }[axis]);
                lowest.dot(normal) <= height
            }
            Self::Below { .. } => false,
        }
    }
}
