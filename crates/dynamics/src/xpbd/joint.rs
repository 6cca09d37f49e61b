//! The rows of a joint: error, compliance, multiplier.

use delassus_core::MassProperties;

use super::block;
use super::substep::Substep;
use crate::body::Body;
use crate::constraint::{ForceKind, Rows};
use crate::joint::Joint;
use crate::spatial::dot;
use crate::world::World;

/// Residual, compliance and bounds of one row at the present poses.
#[derive(Debug, Clone)]
struct Row {
    /// Left side of (X.4): zero where the row is satisfied \[m | rad\].
    residual: f64,
    /// Compliance R of (X.4) \[1/kg | 1/(kg·m²)\].
    compliance: f64,
    /// J M⁻¹ Jᵀ \[1/kg | 1/(kg·m²)\]; zero where nothing moves.
    diagonal: f64,
    /// True if the row has nothing to do: an open limit.
    open: bool,
    /// Bounds of its multiplier \[kg·m\].
    bounds: (f64, f64),
}

/// A joint at the present poses, and memory for its solve.
#[derive(Debug, Clone, Default)]
pub(super) struct PosedJoint {
    bodies: Vec<usize>,
    mass: Vec<MassProperties>,
    /// Errors, rates and Jacobian entries.
    posed: Rows,
    /// M⁻¹Jᵀ, per row and body.
    responses: Vec<[f64; 6]>,
    rows: Vec<Row>,
    /// R off its diagonal, row-major \[1/kg | 1/(kg·m) | 1/(kg·m²)\]; empty where rows share none
    /// (S.16).
    shared: Vec<f64>,
    matrix: Vec<f64>,
    changes: Vec<f64>,
    kept: Vec<bool>,
    wrenches: Vec<[f64; 6]>,
}

/// One visit of a joint; returns the rows that it updated.
pub(super) fn solve(
    world: &mut World,
    substep: &mut Substep,
    view: &mut PosedJoint,
    index: usize,
    together: bool,
) -> u64 {
    let count = world.joints[index].constraint.descriptor().units.len();
    view.pose(world, substep, index);
    let unbounded = (f64::NEG_INFINITY, f64::INFINITY);
    let free = view.rows.iter().all(|row| row.bounds == unbounded);
    if together && free {
        solve_together(world, substep, index, view);
    } else {
        solve_row(world, substep, index, view, 0);
        for row in 1..count {
            // the rows before have moved the bodies
            view.pose(world, substep, index);
            solve_row(world, substep, index, view, row);
        }
    }
    count as u64
}

fn solve_row(
    world: &mut World,
    substep: &mut Substep,
    index: usize,
    view: &mut PosedJoint,
    row: usize,
) {
    let Some(found) = view.rows.get(row) else {
        return;
    };
    let stiffness = found.diagonal + found.compliance;
    if found.open || found.diagonal <= 0.0 {
        return;
    }
    let multiplier = &mut substep.joints[index][row];
    let wanted = *multiplier - found.residual / stiffness;
    let wanted = wanted.clamp(found.bounds.0, found.bounds.1);
    let change = wanted - *multiplier;
    *multiplier = wanted;
    let mut wrenches = std::mem::take(&mut view.wrenches);
    let entries = view.entries(row).iter();
    wrenches.clear();
    wrenches.extend(entries.map(|entry| entry.map(|x| x * change)));
    substep.push(world, &view.bodies, &wrenches);
    view.wrenches = wrenches;
}

fn solve_together(world: &mut World, substep: &mut Substep, index: usize, view: &mut PosedJoint) {
    let count = view.rows.len();
    let mut matrix = std::mem::take(&mut view.matrix);
    matrix.clear();
    matrix.resize(count * count, 0.0);
    for i in 0..count {
        for j in 0..count {
            let pairs = view.entries(i).iter().zip(view.responses(j));
            matrix[i * count + j] = pairs.map(|(a, b)| dot(a, b)).sum();
        }
        if view.rows[i].diagonal <= 0.0 {
            // nothing moves: no equation
            matrix[i * count + i] = 0.0;
        } else {
            matrix[i * count + i] += view.rows[i].compliance;
        }
    }
    for (entry, shared) in matrix.iter_mut().zip(&view.shared) {
        *entry += shared;
    }
    let mut changes = std::mem::take(&mut view.changes);
    changes.clear();
    changes.extend(view.rows.iter().map(|row| -row.residual));
    block::solve(&mut matrix, &mut changes, &mut view.kept);
    let mut wrenches = std::mem::take(&mut view.wrenches);
    wrenches.clear();
    wrenches.resize(view.bodies.len(), [0.0; 6]);
    for (row, change) in changes.iter().enumerate() {
        substep.joints[index][row] += change;
        for (wrench, entry) in wrenches.iter_mut().zip(view.entries(row)) {
            for axis in 0..6 {
                wrench[axis] += change * entry[axis];
            }
        }
    }
    substep.push(world, &view.bodies, &wrenches);
    (view.matrix, view.changes, view.wrenches) = (matrix, changes, wrenches);
}

impl PosedJoint {
    /// Takes a joint over as it is now.
    fn pose(&mut self, world: &World, substep: &Substep, index: usize) {
        let joint = &world.joints[index];
        world.evaluate_joint(index, &mut self.posed);
        self.bodies.clear();
        self.bodies.extend_from_slice(joint.constraint.bodies());
        let mass = self.bodies.iter().map(|body| &world.bodies[*body]);
        self.mass.clear();
        self.mass.extend(mass.map(Body::mass_properties));
        let entries = self.posed.jacobian.iter().zip(self.mass.iter().cycle());
        self.responses.clear();
        self.responses
            .extend(entries.map(|(entry, mass)| mass.apply_inverse(entry)));
        self.shared.clear();
        if joint.has_coupled_compliance() {
            self.share(joint, substep.h);
        }
        self.rows.clear();
        for row in 0..self.posed.len() {
            let diagonal = diagonal(self.entries(row), self.responses(row), &self.mass);
            let row = self.row(world, substep, index, row, diagonal);
            self.rows.push(row);
        }
    }

    /// Jacobian entries of a row, per body.
    fn entries(&self, row: usize) -> &[[f64; 6]] {
        let count = self.bodies.len();
        &self.posed.jacobian[row * count..(row + 1) * count]
    }

    /// M⁻¹Jᵀ of a row, per body.
    fn responses(&self, row: usize) -> &[[f64; 6]] {
        let count = self.bodies.len();
        &self.responses[row * count..(row + 1) * count]
    }

    fn row(
        &self,
        world: &World,
        substep: &Substep,
        index: usize,
        row: usize,
        diagonal: f64,
    ) -> Row {
        let rows = &self.posed;
        let joint = &world.joints[index];
        let force = joint.constraint.descriptor().force;
        let start = substep.starts[index][row];
        let multiplier = substep.joints[index][row];
        let error = if force == ForceKind::Drive {
            // a motor has a velocity and no error: the motion of the substep stands for both (X.6)
            let moved = substep.motion.along(&self.bodies, self.entries(row));
            start + moved + substep.h * rows.rate[row]
        } else {
            rows.error[row]
        };
        let unit = joint.constraint.descriptor().units[row];
        let soft = joint.softness_of(unit).row(diagonal, substep.h);
        let (share, compliance) = soft.map_or((1.0, 0.0), |soft| {
            (soft.bias_rate * substep.h, soft.compliance)
        });
        let own = share * error + (1.0 - share) * (error - start) + compliance * multiplier;
        let count = rows.len();
        let shared = self.shared.get(row * count..(row + 1) * count);
        let others = shared
            .unwrap_or_default()
            .iter()
            .zip(&substep.joints[index]);
        Row {
            residual: own + others.map(|(r, x)| r * x).sum::<f64>(),
            compliance,
            diagonal,
            open: force == ForceKind::Limit && error > 0.0 && multiplier == 0.0,
            bounds: bounds(joint.limit_of(unit), force, substep.h),
        }
    }

    /// R off its diagonal: K/c of the rows of one softness (S.16).
    fn share(&mut self, joint: &Joint, h: f64) {
        let units = joint.constraint.descriptor().units;
        let count = units.len();
        self.shared.resize(count * count, 0.0);
        for i in 0..count {
            let Some(relative) = joint.softness_of(units[i]).relative_compliance(h) else {
                continue;
            };
            for j in (0..count).filter(|j| *j != i && joint.shares_spring(units[i], units[*j])) {
                let pairs = self.entries(i).iter().zip(self.responses(j));
                let coupling: f64 = pairs.map(|(a, b)| dot(a, b)).sum();
                self.shared[i * count + j] = relative * coupling;
            }
        }
    }
}

/// Bounds of the multipliers (X.5).
fn bounds(limit: f64, force: ForceKind, h: f64) -> (f64, f64) {
    let limit = limit * (h * h);
    match force {
        ForceKind::Limit => (0.0, limit),
        ForceKind::Joint | ForceKind::Drive => (-limit, limit),
    }
}

/// A row that moves less than this share of what its free bodies would is locked.
const LOCKED: f64 = 1e-12;

/// J M⁻¹ Jᵀ of one row; zero where only rounding is left of it.
pub(super) fn diagonal(
    entries: &[[f64; 6]],
    responses: &[[f64; 6]],
    mass: &[MassProperties],
) -> f64 {
    let (mut sum, mut scale) = (0.0, 0.0);
    for ((entry, response), mass) in entries.iter().zip(responses).zip(mass) {
        sum += dot(entry, response);
        let square = |from: usize| (from..from + 3).map(|k| entry[k] * entry[k]).sum::<f64>();
        scale += mass.inverse_mass.max() * square(0) + mass.inverse_inertia.trace() * square(3);
    }
    if sum > LOCKED * scale { sum } else { 0.0 }
}
