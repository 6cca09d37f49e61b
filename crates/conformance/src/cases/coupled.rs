//! Soft joints of two, three and six rows whose compliance is not diagonal, with the solution of a
//! dense system.

use delassus_core::{Law, MassProperties, Problem, ProblemBuilder};
use delassus_problems::to_matrix;
use nalgebra::{DMatrix, DVector, Vector3};

use super::Case;

/// Joints of these numbers of rows, one after the other; the second chain is small enough for an
/// enumeration.
const CHAINS: [&[usize]; 2] = [&[2, 3, 6, 3], &[6, 3, 2]];

/// Soft joints on a chain of bodies, as bodies and as a matrix. Their solution is that of (A +
/// R)λ = −b, which is assembled here from the numbers alone.
pub fn coupled_joints() -> Vec<Case> {
    let mut cases = Vec::new();
    for joints in CHAINS {
        let (problem, solution) = chain(joints);
        let matrix = to_matrix(&problem).expect("a problem of this crate");
        for (form, problem) in [("bodies", problem), ("matrix", matrix)] {
            cases.push(Case {
                name: format!("{} joints with shared compliance, {form}", joints.len()),
                problem,
                solution: Some(solution.clone()),
                centres: None,
            });
        }
    }
    cases
}

/// A number between −1 and 1 that a place in a table gives.
fn number(place: usize) -> f64 {
    ((place * 37 + 11) % 64) as f64 / 32.0 - 0.984_375
}

fn chain(joints: &[usize]) -> (Problem, Vec<f64>) {
    let rows: usize = joints.iter().sum();
    let bodies = joints.len();
    let mut builder = ProblemBuilder::new();
    let mut inverse = DMatrix::zeros(6 * bodies, 6 * bodies);
    let mut free = DVector::zeros(6 * bodies);
    for body in 0..bodies {
        let mass = 1.0 + 0.5 * body as f64;
        let inertia = Vector3::new(0.4, 0.5, 0.6) * mass;
        let velocity = std::array::from_fn(|axis| number(6 * body + axis));
        builder.body(MassProperties::aligned(mass, inertia), velocity);
        for axis in 0..3 {
            inverse[(6 * body + axis, 6 * body + axis)] = 1.0 / mass;
            inverse[(6 * body + 3 + axis, 6 * body + 3 + axis)] = 1.0 / inertia[axis];
        }
        free.rows_mut(6 * body, 6).copy_from_slice(&velocity);
    }
    let mut jacobian = DMatrix::zeros(rows, 6 * bodies);
    let mut softness = DMatrix::zeros(rows, rows);
    let mut first = 0;
    for (joint, dim) in joints.iter().copied().enumerate() {
        // the first joint holds its body to the world, the others theirs to the one before
        let touched: Vec<usize> = (joint.saturating_sub(1)..=joint).collect();
        let mut entries = Vec::new();
        for local in 0..dim {
            let mut row = Vec::new();
            for (side, body) in touched.iter().enumerate() {
                let sign = if *body == joint { 1.0 } else { -1.0 };
                let entry: [f64; 6] = std::array::from_fn(|axis| {
                    let along = if axis == local { 1.0 } else { 0.0 };
                    sign * (along + 0.3 * number(50 * joint + 12 * local + 6 * side + axis))
                });
                jacobian
                    .view_mut((first + local, 6 * body), (1, 6))
                    .copy_from_slice(&entry);
                row.push(entry);
            }
            entries.push(row);
        }
        builder.block(Law::Equality, &touched, &entries);
        let own = matrix(joint, dim, joint + 1 == joints.len());
        builder.compliance_matrix(own.as_slice());
        softness
            .view_mut((first, first), (dim, dim))
            .copy_from(&own);
        let bias: Vec<f64> = (0..dim).map(|local| number(7 * (first + local))).collect();
        builder.bias(&bias);
        first += dim;
    }
    let problem = builder.build().expect("a problem of this crate");
    let bias = DVector::from_column_slice(problem.bias());
    let system = &jacobian * inverse * jacobian.transpose() + softness;
    let solved = system.lu().solve(&-(jacobian * free + bias));
    let impulses = solved.expect("positive definite").as_slice().to_vec();
    (problem, impulses)
}

/// G Gᵀ/20 of random numbers: positive semi-definite, and of rank one in the last joint.
fn matrix(joint: usize, dim: usize, last: bool) -> DMatrix<f64> {
    let columns = if last { 1 } else { dim };
    let g = DMatrix::from_fn(dim, columns, |i, j| number(9 * i + 5 * j + joint));
    let product = &g * g.transpose() * 0.05;
    // symmetric to the bit
    DMatrix::from_fn(dim, dim, |i, j| product[(i.max(j), i.min(j))])
}
