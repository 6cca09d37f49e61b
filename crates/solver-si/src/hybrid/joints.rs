//! The joints of a problem, solved together for given impulses of everything else.

use std::collections::BTreeSet;

use delassus_core::Problem;

use super::couplings::Couplings;
use super::ldl::{Ldl, Rows};
use super::ordering::minimum_degree;

/// Solutions that follow the first one, each with the residual of the last \[-\].
const REFINEMENTS: usize = 1;

/// Rows of joints in the order of elimination, their factors, and how the other rows act on them.
#[derive(Debug, Clone)]
pub(super) struct Joints {
    /// Row of the problem of every row here.
    pub(super) rows: Vec<usize>,
    /// A + R of the joints up to the diagonal.
    matrix: Rows,
    factors: Ldl,
    /// Of every other row: rows of joints, and A between them.
    pub(super) links: Rows,
    /// Joints that are coupled, directly or through others, have one number; one per row here.
    pub(super) islands: Vec<usize>,
    b: Vec<f64>,
    residual: Vec<f64>,
    correction: Vec<f64>,
}

/// The place of every block: among the joints in the order of elimination, or among the others.
pub(super) struct Places {
    /// First row among the joints.
    pub(super) joint: Vec<Option<usize>>,
    /// First row among the others.
    pub(super) other: Vec<Option<usize>>,
}

impl Places {
    /// `is_joint` says which blocks are eliminated.
    pub(super) fn new(problem: &Problem, couplings: &Couplings, is_joint: &[bool]) -> Self {
        let blocks = problem.blocks();
        let joints: Vec<usize> = (0..blocks.len()).filter(|block| is_joint[*block]).collect();
        let mut number = vec![usize::MAX; blocks.len()];
        for (place, block) in joints.iter().enumerate() {
            number[*block] = place;
        }
        let mut neighbours = vec![BTreeSet::new(); joints.len()];
        for (c, d) in couplings.keys().map(|(c, d)| (*c as usize, *d as usize)) {
            if c != d && is_joint[c] && is_joint[d] {
                neighbours[number[c]].insert(number[d]);
                neighbours[number[d]].insert(number[c]);
            }
        }
        let mut places = Self {
            joint: vec![None; blocks.len()],
            other: vec![None; blocks.len()],
        };
        let mut row = 0;
        for place in minimum_degree(neighbours) {
            places.joint[joints[place]] = Some(row);
            row += blocks[joints[place]].dim;
        }
        row = 0;
        for (block, _) in is_joint.iter().enumerate().filter(|(_, joint)| !**joint) {
            places.other[block] = Some(row);
            row += blocks[block].dim;
        }
        places
    }
}

impl Joints {
    pub(super) fn new(problem: &Problem, couplings: &Couplings, places: &Places) -> Self {
        let blocks = problem.blocks();
        let count = |places: &[Option<usize>]| {
            let placed = blocks
                .iter()
                .zip(places)
                .filter(|(_, place)| place.is_some());
            placed.map(|(block, _)| block.dim).sum::<usize>()
        };
        let (joints, others) = (count(&places.joint), count(&places.other));
        let mut rows = vec![0; joints];
        let mut matrix: Rows = vec![Vec::new(); joints];
        let mut links: Rows = vec![Vec::new(); others];
        let mut parent: Vec<usize> = (0..joints).collect();
        for (index, block) in blocks.iter().enumerate() {
            if let Some(first) = places.joint[index] {
                for local in 0..block.dim {
                    rows[first + local] = block.first_row + local;
                    union(&mut parent, first, first + local);
                }
                push_compliance(problem, index, first, &mut matrix);
            }
        }
        for ((c, d), values) in couplings {
            let (c, d) = (*c as usize, *d as usize);
            for (at, value) in values.iter().enumerate() {
                let (i, j) = (at / blocks[d].dim, at % blocks[d].dim);
                match (places.joint[c], places.joint[d]) {
                    (Some(p), Some(q)) => {
                        union(&mut parent, p, q);
                        // of a diagonal block the upper half is the lower one
                        if c != d || j <= i {
                            let (low, high) = ((p + i).min(q + j), (p + i).max(q + j));
                            matrix[high].push((low, *value));
                        }
                    }
                    (Some(p), None) => {
                        places.other[d]
                            .iter()
                            .for_each(|q| links[q + j].push((p + i, *value)));
                    }
                    (None, Some(q)) => {
                        places.other[c]
                            .iter()
                            .for_each(|p| links[p + i].push((q + j, *value)));
                    }
                    (None, None) => {}
                }
            }
        }
        let islands = (0..joints).map(|row| find(&mut parent, row)).collect();
        let b = rows.iter().map(|row| problem.b()[*row]).collect();
        Self {
            factors: Ldl::new(&matrix),
            rows,
            matrix,
            links,
            islands,
            b,
            residual: vec![0.0; joints],
            correction: vec![0.0; joints],
        }
    }

    /// Bytes of the joints of a problem, if they fill like chains \[B\].
    pub(super) fn memory(rows: u64) -> u64 {
        rows * 1000
    }

    /// λ of the joints that solves them for the impulses of the others: x ← x − A⁻¹ w (G.39). Redundant rows keep theirs.
    pub(super) fn solve(&mut self, others: &[f64], impulses: &mut [f64]) {
        for _ in 0..=REFINEMENTS {
            self.residual.copy_from_slice(&self.b);
            for (links, other) in self.links.iter().zip(others) {
                for (row, value) in links {
                    self.residual[*row] += value * other;
                }
            }
            add_product(&self.matrix, impulses, &mut self.residual);
            self.correction.copy_from_slice(&self.residual);
            self.factors.solve(&mut self.correction);
            for (x, correction) in impulses.iter_mut().zip(&self.correction) {
                *x -= correction;
            }
        }
    }

    /// A⁻¹ y of the joints.
    pub(super) fn inverse_times(&mut self, y: &[f64], x: &mut [f64]) {
        x.copy_from_slice(y);
        self.factors.solve(x);
        for _ in 0..REFINEMENTS {
            for (residual, y) in self.residual.iter_mut().zip(y) {
                *residual = -y;
            }
            add_product(&self.matrix, x, &mut self.residual);
            self.factors.solve(&mut self.residual);
            for (x, correction) in x.iter_mut().zip(&self.residual) {
                *x -= correction;
            }
        }
    }

    /// b of the joints.
    pub(super) fn b(&self) -> &[f64] {
        &self.b
    }
}

/// R of one block, up to the diagonal.
fn push_compliance(problem: &Problem, block: usize, first: usize, matrix: &mut Rows) {
    let dim = problem.blocks()[block].dim;
    let mut own = vec![0.0; dim * dim];
    problem.add_compliance(block, &mut own);
    for i in 0..dim {
        for j in 0..=i {
            if own[i * dim + j] != 0.0 {
                matrix[first + i].push((first + j, own[i * dim + j]));
            }
        }
    }
}

/// out += A x, of A the rows up to the diagonal.
fn add_product(matrix: &Rows, x: &[f64], out: &mut [f64]) {
    for (i, entries) in matrix.iter().enumerate() {
        for (j, value) in entries {
            out[i] += value * x[*j];
            if i != *j {
                out[*j] += value * x[i];
            }
        }
    }
}

fn find(parent: &mut [usize], mut node: usize) -> usize {
    while parent[node] != node {
        parent[node] = parent[parent[node]];
        node = parent[node];
    }
    node
}

fn union(parent: &mut [usize], a: usize, b: usize) {
    let (a, b) = (find(parent, a), find(parent, b));
    parent[a.max(b)] = a.min(b);
}
