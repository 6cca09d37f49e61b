//! H = 1 + J̃ᵀGJ̃, written straight to where the factorization wants it (Z.7).

use super::add;
use super::factor::Block;
use crate::rows::{Link, Rows};
use crate::sets::{Set, Sets, Slopes};

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

    /// Adds J̃ᵀGJ̃; the upper triangle too, unless the slopes are taken as symmetric.
    pub(crate) fn add(
        &mut self,
        rows: &Rows,
        sets: &Sets,
        (slopes, symmetric): (&Slopes, bool),
        (lower, upper): (&mut [Block], &mut [Block]),
    ) {
        for (index, link) in rows.links.iter().enumerate() {
            let bodies = rows.bodies_of(link).len();
            let (entries, first) = (rows.entries(link), self.first[index]);
            match bodies {
                0 => {}
                1 => self.add_one(
                    link,
                    entries,
                    (sets, slopes),
                    &mut lower[self.list[first].0],
                ),
                _ => self.add_many(
                    link,
                    (entries, bodies),
                    (sets, slopes, symmetric),
                    (first, lower, upper),
                ),
            }
        }
    }

    fn add_one(
        &mut self,
        link: &Link,
        entries: &[[f64; 6]],
        (sets, slopes): (&Sets, &Slopes),
        target: &mut Block,
    ) {
        let mut sum = [0.0; 36];
        let mut at = 0;
        for set in &sets.list[link.blocks.clone()] {
            let entries = &entries[at..at + set.dim];
            at += set.dim;
            if !self.multiply(set, slopes, entries, 1) {
                continue;
            }
            for (entry, product) in entries.iter().zip(&self.product) {
                add_outer(entry, product, &mut sum);
            }
        }
        add(&sum, target);
    }

    fn add_many(
        &mut self,
        link: &Link,
        (entries, bodies): (&[[f64; 6]], usize),
        (sets, slopes, symmetric): (&Sets, &Slopes, bool),
        (first, lower, upper): (usize, &mut [Block], &mut [Block]),
    ) {
        let mut at = 0;
        for set in &sets.list[link.blocks.clone()] {
            let entries = &entries[at..at + set.dim * bodies];
            at += set.dim * bodies;
            if !self.multiply(set, slopes, entries, bodies) {
                continue;
            }
            let mut pair = first;
            for a in 0..bodies {
                for b in 0..=a {
                    let (place, swapped) = self.list[pair];
                    pair += 1;
                    let (row, column) = if swapped { (b, a) } else { (a, b) };
                    let target = &mut lower[place];
                    for i in 0..set.dim {
                        let (left, right) = (&entries[i * bodies..], &self.product[i * bodies..]);
                        add_outer(&left[row], &right[column], target);
                    }
                    if !symmetric && a != b {
                        let target = &mut upper[place];
                        for i in 0..set.dim {
                            let (left, right) =
                                (&self.product[i * bodies..], &entries[i * bodies..]);
                            add_outer(&left[row], &right[column], target);
                        }
                    }
                }
            }
        }
    }

    /// GJ̃ of one block into `product`; false if G is zero.
    fn multiply(
        &mut self,
        set: &Set,
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
