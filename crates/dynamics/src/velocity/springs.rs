//! Springs of the scene in the rows of an assembly: compliance that the rows of a joint share, soft
//! contacts.

use delassus_core::CoupledCompliance;

use super::impedance;
use crate::assembly::{Assembly, ContactSpring, RowInfo, RowKind, Source};
use crate::constraint::{ForceKind, MAX_TOGETHER, RowUnit};
use crate::error::{FieldError, SchemeError, StepError};
use crate::world::World;

/// R off its diagonal of the joints whose softness is that of their block: K/c of the rows of one
/// softness (S.16).
pub(super) fn share(world: &World, assembly: &Assembly, h: f64, out: &mut CoupledCompliance) {
    out.clear();
    if !world
        .joints
        .iter()
        .any(|joint| joint.has_coupled_compliance())
    {
        return;
    }
    let (mut own, mut lower) = (Vec::new(), Vec::new());
    for (index, block) in assembly.problem.blocks().iter().enumerate() {
        let rows = &assembly.rows[block.rows()];
        let Some(Source::Joint(joint)) = rows.first().map(|row| row.source) else {
            continue;
        };
        let joint = &world.joints[joint];
        if !joint.has_coupled_compliance() {
            continue;
        }
        own.clear();
        own.resize(block.dim * block.dim, 0.0);
        assembly.problem.diagonal_block(index, &mut own);
        let unit = |row: &RowInfo| row.unit().unwrap_or(RowUnit::Length);
        let places =
            CoupledCompliance::lower_indices().take(CoupledCompliance::packed_len(block.dim));
        lower.clear();
        lower.extend(places.map(|(i, j)| {
            let [a, b] = [unit(&rows[i]), unit(&rows[j])];
            let relative = joint.softness_of(a).relative_compliance(h);
            let relative = relative.filter(|_| joint.shares_spring(a, b));
            relative.unwrap_or(0.0) * own[i * block.dim + j]
        }));
        out.push(index, &lower);
    }
}

/// R off its diagonal where the rows of every rigid joint are soft together: K/c, with 1/c =
/// `relative` \[-\] (S.16). Joints that are soft by the scene have what they have in `own`.
pub(super) fn share_stabilization(
    world: &World,
    assembly: &Assembly,
    own: &CoupledCompliance,
    relative: f64,
    out: &mut CoupledCompliance,
) {
    out.clear();
    let mut k = [0.0; MAX_TOGETHER * MAX_TOGETHER];
    let mut lower = [0.0; MAX_TOGETHER * (MAX_TOGETHER - 1) / 2];
    for (index, block) in assembly.problem.blocks().iter().enumerate() {
        if let Some(known) = own.of(index) {
            out.push(index, known);
            continue;
        }
        let row = assembly.rows.get(block.rows().start);
        let rigid = row.is_some_and(|row| {
            let joint = matches!(row.kind, RowKind::Joint(ForceKind::Joint, _));
            matches!(row.source, Source::Joint(index) if joint && world.joints[index].is_rigid())
        });
        if !rigid || block.dim > MAX_TOGETHER {
            continue;
        }
        let entries = CoupledCompliance::packed_len(block.dim);
        let k = &mut k[..block.dim * block.dim];
        assembly.problem.diagonal_block(index, k);
        for (entry, (i, j)) in lower.iter_mut().zip(CoupledCompliance::lower_indices()) {
            if i >= block.dim {
                break;
            }
            *entry = relative * k[i * block.dim + j];
        }
        out.push(index, &lower[..entries]);
    }
}

/// The points of contacts that are soft by the scene, with their springs at the step h \[s\].
pub(super) fn of_contacts(
    world: &World,
    assembly: &Assembly,
    h: f64,
    out: &mut Vec<(usize, ContactSpring)>,
) {
    out.clear();
    if world.manifolds.iter().all(|m| m.softness.is_rigid()) {
        return;
    }
    let diagonal = assembly.problem.diagonal();
    for (point, row) in assembly.contacts.rows.iter().enumerate() {
        let Source::Manifold(manifold) = assembly.rows[*row].source else {
            continue;
        };
        let soft = world.manifolds[manifold].softness.row(diagonal[*row], h);
        out.extend(soft.map(|soft| {
            let spring = ContactSpring {
                bias_rate: soft.bias_rate,
                compliance: soft.compliance,
                push_limit: f64::INFINITY,
            };
            (point, spring)
        }));
    }
}

/// Refuses what [`check_rates`] refuses, and impedances: for schemes that solve no frozen problem
/// per substep.
pub(crate) fn check_frequencies(world: &World, h: f64) -> Result<(), StepError> {
    impedance::refuse(world)?;
    check_rates(world, h)
}

/// Refuses springs that oscillate faster than the substeps can show (half the sampling rate), and
/// bias rates that remove more than all of the error.
pub(super) fn check_rates(world: &World, h: f64) -> Result<(), StepError> {
    for (index, joint) in world.joints.iter().enumerate() {
        let at = |field: &str| format!("joints[{index}].{field}");
        check(&joint.softness, h, "joint", || at("softness"))?;
        let angular = joint.angular_softness.unwrap_or_default();
        check(&angular, h, "joint", || at("angular_softness"))?;
    }
    for (index, collider) in world.colliders.list.iter().enumerate() {
        let at = || format!("colliders[{index}].material.softness");
        check(&collider.material.softness, h, "surface", at)?;
    }
    let given = &world.manifolds[..world.colliders.given];
    for (index, manifold) in given.iter().enumerate() {
        let at = || format!("manifolds[{index}].softness");
        check(&manifold.softness, h, "contact", at)?;
    }
    Ok(())
}

fn check(
    softness: &delassus_core::Softness,
    h: f64,
    what: &str,
    path: impl Fn() -> String,
) -> Result<(), StepError> {
    use delassus_core::Softness;
    let (field, value, expected) = match *softness {
        // an undamped spring written at this step has h·rate = 1 up to rounding
        Softness::Scales { bias_rate, .. } if h * bias_rate > 1.0 + 4.0 * f64::EPSILON => {
            let expected = format!(
                "at most {} /s at substeps of {h} s, where it removes all of the error: the scales were made for shorter steps",
                1.0 / h
            );
            ("bias_rate", bias_rate, expected)
        }
        Softness::Frequency { hertz, .. } if hertz > 0.5 / h => {
            let expected = format!(
                "at most {} Hz at substeps of {h} s (half a period per substep): take smaller steps, or make the {what} rigid",
                0.5 / h
            );
            ("hertz", hertz, expected)
        }
        _ => return Ok(()),
    };
    let error = FieldError::new(format!("{}.{field}", path()), value, &expected);
    Err(SchemeError::Field(error).into())
}
