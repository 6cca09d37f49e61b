//! What rows of one block add to each other by the compliance that they share (P.13).

use delassus_core::{BodyRows, CoupledCompliance, Problem};

use crate::view::{BlockView, Visit};

/// Pairs of blocks that touch a common movable body, each block with itself included \[-\]: the
/// blocks of A that are not zero, about.
pub(crate) fn pairs_at_bodies(problem: &Problem, bodies: &BodyRows) -> usize {
    let mut degrees = vec![0_usize; bodies.len()];
    for block in 0..problem.blocks().len() {
        for body in bodies.bodies_of(block) {
            degrees[*body as usize] += 1;
        }
    }
    let movable = degrees.iter().zip(&bodies.mass);
    let movable = movable.filter(|(_, mass)| !mass.is_immovable());
    movable.map(|(degree, _)| degree * degree).sum()
}

/// R off its diagonal, of the blocks that have such entries: their squares with zeros on the
/// diagonal.
#[derive(Debug, Clone, Default)]
pub(crate) struct Coupling {
    /// First number of the square of every block and one more; empty if no block has one.
    first: Vec<usize>,
    squares: Vec<f64>,
}

impl Coupling {
    /// Takes over the compliance of a problem.
    pub(crate) fn refresh(&mut self, problem: &Problem) {
        self.first.clear();
        self.squares.clear();
        let coupled = problem.coupled_compliance();
        if coupled.is_empty() {
            return;
        }
        self.first.push(0);
        for (index, block) in problem.blocks().iter().enumerate() {
            let (start, dim) = (self.squares.len(), block.dim);
            if let Some(lower) = coupled.of(index) {
                self.squares.resize(start + dim * dim, 0.0);
                for ((i, j), r) in CoupledCompliance::lower_indices().zip(lower) {
                    self.squares[start + i * dim + j] = *r;
                    self.squares[start + j * dim + i] = *r;
                }
            }
            self.first.push(self.squares.len());
        }
    }

    /// Bytes that it takes of a problem \[B\].
    pub(crate) fn memory(problem: &Problem) -> u64 {
        let coupled = problem.coupled_compliance();
        if coupled.is_empty() {
            return 0;
        }
        let squares = coupled.iter().map(|(block, _)| problem.blocks()[block].dim);
        let numbers: usize = squares.map(|dim| dim * dim).sum();
        (size_of::<f64>() * (numbers + problem.blocks().len() + 1)) as u64
    }

    /// True if no block has compliance off its diagonal.
    pub(crate) fn is_empty(&self) -> bool {
        self.first.is_empty()
    }

    /// out += Σ_j R_ij λ_j of every row; `first_rows` are those of the blocks.
    pub(crate) fn add(&self, first_rows: &[usize], impulses: &[f64], out: &mut [f64]) {
        for (block, first) in first_rows.iter().enumerate() {
            let square = self.of(block).unwrap_or_default();
            let dim = square.len().isqrt();
            for (i, row) in square.chunks_exact(dim.max(1)).enumerate() {
                for (r, impulse) in row.iter().zip(&impulses[*first..]) {
                    out[first + i] += r * impulse;
                }
            }
        }
    }

    /// The square of a block; `None` if its compliance is diagonal.
    pub(crate) fn of(&self, block: usize) -> Option<&[f64]> {
        let square = &self.squares[*self.first.get(block)?..*self.first.get(block + 1)?];
        (!square.is_empty()).then_some(square)
    }
}

/// A block of any kind behind a table of functions: its rows may share compliance.
///
/// Few problems have such blocks, and few have blocks of three bodies and more. If they were
/// compiled for every kind of view, as other blocks are, they would be half of every sweep.
pub(crate) struct AnyBlock<'a> {
    pub(crate) view: &'a mut dyn BlockView,
    /// R off its diagonal; empty if the rows share none.
    pub(crate) square: &'a [f64],
}

impl BlockView for AnyBlock<'_> {
    fn impulse(&self, local: usize) -> f64 {
        self.view.impulse(local)
    }

    fn velocity(&self, local: usize) -> f64 {
        let dim = self.square.len().isqrt();
        let row = &self.square[local * dim..(local + 1) * dim];
        let mut w = self.view.velocity(local);
        for (column, r) in row.iter().enumerate() {
            w += r * self.view.impulse(column);
        }
        w
    }

    fn effective_mass(&self, local: usize) -> f64 {
        self.view.effective_mass(local)
    }

    fn set_impulse(&mut self, local: usize, impulse: f64) {
        self.view.set_impulse(local, impulse);
    }
}

/// Shows a block to `visitor` as one of any kind. It is not inlined, so that a sweep has it once.
#[inline(never)]
pub(crate) fn visit_any_block(visitor: impl Visit, view: &mut dyn BlockView, square: &[f64]) {
    visitor.visit(&mut AnyBlock { view, square });
}

/// A visitor that calls a closure with every view and its compliance.
pub(crate) struct BlockVisitor<'a> {
    pub(crate) to: &'a mut dyn FnMut(&mut dyn BlockView, &[f64]),
    pub(crate) square: &'a [f64],
}

impl Visit for BlockVisitor<'_> {
    fn visit<V: BlockView>(self, view: &mut V) {
        (self.to)(view, self.square);
    }
}
