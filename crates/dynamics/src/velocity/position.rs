//! Position passes: nonlinear Gauss–Seidel on the poses (T.12).

use arrayvec::ArrayVec;

use super::least_motion::apply;
use super::parameters::PositionPasses;
use crate::constraint::{ForceKind, MAX_BODIES, MAX_ROWS, RowUnit, Rows};
use crate::contact::ContactFrame;
use crate::order::ConstraintOrder;
use crate::spatial::{dot, relative, split_spatial};
use crate::world::World;

/// Passes over all joints and contacts, each solved at the poses that the one before it left;
/// returns row updates.
///
/// Rows that are soft by the scene, and drives, are not errors to remove; neither are contact
/// points that were too `far` apart for the velocity problem, as (manifold, point) in ascending
/// order.
pub(super) fn passes(
    world: &mut World,
    settings: &PositionPasses,
    far: &[[usize; 2]],
    PositionMemory { rows, frame }: &mut PositionMemory,
) -> u64 {
    let mut seen = Seen::default();
    for _ in 0..settings.sweeps {
        seen.errors = [0.0; 2];
        if settings.order == ConstraintOrder::ContactsFirst {
            correct_manifolds(world, settings, far, frame, &mut seen);
        }
        for joint in 0..world.joints.len() {
            correct_joint(world, joint, settings, rows, &mut seen);
        }
        if settings.order == ConstraintOrder::JointsFirst {
            correct_manifolds(world, settings, far, frame, &mut seen);
        }
        let small = |limits: [f64; 2]| seen.errors[0] <= limits[0] && seen.errors[1] <= limits[1];
        if settings.tolerances.is_some_and(small) {
            break;
        }
    }
    seen.updates
}

/// Memory of the passes.
#[derive(Debug, Default)]
pub(super) struct PositionMemory {
    rows: Rows,
    frame: ContactFrame,
}

/// What passes found.
#[derive(Debug, Default)]
struct Seen {
    /// Row updates so far \[-\].
    updates: u64,
    /// Largest overlap of contacts and limits and largest error of joints in the pass, before each
    /// was corrected \[m | rad\].
    errors: [f64; 2],
}

impl Seen {
    fn error(&mut self, kind: usize, error: f64) {
        self.errors[kind] = self.errors[kind].max(error);
    }
}

fn correct_manifolds(
    world: &mut World,
    settings: &PositionPasses,
    far: &[[usize; 2]],
    frame: &mut ContactFrame,
    seen: &mut Seen,
) {
    for manifold in 0..world.manifolds.len() {
        correct_manifold(world, manifold, settings, far, frame, seen);
    }
}

/// Solves one joint's position error in full, the rows together; rows of a limit alone and up to
/// the largest correction.
fn correct_joint(
    world: &mut World,
    joint: usize,
    settings: &PositionPasses,
    rows: &mut Rows,
    seen: &mut Seen,
) {
    let force = world.joints[joint].constraint.descriptor().force;
    if force == ForceKind::Drive {
        return;
    }
    let units = world.joints[joint].constraint.descriptor().units;
    let rigid = |unit: &RowUnit| world.joints[joint].softness_of(*unit).is_rigid();
    let rigid: ArrayVec<bool, MAX_ROWS> = units.iter().map(rigid).collect();
    if !rigid.contains(&true) {
        return;
    }
    world.evaluate_joint(joint, rows);
    let limit = force == ForceKind::Limit;
    let errors = rows.error.iter().zip(&rigid).filter(|(_, rigid)| **rigid);
    for (error, _) in errors {
        if limit {
            seen.error(0, -error);
        } else {
            seen.error(1, error.abs());
        }
    }
    let bodies = world.joints[joint].constraint.bodies().iter().copied();
    let bodies: ArrayVec<usize, MAX_BODIES> = bodies.collect();
    let errors = rows.error.iter().zip(&rigid).filter(|(_, rigid)| **rigid);
    let targets: ArrayVec<f64, MAX_ROWS> = errors
        .map(|(error, _)| {
            if limit {
                let wanted = (error + settings.slop).min(0.0);
                -wanted.max(-settings.max_correction)
            } else {
                -error
            }
        })
        .collect();
    let entries = rows.jacobian.chunks_exact(bodies.len()).zip(&rigid);
    let entries = entries.filter_map(|(entry, rigid)| rigid.then_some(entry));
    let entries: ArrayVec<_, MAX_ROWS> = entries.collect();
    // rows of a limit act alone: the other side of a range is not an equation
    if limit {
        for (entry, target) in entries.iter().zip(&targets) {
            if *target > 0.0 {
                apply(world, &bodies, std::slice::from_ref(entry), &[*target]);
            }
        }
    } else {
        apply(world, &bodies, &entries, &targets);
    }
    seen.updates += targets.len() as u64;
}

/// Removes a share of each overlap of a manifold, point by point.
fn correct_manifold(
    world: &mut World,
    manifold: usize,
    settings: &PositionPasses,
    far: &[[usize; 2]],
    frame: &mut ContactFrame,
    seen: &mut Seen,
) {
    if !world.manifolds[manifold].softness.is_rigid() {
        return;
    }
    let bodies = world.manifolds[manifold].bodies;
    for point in 0..world.manifolds[manifold].points.len() {
        if far.binary_search(&[manifold, point]).is_ok() {
            continue;
        }
        world.manifolds[manifold].frame_in(world.pose_pair(bodies), 0.5, frame);
        let separation = frame.separations[point];
        seen.updates += 1;
        seen.error(0, -separation);
        let wanted = settings.beta * (separation + settings.slop).min(0.0);
        let target = -wanted.clamp(-settings.max_correction, 0.0);
        if target > 0.0 {
            let row = relative(&frame.normal, &frame.arms[point]);
            push_apart(world, bodies, &row, target);
        }
    }
}

/// As [`apply`] for one row of two bodies.
fn push_apart(world: &mut World, bodies: [usize; 2], row: &[[f64; 6]; 2], change: f64) {
    let mass = bodies.map(|body| world.bodies[body].mass_properties());
    let moved = [0, 1].map(|side| mass[side].apply_inverse(&row[side]));
    let pairs = row.iter().zip(&moved);
    let coupling: f64 = pairs.map(|(a, b)| dot(a, b)).sum();
    let x = if coupling > 0.0 {
        change / coupling
    } else {
        0.0
    };
    for (body, moved) in bodies.iter().zip(moved) {
        // from zero, as a sum: it has no negative one
        let [displacement, turn] = split_spatial(&moved.map(|v| 0.0 + v * x));
        world.bodies[*body].advance(displacement, &turn);
    }
}
