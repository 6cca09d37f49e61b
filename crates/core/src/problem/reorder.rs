//! The same problem with its blocks in another order.

use crate::bodies::BodyRows;
use crate::coupled::CoupledCompliance;
use crate::error::ProblemError;
use crate::problem::{MatrixRows, Operator, Problem, ProblemParts};
use crate::sparse::BlockSparse;

impl Problem {
    /// Returns this problem with block `order[k]` at position k. Bodies and laws stay the same, and
    /// the rows are renumbered.
    ///
    /// # Errors
    /// A list that does not contain every block exactly once.
    pub fn reordered(&self, order: &[usize]) -> Result<Self, ProblemError> {
        check(order, self.blocks().len())?;
        let rows = self.rows_in(order);
        let parts = &self.parts;
        let taken = |values: &[f64]| -> Vec<f64> { rows.iter().map(|row| values[*row]).collect() };
        let mut blocks = Vec::with_capacity(order.len());
        let mut coupled_compliance = CoupledCompliance::new();
        let mut first_row = 0;
        for (place, block) in order.iter().enumerate() {
            let mut moved = parts.blocks[*block].clone();
            moved.first_row = first_row;
            first_row += moved.dim;
            blocks.push(moved);
            if let Some(lower) = parts.coupled_compliance.of(*block) {
                coupled_compliance.push(place, lower);
            }
        }
        let operator = match &parts.operator {
            Operator::Bodies(bodies) => Operator::Bodies(reordered_bodies(bodies, order)),
            Operator::Matrix(matrix) => Operator::Matrix(MatrixRows {
                delassus: reordered_matrix(&matrix.delassus, order)?,
                free_velocity: taken(&matrix.free_velocity),
            }),
        };
        Self::new(ProblemParts {
            operator,
            blocks,
            bias: taken(&parts.bias),
            compliance: taken(&parts.compliance),
            coupled_compliance,
            activity: order.iter().map(|block| parts.activity[*block]).collect(),
            step: parts.step,
        })
    }

    /// Returns, for each row of [`Self::reordered`], its index in this problem.
    ///
    /// # Panics
    /// If a block of `order` is not one of the problem.
    pub fn rows_in(&self, order: &[usize]) -> Vec<usize> {
        let rows = order.iter().map(|block| self.blocks()[*block].rows());
        rows.flatten().collect()
    }
}

/// Every block once.
fn check(order: &[usize], blocks: usize) -> Result<(), ProblemError> {
    if order.len() != blocks {
        return Err(ProblemError::Length {
            what: "the order of blocks",
            found: order.len(),
            expected: blocks,
        });
    }
    let mut named = vec![false; blocks];
    for (place, block) in order.iter().copied().enumerate() {
        let fault = match named.get(block) {
            None => "does not exist",
            Some(true) => "stands twice",
            Some(false) => {
                named[block] = true;
                continue;
            }
        };
        return Err(ProblemError::Order {
            place,
            block,
            fault,
        });
    }
    Ok(())
}

fn reordered_bodies(bodies: &BodyRows, order: &[usize]) -> BodyRows {
    let mut out = BodyRows {
        mass: bodies.mass.clone(),
        free_velocity: bodies.free_velocity.clone(),
        ..BodyRows::default()
    };
    for block in order {
        out.block_bodies.extend_from_slice(bodies.bodies_of(*block));
        out.first_body.push(out.block_bodies.len());
        let entries = bodies.first_entry[*block]..bodies.first_entry[*block + 1];
        let entries = &bodies.jacobian[entries];
        out.jacobian.edit(|all| all.extend_from_slice(entries));
        out.first_entry.push(out.jacobian.len());
    }
    out
}

fn reordered_matrix(matrix: &BlockSparse, order: &[usize]) -> Result<BlockSparse, ProblemError> {
    let mut place = vec![0; order.len()];
    for (new, old) in order.iter().enumerate() {
        place[*old] = new;
    }
    let dims: Vec<usize> = order.iter().map(|block| matrix.dim(*block)).collect();
    let mut blocks = Vec::with_capacity(matrix.stored_blocks());
    for (new, old) in order.iter().enumerate() {
        let row = matrix.row(*old);
        blocks.extend(row.map(|(column, values)| (new, place[column], values.to_vec())));
    }
    BlockSparse::from_blocks(&dims, blocks)
}
