//! Scales of a problem: one per row (inverse effective mass) and one energy for the whole problem.

use std::ops::Range;

use delassus_core::norm::SquareSum;
use delassus_core::{Operator, Problem};

use crate::eigen;
use crate::error::{MetricError, check_range};

/// A diagonal entry or an eigenvalue below this multiple of the largest entry of its rows is
/// rounding \[-\].
///
/// In a positive semi-definite matrix it would mean a mass ratio of 1e24 within one row's
/// neighbours.
const NEGLIGIBLE: f64 = 1e-12;

/// An energy below this may have lost digits \[J\]: it is then computed from its root.
const LEAST_ENERGY: f64 = 1e-280;

/// A matrix that departs further from symmetry has no objective and no orthogonal range \[-\].
const MAX_ASYMMETRY: f64 = 1e-12;

/// True if A is symmetric, which it is by construction with bodies.
pub(crate) fn is_symmetric(problem: &Problem) -> bool {
    match problem.operator() {
        Operator::Bodies(_) => true,
        Operator::Matrix(matrix) => matrix.delassus.symmetry_defect() <= MAX_ASYMMETRY,
    }
}

/// The energy that residuals are relative to (M.3). It depends on the problem's data only.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EnergyScale {
    /// E_s \[J\]; the smallest normal number where it is smaller.
    pub joules: f64,
    /// Where it comes from.
    pub origin: EnergyOrigin,
    /// √(2E_s) \[√J\], positive, also where E_s has no digits.
    pub(crate) root: f64,
}

/// Which term of (M.3) sets the energy scale.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EnergyOrigin {
    /// ½ Σ b_i²/d_i: the velocities that the constraints have to stop.
    Velocity,
    /// ½ m (g h)²: the energy that gravity gives the movable mass in one step.
    Gravity,
    /// 1 J: both terms are zero, and the exact answer is λ = 0 where K allows it.
    Unit,
}

impl EnergyOrigin {
    /// The identifier used in records.
    pub fn id(self) -> &'static str {
        match self {
            Self::Velocity => "velocity",
            Self::Gravity => "gravity",
            Self::Unit => "unit",
        }
    }
}

/// E_s (M.3); `row_scales` are d_i.
pub(crate) fn energy_scale(
    problem: &Problem,
    row_scales: &[f64],
) -> Result<EnergyScale, MetricError> {
    let mut velocity = 0.0;
    let mut roots = SquareSum::default();
    for (index, block) in problem.blocks().iter().enumerate() {
        let rows = block.first_row..block.first_row + problem.active_dim(index);
        // zero impulses would count as diverged
        check_range("b", &problem.b()[rows.clone()]).map_err(|_| MetricError::EnergyScale)?;
        for row in rows {
            let b = problem.b()[row];
            velocity += 0.5 * b * b / row_scales[row];
            roots.add(b / row_scales[row].sqrt());
        }
    }
    let (gravity, falling) = match (problem.bodies(), problem.step()) {
        (Some(bodies), Some(step)) => {
            let (mass, speed) = (bodies.movable_mass(), step.gravity * step.dt);
            (0.5 * mass * speed * speed, (mass.sqrt() * speed).abs())
        }
        _ => (0.0, 0.0),
    };
    // an infinite scale would make every residual pass
    if !velocity.is_finite() || !gravity.is_finite() {
        return Err(MetricError::EnergyScale);
    }
    let (joules, origin) = if velocity >= gravity {
        (velocity, EnergyOrigin::Velocity)
    } else {
        (gravity, EnergyOrigin::Gravity)
    };
    if joules >= LEAST_ENERGY {
        let root = (2.0 * joules).sqrt();
        return Ok(EnergyScale {
            joules,
            origin,
            root,
        });
    }
    let moving = roots.root();
    let (root, origin) = if moving >= falling {
        (moving, EnergyOrigin::Velocity)
    } else {
        (falling, EnergyOrigin::Gravity)
    };
    if root == 0.0 {
        return Ok(EnergyScale {
            joules: 1.0,
            origin: EnergyOrigin::Unit,
            root: std::f64::consts::SQRT_2,
        });
    }
    let joules = (0.5 * root * root).max(f64::MIN_POSITIVE);
    Ok(EnergyScale {
        joules,
        origin,
        root,
    })
}

/// d_i per row: the diagonal of A (plus R if `compliance`), made positive (M.2); in the memory of
/// `out`.
pub(crate) fn row_scales(problem: &Problem, compliance: bool, mut out: Vec<f64>) -> Vec<f64> {
    out.clear();
    out.reserve(problem.rows());
    let bound = largest_value(problem);
    for (index, block) in problem.blocks().iter().enumerate() {
        for (local, row) in block.rows().enumerate() {
            let softness = if compliance {
                problem.compliance()[row]
            } else {
                0.0
            };
            let diagonal = problem.diagonal()[row] + softness;
            out.push(positive(diagonal, bound, || {
                largest_entry(problem, index, local, local + 1)
            }));
        }
    }
    out
}

/// L of local rows (at most 6) of a block whose diagonal block is `a`, row-major
/// `dim × dim` (M.2); `bound` is that of [`largest_value`].
pub(crate) fn group_scale(
    problem: &Problem,
    block: usize,
    a: &[f64],
    rows: Range<usize>,
    bound: f64,
) -> f64 {
    let dim = problem.blocks()[block].dim;
    let (first, end) = (rows.start, rows.end);
    if end - first > 3 {
        let symmetric = |i: usize, j: usize| {
            let (i, j) = (first + i, first + j);
            0.5 * (a[i * dim + j] + a[j * dim + i])
        };
        let largest = eigen::largest_of_rows(end - first, symmetric);
        return positive(largest, bound, || largest_entry(problem, block, first, end));
    }
    let mut matrix = [[0.0; 3]; 3];
    for i in first..end {
        for j in first..end {
            let symmetric = 0.5 * (a[i * dim + j] + a[j * dim + i]);
            matrix[i - first][j - first] = symmetric;
        }
    }
    positive(eigen::largest(matrix), bound, || {
        largest_entry(problem, block, first, end)
    })
}

/// Largest |A_ij| of a matrix problem; zero for bodies.
pub(crate) fn largest_value(problem: &Problem) -> f64 {
    match problem.operator() {
        Operator::Matrix(matrix) => matrix.delassus.largest_value(),
        Operator::Bodies(_) => 0.0,
    }
}

/// `value`, or the fallback if it is not clearly positive, or 1 if both are zero; the fallback is
/// at most `bound`, and mostly need not be known.
fn positive(value: f64, bound: f64, fallback: impl Fn() -> f64) -> f64 {
    if value > NEGLIGIBLE * bound {
        return value;
    }
    let fallback = fallback();
    if value > NEGLIGIBLE * fallback {
        value
    } else if fallback > 0.0 {
        fallback
    } else {
        1.0
    }
}

/// Largest |A_ij| in local rows `first..end` of a block of a matrix problem.
///
/// Zero for bodies: there A is positive semi-definite by construction and needs no guard.
fn largest_entry(problem: &Problem, block: usize, first: usize, end: usize) -> f64 {
    let Operator::Matrix(matrix) = problem.operator() else {
        return 0.0;
    };
    let mut largest = 0.0f64;
    for (column, values) in matrix.delassus.row(block) {
        let width = matrix.delassus.dim(column);
        for value in &values[first * width..end * width] {
            largest = largest.max(value.abs());
        }
    }
    largest
}
