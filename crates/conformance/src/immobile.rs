//! Law 15: friction that no impulse moves stays at zero, and the law acts on the other rows.

use std::ops::Range;

use delassus_core::{
    Block, BlockSparse, Friction, Law, LawForm, Operator, Precision, Problem, ProblemParts,
    ScaledLaw, Start,
};

use crate::laws::run;
use crate::{Case, Make, Verdict, attempt, available, convergence, require};

/// Sweeps after which the impulses of immobile rows are looked at.
const SWEEPS: u32 = 20;

/// Law 15: with the last friction row of every block emptied, a solver comes to the velocities of
/// what is left of the law (P.15), and gives these rows no impulse.
pub fn immobile(make: Make<'_>, case: &Case) -> Verdict {
    attempt!(available(make().facts().device));
    let Some((locked, rows)) = locked(case) else {
        return Verdict::NotApplicable(
            "has no friction, shared compliance, a turned ellipse, or no known solution".into(),
        );
    };
    let verdict = convergence(make, &locked);
    if verdict != Verdict::Holds {
        return verdict;
    }
    let impulses = attempt!(run(make, &locked.problem, Start::Cold, &[SWEEPS]));
    let largest = impulses.iter().fold(0.0f64, |most, x| most.max(x.abs()));
    let rounding = match make().descriptor().precision {
        Precision::F64 => 1e-12,
        Precision::F32 => 1e-6,
    };
    for row in rows {
        let found = impulses[row];
        require!(
            found.abs() <= rounding * largest,
            "row {row}, which nothing moves, gets the impulse {found:e}"
        );
    }
    Verdict::Holds
}

/// The case with the last friction row of every block emptied, and these rows; the bias keeps the
/// velocities of all other rows but those of the discs, which slide as fast as they did.
fn locked(case: &Case) -> Option<(Case, Vec<usize>)> {
    let mut impulses = case.solution.clone()?;
    let mut parts = case.problem.clone().into_parts();
    // on a turned ellipse both tangents depend on each other, so an immobile one carries impulses
    let is_turned = |block: &Block| matches!(&block.law, Law::Scaled(law) if law.entry().turned);
    if parts.blocks.iter().any(is_turned) || !parts.coupled_compliance.is_empty() {
        return None;
    }
    let mut wanted = vec![0.0; case.problem.rows()];
    case.problem.shifted_velocity(&impulses, &mut wanted);
    let largest = wanted.iter().fold(0.0f64, |most, w| most.max(w.abs()));
    let mut rows = Vec::new();
    for block in parts.blocks.clone() {
        let friction = block.first_row + block.law.normals(block.dim);
        let last = block.first_row + block.dim - 1;
        if friction > last {
            continue;
        }
        if let Law::Scaled(law) = &block.law {
            flatten(
                law,
                block.rows(),
                &mut impulses,
                &mut wanted,
                1e-9 * largest,
            );
        // discs have two rows
        } else if (last - friction) % 2 == 1 {
            straighten(&block, last, &mut impulses, &mut wanted, 1e-9 * largest);
        } else if impulses[block.first_row] > 0.0 && block.dim == 2 {
            // a convex cone without tangents does not lift
            wanted[block.first_row] = 0.0;
        }
        (impulses[last], wanted[last]) = (0.0, 0.0);
        parts.compliance[last] = 0.0;
        rows.push(last);
    }
    empty(&mut parts, &rows)?;
    let problem = Problem::new(parts).ok()?;
    let mut found = vec![0.0; problem.rows()];
    problem.shifted_velocity(&impulses, &mut found);
    let terms = wanted.iter().zip(&found).zip(problem.bias());
    let bias: Vec<f64> = terms.map(|((w, own), bias)| bias + w - own).collect();
    let mut problem = problem;
    problem.set_bias(&bias).ok()?;
    let locked = Case {
        name: format!("{}, locked", case.name),
        problem,
        solution: Some(impulses),
        centres: None,
    };
    (!rows.is_empty()).then_some((locked, rows))
}

/// Turns impulse and slip of a disc, whose second row is `last`, into the first one; `least` is no
/// slip \[m/s\].
fn straighten(block: &Block, last: usize, impulses: &mut [f64], wanted: &mut [f64], least: f64) {
    let slip = norm(&wanted[last - 1..=last]);
    let bound = match block.law {
        Law::Contact(
            Friction::Frictionless | Friction::FixedBox { .. } | Friction::Pyramid { .. },
        ) => return,
        Law::Contact(Friction::Facets { mu, .. }) => mu * impulses[block.first_row],
        _ => norm(&impulses[last - 1..=last]),
    };
    if slip > least {
        let sign = impulses[last - 1].signum();
        (impulses[last - 1], wanted[last - 1]) = (sign * bound, -sign * slip);
    }
}

/// Turns impulse and velocity of a block with a coefficient per row into those of what is left of
/// its law without the last row: on the boundary of the cone, and along its normal.
fn flatten(
    law: &ScaledLaw,
    rows: Range<usize>,
    impulses: &mut [f64],
    wanted: &mut [f64],
    least: f64,
) {
    let (normal, friction) = (rows.start, rows.start + 1..rows.end - 1);
    let slip = norm(&wanted[normal + 1..rows.end]);
    let is_cone = law.entry().kind.form() == LawForm::Cone;
    if friction.is_empty() || slip <= least || impulses[normal] == 0.0 {
        return;
    }
    // squares of the gauge
    let inverse = |row: usize| law.coefficients()[row].powi(-2);
    let point = &mut impulses[friction.clone()];
    let gauge = |x: &[f64]| {
        x.iter()
            .enumerate()
            .map(|(i, x)| inverse(i) * x * x)
            .sum::<f64>()
    };
    if gauge(point) == 0.0 {
        point[0] = 1.0;
    }
    let size = gauge(point).sqrt();
    let pressed = impulses[normal];
    impulses[friction.clone()]
        .iter_mut()
        .for_each(|x| *x *= pressed / size);
    let gradient = impulses[friction.clone()].iter().enumerate();
    let gradient: Vec<f64> = gradient.map(|(i, x)| inverse(i) * x).collect();
    let length = norm(&gradient);
    for (to, entry) in wanted[friction].iter_mut().zip(&gradient) {
        *to = -slip * entry / length;
    }
    wanted[normal] = if is_cone {
        slip * pressed / length
    } else {
        0.0
    };
}

fn norm(x: &[f64]) -> f64 {
    x.iter().copied().fold(0.0, libm::hypot)
}

/// Takes rows out of the operator.
fn empty(parts: &mut ProblemParts, rows: &[usize]) -> Option<()> {
    match &mut parts.operator {
        Operator::Bodies(bodies) => {
            for (index, block) in parts.blocks.iter().enumerate() {
                let count = bodies.bodies_of(index).len();
                for row in block.rows().filter(|row| rows.contains(row)) {
                    let first = bodies.first_entry[index] + (row - block.first_row) * count;
                    bodies
                        .jacobian
                        .edit(|entries| entries[first..first + count].fill([0.0; 6]));
                }
            }
        }
        Operator::Matrix(matrix) => {
            let old = &matrix.delassus;
            let dims: Vec<usize> = (0..old.block_rows()).map(|block| old.dim(block)).collect();
            let mut blocks = Vec::new();
            for i in 0..old.block_rows() {
                for (j, values) in old.row(i) {
                    let mut values = values.to_vec();
                    for (at, value) in values.iter_mut().enumerate() {
                        let [row, column] =
                            [old.start(i) + at / dims[j], old.start(j) + at % dims[j]];
                        if rows.contains(&row) || rows.contains(&column) {
                            *value = 0.0;
                        }
                    }
                    blocks.push((i, j, values));
                }
            }
            matrix.delassus = BlockSparse::from_blocks(&dims, blocks).ok()?;
        }
    }
    Some(())
}
