//! The rows of a problem in scaled velocities: M⁻¹ = SSᵀ, v = v_f + Sz, so that the mass matrix is
//! the identity (Z.1).
//!
//! Bodies that nothing moves have no z, and a locked axis has a column of zeros in S. The others
//! are numbered in the order in which the factorization eliminates them.

use std::ops::Range;

use delassus_core::{BodyRows, MassProperties, Problem};
use nalgebra::Matrix3;

/// A body without unknowns.
const NONE: u32 = u32::MAX;
/// Pivot of an inverse inertia, of its diagonal, below which an axis counts as locked \[-\].
const LOCKED: f64 = 1e-14;

/// Consecutive rows between the same bodies.
#[derive(Debug, Clone)]
pub(crate) struct Link {
    /// Which of [`Rows::bodies`].
    bodies: Range<usize>,
    pub(crate) rows: Range<usize>,
    pub(crate) blocks: Range<usize>,
    /// First of the entries; a row has one per body.
    first_entry: usize,
}

/// J̃ = JS, row by row.
#[derive(Debug, Clone)]
pub(crate) struct Rows {
    pub(crate) links: Vec<Link>,
    /// Unknowns of six that the links touch.
    bodies: Vec<u32>,
    /// JS \[kg^-½\].
    jacobian: Vec<[f64; 6]>,
    /// Number of bodies that move.
    count: usize,
}

impl Rows {
    /// The rows of `problem`, whose moving bodies get the numbers that `order` gives the graph of
    /// bodies.
    pub(crate) fn new(problem: &Problem, bodies: &BodyRows, order: Order<'_>) -> Self {
        let mut numbers = vec![NONE; bodies.len()];
        let mut count = 0;
        for (number, mass) in numbers.iter_mut().zip(&bodies.mass) {
            if !mass.is_immovable() {
                *number = count;
                count += 1;
            }
        }
        let mut rows = Self::collect(problem, bodies, &numbers, count as usize);
        let position = order(count as usize, &mut rows.touched());
        rows.bodies
            .iter_mut()
            .for_each(|body| *body = position[*body as usize]);
        rows
    }

    fn collect(problem: &Problem, bodies: &BodyRows, numbers: &[u32], count: usize) -> Self {
        let roots: Vec<Root> = bodies.mass.iter().map(Root::new).collect();
        let mut rows = Self {
            links: Vec::with_capacity(problem.blocks().len()),
            bodies: Vec::with_capacity(bodies.block_bodies.len()),
            jacobian: Vec::with_capacity(bodies.jacobian.len()),
            count,
        };
        for (index, block) in problem.blocks().iter().enumerate() {
            let touched = bodies.bodies_of(index);
            let first = rows.bodies.len();
            let moving = |body: &&u32| numbers[**body as usize] != NONE;
            let moved = touched.iter().filter(moving);
            rows.bodies
                .extend(moved.map(|body| numbers[*body as usize]));
            rows.join(first, index, block.rows());
            for local in 0..block.dim {
                let entries = bodies.row(index, local).iter().zip(touched);
                let entries = entries.filter(|(_, body)| moving(body));
                rows.jacobian
                    .extend(entries.map(|(entry, body)| roots[*body as usize].times(entry)));
            }
        }
        rows
    }

    /// Lengthens the last link, if it has the bodies from `first` on, or begins another.
    fn join(&mut self, first: usize, block: usize, rows: Range<usize>) {
        if let Some(last) = self.links.last_mut()
            && self.bodies[last.bodies.clone()] == self.bodies[first..]
        {
            self.bodies.truncate(first);
            last.rows.end = rows.end;
            last.blocks.end = block + 1;
            return;
        }
        self.links.push(Link {
            bodies: first..self.bodies.len(),
            rows,
            blocks: block..block + 1,
            first_entry: self.jacobian.len(),
        });
    }

    /// The bodies of every link.
    fn touched(&self) -> impl Iterator<Item = &[u32]> {
        self.links.iter().map(|link| self.bodies_of(link))
    }

    pub(crate) fn bodies_of(&self, link: &Link) -> &[u32] {
        &self.bodies[link.bodies.clone()]
    }

    /// Entries of the rows of a link from local row `first` on, `bodies` of them per row.
    pub(crate) fn entries(&self, link: &Link) -> &[[f64; 6]] {
        let count = link.rows.len() * link.bodies.len();
        &self.jacobian[link.first_entry..link.first_entry + count]
    }

    /// Number of bodies that move \[-\].
    pub(crate) fn len(&self) -> usize {
        self.count
    }

    /// out = J̃z.
    pub(crate) fn multiply(&self, z: &[[f64; 6]], out: &mut [f64]) {
        for link in &self.links {
            let out = &mut out[link.rows.clone()];
            let entries = self.entries(link);
            match *self.bodies_of(link) {
                [a] => {
                    let a = z[a as usize];
                    for (entry, out) in entries.iter().zip(out) {
                        *out = dot(entry, &a);
                    }
                }
                [a, b] => {
                    let (a, b) = (z[a as usize], z[b as usize]);
                    for (entry, out) in entries.as_chunks::<2>().0.iter().zip(out) {
                        *out = dot(&entry[0], &a) + dot(&entry[1], &b);
                    }
                }
                [] => out.fill(0.0),
                ref many => {
                    for (entry, out) in entries.chunks_exact(many.len()).zip(out) {
                        let terms = entry.iter().zip(many);
                        *out = terms
                            .map(|(entry, body)| dot(entry, &z[*body as usize]))
                            .sum();
                    }
                }
            }
        }
    }

    /// out −= J̃ᵀx.
    pub(crate) fn subtract_transposed(&self, x: &[f64], out: &mut [[f64; 6]]) {
        for link in &self.links {
            let x = &x[link.rows.clone()];
            let entries = self.entries(link);
            match *self.bodies_of(link) {
                [a] => {
                    let mut sum = out[a as usize];
                    for (entry, x) in entries.iter().zip(x) {
                        subtract(*x, entry, &mut sum);
                    }
                    out[a as usize] = sum;
                }
                [a, b] => {
                    let (mut sum, mut other) = (out[a as usize], out[b as usize]);
                    for (entry, x) in entries.as_chunks::<2>().0.iter().zip(x) {
                        subtract(*x, &entry[0], &mut sum);
                        subtract(*x, &entry[1], &mut other);
                    }
                    (out[a as usize], out[b as usize]) = (sum, other);
                }
                [] => {}
                ref many => {
                    for (entry, x) in entries.chunks_exact(many.len()).zip(x) {
                        for (entry, body) in entry.iter().zip(many) {
                            subtract(*x, entry, &mut out[*body as usize]);
                        }
                    }
                }
            }
        }
    }
}

impl Rows {
    /// J̃z of one row.
    pub(crate) fn velocity(&self, link: &Link, row: usize, z: &[[f64; 6]]) -> f64 {
        let bodies = self.bodies_of(link);
        let entries = &self.entries(link)[(row - link.rows.start) * bodies.len()..];
        let terms = entries.iter().zip(bodies);
        terms
            .map(|(entry, body)| dot(entry, &z[*body as usize]))
            .sum()
    }

    /// z += J̃ᵀ of one row times `change`.
    pub(crate) fn push(&self, link: &Link, row: usize, change: f64, z: &mut [[f64; 6]]) {
        let bodies = self.bodies_of(link);
        let entries = &self.entries(link)[(row - link.rows.start) * bodies.len()..];
        for (entry, body) in entries.iter().zip(bodies) {
            subtract(-change, entry, &mut z[*body as usize]);
        }
    }
}

/// Numbers the bodies of a graph: given their count and the bodies of every link, the place of
/// each.
pub(crate) type Order<'a> = &'a dyn Fn(usize, &mut dyn Iterator<Item = &[u32]>) -> Vec<u32>;

#[inline(always)]
fn dot(a: &[f64; 6], b: &[f64; 6]) -> f64 {
    (a[0] * b[0] + a[1] * b[1]) + (a[2] * b[2] + a[3] * b[3]) + (a[4] * b[4] + a[5] * b[5])
}

#[inline(always)]
fn subtract(factor: f64, entry: &[f64; 6], sum: &mut [f64; 6]) {
    for axis in 0..6 {
        sum[axis] -= factor * entry[axis];
    }
}

/// S of one body: a diagonal for the linear axes, a lower triangle for the angular ones.
#[derive(Debug, Clone, Copy)]
struct Root {
    linear: [f64; 3],
    angular: Matrix3<f64>,
}

impl Root {
    fn new(mass: &MassProperties) -> Self {
        Self {
            linear: [0, 1, 2].map(|axis| mass.inverse_mass[axis].sqrt()),
            angular: root(&mass.inverse_inertia),
        }
    }

    /// Sᵀ times a Jacobian entry.
    fn times(&self, entry: &[f64; 6]) -> [f64; 6] {
        let mut out = [0.0; 6];
        for axis in 0..3 {
            out[axis] = self.linear[axis] * entry[axis];
            for i in axis..3 {
                out[3 + axis] += self.angular[(i, axis)] * entry[3 + i];
            }
        }
        out
    }
}

/// L with LLᵀ = W for a positive semi-definite W; columns of axes that W does not move are zero.
fn root(w: &Matrix3<f64>) -> Matrix3<f64> {
    let mut l = Matrix3::zeros();
    for j in 0..3 {
        let known: f64 = (0..j).map(|k| l[(j, k)] * l[(j, k)]).sum();
        let pivot = w[(j, j)] - known;
        if pivot <= LOCKED * w[(j, j)] {
            continue;
        }
        let pivot = pivot.sqrt();
        l[(j, j)] = pivot;
        for i in j + 1..3 {
            let known: f64 = (0..j).map(|k| l[(i, k)] * l[(j, k)]).sum();
            l[(i, j)] = (w[(i, j)] - known) / pivot;
        }
    }
    l
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_reproduce_singular_inertias() {
        let full = Matrix3::new(4.0, 1.0, 0.5, 1.0, 3.0, -0.2, 0.5, -0.2, 2.0);
        let axis = nalgebra::Vector3::new(1.0, 2.0, -1.0);
        let lines = [
            full,
            axis * axis.transpose(),
            Matrix3::from_diagonal(&nalgebra::Vector3::new(0.0, 2.0, 0.0)),
        ];
        for w in lines {
            let l = root(&w);
            assert!((l * l.transpose() - w).amax() < 1e-14, "{w}");
        }
    }
}
