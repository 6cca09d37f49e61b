//! Problems from arrays, and their matrices as arrays.

use std::collections::BTreeMap;

use delassus_core::{
    BlockSparse, BodyRows, CoupledCompliance, Law, MassProperties, MatrixRows, MemoryLimit,
    Operator, Problem, ProblemBuilder, ProblemParts,
};
use delassus_problems::to_matrix;
use nalgebra::{Matrix3, Vector3};
use pyo3::PyResult;

use crate::errors::refused;
use crate::laws::law_of;

/// A block as Python gives it: law, rows, numbers.
pub(crate) type BlockSpec = (String, usize, Vec<f64>);

/// The entries of a sparse matrix, and its shape.
pub(crate) struct Entries<'a> {
    /// What an error calls it.
    pub(crate) name: &'static str,
    pub(crate) rows: &'a [i64],
    pub(crate) columns: &'a [i64],
    pub(crate) values: &'a [f64],
    pub(crate) shape: (usize, usize),
}

impl Entries<'_> {
    /// Each entry, with its indices within the shape.
    fn checked(&self) -> PyResult<Vec<(u32, u32, f64)>> {
        let (rows, columns) = self.shape;
        let of = |((row, column), value): ((&i64, &i64), &f64)| {
            let index = |at: i64, count: usize| {
                let at = u32::try_from(at).ok()?;
                (count > at as usize).then_some(at)
            };
            match (index(*row, rows), index(*column, columns)) {
                (Some(row), Some(column)) => Ok((row, column, *value)),
                _ => Err(refused(format!(
                    "{}: the entry ({row}, {column}) is outside its {rows} rows and {columns} columns",
                    self.name
                ))),
            }
        };
        let places = self.rows.iter().zip(self.columns).zip(self.values);
        places.map(of).collect()
    }

    fn expect(&self, rows: usize, columns: usize) -> PyResult<()> {
        if self.shape == (rows, columns) {
            return Ok(());
        }
        let (r, c) = self.shape;
        Err(refused(format!(
            "{} has {r} rows and {c} columns, and the blocks ask for {rows} and {columns}",
            self.name
        )))
    }
}

/// The laws, and the number of rows of all blocks.
fn laws(blocks: &[BlockSpec]) -> PyResult<(Vec<Law>, Vec<usize>, usize)> {
    let mut found = Vec::with_capacity(blocks.len());
    for (index, (name, dim, numbers)) in blocks.iter().enumerate() {
        if *dim == 0 {
            return Err(refused(format!("block {index} ({name}) has no rows")));
        }
        found.push(law_of(name, *dim, numbers)?);
    }
    let dims: Vec<usize> = blocks.iter().map(|(_, dim, _)| *dim).collect();
    let rows = dims.iter().sum();
    Ok((found, dims, rows))
}

fn expect_length(name: &str, found: usize, expected: usize) -> PyResult<()> {
    if found == expected {
        return Ok(());
    }
    Err(refused(format!(
        "{name} has {found} numbers, and {expected} are needed"
    )))
}

/// The square of R of each block; fails where R couples two blocks.
fn compliance_of(entries: &Entries<'_>, dims: &[usize], rows: usize) -> PyResult<Vec<Vec<f64>>> {
    entries.expect(rows, rows)?;
    let mut starts = Vec::with_capacity(dims.len());
    let mut block_of = Vec::with_capacity(rows);
    for (block, dim) in dims.iter().enumerate() {
        starts.push(block_of.len());
        block_of.extend(std::iter::repeat_n(block, *dim));
    }
    let mut squares: Vec<Vec<f64>> = dims.iter().map(|dim| vec![0.0; dim * dim]).collect();
    for (row, column, value) in entries.checked()? {
        let (i, j) = (row as usize, column as usize);
        let block = block_of[i];
        if block != block_of[j] {
            return Err(refused(format!(
                "R couples the rows {i} and {j} of two blocks; compliance couples rows of one block"
            )));
        }
        squares[block][(i - starts[block]) * dims[block] + (j - starts[block])] += value;
    }
    for (square, (dim, start)) in squares.iter().zip(dims.iter().zip(&starts)) {
        let pairs = CoupledCompliance::places().take(CoupledCompliance::triangle(*dim));
        for (i, j) in pairs {
            if square[i * dim + j] != square[j * dim + i] {
                let (row, column) = (start + i, start + j);
                return Err(refused(format!(
                    "R is not symmetric: its entries ({row}, {column}) and ({column}, {row}) differ"
                )));
            }
        }
    }
    Ok(squares)
}

/// A problem given by its matrix: w = (A + R) λ + b.
pub(crate) fn of_matrix(
    a: &Entries<'_>,
    b: &[f64],
    r: Option<&Entries<'_>>,
    blocks: &[BlockSpec],
) -> PyResult<Problem> {
    let (laws, dims, rows) = laws(blocks)?;
    a.expect(rows, rows)?;
    expect_length("b", b.len(), rows)?;
    let entries = a.checked()?;
    let delassus = BlockSparse::from_entries(&dims, entries, MemoryLimit::default());
    let mut parts = ProblemParts {
        operator: Operator::Matrix(MatrixRows {
            delassus: delassus.map_err(refused)?,
            free_velocity: b.to_vec(),
        }),
        blocks: Vec::with_capacity(laws.len()),
        bias: vec![0.0; rows],
        compliance: vec![0.0; rows],
        coupled_compliance: CoupledCompliance::new(),
        activity: Vec::new(),
        step: None,
    };
    let mut first_row = 0;
    for (index, (law, dim)) in laws.into_iter().zip(&dims).enumerate() {
        parts.blocks.push(delassus_core::Block {
            first_row,
            dim: *dim,
            law,
            feature: index as u64,
        });
        first_row += dim;
    }
    let squares = r.map(|r| compliance_of(r, &dims, rows)).transpose()?;
    for (index, square) in squares.iter().flatten().enumerate() {
        let (first, dim) = (parts.blocks[index].first_row, dims[index]);
        for i in 0..dim {
            parts.compliance[first + i] = square[i * dim + i];
        }
        let pairs = CoupledCompliance::places().take(CoupledCompliance::triangle(dim));
        let lower: Vec<f64> = pairs.map(|(i, j)| square[i * dim + j]).collect();
        parts.coupled_compliance.push(index, &lower);
    }
    Problem::new(parts).map_err(refused)
}

/// The bodies of a problem as Python gives them.
pub(crate) struct BodyArrays<'a> {
    /// M⁻¹, 36 numbers per body.
    pub(crate) inverse_mass: &'a [f64],
    /// v_f, 6 numbers per body.
    pub(crate) free_velocity: &'a [f64],
}

impl BodyArrays<'_> {
    fn mass_of(&self, body: usize) -> PyResult<MassProperties> {
        let square = &self.inverse_mass[36 * body..36 * body + 36];
        let at = |i: usize, j: usize| square[6 * i + j];
        let coupled =
            (0..3).any(|i| (0..6).any(|j| i != j && (at(i, j) != 0.0 || at(j, i) != 0.0)));
        if coupled {
            return Err(refused(format!(
                "M_inverse couples a linear velocity of body {body}; a rigid body has the inverse mass on the diagonal \
                 of its first three rows and columns, and the inverse inertia in the last three"
            )));
        }
        Ok(MassProperties {
            inverse_mass: Vector3::from_fn(|i, _| at(i, i)),
            inverse_inertia: Matrix3::from_fn(|i, j| at(3 + i, 3 + j)),
        })
    }
}

/// A problem given by bodies and Jacobians: A = J M⁻¹ Jᵀ, b = J v_f + bias.
pub(crate) fn of_bodies(
    bodies: &BodyArrays<'_>,
    j: &Entries<'_>,
    bias: &[f64],
    r: Option<&Entries<'_>>,
    blocks: &[BlockSpec],
) -> PyResult<Problem> {
    let (laws, dims, rows) = laws(blocks)?;
    let count = bodies.free_velocity.len() / 6;
    expect_length("v", bodies.free_velocity.len(), 6 * count)?;
    expect_length("M_inverse", bodies.inverse_mass.len(), 36 * count)?;
    expect_length("bias", bias.len(), rows)?;
    j.expect(rows, 6 * count)?;
    let mut builder = ProblemBuilder::new();
    for (body, velocity) in bodies.free_velocity.as_chunks().0.iter().enumerate() {
        builder.body(bodies.mass_of(body)?, *velocity);
    }
    let squares = r.map(|r| compliance_of(r, &dims, rows)).transpose()?;
    let mut of_rows: Vec<BTreeMap<usize, [f64; 6]>> = vec![BTreeMap::new(); rows];
    for (row, column, value) in j.checked()? {
        let (body, axis) = (column as usize / 6, column as usize % 6);
        of_rows[row as usize].entry(body).or_default()[axis] += value;
    }
    let mut first = 0;
    for (index, (law, dim)) in laws.into_iter().zip(&dims).enumerate() {
        let own = &of_rows[first..first + dim];
        let mut touched: Vec<usize> = own.iter().flat_map(|row| row.keys().copied()).collect();
        touched.sort_unstable();
        touched.dedup();
        let entry = |row: &BTreeMap<usize, [f64; 6]>, body: &usize| {
            row.get(body).copied().unwrap_or_default()
        };
        let jacobian: Vec<Vec<[f64; 6]>> = own
            .iter()
            .map(|row| touched.iter().map(|body| entry(row, body)).collect())
            .collect();
        builder.block(law, &touched, &jacobian);
        builder.bias(&bias[first..first + dim]);
        if let Some(squares) = &squares {
            builder.compliance_matrix(&squares[index]);
        }
        first += dim;
    }
    builder.build().map_err(refused)
}

/// A, row by row.
pub(crate) fn dense_operator(problem: &Problem) -> PyResult<Vec<f64>> {
    let made;
    let matrix = match problem.operator() {
        Operator::Matrix(matrix) => &matrix.delassus,
        Operator::Bodies(_) => {
            made = to_matrix(problem).map_err(refused)?;
            match made.operator() {
                Operator::Matrix(matrix) => &matrix.delassus,
                Operator::Bodies(_) => {
                    return Err(refused("the matrix of the problem is not made"));
                }
            }
        }
    };
    let rows = problem.rows();
    let mut dense = vec![0.0; rows * rows];
    for i in 0..matrix.block_rows() {
        for (j, values) in matrix.row(i) {
            let dim = matrix.dim(j);
            for (local, line) in values.chunks_exact(dim).enumerate() {
                let at = (matrix.start(i) + local) * rows + matrix.start(j);
                dense[at..at + dim].copy_from_slice(line);
            }
        }
    }
    Ok(dense)
}

/// R, row by row.
pub(crate) fn dense_compliance(problem: &Problem) -> Vec<f64> {
    let rows = problem.rows();
    let mut dense = vec![0.0; rows * rows];
    for (index, block) in problem.blocks().iter().enumerate() {
        let dim = block.dim;
        let mut square = vec![0.0; dim * dim];
        problem.add_compliance(index, &mut square);
        for (local, line) in square.chunks_exact(dim).enumerate() {
            let at = (block.first_row + local) * rows + block.first_row;
            dense[at..at + dim].copy_from_slice(line);
        }
    }
    dense
}

/// J, row by row.
pub(crate) fn dense_jacobian(problem: &Problem, bodies: &BodyRows) -> Vec<f64> {
    let width = 6 * bodies.len();
    let mut dense = vec![0.0; problem.rows() * width];
    for (index, block) in problem.blocks().iter().enumerate() {
        let touched = bodies.bodies_of(index);
        for local in 0..block.dim {
            let line = (block.first_row + local) * width;
            for (body, entry) in touched.iter().zip(bodies.row(index, local)) {
                let at = line + 6 * *body as usize;
                for (out, x) in dense[at..at + 6].iter_mut().zip(entry) {
                    *out += x;
                }
            }
        }
    }
    dense
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
