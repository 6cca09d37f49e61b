//! The constraints, one file each.

mod angle;
mod angle_limit;
mod angular;
mod angular_motor;
mod angular_servo;
mod bead;
mod cardan;
mod cone_limit;
mod distance;
mod gear;
mod hinge;
mod joint_rows;
mod linear_motor;
mod linear_servo;
mod min_distance;
mod orientation_servo;
mod point;
mod point_on_line;
mod point_on_plane;
mod pulley;
mod rack;
mod rope;
mod six_dof;
mod six_dof_limit;
mod slide;
mod slide_limit;
mod slider;
mod span;
mod twist_limit;
mod universal;
mod weld;
mod winding;

use nalgebra::Vector3;

use crate::body::Pose;
use crate::constraint::{Constraint, ConstraintDescriptor, ExampleRng, Rows, Track};
use crate::error::FieldError;

pub use bead::Curve;
pub use cardan::JointAxis;
pub use six_dof_limit::AxisRange;

/// One registered kind of constraint.
#[derive(Debug, Clone, Copy)]
pub struct ConstraintKind {
    /// What it declares about itself.
    pub descriptor: &'static ConstraintDescriptor,
    /// Makes a random constraint of this kind, with poses of its bodies.
    pub example: fn(&mut ExampleRng<'_>) -> (AnyConstraint, Vec<Pose>),
}

/// Exports the constraints, and makes [`AnyConstraint`], which holds any of them, and the list of
/// their kinds: one name registers one.
macro_rules! any_constraint {
    ($($module:ident::$constraint:ident,)*) => {
        $(pub use $module::$constraint;)*

        /// Any registered constraint.
        #[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
        #[serde(rename_all = "kebab-case")]
        pub enum AnyConstraint {
            $(
                #[doc = concat!("[`", stringify!($constraint), "`].")]
                $constraint($constraint),
            )*
        }

        $(
            // what holds the rows of any constraint has room for its own
            const _: () = assert!($constraint::DESCRIPTOR.has_few_rows());

            impl From<$constraint> for AnyConstraint {
                fn from(constraint: $constraint) -> Self {
                    Self::$constraint(constraint)
                }
            }
        )*

        impl AnyConstraint {
            /// What the constraint declares about itself.
            pub fn descriptor(&self) -> &'static ConstraintDescriptor {
                match self {
                    $(Self::$constraint(_) => &$constraint::DESCRIPTOR,)*
                }
            }

            /// The bodies it touches, all different, in the order of the poses and of the Jacobian
            /// entries.
            pub fn bodies(&self) -> &[usize] {
                match self {
                    $(Self::$constraint(inner) => &inner.bodies,)*
                }
            }

            /// The same, to name bodies that have moved up in their list.
            pub(crate) fn bodies_mut(&mut self) -> &mut [usize] {
                match self {
                    $(Self::$constraint(inner) => &mut inner.bodies,)*
                }
            }

            /// Checks its own fields.
            ///
            /// # Errors
            /// The first field out of range; its path starts at the constraint.
            pub fn validate(&self) -> Result<(), FieldError> {
                match self {
                    $(Self::$constraint(inner) => inner.validate(),)*
                }
            }

            /// Appends its rows at the given poses \[m | rad\] and time \[s\], for a joint that
            /// starts there.
            pub fn evaluate(&self, poses: &[Pose], time: f64, rows: &mut Rows) {
                match self {
                    $(Self::$constraint(inner) => inner.evaluate(poses, time, rows),)*
                }
            }

            /// The same for a joint that has come from where `track` says.
            pub(crate) fn evaluate_from(
                &self,
                poses: &[Pose],
                track: &Track,
                time: f64,
                rows: &mut Rows,
            ) {
                match self {
                    $(Self::$constraint(inner) => inner.evaluate_from(poses, track, time, rows),)*
                }
            }

            /// The stored state of a joint that starts at these poses (L.16).
            pub(crate) fn start(&self, poses: &[Pose], time: f64) -> Track {
                match self {
                    $(Self::$constraint(inner) => inner.start(poses, time),)*
                }
            }

            /// Brings the memory to these poses, reached by turning by the rotation vectors `turns`
            /// \[rad\].
            pub(crate) fn follow(
                &self,
                poses: &[Pose],
                turns: [Vector3<f64>; 2],
                time: f64,
                track: &mut Track,
            ) {
                match self {
                    $(Self::$constraint(inner) => inner.follow(poses, turns, time, track),)*
                }
            }
        }

        /// Every kind of constraint, in the order of the documentation, with a maker of random
        /// examples.
        pub fn constraint_kinds() -> Vec<ConstraintKind> {
            vec![$(ConstraintKind {
                descriptor: &$constraint::DESCRIPTOR,
                example: |random| {
                    let (constraint, poses) = $constraint::example(random);
                    (constraint.into(), poses)
                },
            },)*]
        }
    };
}

any_constraint! {
    distance::Distance, point::Point, point_on_line::PointOnLine, point_on_plane::PointOnPlane,
    bead::Bead, hinge::Hinge, universal::Universal, angular::Angular, slider::Slider, weld::Weld,
    six_dof::SixDof, pulley::Pulley, gear::Gear, rack::Rack, angle_limit::AngleLimit,
    twist_limit::TwistLimit, cone_limit::ConeLimit, rope::Rope, min_distance::MinDistance,
    slide_limit::SlideLimit, six_dof_limit::SixDofLimit, linear_motor::LinearMotor,
    angular_motor::AngularMotor, linear_servo::LinearServo, angular_servo::AngularServo,
    orientation_servo::OrientationServo,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constraint::MAX_BODIES;

    #[test]
    fn what_holds_the_bodies_of_any_constraint_has_room_for_those_of_each() {
        let mut last = 0.0_f64;
        let mut source = || {
            last = (last + 0.618_033_988_749_895).fract();
            last
        };
        let most = constraint_kinds().into_iter().map(|kind| {
            let (constraint, poses) = (kind.example)(&mut ExampleRng(&mut source));
            assert_eq!(constraint.bodies().len(), poses.len());
            poses.len()
        });
        assert_eq!(most.max(), Some(MAX_BODIES));
    }
}
