//! The matrix A + R of a problem, row by row of a file.

use delassus_core::{BlockSparse, MatrixRows, Operator, Problem};
use delassus_formats::{Blocks, MatrixEntries, StoredMatrix};

use super::{FieldForm, MatrixStorage};
use crate::error::ProblemWriteError;
use crate::matrix::to_matrix;

/// A + R and q = b of a problem.
pub(super) struct Rows {
    matrix: BlockSparse,
    /// b per row.
    pub(super) q: Vec<f64>,
}

impl Rows {
    /// Forms A + R.
    pub(super) fn new(problem: &Problem, form: FieldForm) -> Result<Self, ProblemWriteError> {
        let matrix = to_matrix(problem)?;
        let q = matrix.b().to_vec();
        let soft = matrix.soft_rows() > 0 || !matrix.coupled_compliance().is_empty();
        let delassus = match matrix.operator() {
            Operator::Matrix(MatrixRows { delassus, .. }) => delassus.clone(),
            Operator::Bodies(_) => return Err(form.refuse("its matrix is not known")),
        };
        let matrix = if soft {
            with_compliance(&matrix, &delassus)?
        } else {
            delassus
        };
        Ok(Self { matrix, q })
    }

    /// The square of all rows, its blocks those of the problem.
    pub(super) fn whole(&self, storage: MatrixStorage) -> StoredMatrix {
        let all: Vec<usize> = (0..self.matrix.block_rows()).collect();
        self.square(&all, storage)
    }

    /// The square of the rows of some blocks, in their order.
    pub(super) fn square(&self, some: &[usize], storage: MatrixStorage) -> StoredMatrix {
        let mut position = vec![usize::MAX; self.matrix.block_rows()];
        let mut starts = vec![0];
        for (index, block) in some.iter().enumerate() {
            position[*block] = index;
            starts.push(starts[index] + self.matrix.dim(*block));
        }
        let rows = starts[some.len()];
        match storage {
            MatrixStorage::Dense => {
                let mut values = vec![0.0; rows * rows];
                for (row, column, value) in self.entries() {
                    let (i, j) = (position[row.0], position[column.0]);
                    if i != usize::MAX && j != usize::MAX {
                        values[(starts[j] + column.1) * rows + starts[i] + row.1] = value;
                    }
                }
                StoredMatrix::dense(rows, rows, values)
            }
            MatrixStorage::BlockSparse => {
                let blocks = self.blocks(some, &position, &starts);
                StoredMatrix::new(rows, rows, MatrixEntries::Blocks(blocks))
            }
        }
    }

    fn blocks(&self, some: &[usize], position: &[usize], starts: &[usize]) -> Blocks {
        let ends: Vec<u32> = starts[1..].iter().map(|end| narrow(*end)).collect();
        let mut blocks = Blocks {
            row_ends: ends.clone(),
            column_ends: ends,
            pointers: vec![0],
            ..Blocks::default()
        };
        for block in some {
            let row = self.matrix.row(*block);
            let mut row: Vec<(usize, &[f64])> = row
                .filter(|(j, _)| position[*j] != usize::MAX)
                .map(|(j, values)| (position[j], values))
                .collect();
            row.sort_by_key(|(j, _)| *j);
            for (j, values) in row {
                blocks.columns.push(narrow(j));
                let columns = starts[j + 1] - starts[j];
                for column in 0..columns {
                    blocks
                        .values
                        .extend(values.iter().skip(column).step_by(columns));
                }
            }
            blocks.pointers.push(narrow(blocks.columns.len()));
        }
        if blocks.columns.is_empty() {
            Blocks::default()
        } else {
            blocks
        }
    }

    /// Every stored entry as ((block, local row), (block, local column), value).
    pub(super) fn entries(
        &self,
    ) -> impl Iterator<Item = ((usize, usize), (usize, usize), f64)> + '_ {
        (0..self.matrix.block_rows()).flat_map(move |i| {
            self.matrix.row(i).flat_map(move |(j, values)| {
                let columns = self.matrix.dim(j);
                let values = values.iter().enumerate();
                values.map(move |(k, value)| ((i, k / columns), (j, k % columns), *value))
            })
        })
    }

    /// First row of a block.
    pub(super) fn start(&self, block: usize) -> usize {
        self.matrix.start(block)
    }
}

/// A with R added to its diagonal blocks.
fn with_compliance(
    problem: &Problem,
    delassus: &BlockSparse,
) -> Result<BlockSparse, ProblemWriteError> {
    let dims: Vec<usize> = problem.blocks().iter().map(|block| block.dim).collect();
    let mut blocks = Vec::new();
    for i in 0..delassus.block_rows() {
        let mut own = vec![0.0; dims[i] * dims[i]];
        delassus.diagonal_block(i, &mut own);
        problem.add_compliance(i, &mut own);
        for (local, row) in problem.blocks()[i].rows().enumerate() {
            if problem.is_immobile(row) {
                own[local * dims[i] + local] = 0.0;
            }
        }
        blocks.push((i, i, own));
        let others = delassus.row(i).filter(|(j, _)| *j != i);
        blocks.extend(others.map(|(j, values)| (i, j, values.to_vec())));
    }
    Ok(BlockSparse::from_blocks(&dims, blocks)?)
}

/// An index of 32 bits, as all blocks have.
pub(super) fn narrow(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}
