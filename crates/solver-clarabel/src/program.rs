//! A frozen problem as a cone program: min ½ yᵀSy + cᵀy over Gy + s = h, s in a product of cones.

use clarabel::algebra::CscMatrix;
use clarabel::solver::SupportedConeT::{NonnegativeConeT, SecondOrderConeT, ZeroConeT};
use clarabel::solver::{DefaultSettings, SupportedConeT};
use delassus_core::{Block, LawForm, Problem, SolveError};
use delassus_solver_dense::assembly::DenseDelassus;

/// The program in scaled impulses y = λ/(d s), one d per contact (D.2) and one s for all.
///
/// s is the largest |c|: the tolerances of the library are absolute too, and a problem may be
/// small.
#[derive(Debug)]
pub(crate) struct Program {
    /// Upper triangle of S.
    pub(crate) objective: CscMatrix<f64>,
    /// c/s.
    pub(crate) linear: Vec<f64>,
    /// G.
    pub(crate) constraints: CscMatrix<f64>,
    /// h.
    pub(crate) right: Vec<f64>,
    /// The cones of s, in the order of the rows of G.
    pub(crate) cones: Vec<SupportedConeT<f64>>,
    /// d s.
    pub(crate) scaling: Vec<f64>,
}

/// Rows of G under construction: s = h − Gy.
#[derive(Default)]
struct Constraints {
    /// Row, column and value.
    entries: Vec<(usize, usize, f64)>,
    right: Vec<f64>,
    cones: Vec<SupportedConeT<f64>>,
}

impl Constraints {
    /// s = h + factor·y.
    fn push(&mut self, column: usize, factor: f64, right: f64) {
        self.entries.push((self.right.len(), column, -factor));
        self.right.push(right);
    }

    fn bounds(&mut self, row: usize, lower: f64, upper: f64) {
        if lower == upper {
            self.push(row, -1.0, upper);
            self.cones.push(ZeroConeT(1));
            return;
        }
        for (factor, bound) in [(1.0, -lower), (-1.0, upper)] {
            if bound.is_finite() {
                self.push(row, factor, bound);
                self.cones.push(NonnegativeConeT(1));
            }
        }
    }

    /// ‖y_t‖ ≤ μ y_n.
    fn cone(&mut self, block: &Block, mu: f64) {
        let first = block.first_row;
        if mu == 0.0 || block.dim == 1 {
            self.bounds(first, 0.0, f64::INFINITY);
            for row in block.rows().skip(1) {
                self.bounds(row, 0.0, 0.0);
            }
            return;
        }
        self.push(first, mu, 0.0);
        for row in block.rows().skip(1) {
            self.push(row, 1.0, 0.0);
        }
        self.cones.push(SecondOrderConeT(block.dim));
    }

    fn matrix(&mut self, columns: usize) -> CscMatrix<f64> {
        self.entries.sort_by_key(|(row, column, _)| (*column, *row));
        let mut starts = vec![0; columns + 1];
        for (_, column, _) in &self.entries {
            starts[column + 1] += 1;
        }
        for column in 0..columns {
            starts[column + 1] += starts[column];
        }
        let rows = self.entries.iter().map(|entry| entry.0).collect();
        let values = self.entries.iter().map(|entry| entry.2).collect();
        CscMatrix::new(self.right.len(), columns, starts, rows, values)
    }
}

impl Program {
    pub(crate) fn of(problem: &Problem) -> Result<Self, SolveError> {
        let matrix = DenseDelassus::assemble_with_compliance(problem)?;
        let rows = scaling(problem, &matrix);
        let linear: Vec<f64> = problem.b().iter().zip(&rows).map(|(b, d)| b * d).collect();
        let size = linear.iter().fold(0.0, |size: f64, c| size.max(c.abs()));
        let size = if size > f64::MIN_POSITIVE { size } else { 1.0 };
        let scaling: Vec<f64> = rows.iter().map(|d| d * size).collect();
        let mut constraints = Constraints::default();
        for block in problem.blocks() {
            for (local, row) in block.rows().enumerate() {
                let d = scaling[row];
                match (block.law.form(), block.law.row_bounds()) {
                    (LawForm::Free, _) => {}
                    (_, Some([lower, upper])) => constraints.bounds(row, lower / d, upper / d),
                    (LawForm::Cone, _) if local == 0 => constraints.cone(block, block.law.mu()),
                    (LawForm::Cone, _) => {}
                    _ if local == 0 => constraints.bounds(row, 0.0, f64::INFINITY),
                    // the laws that the descriptor admits bound their tangents by a number
                    _ => {
                        let limit = block.law.limit() / d;
                        constraints.bounds(row, -limit, limit);
                    }
                }
            }
        }
        Ok(Self {
            objective: upper_triangle(&matrix, &rows),
            linear: linear.iter().map(|c| c / size).collect(),
            constraints: constraints.matrix(problem.rows()),
            right: constraints.right,
            cones: constraints.cones,
            scaling,
        })
    }
}

impl Program {
    /// Multiplications that take as long as the setup of the library and its first factor, on a
    /// dense matrix \[-\].
    pub(crate) fn multiplications(&self) -> f64 {
        (self.scaling.len() as f64).powi(3)
    }
}

/// d_i = S_ii^(−1/2), of a cone that of its largest diagonal entry: one scale, or the cone would
/// become another.
fn scaling(problem: &Problem, matrix: &DenseDelassus) -> Vec<f64> {
    let size = |row: usize| matrix.row(row)[row];
    let root = |size: f64| {
        if size > f64::MIN_POSITIVE {
            1.0 / size.sqrt()
        } else {
            1.0
        }
    };
    let mut scaling = Vec::with_capacity(problem.rows());
    for block in problem.blocks() {
        let cone = block.law.form() == LawForm::Cone;
        let largest = block.rows().map(size).fold(0.0, f64::max);
        scaling.extend(
            block
                .rows()
                .map(|row| root(if cone { largest } else { size(row) })),
        );
    }
    scaling
}

fn upper_triangle(matrix: &DenseDelassus, d: &[f64]) -> CscMatrix<f64> {
    let n = d.len();
    let (mut starts, mut rows, mut values) = (vec![0], Vec::new(), Vec::new());
    for column in 0..n {
        // symmetric: the row is the column
        for (row, value) in matrix.row(column)[..=column].iter().enumerate() {
            if *value != 0.0 || row == column {
                rows.push(row);
                values.push(value * d[row] * d[column]);
            }
        }
        starts.push(rows.len());
    }
    CscMatrix::new(n, n, starts, rows, values)
}

pub(crate) fn settings(tolerance: f64, max_iterations: u32) -> DefaultSettings<f64> {
    DefaultSettings {
        verbose: false,
        max_iter: max_iterations,
        tol_gap_abs: tolerance,
        tol_gap_rel: tolerance,
        tol_feas: tolerance,
        max_threads: 1,
        // presolve drops constraints that it finds weak: every law is meant
        presolve_enable: false,
        ..DefaultSettings::default()
    }
}
