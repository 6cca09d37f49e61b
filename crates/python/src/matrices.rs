//! The matrices of a problem as arrays, dense or by their entries.

use delassus_core::{BlockSparse, BodyRows, Operator, Problem};
use delassus_problems::to_matrix;
use pyo3::PyResult;

use crate::errors::refused;

/// A matrix of a problem.
#[derive(Clone, Copy)]
pub(crate) enum ProblemMatrix {
    /// The Delassus operator, rows × rows.
    Operator,
    /// The compliance, rows × rows.
    Compliance,
    /// The Jacobian, rows × six columns per body.
    Jacobian,
}

impl ProblemMatrix {
    /// The matrix that Python calls by this name.
    pub(crate) fn named(name: &str) -> PyResult<Self> {
        match name {
            "A" => Ok(Self::Operator),
            "R" => Ok(Self::Compliance),
            "J" => Ok(Self::Jacobian),
            _ => Err(refused(format!("unknown matrix {name:?}: A, R or J"))),
        }
    }

    /// Number of columns; `None` for the Jacobian of a problem without bodies.
    pub(crate) fn width(self, problem: &Problem) -> Option<usize> {
        match self {
            Self::Operator | Self::Compliance => Some(problem.rows()),
            Self::Jacobian => problem.bodies().map(|bodies| 6 * bodies.len()),
        }
    }

    /// Hands over runs of entries, row after row: the row, the first column, and the entries.
    fn runs(self, problem: &Problem, take: &mut dyn FnMut(usize, usize, &[f64])) -> PyResult<()> {
        match (self, problem.operator()) {
            (Self::Operator, Operator::Matrix(matrix)) => operator_runs(&matrix.delassus, take),
            (Self::Operator, Operator::Bodies(_)) => {
                let made = to_matrix(problem).map_err(refused)?;
                if let Operator::Matrix(matrix) = made.operator() {
                    operator_runs(&matrix.delassus, take);
                }
            }
            (Self::Compliance, _) => compliance_runs(problem, take),
            (Self::Jacobian, Operator::Bodies(bodies)) => jacobian_runs(problem, bodies, take),
            (Self::Jacobian, Operator::Matrix(_)) => {}
        }
        Ok(())
    }

    /// All entries of the matrix, of `width` columns, row by row.
    pub(crate) fn dense(self, problem: &Problem, width: usize) -> PyResult<Vec<f64>> {
        let mut dense = vec![0.0; problem.rows() * width];
        self.runs(problem, &mut |row, column, entries| {
            let at = row * width + column;
            for (out, entry) in dense[at..].iter_mut().zip(entries) {
                *out += entry;
            }
        })?;
        Ok(dense)
    }

    /// The entries that are not zero, in compressed rows.
    pub(crate) fn compressed(self, problem: &Problem, width: usize) -> PyResult<CompressedRows> {
        let mut made = CompressedRows {
            starts: vec![0],
            ..CompressedRows::default()
        };
        // SciPy copies indices that are longer than they need be
        let mut too_many = width > i32::MAX as usize;
        let mut short = |count: usize| {
            let found = i32::try_from(count);
            too_many |= found.is_err();
            found.unwrap_or(i32::MAX)
        };
        self.runs(problem, &mut |row, column, entries| {
            // rows without entries begin where they end
            made.starts.resize(row + 1, short(made.columns.len()));
            for (place, entry) in (column..).zip(entries) {
                if *entry != 0.0 {
                    made.columns.push(short(place));
                    made.values.push(*entry);
                }
            }
        })?;
        let entries = short(made.columns.len());
        made.starts.resize(problem.rows() + 1, entries);
        match too_many {
            true => Err(refused("the matrix has more than 2^31 entries or columns")),
            false => Ok(made),
        }
    }
}

/// The entries of a matrix, row after row; two entries of one place add up.
#[derive(Default)]
pub(crate) struct CompressedRows {
    /// Where each row begins, and the number of entries.
    pub(crate) starts: Vec<i32>,
    pub(crate) columns: Vec<i32>,
    pub(crate) values: Vec<f64>,
}

fn operator_runs(matrix: &BlockSparse, take: &mut dyn FnMut(usize, usize, &[f64])) {
    for i in 0..matrix.block_rows() {
        for local in 0..matrix.dim(i) {
            for (j, values) in matrix.row(i) {
                let dim = matrix.dim(j);
                let entries = &values[local * dim..(local + 1) * dim];
                take(matrix.start(i) + local, matrix.start(j), entries);
            }
        }
    }
}

fn compliance_runs(problem: &Problem, take: &mut dyn FnMut(usize, usize, &[f64])) {
    for (index, block) in problem.blocks().iter().enumerate() {
        let mut square = vec![0.0; block.dim * block.dim];
        problem.add_compliance(index, &mut square);
        for (local, entries) in square.chunks_exact(block.dim).enumerate() {
            take(block.first_row + local, block.first_row, entries);
        }
    }
}

fn jacobian_runs(problem: &Problem, bodies: &BodyRows, take: &mut dyn FnMut(usize, usize, &[f64])) {
    for (index, block) in problem.blocks().iter().enumerate() {
        let touched = bodies.bodies_of(index);
        for local in 0..block.dim {
            for (body, entries) in touched.iter().zip(bodies.row(index, local)) {
                take(block.first_row + local, 6 * *body as usize, entries);
            }
        }
    }
}

/// M⁻¹, 36 numbers per body.
pub(crate) fn dense_inverse_mass(bodies: &BodyRows) -> Vec<f64> {
    let mut dense = Vec::with_capacity(36 * bodies.len());
    for mass in &bodies.mass {
        let mut square = [0.0; 36];
        for i in 0..3 {
            square[7 * i] = mass.inverse_mass[i];
            for j in 0..3 {
                square[6 * (3 + i) + 3 + j] = mass.inverse_inertia[(i, j)];
            }
        }
        dense.extend(square);
    }
    dense
}
