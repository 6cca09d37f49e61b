//! Work and momentum that a substep took from outside.

use delassus_core::JointImpulse;
use nalgebra::Vector3;

use super::row_solver::SolvedMotion;
use crate::assembly::{Assembly, RowInfo, RowKind};
use crate::body::Body;
use crate::constraint::ForceKind;
use crate::motion::outside;
use crate::scheme::StepReport;
use crate::spatial::{dot, split_spatial};
use crate::world::World;

/// Adds what forces and rows did over `h` \[s\], between the velocities of the world and those of
/// a solve.
pub(super) fn record(
    world: &World,
    assembly: &Assembly,
    solved: &SolvedMotion,
    h: f64,
    report: &mut StepReport,
) {
    let velocities = &solved.velocities;
    for (index, body) in world.bodies.iter().enumerate() {
        let after = split_spatial(&velocities[6 * index..6 * index + 6]);
        applied(body, after, h, report);
    }
    rows(world, assembly, &solved.impulses, &[], velocities, report);
}

/// Adds what the applied force and torque did over `h` \[s\], between the velocities of the body
/// and `after`.
pub(super) fn applied(body: &Body, after: [Vector3<f64>; 2], h: f64, report: &mut StepReport) {
    let acts = body.force != Vector3::zeros() || body.torque != Vector3::zeros();
    if body.is_dynamic() && acts {
        let [velocity, spin] = after;
        let velocity = 0.5 * (body.velocity + velocity);
        let spin = 0.5 * (body.spin + spin);
        report.applied_work += h * (body.force.dot(&velocity) + body.torque.dot(&spin));
    }
}

/// Adds what the rows did: a row's impulse times its mean velocity is the exact change of the
/// kinetic energy (T.16).
///
/// Joints of a frame that the solver has integrated, none elsewhere, have what their impulses did.
/// A row that is no drive, between bodies that are dynamic and free to translate, takes nothing
/// from outside.
pub(super) fn rows(
    world: &World,
    assembly: &Assembly,
    impulses: &[f64],
    joints: &[JointImpulse],
    velocities: &[f64],
    report: &mut StepReport,
) {
    let Some(bodies) = assembly.problem.bodies() else {
        return;
    };
    for block in assembly.outer.iter().copied() {
        let rows = assembly.problem.blocks()[block].rows();
        let drives = assembly.rows[rows].iter().any(is_drive);
        let touched = bodies.bodies_of(block).iter().enumerate();
        for (side, body) in touched {
            let index = *body as usize;
            let body = &world.bodies[index];
            let free = body.is_dynamic() && body.lock_translation == [false; 3];
            if free && !drives {
                continue;
            }
            let [all, driven] = match joints.get(block) {
                Some(joint) => [joint.on(side), [0.0; 6]],
                None => wrenches(assembly, block, side, impulses),
            };
            let wrench = if free { driven } else { all };
            let mean = mean(world, velocities, index);
            report.drive_work += dot(&driven, &mean);
            if !body.is_dynamic() {
                report.drive_work -= dot(&wrench, &mean);
            }
            outside(body, &wrench, &mut report.external);
        }
    }
}

/// Impulse \[N·s, N·m·s\] on one body of a block: by all rows, and by those whose force may do
/// work.
fn wrenches(assembly: &Assembly, block: usize, side: usize, impulses: &[f64]) -> [[f64; 6]; 2] {
    let mut sums = [[0.0; 6]; 2];
    let Some(bodies) = assembly.problem.bodies() else {
        return sums;
    };
    for (local, row) in assembly.problem.blocks()[block].rows().enumerate() {
        let entry = bodies.entry(block, local, side);
        let drives = is_drive(&assembly.rows[row]);
        for axis in 0..6 {
            let share = entry[axis] * impulses[row];
            sums[0][axis] += share;
            sums[1][axis] += if drives { share } else { 0.0 };
        }
    }
    sums
}

/// Rows whose force may do work: drives, and joints whose target moves.
fn is_drive(row: &RowInfo) -> bool {
    matches!(row.kind, RowKind::Joint(ForceKind::Drive, _)) || row.rate != 0.0
}

/// Mean of the velocities of the world and of others.
fn mean(world: &World, velocities: &[f64], index: usize) -> [f64; 6] {
    let body = &world.bodies[index];
    let [v, w] = [body.velocity, body.spin];
    let before = [v.x, v.y, v.z, w.x, w.y, w.z];
    std::array::from_fn(|k| 0.5 * (before[k] + velocities[6 * index + k]))
}
