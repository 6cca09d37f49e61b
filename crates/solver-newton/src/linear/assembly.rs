//! H = 1 + J̃ᵀGJ̃, written in the storage of the factorization (Z.7).

use super::add;
use super::factor::{Block, Triangles};
use crate::rows::Rows;
use crate::sets::{BlockSet, Sets, Slopes};

/// Where the blocks of every link are.
#[derive(Debug, Clone)]
pub(crate) struct Places {
    /// Of every link, pair by pair of its bodies (i ≥ j): place of the block, and true if body j
    /// has the larger number.
    list: Vec<(usize, bool)>,
    /// First of a link.
    first: Vec<usize>,
    /// G J̃ of one block.
    product: Vec<[f64; 6]>,
}

/// The rows of a link: the blocks with slopes G, and J̃ over its bodies.
struct LinkRows<'a> {
    sets: &'a [BlockSet],
    slopes: &'a Slopes,
    entries: &'a [[f64; 6]],
    bodies: usize,
}

impl Places {
    /// `find` says where the block of the bodies a ≥ b of a link is, given all bodies of the link.
    pub(crate) fn new(
        rows: &Rows,
        sets: &Sets,
        find: impl Fn(&[u32], (u32, u32)) -> usize,
    ) -> Self {
        let mut places = Self {
            list: Vec::new(),
            first: Vec::with_capacity(rows.links.len()),
            product: Vec::new(),
        };
        let mut largest = 0;
        for link in &rows.links {
            places.first.push(places.list.len());
            let bodies = rows.bodies_of(link);
            for (i, a) in bodies.iter().enumerate() {
                for b in &bodies[..=i] {
                    let at = find(bodies, (*a.max(b), *a.min(b)));
                    places.list.push((at, b > a));
                }
            }
            for set in &sets.list[link.blocks.clone()] {
                largest = largest.max(set.dim * bodies.len());
            }
        }
        places.product = vec![[0.0; 6]; largest];
        places
    }

    /// Adds J̃ᵀGJ̃.
    pub(crate) fn add(
        &mut self,
        rows: &Rows,
        sets: &Sets,
        slopes: &Slopes,
        mut target: Triangles<'_>,
    ) {
        for (index, link) in rows.links.iter().enumerate() {
            let part = LinkRows {
                sets: &sets.list[link.blocks.clone()],
                slopes,
                entries: rows.entries(link),
                bodies: rows.bodies_of(link).len(),
            };
            let first = self.first[index];
            match part.bodies {
                0 => {}
                1 => self.add_one(&part, &mut target.lower[self.list[first].0]),
                _ => self.add_many(&part, first, &mut target),
            }
        }
    }

    fn add_one(&mut self, part: &LinkRows<'_>, target: &mut Block) {
        let mut sum = [0.0; 36];
        let mut at = 0;
        for set in part.sets {
            let entries = &part.entries[at..at + set.dim];
            at += set.dim;
            if !self.multiply(set, part.slopes, entries, 1) {
                continue;
            }
            for (entry, product) in entries.iter().zip(&self.product) {
                add_outer(entry, product, &mut sum);
            }
        }
        add(&sum, target);
    }

    fn add_many(&mut self, part: &LinkRows<'_>, first: usize, target: &mut Triangles<'_>) {
        let bodies = part.bodies;
        let mut at = 0;
        for set in part.sets {
            let entries = &part.entries[at..at + set.dim * bodies];
            at += set.dim * bodies;
            if !self.multiply(set, part.slopes, entries, bodies) {
                continue;
            }
            let mut pair = first;
            for a in 0..bodies {
                for b in 0..=a {
                    let (place, swapped) = self.list[pair];
                    pair += 1;
                    let (row, column) = if swapped { (b, a) } else { (a, b) };
                    let block = &mut target.lower[place];
                    for i in 0..set.dim {
                        let (left, right) = (&entries[i * bodies..], &self.product[i * bodies..]);
                        add_outer(&left[row], &right[column], block);
                    }
                    if let (Some(upper), true) = (&mut target.upper, a != b) {
                        let block = &mut upper[place];
                        for i in 0..set.dim {
                            let (left, right) =
                                (&self.product[i * bodies..], &entries[i * bodies..]);
                            add_outer(&left[row], &right[column], block);
                        }
                    }
                }
            }
        }
    }

    /// GJ̃ of one block into `product`; false if G is zero.
    fn multiply(
        &mut self,
        set: &BlockSet,
        slopes: &Slopes,
        entries: &[[f64; 6]],
        bodies: usize,
    ) -> bool {
        let dim = set.dim;
        let out = &mut self.product[..dim * bodies];
        if set.is_diagonal() {
            let slope = &slopes.values[set.slope..set.slope + dim];
            for (i, g) in slope.iter().enumerate() {
                for j in i * bodies..(i + 1) * bodies {
                    out[j] = entries[j].map(|e| g * e);
                }
            }
            return slope.iter().any(|g| *g != 0.0);
        }
        let slope = &slopes.values[set.slope..set.slope + dim * dim];
        if slope.iter().all(|g| *g == 0.0) {
            return false;
        }
        out.fill([0.0; 6]);
        for (i, row) in slope.chunks_exact(dim).enumerate() {
            for (k, g) in row.iter().enumerate().filter(|(_, g)| **g != 0.0) {
                for j in 0..bodies {
                    for axis in 0..6 {
                        out[i * bodies + j][axis] += g * entries[k * bodies + j][axis];
                    }
                }
            }
        }
        true
    }
}

/// C += abᵀ.
#[inline(always)]
fn add_outer(a: &[f64; 6], b: &[f64; 6], c: &mut Block) {
    for column in 0..6 {
        for i in 0..6 {
            c[6 * column + i] += a[i] * b[column];
        }
    }
}
