//! H of one level with what a block adds to the diagonal at its two ends kept apart: H = Σ own + Σ
//! pairs (Z.18).

use super::add;
use super::factor::{Block, subtract_from, subtract_transposed};
use super::pattern::{Graph, Pattern};
use crate::rows::Rows;

/// A symmetric matrix as a sum of parts of one and of two nodes.
#[derive(Debug, Clone)]
pub(crate) struct Elements {
    pub(crate) pattern: Pattern,
    /// Block by block of the pattern, on the diagonal what a node has of its own; then two per
    /// block, of its row and its column.
    pub(crate) blocks: Vec<Block>,
    /// The diagonal of the whole.
    pub(crate) diagonal: Vec<Block>,
}

impl Elements {
    pub(crate) fn new(pattern: Pattern) -> Self {
        Self {
            blocks: vec![[0.0; 36]; 3 * pattern.rows.len()],
            diagonal: vec![[0.0; 36]; pattern.len()],
            pattern,
        }
    }

    /// The pattern of the bodies that share a row.
    pub(crate) fn of_rows(rows: &Rows) -> Self {
        let links = &mut rows.links.iter().map(|link| rows.bodies_of(link));
        Self::new(Pattern::unfilled(&Graph::new(rows.len(), links)))
    }

    /// Where a link adds its block of the bodies a ≥ b.
    pub(crate) fn find(&self, bodies: &[u32], a: u32, b: u32) -> usize {
        match *bodies {
            [one, other] if a == b => {
                let (row, column) = (one.max(other), one.min(other));
                let end = usize::from(a != row);
                self.pattern.rows.len() + 2 * self.pattern.find(row, column) + end
            }
            _ => self.pattern.find(a, b),
        }
    }

    /// What a block adds to the diagonal of its row and of its column.
    pub(crate) fn sides(&self, at: usize) -> &[Block] {
        let first = self.pattern.rows.len() + 2 * at;
        &self.blocks[first..first + 2]
    }

    /// The identity, to add to.
    pub(crate) fn reset(&mut self) {
        self.blocks.fill([0.0; 36]);
        for first in &self.pattern.first[..self.pattern.len()] {
            for i in 0..6 {
                self.blocks[*first][7 * i] = 1.0;
            }
        }
    }

    /// The diagonal of the parts.
    pub(crate) fn assemble(&mut self) {
        let Self {
            pattern,
            blocks,
            diagonal,
        } = self;
        for (diagonal, first) in diagonal.iter_mut().zip(&pattern.first) {
            *diagonal = blocks[*first];
        }
        let sides = pattern.rows.len();
        for j in 0..pattern.len() {
            for at in pattern.first[j] + 1..pattern.first[j + 1] {
                let row = pattern.rows[at] as usize;
                add(&blocks[sides + 2 * at], &mut diagonal[row]);
                add(&blocks[sides + 2 * at + 1], &mut diagonal[j]);
            }
        }
    }

    /// Takes the numbers of a matrix of the same pattern.
    pub(crate) fn copy_values(&mut self, from: &Self) {
        self.blocks.copy_from_slice(&from.blocks);
        self.diagonal.copy_from_slice(&from.diagonal);
    }

    /// out −= Hx.
    pub(crate) fn subtract(&self, x: &[[f64; 6]], out: &mut [[f64; 6]]) {
        let Pattern { first, rows } = &self.pattern;
        for j in 0..self.pattern.len() {
            let mut sum = out[j];
            subtract_from(&self.diagonal[j], &x[j], &mut sum);
            for at in first[j] + 1..first[j + 1] {
                let row = rows[at] as usize;
                subtract_from(&self.blocks[at], &x[j], &mut out[row]);
                subtract_transposed(&self.blocks[at], &x[row], &mut sum);
            }
            out[j] = sum;
        }
    }

    /// Σ |J̃_a||J̃_b| / (|J̃_a|² + |J̃_b|²) of the rows of every block: how strongly it couples,
    /// whatever is active \[-\].
    pub(crate) fn weights(&self, rows: &Rows) -> Vec<f64> {
        let mut weights = vec![0.0; self.pattern.rows.len()];
        for link in &rows.links {
            let bodies = rows.bodies_of(link);
            for row in rows.entries(link).chunks_exact(bodies.len().max(1)) {
                for (i, a) in row.iter().enumerate() {
                    for (j, b) in row[..i].iter().enumerate() {
                        let square = |x: &[f64; 6]| x.iter().map(|x| x * x).sum::<f64>();
                        let (a, b) = (square(a), square(b));
                        let (from, to) = (bodies[i].max(bodies[j]), bodies[i].min(bodies[j]));
                        if a + b > 0.0 {
                            weights[self.pattern.find(from, to)] += (a * b).sqrt() / (a + b);
                        }
                    }
                }
            }
        }
        weights
    }
}
