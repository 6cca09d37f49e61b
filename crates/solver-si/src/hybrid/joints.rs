//! The joints of a problem, solved together for given impulses of everything else.

use std::collections::BTreeSet;

use delassus_core::Problem;

use super::couplings::Couplings;
use super::ldl::{Ldl, Rows};
use super::ordering::minimum_degree;

/// Solutions with the shifted factors, each for the residual that the last one left \[-\]: a direction whose share of the
/// diagonal is 1e-9 keeps 1e-7 of its error, one of 1e-8 nothing.
const SOLUTIONS: usize = 7;

/// Corrections of this share of the impulses are rounding \[-\].
const ROUNDING: f64 = 1e-16;

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
        scatter(
            (problem, couplings, places),
            &mut matrix,
            &mut links,
            &mut parent,
        );
        let islands = (0..joints).map(|row| find(&mut parent, row)).collect();
        let b = rows.iter().map(|row| problem.b()[*row]).collect();
        Self {
            factors: Ldl::new(&matrix),
            rows,
            matrix,
            links,
            islands,
            b,
            correction: vec![0.0; joints],
        }
    }

    /// Bytes of the joints of a problem, if they fill like chains \[B\].
    pub(super) fn memory(rows: u64) -> u64 {
        rows * 1000
    }

    /// λ of the joints that solves them for the impulses of the others: x ← x − (A + ε diag A)⁻¹ w until w is gone (G.39).
    pub(super) fn solve(&mut self, others: &[f64], impulses: &mut [f64]) {
        for _ in 0..SOLUTIONS {
            self.correction.copy_from_slice(&self.b);
            for (links, other) in self.links.iter().zip(others) {
                for (row, value) in links {
                    self.correction[*row] += value * other;
                }
            }
            if !self.correct(impulses) {
                return;
            }
        }
    }

    /// A⁻¹ y of the joints, for a y in the range of A.
    pub(super) fn inverse_times(&mut self, y: &[f64], x: &mut [f64]) {
        x.fill(0.0);
        for _ in 0..SOLUTIONS {
            for (correction, y) in self.correction.iter_mut().zip(y) {
                *correction = -y;
            }
            if !self.correct(x) {
                return;
            }
        }
    }

    /// Subtracts the shifted inverse of A x + what is in `correction`; false if that was rounding.
    fn correct(&mut self, x: &mut [f64]) -> bool {
        add_product(&self.matrix, x, &mut self.correction);
        self.factors.solve(&mut self.correction);
        let (mut most, mut size) = (0.0f64, 0.0f64);
        for (x, correction) in x.iter_mut().zip(&self.correction) {
            *x -= correction;
            most = most.max(correction.abs());
            size = size.max(x.abs());
        }
        most > ROUNDING * size
    }

    /// b of the joints.
    pub(super) fn b(&self) -> &[f64] {
        &self.b
    }
}

/// Writes A into the rows of the joints and the links of the others, and joins the islands.
fn scatter(
    (problem, couplings, places): (&Problem, &Couplings, &Places),
    matrix: &mut Rows,
    links: &mut Rows,
    parent: &mut [usize],
) {
    for ((c, d), values) in couplings {
        let pair = [*c as usize, *d as usize];
        let places = pair.map(|block| (places.joint[block], places.other[block]));
        if let [(Some(p), _), (Some(q), _)] = places {
            union(parent, p, q);
        }
        let columns = problem.blocks()[pair[1]].dim;
        for (at, value) in values.iter().enumerate() {
            let (i, j) = (at / columns, at % columns);
            match places {
                // of a diagonal block the upper half is the lower one
                [(Some(_), _), (Some(_), _)] if pair[0] == pair[1] && j > i => {}
                [(Some(p), _), (Some(q), _)] => {
                    let (low, high) = ((p + i).min(q + j), (p + i).max(q + j));
                    matrix[high].push((low, *value));
                }
                [(Some(p), _), (None, Some(q))] => links[q + j].push((p + i, *value)),
                [(None, Some(p)), (Some(q), _)] => links[p + i].push((q + j, *value)),
                _ => {}
            }
        }
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
