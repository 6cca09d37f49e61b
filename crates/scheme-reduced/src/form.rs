//! From a joint of the world and the present poses to the coordinates of a tree.

use delassus_dynamics::constraints::AnyConstraint;
use delassus_dynamics::{Body, Rows, SchemeError, Signal, World, rotation};
use nalgebra::{Matrix3, Quaternion, Rotation3, UnitQuaternion, Vector3};

use crate::bodies::{frame_of, is_point};
use crate::coordinates::{Coordinates, Rod, RotationFreedom, Slides};
use crate::refusals::{self, refuse};

/// Errors below this share of the lengths of a joint \[-\], and angles below it \[rad\], are
/// roundings.
const ASSEMBLED: f64 = 1e-9;

/// The coordinates of a joint, whose child is on this side, at the present poses.
///
/// # Errors
/// A joint whose bodies are apart by more than rounding.
pub(crate) fn coordinates(
    world: &World,
    index: usize,
    side: usize,
) -> Result<Coordinates, SchemeError> {
    check_assembled(world, index)?;
    let constraint = &world.joints()[index].constraint;
    let pair = constraint.bodies();
    let bodies = [&world.bodies()[pair[1 - side]], &world.bodies()[pair[side]]];
    let mut found = plain(constraint, side);
    if is_point(bodies[1]) {
        found.turn = RotationFreedom::Point;
    }
    let frames = bodies.map(frame_of);
    found.start = projected(frames[0].inverse() * frames[1], &found, constraint, side);
    measure(&mut found, bodies, &frames[0]);
    Ok(found)
}

/// Refuses a joint that is apart.
fn check_assembled(world: &World, index: usize) -> Result<(), SchemeError> {
    let constraint = &world.joints()[index].constraint;
    let bodies = [0, 1].map(|side| &world.bodies()[constraint.bodies()[side]]);
    let mut rows = Rows::default();
    world.evaluate_joint(index, &mut rows);
    let between = (bodies[1].position - bodies[0].position).norm();
    let far = bodies.map(|body: &Body| body.position.to_vector().norm());
    let size = 1.0_f64.max(between);
    let lengths = ASSEMBLED * size + 1e-15 * far[0].max(far[1]);
    for (error, unit) in rows.error.iter().zip(constraint.descriptor().units) {
        let allowed = match unit {
            delassus_dynamics::RowUnit::Length => lengths,
            delassus_dynamics::RowUnit::Angle => ASSEMBLED,
        };
        if error.abs() > allowed {
            let what = format!(
                "{}, whose error is {error:e},",
                refusals::joint(world, index)
            );
            let reason = "is not assembled: start from poses that keep the joint, or bring the bodies together with another scheme first (pgs-ngs)";
            return Err(refuse(what, reason));
        }
    }
    Ok(())
}

/// Anchors and freedoms of a constraint whose child is its body `side`; measured values are not
/// filled in.
fn plain(constraint: &AnyConstraint, side: usize) -> Coordinates {
    use AnyConstraint as Kind;
    let swap = |anchors: &[Vector3<f64>; 2]| [anchors[1 - side], anchors[side]];
    let (anchors, turn) = match constraint {
        Kind::Point(j) => (swap(&j.anchors), RotationFreedom::Ball),
        Kind::Distance(j) => (swap(&j.anchors), RotationFreedom::Ball),
        Kind::PointOnLine(j) => (swap(&j.anchors), RotationFreedom::Ball),
        Kind::PointOnPlane(j) => (swap(&j.anchors), RotationFreedom::Ball),
        Kind::Hinge(j) => (
            swap(&j.anchors),
            RotationFreedom::Axis(j.axes[1 - side].normalize()),
        ),
        Kind::Universal(j) => {
            let axes = [j.axes[1 - side].normalize(), j.axes[side].normalize()];
            (swap(&j.anchors), RotationFreedom::Cross(axes))
        }
        Kind::Slider(j) => (swap(&j.anchors), RotationFreedom::Fixed),
        Kind::Weld(j) => (swap(&j.anchors), RotationFreedom::Fixed),
        // refused before, but for the joint without anchors
        _ => ([Vector3::zeros(); 2], RotationFreedom::Fixed),
    };
    Coordinates {
        anchors,
        turn,
        slides: slides(constraint, side),
        rod: match constraint {
            Kind::Distance(j) => Some(Rod {
                length: match j.length {
                    Signal::Constant(length) => length,
                    Signal::Ramp { .. } | Signal::Sine { .. } => 0.0,
                },
                start: UnitQuaternion::identity(),
            }),
            _ => None,
        },
        start: UnitQuaternion::identity(),
        slid: [0.0; 3],
    }
}

fn slides(constraint: &AnyConstraint, side: usize) -> Slides {
    use AnyConstraint as Kind;
    let mut slides = Slides {
        // lines and planes belong to the first body
        on_child: side == 0,
        ..Slides::default()
    };
    let axes: &[Vector3<f64>] = match constraint {
        Kind::PointOnLine(j) => &[j.axis.normalize()],
        Kind::PointOnPlane(j) => &rotation::tangents(&j.normal.normalize()),
        Kind::Slider(j) => &[j.axis.normalize()],
        Kind::Angular(_) => {
            slides.on_child = false;
            &[Vector3::x(), Vector3::y(), Vector3::z()]
        }
        _ => &[],
    };
    slides.count = axes.len();
    slides.axes[..axes.len()].copy_from_slice(axes);
    slides
}

/// The orientation of the child in the axes of the parent that is nearest to `measured` and keeps
/// the joint.
fn projected(
    measured: UnitQuaternion<f64>,
    found: &Coordinates,
    constraint: &AnyConstraint,
    side: usize,
) -> UnitQuaternion<f64> {
    use AnyConstraint as Kind;
    let wanted = match constraint {
        Kind::Weld(j) => Some(j.orientation),
        Kind::Slider(j) => Some(j.orientation),
        Kind::Angular(j) => Some(j.orientation),
        _ => None,
    };
    if let Some(wanted) = wanted {
        let unit = UnitQuaternion::new_normalize(wanted.into_inner());
        return if side == 1 { unit } else { unit.inverse() };
    }
    match (found.turn, constraint) {
        (RotationFreedom::Axis(axis), Kind::Hinge(j)) => {
            let now = measured * j.axes[side].normalize();
            // opposite axes keep the hinge as well
            let goal = if now.dot(&axis) < 0.0 { -axis } else { axis };
            small_arc(&now, &goal) * measured
        }
        (RotationFreedom::Cross([first, second]), _) => {
            let now = measured * second;
            let goal = (now - now.dot(&first) * first).normalize();
            small_arc(&now, &goal) * measured
        }
        (RotationFreedom::Point, _) => UnitQuaternion::identity(),
        _ => measured,
    }
}

/// The shortest rotation between two unit vectors that are close to each other.
fn small_arc(from: &Vector3<f64>, to: &Vector3<f64>) -> UnitQuaternion<f64> {
    UnitQuaternion::new_normalize(Quaternion::from_parts(1.0 + from.dot(to), from.cross(to)))
}

/// Fills in slides and rod at the present positions.
fn measure(found: &mut Coordinates, bodies: [&Body; 2], frame: &UnitQuaternion<f64>) {
    let between = frame.inverse() * (bodies[1].position - bodies[0].position);
    // the child's point from the parent's, in the axes of the parent
    let gap = between + found.start * found.anchors[1] - found.anchors[0];
    let slid = if found.slides.on_child {
        -(found.start.inverse() * gap)
    } else {
        gap
    };
    for (value, axis) in found.slid.iter_mut().zip(&found.slides.axes) {
        *value = axis.dot(&slid);
    }
    if let Some(rod) = &mut found.rod {
        let along = gap.normalize();
        let [across, other] = rotation::tangents(&along);
        let matrix = Matrix3::from_columns(&[across, other, along]);
        rod.start = UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(matrix));
    }
}
