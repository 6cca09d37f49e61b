//! A pass of Rapier as a frozen problem.

use delassus_core::{
    Block, BodyRows, CoupledCompliance, Friction, Law, MassProperties, Operator, Patch, Problem,
    ProblemParts, StepScale,
};
use delassus_problems::{Captured, NamedProblem};
use nalgebra::{Matrix3, Vector3};
use rapier3d::dynamics::capture::{Pass, Row, RowKind};

/// Bounds beyond this impulse \[N·s\] are none: Rapier writes the largest f32.
const INFINITE: f64 = 1e30;
/// Magnitude of gravity \[m/s²\].
const GRAVITY: f64 = 9.81;

/// A block under construction: its law and the indices of its rows in the pass.
struct Group {
    law: Law,
    owner: u64,
    rows: Vec<usize>,
}

/// The problem that the pass between `start` and `end` solves.
///
/// # Errors
/// Rapier solves something in this pass that has no rows, or the rows are no problem.
pub(crate) fn of(
    scene: &str,
    step: usize,
    start: &Pass,
    end: &Pass,
) -> Result<NamedProblem, String> {
    if !start.complete || start.rows.len() != end.rows.len() {
        return Err("rows are missing".to_owned());
    }
    let groups = groups(start)?;
    let order: Vec<usize> = groups.iter().flat_map(|g| g.rows.iter().copied()).collect();
    let row = |index: &usize| &start.rows[*index];
    let mut blocks = Vec::with_capacity(groups.len());
    let mut first_row = 0;
    for (index, group) in groups.iter().enumerate() {
        blocks.push(Block {
            first_row,
            dim: group.rows.len(),
            law: group.law.clone(),
            feature: (group.owner << 8) + index as u64 % 256,
        });
        first_row += group.rows.len();
    }
    let parts = ProblemParts {
        operator: Operator::Bodies(bodies(start, &groups, &order)),
        blocks,
        bias: order.iter().map(|i| row(i).bias).collect(),
        compliance: order.iter().map(|i| row(i).compliance).collect(),
        coupled_compliance: CoupledCompliance::default(),
        activity: Vec::new(),
        step: Some(StepScale {
            dt: start.dt,
            gravity: GRAVITY,
        }),
    };
    let problem = Problem::new(parts).map_err(|error| error.to_string())?;
    let pass = if start.relax { "relax" } else { "bias" };
    let from = format!("Rapier 0.36.1, f32, scene {scene}, written by crates/peers/rapier/capture");
    let mut named = NamedProblem::new(format!("rapier-{scene}-{pass}"), problem, from);
    named.warm_start = Some(order.iter().map(|i| row(i).impulse).collect());
    let ground = [0.0; 6];
    let solved = end.bodies.iter().map(|body| body.velocity);
    named.captured = Some(Captured {
        impulses: order.iter().map(|i| end.rows[*i].impulse).collect(),
        velocities: Some(std::iter::once(ground).chain(solved).flatten().collect()),
        iterations: Some(start.iterations as u64),
        engine: "Rapier".to_owned(),
        version: "0.36.1".to_owned(),
        step: step as u64,
        substep: start.substep as u64,
        pass: pass.to_owned(),
    });
    Ok(named)
}

/// Blocks in the order in which Rapier solves them: equality rows of a joint that follow each
/// other, single rows with bounds, and manifolds.
fn groups(pass: &Pass) -> Result<Vec<Group>, String> {
    let mut groups: Vec<Group> = Vec::new();
    for (index, row) in pass.rows.iter().enumerate() {
        let mut law = match law_of(row, pass.friction) {
            Some(law) => law,
            // a pass without friction has no tangents and twists
            None if row.kind != RowKind::Joint || row.impulse == 0.0 => continue,
            None => return Err("a limit that is off has an impulse".to_owned()),
        };
        let joins = groups.last_mut().filter(|last| {
            last.owner == row.owner
                && matches!(
                    (&last.law, &law),
                    (Law::Equality, Law::Equality) | (Law::Patch(_), Law::Patch(_))
                )
        });
        match joins {
            Some(last) => {
                if let (Law::Patch(all), Law::Patch(one)) = (&mut last.law, &mut law) {
                    all.levers.append(&mut one.levers);
                }
                last.rows.push(index);
            }
            None => groups.push(Group {
                law,
                owner: row.owner,
                rows: vec![index],
            }),
        }
    }
    Ok(groups)
}

/// The law of a row; `None` if the row has no effect in this pass.
fn law_of(row: &Row, friction: bool) -> Option<Law> {
    let bound = |x: f64| {
        if x.abs() < INFINITE {
            x
        } else {
            x.signum() * f64::INFINITY
        }
    };
    let [lower, upper] = row.bounds.map(bound);
    match row.kind {
        RowKind::Joint if lower == f64::NEG_INFINITY && upper == f64::INFINITY => {
            Some(Law::Equality)
        }
        RowKind::Joint if lower == 0.0 && upper == 0.0 => None,
        RowKind::Joint => Some(Law::Bounds { lower, upper }),
        RowKind::Normal if !friction => Some(Law::Contact(Friction::Frictionless)),
        RowKind::Normal => Some(patch(row, vec![row.lever])),
        RowKind::Tangent | RowKind::Twist if !friction => None,
        RowKind::Tangent | RowKind::Twist => Some(patch(row, Vec::new())),
    }
}

fn patch(row: &Row, levers: Vec<f64>) -> Law {
    let mu = row.friction;
    Law::Patch(Box::new(Patch { mu, levers }))
}

/// Body 0 is the world; the others follow Rapier's solver bodies.
fn bodies(pass: &Pass, groups: &[Group], order: &[usize]) -> BodyRows {
    let index = |body: u32| if body == u32::MAX { 0 } else { body + 1 };
    let mut mass = vec![MassProperties::immovable()];
    let mut velocity = vec![[0.0; 6]];
    for body in &pass.bodies {
        let inertia = Matrix3::from_row_slice(&body.inverse_inertia);
        mass.push(MassProperties {
            inverse_mass: Vector3::from(body.inverse_mass),
            inverse_inertia: 0.5 * (inertia + inertia.transpose()),
        });
        velocity.push(body.velocity);
    }
    for row in order.iter().map(|i| &pass.rows[*i]) {
        for (body, j) in row.bodies.iter().zip(&row.jacobian) {
            let body = index(*body) as usize;
            let part = |at: usize| Vector3::new(j[at], j[at + 1], j[at + 2]) * row.impulse;
            let linear = mass[body].inverse_mass.component_mul(&part(0));
            let angular = mass[body].inverse_inertia * part(3);
            for k in 0..3 {
                velocity[body][k] -= linear[k];
                velocity[body][3 + k] -= angular[k];
            }
        }
    }
    let mut rows = BodyRows {
        mass,
        free_velocity: velocity.concat(),
        first_body: vec![0],
        block_bodies: Vec::new(),
        first_entry: vec![0],
        jacobian: Vec::new().into(),
    };
    let mut entries = Vec::new();
    for group in groups {
        let both = pass.rows[group.rows[0]].bodies.map(index);
        rows.block_bodies.extend(both);
        rows.first_body.push(rows.block_bodies.len());
        entries.extend(group.rows.iter().flat_map(|i| pass.rows[*i].jacobian));
        rows.first_entry.push(entries.len());
    }
    rows.jacobian = entries.into();
    rows
}
