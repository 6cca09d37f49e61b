//! What the method has no rows for, and what its parameters make of a world.

use delassus_collide::Collider;
use delassus_core::{ContactLaw, Fidelity};

use super::parameters::{AvbdParameters, FrictionDirection, SpringPenalty};
use crate::assembly::Source;
use crate::error::SchemeError;
use crate::joint::Joint;
use crate::motion::{WITHOUT_ROLLING, check_blocks, check_laws, fidelity, has_disc, name};
use crate::world::World;

/// Refuses laws and bounces that the method does not have.
pub(super) fn refuse(world: &World) -> Result<(), SchemeError> {
    let known = [
        ContactLaw::Frictionless,
        ContactLaw::Pyramid,
        ContactLaw::Disc,
        ContactLaw::Coulomb,
    ];
    let reason = "has a friction law that the position solve does not know: it has a disc or pyramid per contact point";
    check_laws(world, "avbd", &known, reason)?;
    check_blocks(world, "avbd")?;
    let bounces = |c: &Collider| c.material.restitution > 0.0;
    let collider = world.colliders().iter().position(bounces);
    let manifold = world.manifolds.iter().position(|m| m.restitution > 0.0);
    let what = match (collider, manifold) {
        (Some(index), _) => format!("colliders[{index}].material.restitution"),
        (None, Some(index)) => format!("{} (restitution)", name(Source::Manifold(index))),
        (None, None) => return Ok(()),
    };
    Err(SchemeError::Unsupported {
        scheme: "avbd",
        what,
        reason: "bounces, and the method has no restitution: set it to 0",
    })
}

/// What the method leaves out or bends in this world.
pub(super) fn departures(world: &World, p: &AvbdParameters) -> Fidelity {
    let mut reasons = Vec::new();
    if world.resists_rolling() {
        reasons.push(WITHOUT_ROLLING);
    }
    if p.spring_penalty == SpringPenalty::Growing && has_springs(world) {
        reasons.push(
            "springs are softer than their stiffness where growth and decay of the penalty balance",
        );
    }
    if p.friction_direction == FrictionDirection::PerAxis && has_disc(world) {
        reasons
            .push("friction is not opposite to the slip, since each tangent has its own penalty");
    }
    if p.penalty_floor == 0.0 && has_rigid_rows(world) {
        reasons.push(
            "penalties start from one value for all masses: heavy bodies sink into what they land on",
        );
    }
    fidelity(reasons)
}

fn has_springs(world: &World) -> bool {
    let soft_contact = |c: &Collider| !c.material.softness.is_rigid();
    world.joints.iter().any(|joint| !joint.is_rigid())
        || world.manifolds.iter().any(|m| !m.softness.is_rigid())
        || world.colliders().iter().any(soft_contact)
}

fn has_rigid_rows(world: &World) -> bool {
    let hard = |c: &Collider| c.material.softness.is_rigid();
    world.joints.iter().any(Joint::is_rigid)
        || world.manifolds.iter().any(|m| m.softness.is_rigid())
        || world.colliders().iter().any(hard)
}
