//! A frozen problem of the arrays of a NumPy archive.

use delassus_core::{
    Block, BlockSparse, BodyRows, CoupledCompliance, MassProperties, MatrixRows, MemoryLimit,
    Operator, Problem, ProblemParts, StepScale,
};
use delassus_formats::npz::NpyValues;
use nalgebra::{DMatrixView, Matrix3, Vector3};

use super::arrays::{Arrays, bad};
use super::laws::laws;
use super::names;
use super::write::delassus;
use crate::error::ProblemReadError;
use crate::named::{KnownSolution, NamedProblem};
use crate::snapshot::ACTIVITIES;

/// Largest difference between arrays that say one thing twice, relative to the largest number
/// \[-\].
const AGREEMENT: f64 = 1e-9;

/// Reads a problem; its name and origin are left to the caller.
///
/// # Errors
/// Archives and arrays that cannot be read, arrays that are missing, of another shape, or
/// contradict each other, numbers that make no valid problem.
pub(crate) fn read_npz(bytes: &[u8], limit: MemoryLimit) -> Result<NamedProblem, ProblemReadError> {
    let arrays = Arrays::read(bytes, limit)?;
    // the arrays, and a problem of their size, with a matrix to compare with
    limit.admit("the problem of the archive", 3 * arrays.bytes())?;
    let limit = limit.less(2 * arrays.bytes());
    let blocks = laws(&arrays)?;
    let rows = blocks.last().map_or(0, |block| block.rows().end);
    let problem = problem(&arrays, blocks, rows)?;
    if problem.bodies().is_some() {
        agree(&arrays, &problem, limit)?;
    }
    let impulses = |name| -> Result<Option<Vec<f64>>, ProblemReadError> {
        let found = arrays.optional(name, &[rows])?;
        let strange = found.iter().flatten().position(|x| !x.is_finite());
        match strange {
            Some(row) => Err(bad(name, format!("is not finite in row {row}"))),
            None => Ok(found),
        }
    };
    let reference = impulses(names::IMPULSES)?;
    let warm_start = impulses(names::WARM_START)?;
    let reference =
        reference.map(|impulses| KnownSolution::new(impulses, "array lambda of the archive"));
    Ok(NamedProblem {
        reference,
        warm_start,
        ..NamedProblem::new("", problem, "")
    })
}

fn problem(arrays: &Arrays, blocks: Vec<Block>, rows: usize) -> Result<Problem, ProblemReadError> {
    let by_bodies = arrays.has(names::JACOBIAN);
    if !by_bodies && !arrays.has(names::DELASSUS) {
        let hint = "is missing; give A and b, or J with M_inverse and v_free";
        return Err(bad(names::DELASSUS, hint));
    }
    // before anything has that many numbers
    let matrix = if by_bodies {
        names::JACOBIAN
    } else {
        names::DELASSUS
    };
    let [found, _] = arrays.extents::<2>(matrix)?;
    if found != rows {
        return Err(bad(
            matrix,
            format!("has {found} rows, but dim adds up to {rows}"),
        ));
    }
    let bias = arrays.optional(names::BIAS, &[rows])?;
    let bias = bias.unwrap_or_else(|| vec![0.0; rows]);
    let (compliance, coupled_compliance) = compliance(arrays, &blocks, rows)?;
    let count = blocks.len();
    let activity = arrays.optional(names::ACTIVITY, &[count])?;
    let activity = activity.unwrap_or_else(|| vec![0.0; count]).into_iter();
    let activity = activity.map(|number| {
        let known = (0_u8..)
            .zip(ACTIVITIES)
            .find(|(index, _)| f64::from(*index) == number);
        let unknown = || bad(names::ACTIVITY, format!("has {number}, expected 0, 1 or 2"));
        known.map(|(_, activity)| activity).ok_or_else(unknown)
    });
    let activity = activity.collect::<Result<_, _>>()?;
    let step = arrays.optional(names::STEP, &[2])?;
    let operator = match by_bodies {
        true => Operator::Bodies(bodies(arrays, &blocks, rows)?),
        false => Operator::Matrix(matrix_rows(arrays, &blocks, &bias)?),
    };
    Ok(Problem::new(ProblemParts {
        operator,
        blocks,
        bias,
        compliance,
        coupled_compliance,
        activity,
        step: step.map(|step| StepScale {
            dt: step[0],
            gravity: step[1],
        }),
    })?)
}

/// The diagonal of R, and what rows of a block share.
fn compliance(
    arrays: &Arrays,
    blocks: &[Block],
    rows: usize,
) -> Result<(Vec<f64>, CoupledCompliance), ProblemReadError> {
    let mut coupled = CoupledCompliance::new();
    let Some(dense) = arrays.optional(names::COMPLIANCE, &[rows, rows])? else {
        return Ok((vec![0.0; rows], coupled));
    };
    let entry = |i: usize, j: usize| dense[i * rows + j];
    for (index, block) in blocks.iter().enumerate() {
        let mut lower = Vec::new();
        for i in block.rows() {
            let mut outside = (0..rows).filter(|j| !block.rows().contains(j));
            if let Some(j) = outside.find(|j| entry(i, *j) != 0.0) {
                let reason = format!("couples rows {i} and {j} of different blocks");
                return Err(bad(names::COMPLIANCE, reason));
            }
            for j in block.first_row..i {
                if entry(i, j) != entry(j, i) {
                    let reason = format!("is not symmetric in rows {j} and {i}");
                    return Err(bad(names::COMPLIANCE, reason));
                }
                lower.push(entry(i, j));
            }
        }
        coupled.push(index, &lower);
    }
    Ok(((0..rows).map(|i| entry(i, i)).collect(), coupled))
}

/// A by its blocks, without those that are zero, and the free velocity of the rows.
fn matrix_rows(
    arrays: &Arrays,
    blocks: &[Block],
    bias: &[f64],
) -> Result<MatrixRows, ProblemReadError> {
    let rows = bias.len();
    let dense = arrays.reals(names::DELASSUS, &[rows, rows])?;
    let mut stored = Vec::new();
    for (i, block) in blocks.iter().enumerate() {
        for (j, other) in blocks.iter().enumerate() {
            let row = |row: usize| &dense[row * rows..][other.rows()];
            if i == j || block.rows().any(|at| row(at).iter().any(|x| *x != 0.0)) {
                stored.push((i, j, block.rows().flat_map(row).copied().collect()));
            }
        }
    }
    let b = arrays.reals(names::CONSTANT, &[rows])?;
    Ok(MatrixRows {
        delassus: BlockSparse::from_blocks(
            &blocks.iter().map(|block| block.dim).collect::<Vec<_>>(),
            stored,
        )?,
        free_velocity: b.iter().zip(bias).map(|(b, bias)| b - bias).collect(),
    })
}

/// J by the bodies that each block touches, masses and free velocities.
fn bodies(arrays: &Arrays, blocks: &[Block], rows: usize) -> Result<BodyRows, ProblemReadError> {
    let mass = masses(arrays)?;
    let (count, columns) = (mass.len(), 6 * mass.len());
    let dense = arrays.reals(names::JACOBIAN, &[rows, columns])?;
    let part = |row: usize, body: usize| &dense[row * columns + 6 * body..][..6];
    let (mut first_body, mut first_entry) = (vec![0], vec![0]);
    let (mut block_bodies, mut jacobian) = (Vec::new(), Vec::new());
    for block in blocks {
        let touches = |body: &usize| {
            let mut parts = block.rows().map(|row| part(row, *body));
            parts.any(|part| part.iter().any(|x| *x != 0.0))
        };
        let touched: Vec<usize> = (0..count).filter(touches).collect();
        for row in block.rows() {
            for body in &touched {
                let mut entry = [0.0; 6];
                entry.copy_from_slice(part(row, *body));
                jacobian.push(entry);
            }
        }
        let indices = touched.iter().map(|body| u32::try_from(*body));
        block_bodies.extend(indices.map(|body| body.unwrap_or(u32::MAX)));
        first_body.push(block_bodies.len());
        first_entry.push(jacobian.len());
    }
    Ok(BodyRows {
        mass,
        free_velocity: arrays.reals(names::FREE_VELOCITY, &[columns])?,
        first_body,
        block_bodies,
        first_entry,
        jacobian: jacobian.into_iter().collect(),
    })
}

/// The inverse masses of the bodies: `M_inverse`, else the inverse of `M`.
fn masses(arrays: &Arrays) -> Result<Vec<MassProperties>, ProblemReadError> {
    let inverted = !arrays.has(names::INVERSE_MASS) && arrays.has(names::MASS);
    let name = match inverted {
        true => names::MASS,
        false => names::INVERSE_MASS,
    };
    let [count, ..] = arrays.extents::<3>(name)?;
    let numbers = arrays.reals(name, &[count, 6, 6])?;
    let body = |(body, numbers): (usize, &[f64])| {
        let all = DMatrixView::from_slice(numbers, 6, 6);
        let (linear, angular) = (all.fixed_view::<3, 3>(0, 0), all.fixed_view::<3, 3>(3, 3));
        let (linear, angular) = (linear.into_owned(), angular.into_owned());
        let off = (all.fixed_view::<3, 3>(0, 3), all.fixed_view::<3, 3>(3, 0));
        let mixed = off.0.iter().chain(off.1.iter()).any(|x| *x != 0.0);
        let diagonal: Vector3<f64> = linear.diagonal();
        if mixed || linear != Matrix3::from_diagonal(&diagonal) {
            let reason = format!("couples the axes of body {body}, but only inertia may do so");
            return Err(bad(name, reason));
        }
        if !inverted {
            return Ok(MassProperties {
                inverse_mass: diagonal,
                inverse_inertia: angular,
            });
        }
        Ok(MassProperties {
            inverse_mass: diagonal.map(f64::recip),
            inverse_inertia: inverse(&angular)
                .ok_or_else(|| bad(name, format!("has no inverse inertia for body {body}")))?,
        })
    };
    numbers.chunks(36).enumerate().map(body).collect()
}

/// The inverse of an inertia, zero where all axes are infinite.
fn inverse(inertia: &Matrix3<f64>) -> Option<Matrix3<f64>> {
    if inertia.diagonal().iter().all(|x| *x == f64::INFINITY) {
        return Some(Matrix3::zeros());
    }
    inertia.try_inverse()
}

/// Refuses A and b that are not those of J, M⁻¹, `v_free` and `bias`.
fn agree(arrays: &Arrays, problem: &Problem, limit: MemoryLimit) -> Result<(), ProblemReadError> {
    let rows = problem.rows();
    let apart = |name: &str, found: &[f64], own: &[f64], scale: f64| {
        let largest = own.iter().fold(scale, |largest, x| largest.max(x.abs()));
        let mut pairs = found.iter().zip(own);
        // NaN differs from everything
        let close = |(found, own): (&f64, &f64)| (found - own).abs() <= AGREEMENT * largest;
        match pairs.position(|pair| !close(pair)) {
            None => Ok(()),
            Some(at) => Err(bad(
                name,
                format!(
                    "has {} as number {at}, but J, M_inverse, v_free and bias give {}; leave {name} out, or J",
                    found[at], own[at]
                ),
            )),
        }
    };
    if let Some(b) = arrays.optional(names::CONSTANT, &[rows])? {
        let free = arrays.reals(
            names::FREE_VELOCITY,
            &[6 * problem.bodies().map_or(0, BodyRows::len)],
        )?;
        let jacobian = arrays.array(names::JACOBIAN)?;
        let largest = |values: &[f64]| values.iter().fold(0.0_f64, |all, x| all.max(x.abs()));
        let scale = match &jacobian.values {
            NpyValues::F64(entries) => largest(entries) * largest(&free),
            _ => largest(&free),
        };
        apart(
            names::CONSTANT,
            &b,
            problem.b(),
            scale.max(largest(problem.bias())),
        )?;
    }
    if let Some(found) = arrays.optional(names::DELASSUS, &[rows, rows])? {
        apart(names::DELASSUS, &found, &delassus(problem, limit)?, 0.0)?;
    }
    Ok(())
}
