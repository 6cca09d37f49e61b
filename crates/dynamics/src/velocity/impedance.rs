//! Rows with an impedance: bias and compliance that follow the state at the start of the substep
//! (S.24)–(S.27).

use delassus_core::{Block, DiagonalEstimate, Impedance, LawForm, MassProperties, Problem};

use super::parameters::{AnchorMode, Stabilization, VelocityParameters};
use crate::assembly::{Assembly, RowInfo, RowKind, Source};
use crate::constraint::{ForceKind, RowUnit};
use crate::error::SchemeError;
use crate::joint::SoftnessCoupling;
use crate::motion;
use crate::world::World;

/// The rows of an assembly that have an impedance.
#[derive(Debug, Clone, Default)]
pub(super) struct ImpedanceRows {
    rows: Vec<SoftenedRow>,
    /// Memory: velocities of the bodies, 6 per body, and of the rows \[m/s, rad/s\].
    bodies: Vec<f64>,
    velocities: Vec<f64>,
    /// Memory: squares of the errors of each joint \[m², rad²\].
    errors: Vec<f64>,
    /// True if rows had one in some substep: numbers of rows may be theirs.
    pub(super) used: bool,
}

/// One row.
#[derive(Debug, Clone, Copy)]
struct SoftenedRow {
    row: usize,
    /// ∂C/∂t of a joint's row \[m/s | rad/s\]; `None` for friction, whose surface has moved the
    /// bias already.
    rate: Option<f64>,
    /// h K d r \[m/s | rad/s\].
    push: f64,
    /// 1 − hB \[-\].
    kept: f64,
    /// J v at the start of the substep \[m/s | rad/s\].
    velocity: f64,
    /// \[1/kg | 1/(kg·m²)\].
    compliance: f64,
}

impl ImpedanceRows {
    /// True if no row has one.
    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Computes the numbers of all such rows, for bodies that have the velocities of the start of
    /// the substep of `h` \[s\].
    pub(super) fn compute(
        &mut self,
        world: &World,
        assembly: &Assembly,
        parameters: &VelocityParameters,
        h: f64,
    ) {
        self.rows.clear();
        let Some(bodies) = assembly.problem.bodies() else {
            return;
        };
        if !is_used(world, parameters) {
            return;
        }
        self.used = true;
        motion::velocities(world, &mut self.bodies);
        self.velocities.resize(assembly.problem.rows(), 0.0);
        let blocks = assembly.problem.blocks();
        bodies.multiply(blocks, &self.bodies, &mut self.velocities);
        let default = default_of(parameters);
        self.add_joints(world, assembly, default, h);
        self.add_contacts(world, assembly, default, h);
    }

    fn add_joints(
        &mut self,
        world: &World,
        assembly: &Assembly,
        default: Option<Impedance>,
        h: f64,
    ) {
        self.errors.clear();
        self.errors.resize(world.joints.len(), 0.0);
        for row in &assembly.rows[assembly.joint_rows.clone()] {
            if let Source::Joint(joint) = row.source {
                self.errors[joint] += row.error * row.error;
            }
        }
        for index in assembly.joint_rows.clone() {
            let info = &assembly.rows[index];
            let Some(impedance) = of_joint_row(world, info, default) else {
                continue;
            };
            let (Source::Joint(joint), RowKind::Joint(force, unit)) = (info.source, info.kind)
            else {
                continue;
            };
            if force == ForceKind::Limit && info.error > 0.0 {
                // open: it may close within the step and no more (T.11)
                continue;
            }
            // an equality has the impedance of its whole error
            let size = match force {
                ForceKind::Joint => self.errors[joint].sqrt(),
                ForceKind::Limit | ForceKind::Drive => info.error,
            };
            let diagonal = estimate(&assembly.problem, index, unit, impedance.diagonal);
            let numbers = impedance.row(diagonal, size, h);
            self.rows.push(SoftenedRow {
                row: index,
                rate: Some(info.rate),
                push: numbers.bias(info.error, 0.0, h),
                kept: 1.0 - h * numbers.damping,
                velocity: self.velocities[index],
                compliance: numbers.compliance,
            });
        }
    }

    fn add_contacts(
        &mut self,
        world: &World,
        assembly: &Assembly,
        default: Option<Impedance>,
        h: f64,
    ) {
        let contacts = &assembly.contacts;
        for (normal, separation) in contacts.rows.iter().zip(&contacts.separations) {
            let Source::Manifold(manifold) = assembly.rows[*normal].source else {
                continue;
            };
            let softness = world.manifolds[manifold].softness;
            let own = softness.impedance();
            let Some(impedance) = own.or(default.filter(|_| softness.is_rigid())) else {
                continue;
            };
            if *separation > 0.0 {
                continue;
            }
            let (problem, unit) = (&assembly.problem, RowUnit::Length);
            let diagonal = estimate(problem, *normal, unit, impedance.diagonal);
            let numbers = impedance.row(diagonal, *separation, h);
            let block = &problem.blocks()[problem.block_of_row(*normal)];
            for row in rows_of(block, *normal) {
                let is_normal = row == *normal;
                let (error, ratio) = if is_normal {
                    (*separation, 1.0)
                } else {
                    (0.0, impedance.impratio)
                };
                self.rows.push(SoftenedRow {
                    row,
                    rate: is_normal.then_some(0.0),
                    push: numbers.bias(error, 0.0, h),
                    kept: 1.0 - h * numbers.damping,
                    velocity: self.velocities[row],
                    compliance: numbers.compliance / ratio,
                });
            }
        }
    }

    /// Sets bias and compliance of the rows; the bias of a row of friction is that of its surface
    /// (T.22).
    pub(super) fn apply(&self, bias: &mut [f64], compliance: &mut [f64]) {
        for row in &self.rows {
            let rate = row.rate.unwrap_or(bias[row.row]);
            bias[row.row] = rate + row.push - row.kept * (row.velocity + rate);
            compliance[row.row] = row.compliance;
        }
    }
}

/// The rows of a contact point that may be softened with it. Friction of a whole manifold and
/// resistance to rolling stay rigid.
pub(super) fn rows_of(block: &Block, normal: usize) -> std::ops::Range<usize> {
    match block.law.form() {
        LawForm::SharedFriction | LawForm::SeveralFrictions => normal..normal + 1,
        _ => block.rows(),
    }
}

/// The impedance of rows that are rigid by the scene.
fn default_of(parameters: &VelocityParameters) -> Option<Impedance> {
    let all = parameters.stabilization == Stabilization::Impedance;
    all.then(Impedance::default)
}

fn of_joint_row(world: &World, row: &RowInfo, default: Option<Impedance>) -> Option<Impedance> {
    let Source::Joint(joint) = row.source else {
        return None;
    };
    let softness = world.joints[joint].softness_of(row.unit()?);
    let default = default.filter(|_| softness.is_rigid());
    softness.impedance().or(default)
}

/// What stands for A_ii of a row \[1/kg | 1/(kg·m²)\] (S.25).
fn estimate(problem: &Problem, row: usize, unit: RowUnit, choice: DiagonalEstimate) -> f64 {
    let exact = problem.diagonal()[row];
    let (DiagonalEstimate::Approximate, Some(bodies)) = (choice, problem.bodies()) else {
        return exact;
    };
    let third = |mass: &MassProperties| match unit {
        RowUnit::Length => mass.inverse_mass.sum() / 3.0,
        RowUnit::Angle => mass.inverse_inertia.trace() / 3.0,
    };
    let touched = bodies.bodies_of(problem.block_of_row(row)).iter();
    touched
        .map(|body| third(&bodies.mass[*body as usize]))
        .sum()
}

/// True if some row may have an impedance.
fn is_used(world: &World, parameters: &VelocityParameters) -> bool {
    parameters.stabilization == Stabilization::Impedance || has_own(world)
}

/// True if the scene gives an impedance to a joint, a contact or a surface.
fn has_own(world: &World) -> bool {
    let joints = world.joints.iter().any(|joint| {
        let turns = joint.angular_softness.unwrap_or_default();
        joint.softness.impedance().is_some() || turns.impedance().is_some()
    });
    let surfaces = world.colliders.list.iter().map(|c| c.material.softness);
    let contacts = world.manifolds.iter().map(|manifold| manifold.softness);
    joints
        || surfaces
            .chain(contacts)
            .any(|softness| softness.impedance().is_some())
}

/// Refuses impedances in a scheme that solves no frozen problem per substep.
pub(super) fn refuse(world: &World) -> Result<(), SchemeError> {
    if has_own(world) {
        let reason = "needs one frozen problem per substep; take the scheme velocity with relax_sweeps = 0 and anchors = \"rotated\"";
        return Err(unsupported("a softness as an impedance", reason));
    }
    Ok(())
}

/// Refuses what impedances have no meaning in: a second solve of the substep, rows that stay while
/// their errors change, rows that share compliance.
pub(super) fn check(world: &World, parameters: &VelocityParameters) -> Result<(), SchemeError> {
    if !is_used(world, parameters) {
        return Ok(());
    }
    let one_solve = parameters.relax_sweeps == 0
        && parameters.anchors == AnchorMode::Rotated
        && parameters.stabilization != Stabilization::SplitImpulse;
    if !one_solve {
        let reason = "needs one solve per substep: relax_sweeps = 0, anchors = \"rotated\", no split-impulse";
        return Err(unsupported("a softness as an impedance", reason));
    }
    for (index, joint) in world.joints.iter().enumerate() {
        let own = joint.softness.impedance().is_some();
        if own && joint.coupling == SoftnessCoupling::Block {
            let what = format!("joints[{index}], an impedance with coupling = \"block\",");
            return Err(unsupported(
                &what,
                "has one compliance per row; leave coupling out",
            ));
        }
    }
    Ok(())
}

fn unsupported(what: &str, reason: &'static str) -> SchemeError {
    SchemeError::Unsupported {
        scheme: "the scheme",
        what: what.to_owned(),
        reason,
    }
}
