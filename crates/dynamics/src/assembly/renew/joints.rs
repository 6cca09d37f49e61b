//! Rows of joints at another instant.

use delassus_core::{Renewed, moves};

use crate::assembly::collector::law;
use crate::assembly::row::{RowInfo, RowKind, Source};
use crate::constraint::{RowUnit, Rows};
use crate::world::World;

/// Writes the rows of all joints for a substep of `h` \[s\], one block each from the first on;
/// false if one of them has other rows than it had, or not all of them. `work` is memory.
pub(super) fn renew(
    world: &World,
    h: f64,
    mut infos: &mut [RowInfo],
    numbers: &mut Renewed<'_>,
    work: &mut Rows,
) -> bool {
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
