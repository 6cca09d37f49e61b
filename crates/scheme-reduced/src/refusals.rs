//! What a tree of joints cannot be: each refusal names the place, the reason and a way out.

use delassus_dynamics::constraints::AnyConstraint;
use delassus_dynamics::{Body, ForceKind, Joint, SchemeError, Signal, World};
use nalgebra::Vector3;

use crate::ID;
use crate::bodies::{is_anchor, is_point};

pub(crate) fn refuse(what: impl Into<String>, reason: &'static str) -> SchemeError {
    SchemeError::Unsupported {
        scheme: ID,
        what: what.into(),
        reason,
    }
}

/// Path and kind of a joint.
pub(crate) fn joint(world: &World, index: usize) -> String {
    let id = world.joints()[index].constraint.descriptor().id;
    format!("joints[{index}] ({id})")
}

/// Refuses what no tree has: contacts, locks, soft and limited joints, joints without coordinates
/// of their own.
pub(crate) fn check(world: &World) -> Result<(), SchemeError> {
    if !world.manifolds().is_empty() {
        let reason = "is a contact, which joint coordinates do not know: use a scheme in maximal coordinates";
        return Err(refuse("manifolds[0]", reason));
    }
    if !world.colliders().is_empty() {
        let reason = "may touch another one, and joint coordinates know no contacts: take the colliders out, or use a scheme in maximal coordinates";
        return Err(refuse("colliders[0]", reason));
    }
    for (index, body) in world.bodies().iter().enumerate() {
        if body.is_dynamic() {
            check_body(index, body)?;
        }
    }
    for (index, found) in world.joints().iter().enumerate() {
        check_joint(world, index, found)?;
    }
    Ok(())
}

fn check_body(index: usize, body: &Body) -> Result<(), SchemeError> {
    let locked = "locks an axis of the world, which is no joint of a tree: use a slider, a hinge or a plane to a fixed body";
    for (field, lock) in [
        ("lock_translation", body.lock_translation),
        ("lock_rotation", body.lock_rotation),
    ] {
        if lock != [false; 3] {
            return Err(refuse(format!("bodies[{index}].{field}"), locked));
        }
    }
    if is_point(body) && body.spin != Vector3::zeros() {
        let reason = "is the spin of a point mass, which has no orientation: set it to zero, or give the body moments of inertia";
        return Err(refuse(format!("bodies[{index}].spin"), reason));
    }
    Ok(())
}

fn check_joint(world: &World, index: usize, found: &Joint) -> Result<(), SchemeError> {
    let at = |reason| Err(refuse(joint(world, index), reason));
    match found.constraint.descriptor().force {
        ForceKind::Joint => {}
        ForceKind::Limit => {
            return at(
                "is a limit, whose force comes and goes: leave it out, or use a scheme in maximal coordinates",
            );
        }
        ForceKind::Drive => {
            return at(
                "drives a joint, which this scheme cannot: leave it out, or apply a torque to the bodies",
            );
        }
    }
    if !found.is_rigid() {
        return at(
            "is soft, and a joint of a tree is exact: make it rigid, or use a scheme in maximal coordinates",
        );
    }
    if found.max_force.is_some() || found.max_torque.is_some() {
        return at(
            "has a largest force or torque, and a joint of a tree holds any: leave max_force and max_torque out, or use a scheme in maximal coordinates",
        );
    }
    for body in found.constraint.bodies() {
        let tied = &world.bodies()[*body];
        if !tied.is_dynamic() && !is_anchor(tied) {
            let what = format!("bodies[{body}]");
            let reason = "moves by itself and holds a joint: a base of a tree stands still; use a static body";
            return Err(refuse(what, reason));
        }
    }
    check_kind(world, index, found)
}

fn check_kind(world: &World, index: usize, found: &Joint) -> Result<(), SchemeError> {
    use AnyConstraint as Kind;
    let at = |reason| Err(refuse(joint(world, index), reason));
    let centred = |side: usize, anchors: &[Vector3<f64>; 2]| {
        let body = &world.bodies()[found.constraint.bodies()[side]];
        !is_point(body) || anchors[side] == Vector3::zeros()
    };
    let solid = |side: usize| {
        let body = &world.bodies()[found.constraint.bodies()[side]];
        !is_point(body)
    };
    let on_points = "acts on a point mass apart from its centre, which has no orientation: put the anchor at the centre, or give the body moments of inertia";
    let fits = match &found.constraint {
        Kind::Point(j) => centred(0, &j.anchors) && centred(1, &j.anchors),
        Kind::Distance(j) => {
            let Signal::Constant(_) = j.length else {
                return at(
                    "changes its length, and a rod of a tree keeps it: use a constant length",
                );
            };
            centred(0, &j.anchors) && centred(1, &j.anchors)
        }
        Kind::PointOnLine(j) => solid(0) && centred(1, &j.anchors),
        Kind::PointOnPlane(j) => solid(0) && centred(1, &j.anchors),
        Kind::Hinge(_)
        | Kind::Universal(_)
        | Kind::Slider(_)
        | Kind::Weld(_)
        | Kind::Angular(_) => solid(0) && solid(1),
        _ => {
            return at(
                "has no coordinates of its own: this scheme knows weld, hinge, slider, universal, point, distance, point-on-line, point-on-plane and angular",
            );
        }
    };
    if fits { Ok(()) } else { at(on_points) }
}
