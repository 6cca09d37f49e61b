//! What springs are in place of, and what they cannot be.

use delassus_core::{ContactLaw, Fidelity};

use crate::error::SchemeError;
use crate::joint::Joint;
use crate::motion::{WITHOUT_ROLLING, check_blocks, check_laws, fidelity};
use crate::world::World;

/// Refuses what springs cannot be in place of.
pub(super) fn refuse(world: &World) -> Result<(), SchemeError> {
    let known = [
        ContactLaw::Frictionless,
        ContactLaw::Disc,
        ContactLaw::Coulomb,
    ];
    let reason = "has a friction law that the dampers do not know: they have a disc per contact point, use disc or frictionless";
    check_laws(world, "penalty", &known, reason)?;
    check_blocks(world, "penalty")
}

/// What springs are in place of, in this world.
pub(super) fn departures(world: &World) -> Fidelity {
    let mut reasons = Vec::new();
    let rigid = |joint: &Joint| {
        let mut units = joint.constraint.descriptor().units.iter();
        units.any(|unit| joint.softness_of(*unit).is_rigid())
    };
    if world.joints.iter().any(rigid) {
        reasons.push("rigid joints are springs of finite stiffness");
    }
    let frictional = |law: ContactLaw| law != ContactLaw::Frictionless;
    let found = !world.colliders().is_empty();
    let surfaces = world.colliders().iter().map(|c| c.material.softness);
    // a soft surface makes every contact soft
    let several = surfaces.filter(|softness| softness.is_rigid()).count() > 1;
    if several || world.manifolds.iter().any(|m| m.softness.is_rigid()) {
        reasons.push("rigid contacts are springs of finite stiffness");
    }
    if found || !world.manifolds.is_empty() {
        let law = world.contact_settings().law;
        if (found && frictional(law)) || world.manifolds.iter().any(|m| frictional(m.law)) {
            reasons.push("friction at rest creeps below the slip speed");
        }
    }
    let bounces = |restitution: f64| restitution > 0.0;
    if world.manifolds.iter().any(|m| bounces(m.restitution))
        || world
            .colliders()
            .iter()
            .any(|c| bounces(c.material.restitution))
    {
        reasons.push("restitution is that of stiffness and damping");
    }
    if world.resists_rolling() {
        reasons.push(WITHOUT_ROLLING);
    }
    fidelity(reasons)
}
