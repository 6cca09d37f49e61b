//! Work and momentum that a substep took from outside.

use nalgebra::Vector3;

use crate::assembly::{Assembly, RowInfo, RowKind};
use crate::constraint::ForceKind;
use crate::scheme::StepReport;
use crate::world::World;

/// Adds what forces and rows did between two velocities, 6 per body, over `h` \[s\].
pub(super) fn record(
    world: &World,
    assembly: &Assembly,
    impulses: &[f64],
    velocities: [&[f64]; 2],
    h: f64,
    report: &mut StepReport,
) {
    for (index, body) in world.bodies.iter().enumerate() {
        if body.is_dynamic() {
            let mean = mean(velocities, index);
            let force = [body.force, body.torque];
            let power = force[0].dot(&Vector3::new(mean[0], mean[1], mean[2]))
                + force[1].dot(&Vector3::new(mean[3], mean[4], mean[5]));
            report.applied_work += h * power;
        }
    }
    rows(world, assembly, impulses, velocities, report);
}

/// Adds what the rows did between two velocities: a row's impulse times its mean velocity is the exact change of the
/// kinetic energy (T.16).
pub(super) fn rows(
    world: &World,
    assembly: &Assembly,
    impulses: &[f64],
    velocities: [&[f64]; 2],
    report: &mut StepReport,
) {
    let Some(bodies) = assembly.problem.bodies() else {
        return;
    };
    let blocks = assembly.problem.blocks();
    for (row, info) in assembly.rows.iter().enumerate() {
        let block = assembly.problem.block_of_row(row);
        let entries = bodies.row(block, row - blocks[block].first_row);
        for (entry, body) in entries.iter().zip(bodies.bodies_of(block)) {
            let index = *body as usize;
            let body = &world.bodies[index];
            let mean = mean(velocities, index);
            let work = impulses[row] * (0..6).map(|k| entry[k] * mean[k]).sum::<f64>();
            if is_drive(info) {
                report.drive_work += work;
            }
            let wrench = entry.map(|x| x * impulses[row]);
            let linear = Vector3::new(wrench[0], wrench[1], wrench[2]);
            let mut outside = linear;
            if body.is_dynamic() {
                // what a locked axis takes up comes from outside as well
                for axis in 0..3 {
                    if !body.lock_translation[axis] {
                        outside[axis] = 0.0;
                    }
                }
            } else {
                report.drive_work -= work;
                report.external.angular -= Vector3::new(wrench[3], wrench[4], wrench[5]);
            }
            report.external.linear -= outside;
            report.external.angular -= body.position.to_vector().cross(&outside);
        }
    }
}

/// Rows whose force may do work: drives, and joints whose target moves.
fn is_drive(row: &RowInfo) -> bool {
    matches!(row.kind, RowKind::Joint(ForceKind::Drive, _)) || row.rate != 0.0
}

fn mean(velocities: [&[f64]; 2], body: usize) -> [f64; 6] {
    let at = |k: usize| 0.5 * (velocities[0][6 * body + k] + velocities[1][6 * body + k]);
    std::array::from_fn(at)
}
