//! How much memory a problem takes.

use super::{Operator, Problem};
use crate::bodies::MassProperties;
use crate::law::{Block, Law};

impl Problem {
    /// Memory that the problem takes, including b and J v_f \[B\].
    pub fn memory(&self) -> u64 {
        let operator = match &self.parts.operator {
            Operator::Bodies(bodies) => {
                size_of::<MassProperties>() * bodies.mass.len()
                    + size_of_val(bodies.free_velocity.as_slice())
                    + size_of_val(bodies.block_bodies.as_slice())
                    + size_of_val(bodies.first_body.as_slice())
                    + size_of_val(bodies.first_entry.as_slice())
                    + bodies.jacobian.memory()
            }
            Operator::Matrix(matrix) => {
                matrix.delassus.memory() + size_of_val(matrix.free_velocity.as_slice())
            }
        };
        let laws = self.parts.blocks.iter().map(|block| match &block.law {
            Law::Rolling(rolling) => size_of_val(rolling.as_ref()),
            Law::Scaled(law) => size_of_val(law.as_ref()) + size_of_val(law.numbers()),
            law => size_of_val(law.levers()),
        });
        // bias, compliance, b, J v_f, diagonal and the block of every row; blocks with their
        // activity
        let rows = self.rows() * (5 * size_of::<f64>() + size_of::<u32>());
        let blocks = self.parts.blocks.len() * (size_of::<Block>() + 1);
        let coupled = self.parts.coupled_compliance.memory();
        let round = self.round.as_ref();
        let round = round.map_or(0, |round| round.memory());
        (operator + laws.sum::<usize>() + rows + blocks + coupled) as u64 + round
    }

    /// Memory that the dense diagonal blocks of A would take, for all blocks that `of` selects
    /// \[B\].
    pub fn square_memory(&self, of: impl Fn(&Block) -> bool) -> u64 {
        let blocks = self.parts.blocks.iter().filter(|block| of(block));
        let squares = blocks.map(|block| square(block.dim));
        squares.fold(0, u64::saturating_add)
    }

    /// Memory that the largest dense diagonal block of A would take, among the blocks that `of`
    /// selects \[B\].
    pub fn largest_square_memory(&self, of: impl Fn(&Block) -> bool) -> u64 {
        let blocks = self.parts.blocks.iter().filter(|block| of(block));
        blocks.map(|block| square(block.dim)).max().unwrap_or(0)
    }
}

/// Bytes of a dense square of numbers \[B\].
fn square(dim: usize) -> u64 {
    let dim = dim as u64;
    dim.saturating_mul(dim).saturating_mul(8)
}
