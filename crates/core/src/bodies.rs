//! Problems given by bodies and Jacobians: the matrix-free operator.

use std::ops::Range;

use nalgebra::{Matrix3, Vector3};

use crate::finite::are_small;
use crate::jacobian::Jacobian;
use crate::law::Block;

/// Number of blocks whose Jacobians are read in one pass. Three rows between two bodies take 288
/// bytes.
const CHUNK: usize = 32;

/// A row counts as locked if all impulses together change its velocity by less than this fraction
/// of its bodies' velocities \[-\].
pub(crate) const LOCKED: f64 = 1e-12;

/// Returns true if an impulse on a row moves at least one of its bodies. `row` has one entry per
/// body.
pub fn moves<'m>(
    bodies: impl Iterator<Item = &'m MassProperties> + Clone,
    row: &[[f64; 6]],
) -> bool {
    let pushes = |(mass, entry): (&MassProperties, &[f64; 6])| {
        mass.inverse_mass.min() > 0.0 && entry[..3] != [0.0; 3]
    };
    if bodies.clone().zip(row).any(pushes) {
        return true;
    }
    let (mut diagonal, mut scale) = (0.0, 0.0);
    for (mass, entry) in bodies.zip(row) {
        let moved = mass.apply_inverse(entry);
        for axis in 0..3 {
            diagonal += moved[axis] * entry[axis] + moved[axis + 3] * entry[axis + 3];
            scale += mass.inverse_mass.max() * entry[axis] * entry[axis];
            scale += mass.inverse_inertia.trace() * entry[axis + 3] * entry[axis + 3];
        }
    }
    diagonal > LOCKED * scale
}

/// Inverse mass and inverse inertia of one body, in world axes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MassProperties {
    /// Inverse mass per world axis \[1/kg\]; zero for an axis along which no impulse moves the
    /// body.
    pub inverse_mass: Vector3<f64>,
    /// Inverse inertia at the centre of mass, world axes \[1/(kg·m²)\]; symmetric positive
    /// semi-definite.
    pub inverse_inertia: Matrix3<f64>,
}

impl MassProperties {
    /// Mass properties of a static or kinematic body, which no impulse moves.
    #[inline]
    pub fn immovable() -> Self {
        Self {
            inverse_mass: Vector3::zeros(),
            inverse_inertia: Matrix3::zeros(),
        }
    }

    /// Mass properties of a body with `mass` \[kg\] and the principal moments `inertia` \[kg·m²\]
    /// along the world axes.
    pub fn aligned(mass: f64, inertia: Vector3<f64>) -> Self {
        Self {
            inverse_mass: Vector3::repeat(1.0 / mass),
            inverse_inertia: Matrix3::from_diagonal(&inertia.map(|i| 1.0 / i)),
        }
    }

    /// True if no impulse moves the body.
    #[inline]
    pub fn is_immovable(&self) -> bool {
        // most bodies move, and the first number says so
        self.inverse_mass.x == 0.0
            && self.inverse_mass == Vector3::zeros()
            && self.inverse_inertia == Matrix3::zeros()
    }

    /// Returns M⁻¹x for this body; `x` and the result are linear, then angular.
    #[inline]
    pub fn apply_inverse(&self, x: &[f64; 6]) -> [f64; 6] {
        let angular = self.inverse_inertia * Vector3::new(x[3], x[4], x[5]);
        [
            self.inverse_mass.x * x[0],
            self.inverse_mass.y * x[1],
            self.inverse_mass.z * x[2],
            angular.x,
            angular.y,
            angular.z,
        ]
    }
}

/// Bodies and row Jacobians; A = J M⁻¹ Jᵀ is never formed.
///
/// A block touches a body if its rows have Jacobian entries for this body. It may touch any number
/// of different bodies (a gear or a pulley touches three or more). The Jacobian entries of a row
/// are contiguous: entry `j` of local row `i` of block `c`, which touches `k` bodies, is
/// `jacobian[first_entry[c] + i·k + j]` and belongs to body `block_bodies[first_body[c] + j]`.
#[derive(Debug, Clone, PartialEq)]
pub struct BodyRows {
    /// Inverse mass and inverse inertia of every body \[1/kg, 1/(kg·m²)\], in world axes; zero for
    /// a body that no impulse moves.
    pub mass: Vec<MassProperties>,
    /// v_f, 6 per body: linear \[m/s\] then angular \[rad/s\], at the centre of mass in world axes.
    pub free_velocity: Vec<f64>,
    /// Offsets into `block_bodies`, one per block and one past the end.
    pub first_body: Vec<usize>,
    /// Bodies that each block touches.
    pub block_bodies: Vec<u32>,
    /// Offsets into `jacobian`, one per block and one past the end.
    pub first_entry: Vec<usize>,
    /// Row Jacobians: three linear numbers \[-\], then three angular ones \[m\]. In rows that
    /// measure an angle, the units are \[1/m\] and \[-\].
    pub jacobian: Jacobian,
}

impl BodyRows {
    /// Number of bodies.
    pub fn len(&self) -> usize {
        self.mass.len()
    }

    /// True if there is no body.
    pub fn is_empty(&self) -> bool {
        self.mass.is_empty()
    }

    /// The bodies that block `block` touches.
    #[inline]
    pub fn bodies_of(&self, block: usize) -> &[u32] {
        &self.block_bodies[self.first_body[block]..self.first_body[block + 1]]
    }

    /// The Jacobian entries of local row `row` of block `block`, in the order of
    /// [`Self::bodies_of`].
    #[inline]
    pub fn row(&self, block: usize, row: usize) -> &[[f64; 6]] {
        let bodies = self.first_body[block + 1] - self.first_body[block];
        let first = self.first_entry[block] + row * bodies;
        &self.jacobian[first..first + bodies]
    }

    /// Returns the entry of local row `row` of block `block` for the body with local index `side`.
    #[inline]
    pub fn entry(&self, block: usize, row: usize, side: usize) -> [f64; 6] {
        match self.jacobian.point(block) {
            Some(point) => point.row(row)[side],
            None => self.row(block, row)[side],
        }
    }

    /// out += Jᵀ x. `x` has one entry per row, `out` six per body \[N·s, N·m·s\].
    pub fn add_transposed(&self, blocks: &[Block], x: &[f64], out: &mut [f64]) {
        self.add_transposed_of(blocks, 0..blocks.len(), x, out);
    }

    /// out += Jᵀ x, summed over the rows of the blocks `some` only. `blocks`, `x` and `out` are
    /// those of the whole problem.
    pub fn add_transposed_of(
        &self,
        blocks: &[Block],
        some: Range<usize>,
        x: &[f64],
        out: &mut [f64],
    ) {
        let Range { start, end } = some;
        let mut first = start;
        while first < end {
            if let [a, b] = *self.bodies_of(first) {
                let same = |block: &usize| *self.bodies_of(*block) == [a, b];
                let last = (first + 1..end).find(|block| !same(block));
                let last = last.unwrap_or(end);
                let rows = blocks[first].first_row..blocks[last - 1].rows().end;
                let entries = self.first_entry[first]..self.first_entry[last];
                self.add_pair([a, b], &self.jacobian[entries], &x[rows], out);
                first = last;
                continue;
            }
            let block = &blocks[first];
            for local in 0..block.dim {
                let factor = x[block.first_row + local];
                for (entry, body) in self.row(first, local).iter().zip(self.bodies_of(first)) {
                    let target = &mut out[6 * *body as usize..][..6];
                    for axis in 0..6 {
                        target[axis] += entry[axis] * factor;
                    }
                }
            }
            first += 1;
        }
    }

    /// The rows of blocks that follow each other between the same two bodies, in the order of the
    /// rows; the sums of both bodies stay in registers.
    fn add_pair(&self, pair: [u32; 2], jacobian: &[[f64; 6]], x: &[f64], out: &mut [f64]) {
        let bodies = out.as_chunks_mut::<6>().0;
        let [a, b] = pair.map(|body| body as usize);
        let (mut sum_a, mut sum_b) = (bodies[a], bodies[b]);
        for ([one, other], factor) in jacobian.as_chunks::<2>().0.iter().zip(x) {
            for axis in 0..6 {
                sum_a[axis] += one[axis] * factor;
                sum_b[axis] += other[axis] * factor;
            }
        }
        (bodies[a], bodies[b]) = (sum_a, sum_b);
    }

    /// out = J v. `v` has six entries per body, `out` one per row \[m/s | rad/s\].
    pub fn multiply(&self, blocks: &[Block], v: &[f64], out: &mut [f64]) {
        let bodies = v.as_chunks::<6>().0;
        for (index, block) in blocks.iter().enumerate() {
            if let [a, b] = *self.bodies_of(index) {
                // nearly every block: its velocities are read once
                let (a, b) = (bodies[a as usize], bodies[b as usize]);
                let first = self.first_entry[index];
                let rows = self.jacobian[first..first + 2 * block.dim].as_chunks::<2>();
                for (row, out) in rows.0.iter().zip(&mut out[block.rows()]) {
                    *out = 0.0 + dot(&row[0], &a) + dot(&row[1], &b);
                }
                continue;
            }
            for local in 0..block.dim {
                let mut sum = 0.0;
                for (entry, body) in self.row(index, local).iter().zip(self.bodies_of(index)) {
                    sum += dot(entry, &v[6 * *body as usize..]);
                }
                out[block.first_row + local] = sum;
            }
        }
    }

    /// x ← M⁻¹ x, 6 per body.
    pub fn apply_inverse_mass(&self, x: &mut [f64]) {
        for (mass, chunk) in self.mass.iter().zip(x.chunks_exact_mut(6)) {
            let mut wrench = [0.0; 6];
            wrench.copy_from_slice(chunk);
            chunk.copy_from_slice(&mass.apply_inverse(&wrench));
        }
    }

    /// Computes the diagonal of A, one number per row, and returns true if all entries of J are
    /// small ([`are_small`]). Both are done in one pass, while the entries are in the first-level
    /// cache.
    pub(crate) fn diagonal(&self, blocks: &[Block], out: &mut Vec<f64>) -> bool {
        out.clear();
        out.reserve(blocks.iter().map(|b| b.dim).sum());
        if self.jacobian.has_points() {
            (0..blocks.len()).for_each(|block| self.diagonal_of_point(block, out));
            return self.jacobian.has_small_points();
        }
        let mut small = true;
        for (chunk, first) in blocks.chunks(CHUNK).zip((0..).step_by(CHUNK)) {
            let [begin, end] = [first, first + chunk.len()].map(|block| self.first_entry[block]);
            small &= are_small(self.jacobian[begin..end].as_flattened());
            for (index, block) in (first..).zip(chunk) {
                self.diagonal_of(index, block.dim, out);
            }
        }
        small
    }

    /// Appends the diagonal entries of a contact point, whose rows are not stored.
    fn diagonal_of_point(&self, block: usize, out: &mut Vec<f64>) {
        let (Some(point), [a, b]) = (self.jacobian.point(block), self.bodies_of(block)) else {
            return;
        };
        let [a, b] = [*a, *b].map(|body| &self.mass[body as usize]);
        out.extend([0, 1, 2].map(|row| {
            let [one, other] = point.row(row);
            dot(&one, &a.apply_inverse(&one)) + dot(&other, &b.apply_inverse(&other))
        }));
    }

    /// Appends the diagonal entries of one block.
    fn diagonal_of(&self, index: usize, dim: usize, out: &mut Vec<f64>) {
        if let [a, b] = *self.bodies_of(index) {
            // nearly every block: its masses are looked up once
            let [a, b] = [a, b].map(|body| &self.mass[body as usize]);
            let first = self.first_entry[index];
            let rows = self.jacobian[first..first + 2 * dim].as_chunks::<2>().0;
            let of_row = |[one, other]: &[[f64; 6]; 2]| {
                dot(one, &a.apply_inverse(one)) + dot(other, &b.apply_inverse(other))
            };
            out.extend(rows.iter().map(of_row));
            return;
        }
        out.extend((0..dim).map(|local| self.coupling(index, local, local)));
    }

    /// A_cc of block `block`, row-major.
    pub(crate) fn diagonal_block(&self, block: usize, dim: usize, out: &mut [f64]) {
        if let ([a, b], 1..=3) = (self.bodies_of(block), dim) {
            let masses = [*a, *b].map(|body| &self.mass[body as usize]);
            self.diagonal_of_pair(block, masses, dim, out);
            return;
        }
        for i in 0..dim {
            for j in 0..=i {
                let value = self.coupling(block, i, j);
                out[i * dim + j] = value;
                out[j * dim + i] = value;
            }
        }
    }

    /// As [`Self::diagonal_block`], for a block of at most three rows between two bodies. M⁻¹Jᵀ is
    /// computed once per row.
    fn diagonal_of_pair(
        &self,
        block: usize,
        [a, b]: [&MassProperties; 2],
        dim: usize,
        out: &mut [f64],
    ) {
        let mut rows = [[[0.0; 6]; 2]; 3];
        match self.jacobian.point(block) {
            Some(point) => rows = [point.row(0), point.row(1), point.row(2)],
            None => {
                let first = self.first_entry[block];
                let entries = self.jacobian[first..first + 2 * dim].as_chunks::<2>().0;
                rows[..dim].copy_from_slice(entries);
            }
        }
        let moved = rows.map(|[one, other]| [a.apply_inverse(&one), b.apply_inverse(&other)]);
        for i in 0..dim {
            for j in 0..=i {
                let sides = [0, 1].map(|side| dot(&rows[i][side], &moved[j][side]));
                let value = sides.into_iter().sum();
                out[i * dim + j] = value;
                out[j * dim + i] = value;
            }
        }
    }

    /// A between two local rows of the same block.
    fn coupling(&self, block: usize, i: usize, j: usize) -> f64 {
        let pairs = self.row(block, i).iter().zip(self.row(block, j));
        pairs
            .zip(self.bodies_of(block))
            .map(|((a, b), body)| dot(a, &self.mass[*body as usize].apply_inverse(b)))
            .sum()
    }

    /// Total mass of the bodies that can move along at least one axis \[kg\].
    pub fn movable_mass(&self) -> f64 {
        self.mass
            .iter()
            .filter(|m| m.inverse_mass.max() > 0.0)
            .map(|m| 1.0 / m.inverse_mass.max())
            .sum()
    }
}

#[inline]
fn dot(a: &[f64; 6], b: &[f64]) -> f64 {
    let b = &b[..6];
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5]
}
