//! The scenes, one file each.

mod pendulum;

pub use pendulum::{Pendulum, PendulumJoint};

use crate::registry::SceneVisitor;

/// Shows every scene to `visitor`, in the order of the documentation.
pub fn visit_scenes<V: SceneVisitor>(visitor: &mut V) {
    visitor.visit::<Pendulum>();
}
