//! Aggregation over bodies: a hierarchy of matrices of 6 × 6 blocks, and its V-cycle (Z.18),
//! (Z.19).
//!
//! Every level keeps what the two ends of a block add to the diagonal apart from it, so that a pair
//! of nodes has a matrix of its own, without its neighbours: the motions that it leaves free are
//! those that the next level keeps.

use super::aggregation::{Aggregates, alone, motions};
use super::elements::Elements;
use super::factor::{Block, product, subtract_from, subtract_transposed, transposed};
use super::incomplete::Incomplete;
use super::pattern::{Graph, Pattern};
use super::{add, add_scaled};

/// Levels of a hierarchy; pairs halve a connected graph.
const LEVELS: usize = 40;

/// Place of a block in the next level, and true if its ends are swapped; none inside an aggregate.
type Coarse = Option<(usize, bool)>;

/// One level, and how the next one follows from it.
#[derive(Debug, Clone)]
struct Level {
    elements: Elements,
    smoother: Incomplete,
    /// Cholesky factors of the diagonal blocks.
    roots: Vec<Block>,
    /// Motions of the next level, per node.
    prolongator: Vec<Block>,
    aggregates: Aggregates,
    /// Where the blocks below the diagonal go.
    coarse: Vec<Coarse>,
    x: Vec<[f64; 6]>,
    residual: Vec<[f64; 6]>,
    correction: Vec<[f64; 6]>,
}

/// The preconditioner.
#[derive(Debug, Clone)]
pub(crate) struct Multigrid {
    levels: Vec<Level>,
}

impl Multigrid {
    /// Aggregates down to the level whose smoother is exact; `weights` has a number per block,
    /// which strong couplings have large.
    pub(crate) fn new(pattern: &Pattern, weights: &[f64], gauss_seidel: bool) -> Self {
        let mut levels = Vec::new();
        let (mut pattern, mut weights) = (pattern.clone(), weights.to_vec());
        loop {
            let smoother = Incomplete::new(&pattern, gauss_seidel);
            let last = smoother.is_exact(&pattern) || levels.len() + 1 == LEVELS;
            let mut level = Level::new(pattern, &weights, smoother);
            (pattern, weights) = level.coarsen(&weights);
            levels.push(level);
            if last {
                return Self { levels };
            }
        }
    }

    /// Takes the numbers of a matrix; false if a diagonal block is not positive definite.
    pub(crate) fn factorize(&mut self, elements: &Elements) -> bool {
        if let Some(first) = self.levels.first_mut() {
            first.elements.copy_values(elements);
        }
        let last = self.levels.len() - 1;
        for index in 0..=last {
            let (fine, coarse) = self.levels.split_at_mut(index + 1);
            let level = &mut fine[index];
            let Elements {
                pattern,
                blocks,
                diagonal,
            } = &level.elements;
            if !level.smoother.factorize(pattern, diagonal, blocks) {
                return false;
            }
            if let Some(next) = coarse.first_mut() {
                if !level.prolong() {
                    return false;
                }
                level.project(&mut next.elements);
            }
        }
        true
    }

    /// x ← Bx, a V-cycle with one smoothing step before and after.
    pub(crate) fn apply(&mut self, x: &mut [[f64; 6]]) {
        let last = self.levels.len() - 1;
        self.levels[0].residual.copy_from_slice(x);
        for index in 0..last {
            let (fine, coarse) = self.levels.split_at_mut(index + 1);
            fine[index].descend(&mut coarse[0].residual);
        }
        let coarsest = &mut self.levels[last];
        coarsest.x.copy_from_slice(&coarsest.residual);
        coarsest
            .smoother
            .solve(&coarsest.elements.pattern, &mut coarsest.x);
        for index in (0..last).rev() {
            let (fine, coarse) = self.levels.split_at_mut(index + 1);
            fine[index].ascend(&coarse[0].x);
        }
        x.copy_from_slice(&self.levels[0].x);
    }
}

impl Level {
    fn new(pattern: Pattern, weights: &[f64], smoother: Incomplete) -> Self {
        let count = pattern.len();
        let zeros = || vec![[0.0; 6]; count];
        Self {
            aggregates: Aggregates::new(&pattern, weights),
            elements: Elements::new(pattern),
            smoother,
            roots: vec![[0.0; 36]; count],
            prolongator: vec![[0.0; 36]; count],
            coarse: Vec::new(),
            x: zeros(),
            residual: zeros(),
            correction: zeros(),
        }
    }

    /// Finds where blocks go on the next level; its pattern, and the weights of its blocks.
    fn coarsen(&mut self, weights: &[f64]) -> (Pattern, Vec<f64>) {
        let pattern = &self.elements.pattern;
        let mut ends = Vec::new();
        for j in 0..pattern.len() {
            for at in pattern.first[j] + 1..pattern.first[j + 1] {
                let of = |node: usize| self.aggregates.of[node];
                let (i, j) = (of(pattern.rows[at] as usize), of(j));
                ends.push((at, i, j));
            }
        }
        let links: Vec<[u32; 2]> = ends.iter().map(|(_, i, j)| [*i, *j]).collect();
        let count = self.aggregates.pairs.len();
        let cliques = &mut links.iter().filter(|[i, j]| i != j).map(|link| &link[..]);
        let next = Pattern::unfilled(&Graph::new(count, cliques));
        self.coarse = vec![None; pattern.rows.len()];
        let mut sums = vec![0.0; next.rows.len()];
        for (at, i, j) in ends {
            if i != j
                && let Some(place) = next.locate(i.max(j), i.min(j))
            {
                self.coarse[at] = Some((place, i < j));
                sums[place] += weights[at];
            }
        }
        (next, sums)
    }

    /// The prolongator of the matrix of this moment.
    fn prolong(&mut self) -> bool {
        let Self {
            elements,
            roots,
            prolongator,
            aggregates,
            ..
        } = self;
        let Elements {
            pattern,
            blocks,
            diagonal,
        } = &*elements;
        for (root, block) in roots.iter_mut().zip(diagonal) {
            *root = *block;
            if !super::factor::cholesky(root) {
                return false;
            }
        }
        for (node, pair) in &aggregates.pairs {
            let Some(at) = *pair else {
                prolongator[*node] = alone(&roots[*node]);
                continue;
            };
            let (i, j) = (pattern.rows[at] as usize, pattern.column_of(at));
            let sides = elements.sides(at);
            let mut own = [blocks[pattern.first[i]], blocks[pattern.first[j]]];
            for (own, side) in own.iter_mut().zip(sides) {
                add(side, own);
            }
            let local = [&own[0], &blocks[at], &own[1]];
            let Some(found) = motions(local, [&roots[i], &roots[j]]) else {
                return false;
            };
            [prolongator[i], prolongator[j]] = found;
        }
        true
    }

    /// PᵀHP, with own and shared parts apart.
    fn project(&self, next: &mut Elements) {
        next.blocks.fill([0.0; 36]);
        let pattern = &self.elements.pattern;
        let blocks = &self.elements.blocks;
        for j in 0..pattern.len() {
            let target = self.aggregates.of[j] as usize;
            let q = &self.prolongator[j];
            let own = next.pattern.first[target];
            add(
                &sandwich(q, &blocks[pattern.first[j]], q),
                &mut next.blocks[own],
            );
            for at in pattern.first[j] + 1..pattern.first[j + 1] {
                let i = pattern.rows[at] as usize;
                let p = &self.prolongator[i];
                let between = sandwich(p, &blocks[at], q);
                let sides = self.elements.sides(at);
                let (row, column) = (sandwich(p, &sides[0], p), sandwich(q, &sides[1], q));
                let Some((place, swapped)) = self.coarse[at] else {
                    let sum = &mut next.blocks[own];
                    add(&row, sum);
                    add(&column, sum);
                    add(&between, sum);
                    add(&transposed(&between), sum);
                    continue;
                };
                let side = next.pattern.rows.len() + 2 * place;
                if swapped {
                    add(&transposed(&between), &mut next.blocks[place]);
                    add(&column, &mut next.blocks[side]);
                    add(&row, &mut next.blocks[side + 1]);
                } else {
                    add(&between, &mut next.blocks[place]);
                    add(&row, &mut next.blocks[side]);
                    add(&column, &mut next.blocks[side + 1]);
                }
            }
        }
        next.assemble();
    }

    /// Smooths from zero, and hands on what is left.
    fn descend(&mut self, coarse: &mut [[f64; 6]]) {
        let pattern = &self.elements.pattern;
        self.x.copy_from_slice(&self.residual);
        self.smoother.solve(pattern, &mut self.x);
        self.elements.subtract(&self.x, &mut self.residual);
        coarse.fill([0.0; 6]);
        for (node, to) in self.aggregates.of.iter().enumerate() {
            let mut sum = [0.0; 6];
            subtract_transposed(&self.prolongator[node], &self.residual[node], &mut sum);
            let to = &mut coarse[*to as usize];
            for (to, x) in to.iter_mut().zip(sum) {
                *to -= x;
            }
        }
    }

    /// Takes the correction, and smooths again.
    fn ascend(&mut self, coarse: &[[f64; 6]]) {
        for (node, correction) in self.correction.iter_mut().enumerate() {
            *correction = [0.0; 6];
            let from = coarse[self.aggregates.of[node] as usize].map(|x| -x);
            subtract_from(&self.prolongator[node], &from, correction);
        }
        add_scaled(1.0, &self.correction, &mut self.x);
        self.elements.subtract(&self.correction, &mut self.residual);
        self.smoother
            .solve(&self.elements.pattern, &mut self.residual);
        add_scaled(1.0, &self.residual, &mut self.x);
    }
}

/// PᵀAQ.
fn sandwich(p: &Block, a: &Block, q: &Block) -> Block {
    product(&transposed(p), &product(a, q))
}
