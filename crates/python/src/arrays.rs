//! Problems from arrays.

use std::collections::{BTreeMap, BTreeSet};

use delassus_core::{
    Block, BlockSparse, BodyRows, CoupledCompliance, Law, MassProperties, MatrixRows, MemoryLimit,
    Operator, Problem, ProblemParts,
};
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

/// The laws and the numbers of rows of all blocks.
fn laws(blocks: &[BlockSpec]) -> PyResult<(Vec<Law>, Vec<usize>)> {
    let mut found = Vec::with_capacity(blocks.len());
    for (index, (name, dim, numbers)) in blocks.iter().enumerate() {
        if *dim == 0 {
            return Err(refused(format!("block {index} ({name}) has no rows")));
        }
        found.push(law_of(name, *dim, numbers)?);
    }
    Ok((found, blocks.iter().map(|(_, dim, _)| *dim).collect()))
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
        let pairs = CoupledCompliance::lower_indices().take(CoupledCompliance::packed_len(*dim));
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

/// The operator of a problem that is given by its matrix.
fn matrix_rows(a: &Entries<'_>, b: &[f64], dims: &[usize]) -> PyResult<MatrixRows> {
    let rows = dims.iter().sum();
    a.expect(rows, rows)?;
    expect_length("b", b.len(), rows)?;
    let delassus = BlockSparse::from_entries(dims, a.checked()?, MemoryLimit::default());
    Ok(MatrixRows {
        delassus: delassus.map_err(refused)?,
        free_velocity: b.to_vec(),
    })
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

    /// The operator of a problem with these bodies, and with blocks of `dims` rows.
    fn rows(&self, j: &Entries<'_>, dims: &[usize]) -> PyResult<BodyRows> {
        let rows: usize = dims.iter().sum();
        let count = self.free_velocity.len() / 6;
        expect_length("v", self.free_velocity.len(), 6 * count)?;
        expect_length("M_inverse", self.inverse_mass.len(), 36 * count)?;
        j.expect(rows, 6 * count)?;
        let mut of_rows: Vec<BTreeMap<u32, [f64; 6]>> = vec![BTreeMap::new(); rows];
        for (row, column, value) in j.checked()? {
            let (body, axis) = (column / 6, column as usize % 6);
            of_rows[row as usize].entry(body).or_default()[axis] += value;
        }
        let mass: PyResult<Vec<MassProperties>> =
            (0..count).map(|body| self.mass_of(body)).collect();
        let mut made = BodyRows {
            mass: mass?,
            free_velocity: self.free_velocity.to_vec(),
            ..BodyRows::default()
        };
        let mut left = of_rows.as_slice();
        for dim in dims {
            let (own, others) = left.split_at(*dim);
            left = others;
            push_block(&mut made, own);
        }
        Ok(made)
    }
}

/// Adds a block whose rows have these Jacobian entries.
fn push_block(made: &mut BodyRows, rows: &[BTreeMap<u32, [f64; 6]>]) {
    let touched: BTreeSet<u32> = rows.iter().flat_map(|row| row.keys().copied()).collect();
    made.jacobian.edit(|entries| {
        for row in rows {
            let entry = |body: &u32| row.get(body).copied().unwrap_or_default();
            entries.extend(touched.iter().map(entry));
        }
    });
    made.block_bodies.extend(touched);
    made.first_body.push(made.block_bodies.len());
    made.first_entry.push(made.jacobian.len());
}

/// A problem with this operator, these laws and this compliance.
fn problem_of(
    operator: Operator,
    bias: Vec<f64>,
    laws: Vec<Law>,
    dims: &[usize],
    r: Option<&Entries<'_>>,
) -> PyResult<Problem> {
    let rows = bias.len();
    let mut parts = ProblemParts {
        operator,
        blocks: Vec::with_capacity(laws.len()),
        bias,
        compliance: vec![0.0; rows],
        coupled_compliance: CoupledCompliance::new(),
        activity: Vec::new(),
        step: None,
    };
    let mut first_row = 0;
    for (index, (law, dim)) in laws.into_iter().zip(dims).enumerate() {
        parts.blocks.push(Block {
            first_row,
            dim: *dim,
            law,
            feature: index as u64,
        });
        first_row += dim;
    }
    let squares = r.map(|r| compliance_of(r, dims, rows)).transpose()?;
    for (index, square) in squares.iter().flatten().enumerate() {
        let (first, dim) = (parts.blocks[index].first_row, dims[index]);
        for i in 0..dim {
            parts.compliance[first + i] = square[i * dim + i];
        }
        let pairs = CoupledCompliance::lower_indices().take(CoupledCompliance::packed_len(dim));
        let lower: Vec<f64> = pairs.map(|(i, j)| square[i * dim + j]).collect();
        parts.coupled_compliance.push(index, &lower);
    }
    Problem::new(parts).map_err(refused)
}

/// A problem given by its matrix: w = (A + R) λ + b.
pub(crate) fn of_matrix(
    a: &Entries<'_>,
    b: &[f64],
    r: Option<&Entries<'_>>,
    blocks: &[BlockSpec],
) -> PyResult<Problem> {
    let (laws, dims) = laws(blocks)?;
    let operator = Operator::Matrix(matrix_rows(a, b, &dims)?);
    problem_of(operator, vec![0.0; b.len()], laws, &dims, r)
}

/// A problem given by bodies and Jacobians: A = J M⁻¹ Jᵀ, b = J v_f + bias.
pub(crate) fn of_bodies(
    bodies: &BodyArrays<'_>,
    j: &Entries<'_>,
    bias: &[f64],
    r: Option<&Entries<'_>>,
    blocks: &[BlockSpec],
) -> PyResult<Problem> {
    let (laws, dims) = laws(blocks)?;
    expect_length("bias", bias.len(), dims.iter().sum())?;
    let operator = Operator::Bodies(bodies.rows(j, &dims)?);
    problem_of(operator, bias.to_vec(), laws, &dims, r)
}
