//! The arrays of a frozen problem.

use delassus_core::{BodyRows, MemoryLimit, Operator, Problem, ProblemError};
use delassus_formats::npz::{NamedArray, archive};

use crate::error::ProblemWriteError;
use crate::matrix::to_matrix_within;
use crate::named::NamedProblem;
use crate::snapshot::ACTIVITIES;

use super::arrays::reals;
use super::{laws, names};

/// The bytes of a NumPy archive of a problem, dense: A, R, b, laws and coefficients, λ where known,
/// and of a problem with bodies M, its inverse, J and v_f. Name, origin, persistent identifiers and
/// what an engine made of the problem have no arrays.
///
/// `docs/file-formats.md` lists the arrays.
///
/// # Errors
/// Dense matrices that take more memory than `limit`.
pub fn npz_bytes(named: &NamedProblem, limit: MemoryLimit) -> Result<Vec<u8>, ProblemWriteError> {
    let problem = &named.problem;
    let rows = problem.rows() as u64;
    let freedoms = 6 * problem.bodies().map_or(0, |bodies| bodies.len()) as u64;
    // A, R and J as numbers, as bytes and in the archive
    let needed = rows
        .saturating_mul(2 * rows + freedoms)
        .saturating_mul(3 * 8);
    limit.admit("the dense matrices of the archive", needed)?;
    let square = [problem.rows(); 2];
    let mut arrays = vec![
        reals(names::DELASSUS, &square, delassus(problem, limit)?),
        reals(names::COMPLIANCE, &square, compliance(problem)),
        reals(names::CONSTANT, &[problem.rows()], problem.b().to_vec()),
        reals(names::BIAS, &[problem.rows()], problem.bias().to_vec()),
    ];
    arrays.extend(laws::arrays(problem));
    arrays.extend(activity(problem));
    if let Some(step) = problem.step() {
        arrays.push(reals(names::STEP, &[2], vec![step.dt, step.gravity]));
    }
    if let Some(bodies) = problem.bodies() {
        arrays.extend(masses(bodies));
        let shape = [problem.rows(), 6 * bodies.len()];
        arrays.push(reals(names::JACOBIAN, &shape, jacobian(problem, bodies)));
    }
    let reference = named.reference_impulses();
    let impulses = [
        (names::IMPULSES, reference),
        (names::WARM_START, named.warm_start.as_deref()),
    ];
    for (name, impulses) in impulses {
        arrays.extend(impulses.map(|x| reals(name, &[x.len()], x.to_vec())));
    }
    Ok(archive(&arrays)?)
}

/// A, row by row.
pub(super) fn delassus(problem: &Problem, limit: MemoryLimit) -> Result<Vec<f64>, ProblemError> {
    let rows = problem.rows();
    let mut dense = vec![0.0; rows * rows];
    let matrix = to_matrix_within(problem, limit)?;
    if let Operator::Matrix(matrix) = matrix.operator() {
        let sparse = &matrix.delassus;
        for i in 0..sparse.block_rows() {
            for (j, values) in sparse.row(i) {
                for (local, row) in values.chunks(sparse.dim(j).max(1)).enumerate() {
                    let first = (sparse.start(i) + local) * rows + sparse.start(j);
                    dense[first..first + row.len()].copy_from_slice(row);
                }
            }
        }
    }
    Ok(dense)
}

/// R, row by row.
fn compliance(problem: &Problem) -> Vec<f64> {
    let rows = problem.rows();
    let mut dense = vec![0.0; rows * rows];
    for (index, block) in problem.blocks().iter().enumerate() {
        let mut own = vec![0.0; block.dim * block.dim];
        problem.add_compliance(index, &mut own);
        for (local, row) in own.chunks(block.dim).enumerate() {
            let first = (block.first_row + local) * rows + block.first_row;
            dense[first..first + block.dim].copy_from_slice(row);
        }
    }
    dense
}

/// What solvers do with each block, unless they solve all of them.
fn activity(problem: &Problem) -> Option<NamedArray> {
    let number = |activity| ACTIVITIES.iter().position(|known| *known == activity);
    let numbers = problem
        .activity()
        .iter()
        .filter_map(|activity| number(*activity));
    let numbers = numbers.map(|number| number as f64).collect::<Vec<_>>();
    let count = [numbers.len()];
    (!problem.all_active()).then(|| reals(names::ACTIVITY, &count, numbers))
}

/// M and its inverse as 6 × 6 blocks, one per body, and v_f; M is infinite along axes that nothing
/// moves.
fn masses(bodies: &BodyRows) -> [NamedArray; 3] {
    let count = bodies.len();
    let (mut mass, mut inverse) = (Vec::new(), Vec::new());
    for body in &bodies.mass {
        let mut block = [[0.0; 6]; 6];
        for i in 0..3 {
            block[i][i] = body.inverse_mass[i];
            for j in 0..3 {
                block[3 + i][3 + j] = body.inverse_inertia[(i, j)];
            }
        }
        inverse.extend(block.as_flattened());
        for i in 0..3 {
            block[i][i] = 1.0 / body.inverse_mass[i];
        }
        let inertia = body.inverse_inertia.try_inverse();
        for i in 0..3 {
            for j in 0..3 {
                let locked = if i == j { f64::INFINITY } else { 0.0 };
                block[3 + i][3 + j] = inertia.map_or(locked, |inertia| inertia[(i, j)]);
            }
        }
        mass.extend(block.as_flattened());
    }
    [
        reals(names::MASS, &[count, 6, 6], mass),
        reals(names::INVERSE_MASS, &[count, 6, 6], inverse),
        reals(
            names::FREE_VELOCITY,
            &[6 * count],
            bodies.free_velocity.clone(),
        ),
    ]
}

/// J, row by row.
fn jacobian(problem: &Problem, bodies: &BodyRows) -> Vec<f64> {
    let columns = 6 * bodies.len();
    let mut dense = vec![0.0; problem.rows() * columns];
    for (index, block) in problem.blocks().iter().enumerate() {
        for (local, row) in block.rows().enumerate() {
            let pairs = bodies.row(index, local).iter().zip(bodies.bodies_of(index));
            for (entry, body) in pairs {
                let first = row * columns + 6 * *body as usize;
                dense[first..first + 6].copy_from_slice(entry);
            }
        }
    }
    dense
}
