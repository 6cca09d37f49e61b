//! The constraints, one file each.

use crate::constraint::constraints;

mod angle;
mod joint_rows;
mod slide;
mod span;

/// One registered kind of constraint.
#[derive(Debug, Clone, Copy)]
pub struct ConstraintKind {
    /// What it declares about itself.
    pub descriptor: &'static ConstraintDescriptor,
    /// Makes a random constraint of this kind, with poses of its bodies.
    pub example: fn(&mut Random<'_>) -> (AnyConstraint, Vec<Pose>),
}

pub use bead::Curve;

constraints! {
    distance::Distance,
    point::Point,
    point_on_line::PointOnLine,
    point_on_plane::PointOnPlane,
    bead::Bead,
    hinge::Hinge,
    universal::Universal,
    angular::Angular,
    slider::Slider,
    weld::Weld,
    pulley::Pulley,
    gear::Gear,
    rack::Rack,
    angle_limit::AngleLimit,
    twist_limit::TwistLimit,
    cone_limit::ConeLimit,
    rope::Rope,
    min_distance::MinDistance,
    slide_limit::SlideLimit,
    linear_motor::LinearMotor,
    angular_motor::AngularMotor,
    linear_servo::LinearServo,
    angular_servo::AngularServo,
    orientation_servo::OrientationServo,
}
