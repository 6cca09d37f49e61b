//! Compliance that rows of one block share: of the processor's kernels only.

use delassus_core::{CoupledCompliance, Problem};

use super::plan::PiecePlan;
use crate::real::Real;

/// R off its diagonal of the blocks of units, as squares with zeros on the diagonal (P.13).
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Coupling<T> {
    /// First number of the square of every block of the units; [`NONE`] where its compliance is
    /// diagonal. Empty if all are.
    first: Vec<usize>,
    squares: Vec<T>,
    /// Blocks of the problem with their squares, ascending.
    blocks: Vec<(usize, usize)>,
}

/// A block without a square.
pub(crate) const NONE: usize = usize::MAX;

impl<T: Real> Coupling<T> {
    /// Makes room for the squares of a problem.
    pub(crate) fn pack(&mut self, problem: &Problem, plan: &PiecePlan) {
        let coupled = problem.coupled_compliance();
        self.first.clear();
        self.squares.clear();
        self.blocks.clear();
        if coupled.is_empty() {
            return;
        }
        let mut size = 0;
        for block in plan.units.iter().flat_map(|unit| unit.blocks.clone()) {
            let block = block as usize;
            if coupled.of(block).is_none() {
                self.first.push(NONE);
                continue;
            }
            self.first.push(size);
            self.blocks.push((block, size));
            size += problem.blocks()[block].dim * problem.blocks()[block].dim;
        }
        self.blocks.sort_unstable();
        self.squares.resize(size, T::ZERO);
    }

    /// True if the same blocks of a problem have squares.
    pub(crate) fn fits(&self, problem: &Problem) -> bool {
        let blocks = problem.coupled_compliance().iter().map(|(block, _)| block);
        blocks.eq(self.blocks.iter().map(|(block, _)| *block))
    }

    /// Takes over the numbers.
    pub(crate) fn fill(&mut self, problem: &Problem) {
        for (block, first) in &self.blocks {
            let dim = problem.blocks()[*block].dim;
            let lower = problem.coupled_compliance().of(*block).unwrap_or_default();
            for ((i, j), r) in CoupledCompliance::lower_indices().zip(lower) {
                self.squares[first + i * dim + j] = T::of(*r);
                self.squares[first + j * dim + i] = T::of(*r);
            }
        }
    }

    /// True if no block has a square.
    pub(crate) fn is_empty(&self) -> bool {
        self.first.is_empty()
    }

    /// First number of the square of a block of the units, or [`NONE`].
    #[inline(always)]
    pub(crate) fn of(&self, block: usize) -> usize {
        self.first.get(block).copied().unwrap_or(NONE)
    }

    /// Row `local` of the square that begins at `first`.
    #[inline(always)]
    pub(crate) fn row(&self, first: usize, dim: usize, local: usize) -> &[T] {
        let start = first + local * dim;
        &self.squares[start..start + dim]
    }

    /// Bytes of the squares \[B\].
    pub(crate) fn bytes(&self) -> u64 {
        (size_of_val(self.squares.as_slice()) + size_of_val(self.first.as_slice())) as u64
    }
}
