//! What the host has said about bodies that stay on the device, and which bodies can.

use delassus_dynamics::{ContactVersion, SchemeError, World};
use delassus_scheme_jacobi::SoftStepParameters;
use delassus_scheme_jacobi::joint_pack::joint_with_changing_rows;
use delassus_scheme_jacobi::stepping::next_frame::FARTHEST;
use nalgebra::Vector3;

/// What a world takes over of bodies that stay on the device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BodyReads {
    /// Positions and orientations: velocities of the world stay what the host knew last.
    Poses,
    /// Velocities, too.
    All,
}

/// What the host has said about bodies that stay on the device.
#[derive(Debug)]
pub(super) struct Stay {
    pub(super) version: ContactVersion,
    pub(super) h: f64,
    pub(super) parameters: SoftStepParameters,
    pub(super) gravity: Vector3<f64>,
    pub(super) inputs: Vec<BodyInput>,
    /// True if velocities on the device are newer than those of the world.
    pub(super) pending: bool,
}

/// What a host may change of a body without an edit of its world.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct BodyInput {
    /// Velocity and spin.
    pub(super) motion: [Vector3<f64>; 2],
    /// Force and torque.
    pub(super) wrench: [Vector3<f64>; 2],
}

impl Stay {
    pub(super) fn new(world: &World, h: f64, parameters: &SoftStepParameters) -> Self {
        Self {
            version: world.contact_version(),
            h,
            parameters: *parameters,
            gravity: world.gravity(),
            inputs: inputs(world),
            pending: true,
        }
    }
}

/// Of the bodies of a world, in their order.
pub(super) fn inputs(world: &World) -> Vec<BodyInput> {
    let bodies = world.bodies().iter();
    let of = bodies.map(|body| BodyInput {
        motion: [body.velocity, body.spin],
        wrench: [body.force, body.torque],
    });
    of.collect()
}

/// Refuses bodies that cannot stay on a device.
pub(super) fn check_bodies(world: &World, scheme: &'static str) -> Result<(), SchemeError> {
    for (index, body) in world.bodies().iter().enumerate() {
        let refuse = |field: &str, reason: &'static str| {
            Err(SchemeError::Unsupported {
                scheme,
                what: format!("bodies[{index}].{field}"),
                reason,
            })
        };
        let moves = body.velocity != Vector3::zeros() || body.spin != Vector3::zeros();
        if !body.is_dynamic() && moves {
            let reason = "moves without forces, which the host follows: step frame by frame";
            return refuse("velocity", reason);
        }
        let locked = body.lock_rotation.iter().filter(|locked| **locked).count();
        if body.is_dynamic() && (1..3).contains(&locked) {
            let reason = "locks some turns, and the host turns what is left of the inertia: step frame by frame";
            return refuse("lock_rotation", reason);
        }
        if body.position.to_vector().amax() >= f64::from(FARTHEST) {
            let reason =
                "is farther from the origin than 32768 m, where bodies stay: step frame by frame";
            return refuse("position", reason);
        }
    }
    Ok(())
}

/// Refuses joints whose rows the host has to choose frame by frame.
pub(super) fn check_joints(world: &World, scheme: &'static str) -> Result<(), SchemeError> {
    match joint_with_changing_rows(world) {
        Some(index) => Err(SchemeError::Unsupported {
            scheme,
            what: format!("joints[{index}]"),
            reason: "ties bodies with locked axes, and which of its rows move them depends on their poses, which the host does not have here: step frame by frame",
        }),
        None => Ok(()),
    }
}
