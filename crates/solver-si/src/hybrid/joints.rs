//! The joints of a problem, solved together for given impulses of everything else.

use delassus_core::{Problem, SolveError};

use super::couplings::Upper;
use super::ldl::{Ldl, fill};
use super::ordering::KeptOrder;
use super::rows::Rows;

/// Solutions with the shifted factors, each for the residual that the last one left \[-\]: a
/// direction whose share of the diagonal is 1e-9 keeps 1e-7 of its error, one of 1e-8 nothing.
const SOLUTIONS: usize = 7;

/// Corrections of this share of the impulses are rounding \[-\].
const ROUNDING: f64 = 1e-16;

/// Rows of joints in the order of elimination, their factors, and how the other rows act on them.
#[derive(Debug, Clone, Default)]
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
    /// Workspace: who leads to the number of an island, and R of a block.
    parent: Vec<usize>,
    own: Vec<f64>,
}

/// The place of every block: among the joints in the order of elimination, or among the others.
#[derive(Debug, Clone, Default)]
pub(super) struct Places {
    /// First row among the joints.
    pub(super) joint: Vec<Option<usize>>,
    /// First row among the others.
    pub(super) other: Vec<Option<usize>>,
    /// The joints, and of every block its number among them.
    joints: Vec<usize>,
    number: Vec<usize>,
    order: KeptOrder,
}

impl Places {
    /// Takes over the blocks of another problem; `is_joint` says which of them are eliminated.
    ///
    /// # Errors
    /// A limit that ended the search for an order.
    pub(super) fn renew(
        &mut self,
        problem: &Problem,
        couplings: &Upper,
        is_joint: impl Fn(usize) -> bool,
    ) -> Result<(), SolveError> {
        let blocks = problem.blocks();
        let Self {
            joint,
            other,
            joints,
            number,
            order,
        } = self;
        joints.clear();
        joints.extend((0..blocks.len()).filter(|block| is_joint(*block)));
        fill(number, blocks.len(), usize::MAX);
        for (place, block) in joints.iter().enumerate() {
            number[*block] = place;
        }
        let pairs = couplings.places().iter();
        let edges = pairs.filter_map(|(c, d)| {
            let (c, d) = (number[*c as usize], number[*d as usize]);
            (c != d && c.max(d) < usize::MAX).then_some((c, d))
        });
        fill(joint, blocks.len(), None);
        fill(other, blocks.len(), None);
        let mut row = 0;
        for place in order.order(joints.len(), edges)? {
            joint[joints[*place]] = Some(row);
            row += blocks[joints[*place]].dim;
        }
        row = 0;
        for (block, place) in other.iter_mut().enumerate() {
            if number[block] == usize::MAX {
                *place = Some(row);
                row += blocks[block].dim;
            }
        }
        Ok(())
    }
}

impl Joints {
    /// Takes over the joints of another problem, and factorizes them.
    ///
    /// # Errors
    /// A limit that ended it.
    pub(super) fn renew(
        &mut self,
        problem: &Problem,
        couplings: &Upper,
        places: &Places,
    ) -> Result<(), SolveError> {
        let blocks = problem.blocks();
        let count = |places: &[Option<usize>]| {
            let placed = blocks
                .iter()
                .zip(places)
                .filter(|(_, place)| place.is_some());
            placed.map(|(block, _)| block.dim).sum::<usize>()
        };
        let (joints, others) = (count(&places.joint), count(&places.other));
        fill(&mut self.rows, joints, 0);
        self.matrix.clear();
        self.links.clear();
        self.parent.clear();
        self.parent.extend(0..joints);
        for (index, block) in blocks.iter().enumerate() {
            if let Some(first) = places.joint[index] {
                for local in 0..block.dim {
                    self.rows[first + local] = block.first_row + local;
                    union(&mut self.parent, first, first + local);
                }
                self.push_compliance(problem, index, first);
            }
        }
        self.scatter(problem, couplings, places);
        self.matrix.settle(joints);
        self.links.settle(others);
        self.islands.clear();
        for row in 0..joints {
            self.islands.push(find(&mut self.parent, row));
        }
        self.b.clear();
        self.b.extend(self.rows.iter().map(|row| problem.b()[*row]));
        fill(&mut self.correction, joints, 0.0);
        self.factors.renew(&self.matrix)
    }

    /// Bytes of the joints of a problem, if they fill like chains \[B\].
    pub(super) fn memory(rows: u64) -> u64 {
        rows * 1000
    }

    /// λ of the joints that solves them for the impulses of the others: x ← x − (A + ε diag A)⁻¹ w
    /// until w is gone (G.39).
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

    /// A⁻¹ b of the joints.
    pub(super) fn inverse_of_b(&mut self, x: &mut [f64]) {
        let b = std::mem::take(&mut self.b);
        self.inverse_times(&b, x);
        self.b = b;
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

    /// Writes A into the rows of the joints and the links of the others, and joins the islands.
    fn scatter(&mut self, problem: &Problem, couplings: &Upper, places: &Places) {
        for ((c, d), values) in couplings.iter() {
            let pair = [c as usize, d as usize];
            let places = pair.map(|block| (places.joint[block], places.other[block]));
            if let [(Some(p), _), (Some(q), _)] = places {
                union(&mut self.parent, p, q);
            }
            let columns = problem.blocks()[pair[1]].dim;
            for (at, value) in values.iter().enumerate() {
                let (i, j) = (at / columns, at % columns);
                match places {
                    // of a diagonal block the upper half is the lower one
                    [(Some(_), _), (Some(_), _)] if pair[0] == pair[1] && j > i => {}
                    [(Some(p), _), (Some(q), _)] => {
                        let (low, high) = ((p + i).min(q + j), (p + i).max(q + j));
                        self.matrix.push(high, low, *value);
                    }
                    [(Some(p), _), (None, Some(q))] => self.links.push(q + j, p + i, *value),
                    [(None, Some(p)), (Some(q), _)] => self.links.push(p + i, q + j, *value),
                    _ => {}
                }
            }
        }
    }

    /// R of one block, up to the diagonal.
    fn push_compliance(&mut self, problem: &Problem, block: usize, first: usize) {
        let dim = problem.blocks()[block].dim;
        fill(&mut self.own, dim * dim, 0.0);
        problem.add_compliance(block, &mut self.own);
        for i in 0..dim {
            for j in 0..=i {
                let r = self.own[i * dim + j];
                if r != 0.0 {
                    self.matrix.push(first + i, first + j, r);
                }
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
