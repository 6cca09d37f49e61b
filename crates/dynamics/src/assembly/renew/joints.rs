//! Rows of joints at another instant.

use delassus_core::{Renewed, moves};

use super::Instant;
use crate::assembly::collector::law;
use crate::assembly::row::{RowInfo, RowKind, Source};
use crate::constraint::{RowUnit, Rows};

/// Writes the rows of all joints, one block each from the first on; false if one of them has other
/// rows than it had, or not all of them. `work` is memory.
pub(super) fn renew(
    instant: &Instant<'_>,
    mut infos: &mut [RowInfo],
    numbers: &mut Renewed<'_>,
    work: &mut Rows,
) -> bool {
    let Instant { world, h, .. } = *instant;
    for (index, joint) in world.joints.iter().enumerate() {
        world.evaluate_joint(index, work);
        let descriptor = joint.constraint.descriptor();
        let bodies = joint.constraint.bodies();
        let Some((own, rest)) = infos.split_at_mut_checked(work.len()) else {
            return false;
        };
        infos = rest;
        for (local, info) in own.iter_mut().enumerate() {
            let jacobian = &work.jacobian[local * bodies.len()..][..bodies.len()];
            let masses = bodies.iter().map(|body| &numbers.mass[*body]);
            let source = Source::Joint(index);
            if (info.source, info.local) != (source, local) || !moves(masses, jacobian) {
                return false;
            }
            *info = RowInfo {
                source,
                local,
                kind: RowKind::Joint(descriptor.force, descriptor.units[local]),
                error: work.error[local],
                rate: work.rate[local],
            };
        }
        let unit = descriptor.units.first().copied();
        let law = law(joint, unit.unwrap_or(RowUnit::Length), h);
        if joint.is_split() || !numbers.set_block(index, law, bodies, &work.jacobian) {
            return false;
        }
    }
    infos.is_empty()
}
