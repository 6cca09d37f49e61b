//! Joints in the form of the device: rows of four kinds, relative to the start of the frame.

use delassus_core::Softness;
use delassus_dynamics::constraints::AnyConstraint;
use delassus_dynamics::{
    FrameRow, Joint, Pose, Rows, SchemeError, Signal, StepError, World, rotation,
};
use delassus_solver_jacobi::real::{Quad, Real};
use nalgebra::{UnitQuaternion, Vector3};

use crate::parameters::SoftStepParameters;
use crate::start::{self, triple, word};
use crate::stepping::{FollowedJoint, LINE, ORIENTATION, PERPENDICULAR, ROD};

/// What the rows of a joint are made of, in world axes at the start of the frame.
pub(crate) struct JointShape {
    /// Anchors from the centres of mass \[m\].
    pub(crate) anchors: [Vector3<f64>; 2],
    /// From the centre of A to that of B \[m\].
    pub(crate) centres: Vector3<f64>,
    /// An axis of B \[-\].
    pub(crate) axis: Vector3<f64>,
    /// What B's orientation has too much, in world axes.
    pub(crate) missing: UnitQuaternion<f64>,
    /// Kind and direction of every row.
    pub(crate) rows: Vec<(u32, Vector3<f64>)>,
}

/// The shape of a joint; `None` for kinds that the device does not follow.
pub(crate) fn shape(constraint: &AnyConstraint, poses: &[Pose]) -> Option<JointShape> {
    let [a, b] = poses else { return None };
    let none = [Vector3::zeros(); 2];
    let mut shape = JointShape {
        anchors: none,
        centres: b.position - a.position,
        axis: Vector3::zeros(),
        missing: UnitQuaternion::identity(),
        rows: Vec::new(),
    };
    let frame = [Vector3::x(), Vector3::y(), Vector3::z()];
    let lines = |shape: &mut JointShape, anchors: &[Vector3<f64>; 2], axes: &[Vector3<f64>]| {
        shape.anchors = [a.rotate(&anchors[0]), b.rotate(&anchors[1])];
        let line = |axis: &Vector3<f64>| (LINE, a.rotate(axis));
        shape.rows.extend(axes.iter().map(line));
    };
    let turns = |shape: &mut JointShape, orientation: &UnitQuaternion<f64>| {
        shape.missing = b.orientation * orientation.inverse() * a.orientation.inverse();
        let row = |axis: &Vector3<f64>| (ORIENTATION, a.rotate(axis));
        shape.rows.extend(frame.iter().map(row));
    };
    let across = |shape: &mut JointShape, axes: &[Vector3<f64>], second: &Vector3<f64>| {
        shape.axis = b.rotate(second);
        let row = |axis: &Vector3<f64>| (PERPENDICULAR, a.rotate(axis));
        shape.rows.extend(axes.iter().map(row));
    };
    match constraint {
        AnyConstraint::Point(joint) => lines(&mut shape, &joint.anchors, &frame),
        AnyConstraint::PointOnLine(joint) => {
            lines(&mut shape, &joint.anchors, &rotation::tangents(&joint.axis));
        }
        AnyConstraint::Hinge(joint) => {
            lines(&mut shape, &joint.anchors, &frame);
            let tangents = rotation::tangents(&joint.axes[0]);
            across(&mut shape, &tangents, &joint.axes[1]);
        }
        AnyConstraint::Universal(joint) => {
            lines(&mut shape, &joint.anchors, &frame);
            across(&mut shape, &joint.axes[..1], &joint.axes[1]);
        }
        AnyConstraint::Slider(joint) => {
            lines(&mut shape, &joint.anchors, &rotation::tangents(&joint.axis));
            turns(&mut shape, &joint.orientation);
        }
        AnyConstraint::Weld(joint) => {
            lines(&mut shape, &joint.anchors, &frame);
            turns(&mut shape, &joint.orientation);
        }
        AnyConstraint::Angular(joint) => turns(&mut shape, &joint.orientation),
        AnyConstraint::Distance(joint) => {
            let Signal::Constant(_) = joint.length else {
                return None;
            };
            lines(&mut shape, &joint.anchors, &[]);
            shape.rows.push((ROD, Vector3::zeros()));
        }
        _ => return None,
    }
    Some(shape)
}

/// Where a joint lies in a pack, and how soft it is there.
pub(crate) struct BlockPlace<'a> {
    /// First quad of its rows.
    pub(crate) numbers: usize,
    /// What its rows stand for.
    pub(crate) rows: &'a [FrameRow],
    /// In the two passes.
    pub(crate) springs: [JointSpring; 2],
}

impl JointShape {
    /// Returns the joint as the kernels read it, and appends the numbers of its rows to `all`.
    pub(crate) fn followed<T: Real>(
        &self,
        joint: &Joint,
        block: &BlockPlace<'_>,
        errors: &[f64],
        all: &mut Vec<Quad<T>>,
    ) -> Result<FollowedJoint<T>, StepError> {
        let [biased, relaxed] = block.springs;
        let [a, b] = self.anchors;
        let gap = self.centres + (b - a);
        let first_row = word(all.len())?;
        let mut kinds = 0;
        for (place, row) in block.rows.iter().enumerate() {
            if let FrameRow::Joint { local, .. } = *row {
                let (kind, direction) = self.rows[local];
                kinds |= kind << (4 * place);
                let [x, y, z] = triple(&direction);
                all.push([x, y, z, T::of(errors[local])]);
            }
        }
        let bodies = joint.constraint.bodies();
        Ok(FollowedJoint {
            a: word(bodies[0])?,
            b: word(bodies[1])?,
            blocks: word(block.numbers)?,
            rows: word(block.rows.len())?,
            first_row,
            kinds,
            relaxed_absolute: T::of(relaxed.absolute),
            length: T::of(gap.norm()),
            centres: triple(&self.centres),
            rate: T::of(biased.rate),
            anchor_a: triple(&a),
            relative: T::of(biased.relative),
            anchor_b: triple(&b),
            absolute: T::of(biased.absolute),
            axis: triple(&self.axis),
            relaxed_rate: T::of(relaxed.rate),
            missing: start::rotation(&self.missing),
            gap: triple(&gap),
            relaxed_relative: T::of(relaxed.relative),
        })
    }
}

/// Refuses joints and surfaces that the kernels do not follow, in the name of `scheme`.
///
/// # Errors
/// The first of them.
pub fn check(world: &World, scheme: &'static str) -> Result<(), SchemeError> {
    if let Some(index) = world.moving_surface() {
        return Err(SchemeError::Unsupported {
            scheme,
            what: format!("colliders[{index}].material.surface_velocity"),
            reason: "moves a surface: the device has no velocity for it, use soft-step",
        });
    }
    if world.resists_rolling() {
        return Err(SchemeError::Unsupported {
            scheme,
            what: "rolling_friction or spinning_friction".to_owned(),
            reason: "of a surface is above zero: the device has no rows for it, use soft-step",
        });
    }
    if let Some(what) = world.soft_contact() {
        return Err(SchemeError::Unsupported {
            scheme,
            what,
            reason: "is the scene's own: the device has springs of the scheme only at contacts, use soft-step",
        });
    }
    for (index, joint) in world.joints().iter().enumerate() {
        if joint.is_split() || joint.has_coupled_compliance() || has_two_springs(joint) {
            return Err(SchemeError::Unsupported {
                scheme,
                what: format!("joints[{index}]"),
                reason: "has another softness or limit for its angular rows, or couples its rows: the device has one spring per joint, use soft-step",
            });
        }
        if shape(&joint.constraint, &poses(world, joint)).is_none() {
            let id = joint.constraint.descriptor().id;
            return Err(SchemeError::Unsupported {
                scheme,
                what: format!("joints[{index}] ({id})"),
                reason: "is no point, point-on-line, hinge, universal, slider, weld or angular joint and no rod of constant length: the device follows those only, use soft-step",
            });
        }
    }
    Ok(())
}

/// True if linear and angular rows are different springs.
fn has_two_springs(joint: &Joint) -> bool {
    let units = joint.constraint.descriptor().units;
    let first = units.first().map(|unit| joint.softness_of(*unit));
    units
        .iter()
        .any(|unit| Some(joint.softness_of(*unit)) != first)
}

/// The one spring of a joint that [`check`] has passed.
fn spring(joint: &Joint) -> Softness {
    let units = joint.constraint.descriptor().units;
    units
        .first()
        .map_or(Softness::Rigid, |unit| joint.softness_of(*unit))
}

pub(crate) fn poses(world: &World, joint: &Joint) -> Vec<Pose> {
    let bodies = joint.constraint.bodies().iter();
    bodies.map(|body| world.bodies()[*body].pose()).collect()
}

/// Errors of the rows of a joint at the start of the frame \[m | rad\].
pub(crate) fn errors(world: &World, joint: usize) -> Vec<f64> {
    let mut rows = Rows::default();
    world.evaluate_joint(joint, &mut rows);
    rows.error
}

/// Bias per error \[1/s\], compliance per A_ii \[-\] and compliance \[1/kg\] of the rows of a joint
/// in one pass.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct JointSpring {
    pub(crate) rate: f64,
    pub(crate) relative: f64,
    pub(crate) absolute: f64,
}

impl JointSpring {
    /// In the biased and in the relaxed pass: a spring of the scene is the same in both.
    pub(crate) fn of_passes(joint: &Joint, parameters: &SoftStepParameters, h: f64) -> [Self; 2] {
        if spring(joint).is_rigid() {
            let biased = Self::new(parameters.joint_spring(h), h);
            return [biased, Self::default()];
        }
        [Self::new(spring(joint), h); 2]
    }

    fn new(softness: Softness, h: f64) -> Self {
        let Some(row) = softness.row(1.0, h) else {
            return Self::default();
        };
        let follows = matches!(
            softness,
            Softness::Frequency { .. } | Softness::Scales { .. }
        );
        Self {
            rate: row.bias_rate,
            relative: if follows { row.compliance } else { 0.0 },
            absolute: if follows { 0.0 } else { row.compliance },
        }
    }
}
