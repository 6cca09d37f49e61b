//! The blocks of A, once each.

use delassus_core::{BodyRows, MatrixRows, Operator, Problem};

/// The blocks (c, d) of a symmetric matrix for c ≤ d that are not zero, row-major and in ascending
/// order.
#[derive(Debug, Clone, Default)]
pub(super) struct Upper {
    places: Vec<(u32, u32)>,
    /// First number of each block, and how many there are.
    first: Vec<usize>,
    values: Vec<f64>,
}

impl Upper {
    /// Takes all blocks out; the memory stays.
    pub(super) fn clear(&mut self) {
        self.places.clear();
    }

    /// Announces block (c, d), c ≤ d, as often as one likes and in any order.
    pub(super) fn announce(&mut self, c: u32, d: u32) {
        self.places.push((c, d));
    }

    /// Makes the announced blocks zeros; `dim` has the rows of each.
    pub(super) fn settle(&mut self, dim: impl Fn(u32) -> usize) {
        self.places.sort_unstable();
        self.places.dedup();
        self.first.clear();
        self.first.push(0);
        let mut end = 0;
        for (c, d) in &self.places {
            end += dim(*c) * dim(*d);
            self.first.push(end);
        }
        self.values.clear();
        self.values.resize(end, 0.0);
    }

    /// Block (c, d); empty if it was not announced.
    pub(super) fn block_mut(&mut self, c: u32, d: u32) -> &mut [f64] {
        match self.places.binary_search(&(c, d)) {
            Ok(at) => &mut self.values[self.first[at]..self.first[at + 1]],
            Err(_) => &mut [],
        }
    }

    /// The block with this number in the order.
    pub(super) fn block(&self, index: usize) -> &[f64] {
        &self.values[self.first[index]..self.first[index + 1]]
    }

    /// (c, d) of all blocks.
    pub(super) fn places(&self) -> &[(u32, u32)] {
        &self.places
    }

    /// All blocks with their places.
    pub(super) fn iter(&self) -> impl Iterator<Item = ((u32, u32), &[f64])> {
        let numbered = self.places.iter().enumerate();
        numbered.map(|(index, place)| (*place, self.block(index)))
    }
}

/// The upper blocks of A, where both blocks touch a movable body or the matrix stores one.
#[derive(Debug, Clone, Default)]
pub(super) struct Couplings {
    pub(super) upper: Upper,
    /// The blocks that touch a body, with its place among their bodies, body after body; and the
    /// first of each body.
    touching: Vec<(u32, usize)>,
    first: Vec<usize>,
}

impl Couplings {
    /// Takes over the blocks of a problem; those of the lower triangle of a matrix are taken to be
    /// their transposes.
    pub(super) fn renew(&mut self, problem: &Problem) {
        self.upper.clear();
        match problem.operator() {
            Operator::Bodies(bodies) => self.take_bodies(problem, bodies),
            Operator::Matrix(matrix) => self.take_matrix(problem, matrix),
        }
    }

    fn take_matrix(&mut self, problem: &Problem, matrix: &MatrixRows) {
        // fewer than 2²⁹ blocks: nothing is cut off
        let number = |d: usize| u32::try_from(d).unwrap_or(u32::MAX);
        let blocks = 0..problem.blocks().len();
        for c in blocks.clone() {
            for (d, _) in matrix.delassus.row(c).filter(|(d, _)| c <= *d) {
                self.upper.announce(number(c), number(d));
            }
        }
        self.upper.settle(|block| dim(problem, block));
        for c in blocks {
            for (d, values) in matrix.delassus.row(c).filter(|(d, _)| c <= *d) {
                let own = self.upper.block_mut(number(c), number(d));
                own.copy_from_slice(values);
            }
        }
    }

    fn take_bodies(&mut self, problem: &Problem, bodies: &BodyRows) {
        self.list_touching(problem, bodies);
        let Self {
            upper,
            touching,
            first,
        } = self;
        let moved = |body: &usize| !bodies.mass[*body].is_immovable();
        let of = |body: usize| &touching[first[body]..first[body + 1]];
        for body in (0..bodies.len()).filter(moved) {
            for (at, (c, _)) in of(body).iter().enumerate() {
                let with = of(body)[at..].iter();
                with.for_each(|(d, _)| upper.announce(*c, *d));
            }
        }
        upper.settle(|block| dim(problem, block));
        for body in (0..bodies.len()).filter(moved) {
            for (at, c) in of(body).iter().enumerate() {
                for d in &of(body)[at..] {
                    add_product(problem, bodies, body, [*c, *d], upper.block_mut(c.0, d.0));
                }
            }
        }
    }

    /// The blocks of every body, ascending.
    fn list_touching(&mut self, problem: &Problem, bodies: &BodyRows) {
        let blocks = (0u32..).take(problem.blocks().len());
        self.first.clear();
        self.first.resize(bodies.len() + 1, 0);
        for body in &bodies.block_bodies {
            self.first[*body as usize + 1] += 1;
        }
        for body in 0..bodies.len() {
            self.first[body + 1] += self.first[body];
        }
        self.touching.clear();
        self.touching.resize(bodies.block_bodies.len(), (0, 0));
        for block in blocks {
            for (place, body) in bodies.bodies_of(block as usize).iter().enumerate() {
                let next = &mut self.first[*body as usize];
                self.touching[*next] = (block, place);
                *next += 1;
            }
        }
        // each first is the end of its body now, the first of the next one
        self.first.rotate_right(1);
        self.first[0] = 0;
    }
}

fn dim(problem: &Problem, block: u32) -> usize {
    problem.blocks()[block as usize].dim
}

/// Adds J_c M⁻¹ J_dᵀ of one body; each block comes with the place of the body among its own.
fn add_product(
    problem: &Problem,
    bodies: &BodyRows,
    body: usize,
    [(c, place_c), (d, place_d)]: [(u32, usize); 2],
    values: &mut [f64],
) {
    let columns = dim(problem, d);
    for j in 0..columns {
        let moved = bodies.mass[body].apply_inverse(&bodies.row(d as usize, j)[place_d]);
        for i in 0..dim(problem, c) {
            let row = &bodies.row(c as usize, i)[place_c];
            let product: f64 = row.iter().zip(&moved).map(|(a, b)| a * b).sum();
            values[i * columns + j] += product;
        }
    }
}
