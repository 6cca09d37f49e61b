//! A frozen problem as arrays that NumPy reads.

use std::collections::BTreeSet;

use delassus_core::{BodyRows, Friction, Law, MemoryLimit, Operator, Problem};
use delassus_formats::npz::{NamedArray, NpyValues, archive};

use crate::error::ProblemWriteError;
use crate::matrix::to_matrix_within;
use crate::named::NamedProblem;

/// The bytes of a NumPy archive of a problem, dense: A, R, b, laws and coefficients, λ where known,
/// and of a problem with bodies M, its inverse, J and v_f.
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
    let mut arrays = vec![
        reals("A", &[problem.rows(); 2], delassus(problem, limit)?),
        reals("R", &[problem.rows(); 2], compliance(problem)),
        reals("b", &[problem.rows()], problem.b().to_vec()),
        reals("bias", &[problem.rows()], problem.bias().to_vec()),
    ];
    arrays.extend(laws(problem));
    if let Some(bodies) = problem.bodies() {
        arrays.extend(masses(bodies));
        let shape = [problem.rows(), 6 * bodies.len()];
        arrays.push(reals("J", &shape, jacobian(problem, bodies)));
    }
    if let Some(reference) = &named.reference {
        let shape = [reference.impulses.len()];
        arrays.push(reals("lambda", &shape, reference.impulses.clone()));
    }
    if let Some(impulses) = &named.warm_start {
        arrays.push(reals("lambda_warm", &[impulses.len()], impulses.clone()));
    }
    Ok(archive(&arrays)?)
}

/// Numbers of laws that the archive has no place for, a text per law.
pub fn npz_losses(problem: &Problem) -> Vec<String> {
    let lost = |law: &Law| match law {
        Law::Contact(Friction::FixedBox { .. }) => Some("the largest friction impulse"),
        Law::Contact(Friction::Facets { .. }) => Some("the number of facets"),
        Law::Patch(_) => Some("the levers of the points"),
        Law::Rolling(rolling) => rolling.spinning.map(|_| "the spinning resistance"),
        Law::Scaled(law) if law.coefficients().len() > 1 => Some("all coefficients but the first"),
        _ => None,
    };
    let laws = problem.blocks().iter().map(|block| &block.law);
    let texts = laws.filter_map(|law| Some(format!("{} of the law {}", lost(law)?, law.kind())));
    let texts: BTreeSet<String> = texts.collect();
    texts.into_iter().collect()
}

fn reals(name: &'static str, shape: &[usize], values: Vec<f64>) -> NamedArray {
    NamedArray {
        name: name.into(),
        shape: shape.to_vec(),
        values: NpyValues::F64(values),
    }
}

/// A, row by row.
fn delassus(problem: &Problem, limit: MemoryLimit) -> Result<Vec<f64>, ProblemWriteError> {
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

/// Per block: rows, law, coefficients and bounds.
fn laws(problem: &Problem) -> [NamedArray; 5] {
    let blocks = problem.blocks();
    let count = blocks.len();
    let dims = blocks
        .iter()
        .map(|block| i64::try_from(block.dim).unwrap_or(i64::MAX));
    let names = blocks.iter().map(|block| block.law.kind().id().to_owned());
    let mu = blocks.iter().map(|block| match &block.law {
        Law::Contact(friction) => friction.mu(),
        Law::Patch(patch) => patch.mu,
        Law::Rolling(rolling) => rolling.mu,
        Law::Scaled(law) => law.coefficients().first().copied().unwrap_or_default(),
        Law::Equality | Law::Bounds { .. } => 0.0,
    });
    let rolling = blocks.iter().map(|block| match &block.law {
        Law::Rolling(rolling) => rolling.rolling,
        _ => 0.0,
    });
    let bounds = blocks.iter().flat_map(|block| match block.law {
        Law::Bounds { lower, upper } => [lower, upper],
        Law::Equality => [f64::NEG_INFINITY, f64::INFINITY],
        _ => [0.0, f64::INFINITY],
    });
    [
        NamedArray {
            name: "dim".into(),
            shape: vec![count],
            values: NpyValues::I64(dims.collect()),
        },
        NamedArray {
            name: "law".into(),
            shape: vec![count],
            values: NpyValues::Text(names.collect()),
        },
        reals("mu", &[count], mu.collect()),
        reals("mu_rolling", &[count], rolling.collect()),
        reals("bounds", &[count, 2], bounds.collect()),
    ]
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
        reals("M", &[count, 6, 6], mass),
        reals("M_inverse", &[count, 6, 6], inverse),
        reals("v_free", &[6 * count], bodies.free_velocity.clone()),
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
