//! Law 14: one problem written down in different ways has one answer.

use delassus_core::{BodyRows, Jacobian, Law, Operator, Problem, ProblemParts};
use nalgebra::{Matrix3, Quaternion, UnitQuaternion, Vector3};

use crate::{Case, Make, Verdict, attempt, available, convergence};

/// A way to write the same bodies and constraints down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rewriting {
    /// World axes of another direction.
    TurnedAxes,
    /// Bodies in the reverse order.
    ReversedBodies,
    /// Blocks in the reverse order.
    ReversedBlocks,
    /// Every constraint as two of half the strength.
    SplitBlocks,
    /// A unit of time eight times as long: velocities and impulses are eight times the numbers.
    LongerTime,
}

impl Rewriting {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::TurnedAxes,
        Self::ReversedBodies,
        Self::ReversedBlocks,
        Self::SplitBlocks,
        Self::LongerTime,
    ];

    /// The case in the other writing; `None` without a known solution, with a matrix in the place
    /// of bodies, with compliance that rows share, and for turned axes with masses that differ
    /// between axes.
    pub fn of(self, case: &Case) -> Option<Case> {
        let impulses = case.solution.clone()?;
        let parts = case.problem.clone().into_parts();
        if !parts.coupled_compliance.is_empty() {
            return None;
        }
        let (parts, impulses) = match self {
            Self::TurnedAxes => (turned(parts)?, impulses),
            Self::ReversedBodies => (reversed_bodies(parts)?, impulses),
            Self::ReversedBlocks => {
                let order: Vec<usize> = (0..parts.blocks.len()).rev().collect();
                chosen(&parts, &impulses, &order)?
            }
            Self::SplitBlocks => split(&parts, &impulses)?,
            Self::LongerTime => longer(parts, impulses)?,
        };
        Some(Case {
            name: format!("{}, {self:?}", case.name),
            problem: Problem::new(parts).ok()?,
            solution: Some(impulses),
            centres: None,
        })
    }
}

/// Law 14: a problem in another writing is solved to the same velocities, which are those of law 4.
pub fn rewriting(make: Make<'_>, case: &Case, rewriting: Rewriting) -> Verdict {
    attempt!(available(make().facts().device));
    match rewriting.of(case) {
        Some(case) => convergence(make, &case),
        None => Verdict::NotApplicable("has no such writing".into()),
    }
}

fn rows_of(parts: &mut ProblemParts) -> Option<&mut BodyRows> {
    match &mut parts.operator {
        Operator::Bodies(rows) => Some(rows),
        Operator::Matrix(_) => None,
    }
}

fn turned(mut parts: ProblemParts) -> Option<ProblemParts> {
    let turn = UnitQuaternion::new_normalize(Quaternion::new(1.0, 2.0, -3.0, 4.0));
    let matrix = turn.to_rotation_matrix();
    let turn_both = |vectors: &mut [f64]| {
        for vector in vectors.as_chunks_mut::<3>().0 {
            *vector = (turn * Vector3::from(*vector)).into();
        }
    };
    let rows = rows_of(&mut parts)?;
    for mass in &mut rows.mass {
        if mass.inverse_mass != Vector3::repeat(mass.inverse_mass.x) {
            return None;
        }
        let inertia: Matrix3<f64> = matrix * mass.inverse_inertia * matrix.transpose();
        mass.inverse_inertia = (inertia + inertia.transpose()) / 2.0;
    }
    turn_both(&mut rows.free_velocity);
    rows.jacobian
        .edit(|rows| rows.iter_mut().for_each(|entry| turn_both(entry)));
    Some(parts)
}

fn reversed_bodies(mut parts: ProblemParts) -> Option<ProblemParts> {
    let rows = rows_of(&mut parts)?;
    let last = u32::try_from(rows.len()).ok()?.checked_sub(1)?;
    rows.mass.reverse();
    let velocities = rows.free_velocity.as_chunks::<6>().0;
    rows.free_velocity = velocities.iter().rev().flatten().copied().collect();
    rows.block_bodies
        .iter_mut()
        .for_each(|body| *body = last - *body);
    Some(parts)
}

/// The problem that has the blocks `order` of another, and its impulses.
fn chosen(
    parts: &ProblemParts,
    impulses: &[f64],
    order: &[usize],
) -> Option<(ProblemParts, Vec<f64>)> {
    let Operator::Bodies(rows) = &parts.operator else {
        return None;
    };
    let mut chosen = BodyRows {
        mass: rows.mass.clone(),
        free_velocity: rows.free_velocity.clone(),
        first_body: vec![0],
        block_bodies: Vec::new(),
        first_entry: vec![0],
        jacobian: Jacobian::default(),
    };
    let mut blocks = Vec::new();
    let (mut bias, mut compliance, mut values) = (Vec::new(), Vec::new(), Vec::new());
    for (place, &old) in order.iter().enumerate() {
        let mut block = parts.blocks[old].clone();
        let range = block.rows();
        let entries = rows.first_entry[old]..rows.first_entry[old + 1];
        chosen.block_bodies.extend(rows.bodies_of(old));
        chosen.first_body.push(chosen.block_bodies.len());
        let entries = &rows.jacobian[entries];
        chosen.jacobian.edit(|all| all.extend(entries));
        chosen.first_entry.push(chosen.jacobian.len());
        block.first_row = bias.len();
        block.feature = place as u64;
        blocks.push(block);
        bias.extend(&parts.bias[range.clone()]);
        compliance.extend(&parts.compliance[range.clone()]);
        values.extend(&impulses[range]);
    }
    let parts = ProblemParts {
        operator: Operator::Bodies(chosen),
        blocks,
        bias,
        compliance,
        activity: Vec::new(),
        ..parts.clone()
    };
    Some((parts, values))
}

/// Two springs of half the stiffness are one: the compliance of each is twice that of the whole.
fn split(parts: &ProblemParts, impulses: &[f64]) -> Option<(ProblemParts, Vec<f64>)> {
    // two rigid constraints of one kind do not say how they share their load, which direct methods
    // refuse
    if parts.compliance.contains(&0.0) {
        return None;
    }
    let order: Vec<usize> = (0..parts.blocks.len())
        .flat_map(|block| [block; 2])
        .collect();
    let (mut parts, mut impulses) = chosen(parts, impulses, &order)?;
    parts.compliance.iter_mut().for_each(|r| *r *= 2.0);
    impulses.iter_mut().for_each(|impulse| *impulse /= 2.0);
    let laws = parts.blocks.iter_mut().map(|block| &mut block.law);
    laws.for_each(|law: &mut Law| law.scale_impulses(0.5));
    Some((parts, impulses))
}

fn longer(mut parts: ProblemParts, mut impulses: Vec<f64>) -> Option<(ProblemParts, Vec<f64>)> {
    const UNIT: f64 = 8.0;
    let scale = |values: &mut [f64]| values.iter_mut().for_each(|value| *value *= UNIT);
    scale(&mut rows_of(&mut parts)?.free_velocity);
    scale(&mut parts.bias);
    scale(&mut impulses);
    let laws = parts.blocks.iter_mut().map(|block| &mut block.law);
    laws.for_each(|law: &mut Law| law.scale_impulses(UNIT));
    Some((parts, impulses))
}
