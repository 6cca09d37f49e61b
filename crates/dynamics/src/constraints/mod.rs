//! The constraints, one file each.

use crate::constraint::constraints;

/// One registered kind of constraint.
#[derive(Debug, Clone, Copy)]
pub struct ConstraintKind {
    /// What it declares about itself.
    pub descriptor: &'static ConstraintDescriptor,
    /// Makes a random constraint of this kind, with poses of its bodies.
    pub example: fn(&mut Random<'_>) -> (AnyConstraint, Vec<Pose>),
}

constraints! {
    distance::Distance,
    point::Point,
}
