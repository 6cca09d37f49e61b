//! Bundles of joints that hold a point, with `K` rows of rotation beside it: ball joint, universal joint, hinge, weld.
//! One joint per lane, solved as a block.
//!
//! Layout of a bundle of `N` lanes, arrays of `N` numbers in this order, all in world axes; `T = K (K + 1) / 2`:
//!
//! ```text
//! JointBundle<N, K, T>
//!   bodies[2]       index A, index B        point[6]       ┐ W⁻¹, symmetric: point with point,
//!   arm[2][3]       r_A, r_B                cross[K][3]    │ rotations with point,
//!   inertia[2][6]   1/(kg·m²)               turning[T]     ┘ rotations with each other
//!   mass[2]         1/kg                    bias[3], bias_turning[K]
//!   axes[K][3]      rotations               impulse[3], impulse_turning[K]
//! beside it, if some row is soft: Softness<N, K>, R in world axes
//! ```
//!
//! The three rows of the point may have any frame: W⁻¹, b, R and λ are turned into the world's axes when they are
//! packed, λ back when it is read, so that a sweep needs no frame (W.10). Measured on `joint-grid`, n = 100, AVX2, against
//! the rows of the block: 136 bytes per joint against 308, 3.7 ns against 6.5; hinges on a lattice 216 against 452 and 4.3
//! against 10.1, welds 256 against 597 and 5.0 against 10.6 (minima, shared machine), so that the arms are what `recompute`
//! stores in a cache and out of it.
//!
//! Theory: docs/theory/14-wide.md.

use delassus_core::{BodyRows, MassProperties, Problem, Refresh, Traffic};
use delassus_structure::geometry::{FIXED, pair};
use delassus_structure::joints::{PointJoint, into_world, point_joint};

use super::manifold::{EMPTY, filled, gathered};
use super::numbers::three;
use super::velocities::single;
use crate::small::{invert, invert_definite};

/// `N` joints.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct JointBundle<const N: usize, const K: usize, const T: usize> {
    pub(crate) bodies: [[u32; N]; 2],
    pub(crate) arm: [[[f32; N]; 3]; 2],
    pub(crate) inertia: [[[f32; N]; 6]; 2],
    pub(crate) mass: [[f32; N]; 2],
    pub(crate) axes: [[[f32; N]; 3]; K],
    pub(crate) point: [[f32; N]; 6],
    pub(crate) cross: [[[f32; N]; 3]; K],
    pub(crate) turning: [[f32; N]; T],
    pub(crate) bias: [[f32; N]; 3],
    pub(crate) bias_turning: [[f32; N]; K],
    pub(crate) impulse: [[f32; N]; 3],
    pub(crate) impulse_turning: [[f32; N]; K],
}

/// R of `N` joints: of the point xx, xy, xz, yy, yz, zz; of the rotations.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub(crate) struct Softness<const N: usize, const K: usize> {
    pub(crate) point: [[f32; N]; 6],
    pub(crate) turning: [[f32; N]; K],
}

/// The joints of one kind in one colour.
#[derive(Debug, Clone)]
pub(crate) struct Joints<const N: usize, const K: usize, const T: usize> {
    pub(crate) bundles: Vec<JointBundle<N, K, T>>,
    /// Empty if no row is soft.
    pub(crate) softness: Vec<Softness<N, K>>,
    /// Block of every lane; [`EMPTY`] for none.
    pub(crate) blocks: Vec<[u32; N]>,
    /// Directions of the rows of the point, one per lane.
    frames: Vec<[[f64; 3]; 3]>,
    /// A_cc of every lane, row-major, from which W⁻¹ follows when the compliance changes.
    matrices: Vec<f64>,
}

/// Where the entry (i, j), i ≤ j, of a symmetric matrix of `n` rows is.
#[inline(always)]
pub(crate) const fn packed(n: usize, i: usize, j: usize) -> usize {
    i * (2 * n - i - 1) / 2 + j
}

impl<const N: usize, const K: usize, const T: usize> JointBundle<N, K, T> {
    fn empty(world: u32) -> Self {
        Self {
            bodies: [[world | FIXED; N]; 2],
            arm: [[[0.0; N]; 3]; 2],
            inertia: [[[0.0; N]; 6]; 2],
            mass: [[0.0; N]; 2],
            axes: [[[0.0; N]; 3]; K],
            point: [[0.0; N]; 6],
            cross: [[[0.0; N]; 3]; K],
            turning: [[0.0; N]; T],
            bias: [[0.0; N]; 3],
            bias_turning: [[0.0; N]; K],
            impulse: [[0.0; N]; 3],
            impulse_turning: [[0.0; N]; K],
        }
    }

    fn pack(&mut self, lane: usize, bodies: &BodyRows, block: usize, joint: &PointJoint) {
        let Some(pair) = pair(bodies, block) else {
            return;
        };
        let none = MassProperties::immovable();
        for side in 0..2 {
            self.bodies[side][lane] = pair.slots[side];
            let mass = pair.mass[side].unwrap_or(&none);
            self.mass[side][lane] = single(mass.inverse_mass.x);
            for axis in 0..3 {
                self.arm[side][axis][lane] = single(joint.arms[side][axis]);
                for other in axis..3 {
                    let inertia = mass.inverse_inertia[(axis, other)];
                    self.inertia[side][packed(3, axis, other)][lane] = single(inertia);
                }
            }
        }
        for (to, from) in self.axes.iter_mut().zip(&joint.axes) {
            for axis in 0..3 {
                to[axis][lane] = single(from[axis]);
            }
        }
    }

    fn pack_impulses(&mut self, lane: usize, frame: &[[f64; 3]; 3], impulses: &[f64]) {
        let point = into_world(frame, three(impulses, 0));
        for axis in 0..3 {
            self.impulse[axis][lane] = single(point[axis]);
        }
        for (to, impulse) in self.impulse_turning.iter_mut().zip(&impulses[3..]) {
            to[lane] = single(*impulse);
        }
    }

    fn pack_bias(&mut self, lane: usize, frame: &[[f64; 3]; 3], bias: &[f64]) {
        let point = into_world(frame, three(bias, 0));
        for axis in 0..3 {
            self.bias[axis][lane] = single(point[axis]);
        }
        for (to, bias) in self.bias_turning.iter_mut().zip(&bias[3..]) {
            to[lane] = single(*bias);
        }
    }

    /// Takes over W⁻¹, row-major; zero holds the joint.
    fn pack_inverse(&mut self, lane: usize, frame: &[[f64; 3]; 3], inverse: &[f64]) {
        let dim = 3 + K;
        // elimination leaves rounding between the two halves
        let entry = |i: usize, j: usize| 0.5 * (inverse[i * dim + j] + inverse[j * dim + i]);
        let own = [0, 1, 2].map(|i| [0, 1, 2].map(|j| entry(i, j)));
        for (to, value) in self.point.iter_mut().zip(turned(frame, &own)) {
            to[lane] = single(value);
        }
        for row in 0..K {
            let coupling = into_world(frame, [0, 1, 2].map(|axis| entry(axis, 3 + row)));
            for axis in 0..3 {
                self.cross[row][axis][lane] = single(coupling[axis]);
            }
            for other in row..K {
                let value = entry(3 + row, 3 + other);
                self.turning[packed(K, row, other)][lane] = single(value);
            }
        }
    }
}

impl<const N: usize, const K: usize> Softness<N, K> {
    const RIGID: Self = Self {
        point: [[0.0; N]; 6],
        turning: [[0.0; N]; K],
    };

    fn pack(&mut self, lane: usize, frame: &[[f64; 3]; 3], compliance: &[f64]) {
        let mut own = [[0.0; 3]; 3];
        for axis in 0..3 {
            own[axis][axis] = compliance[axis];
        }
        for (to, value) in self.point.iter_mut().zip(turned(frame, &own)) {
            to[lane] = single(value);
        }
        for (to, compliance) in self.turning.iter_mut().zip(&compliance[3..]) {
            to[lane] = single(*compliance);
        }
    }
}

/// W = A_cc + R_cc, row-major.
fn soften(matrix: &[f64], compliance: &[f64], out: &mut Vec<f64>) {
    out.clear();
    out.extend_from_slice(matrix);
    let dim = compliance.len();
    for (row, compliance) in compliance.iter().enumerate() {
        out[row * dim + row] += compliance;
    }
}

/// A symmetric matrix in the axes of a frame, turned into the world's: xx, xy, xz, yy, yz, zz.
fn turned(frame: &[[f64; 3]; 3], own: &[[f64; 3]; 3]) -> [f64; 6] {
    // columns of the frame's matrix times a column of M, twice
    let half = own.map(|row| into_world(frame, row));
    let column = |axis: usize| into_world(frame, [half[0][axis], half[1][axis], half[2][axis]]);
    let [x, y, z] = [column(0), column(1), column(2)];
    [x[0], x[1], x[2], y[1], y[2], z[2]]
}

impl<const N: usize, const K: usize, const T: usize> Joints<N, K, T> {
    pub(crate) fn new() -> Self {
        Self {
            bundles: Vec::new(),
            softness: Vec::new(),
            blocks: Vec::new(),
            frames: Vec::new(),
            matrices: Vec::new(),
        }
    }

    /// Room for one lane per block.
    pub(crate) fn assign(&mut self, world: u32, blocks: &[u32]) {
        let bundles = blocks.len().div_ceil(N);
        self.bundles.clear();
        self.bundles.resize(bundles, JointBundle::empty(world));
        self.softness.clear();
        self.frames.clear();
        self.frames.resize(bundles * N, [[0.0; 3]; 3]);
        self.matrices.clear();
        self.matrices.resize(bundles * N * (3 + K) * (3 + K), 0.0);
        self.blocks.clear();
        for chunk in blocks.chunks(N) {
            let mut lanes = [EMPTY; N];
            lanes[..chunk.len()].copy_from_slice(chunk);
            self.blocks.push(lanes);
        }
    }

    /// Writes everything; false if a block is no longer what the plan says.
    pub(crate) fn pack(
        &mut self,
        problem: &Problem,
        bodies: &BodyRows,
        impulses: &[f64],
        work: &mut Vec<f64>,
    ) -> bool {
        let dim = 3 + K;
        let mut fits = true;
        for (index, lanes) in self.blocks.iter().enumerate() {
            let bundle = &mut self.bundles[index];
            for (lane, block) in filled(lanes) {
                let joint = point_joint(problem, bodies, block);
                let Some(joint) = joint.filter(|joint| joint.turning == K) else {
                    fits = false;
                    continue;
                };
                let at = index * N + lane;
                self.frames[at] = joint.frame;
                bundle.pack(lane, bodies, block, &joint);
                let rows = problem.blocks()[block].rows();
                bundle.pack_impulses(lane, &joint.frame, &impulses[rows]);
                let matrix = &mut self.matrices[at * dim * dim..(at + 1) * dim * dim];
                problem.diagonal_block(block, matrix);
            }
        }
        if fits {
            self.refresh_bias(problem);
            fits = self.refresh_numbers(problem, work);
        }
        fits
    }

    /// Takes over what changed.
    pub(crate) fn refresh(&mut self, problem: &Problem, what: Refresh, work: &mut Vec<f64>) {
        if what.bias {
            self.refresh_bias(problem);
        }
        if what.compliance || what.activity {
            self.refresh_numbers(problem, work);
        }
    }

    fn refresh_bias(&mut self, problem: &Problem) {
        for (index, (bundle, lanes)) in self.bundles.iter_mut().zip(&self.blocks).enumerate() {
            for (lane, block) in filled(lanes) {
                let bias = &problem.bias()[problem.blocks()[block].rows()];
                bundle.pack_bias(lane, &self.frames[index * N + lane], bias);
            }
        }
    }

    /// Takes over compliance and activity; false if a block is singular, which then moves nothing.
    fn refresh_numbers(&mut self, problem: &Problem, work: &mut Vec<f64>) -> bool {
        let dim = 3 + K;
        let mut regular = true;
        self.softness.clear();
        for (index, (bundle, lanes)) in self.bundles.iter_mut().zip(&self.blocks).enumerate() {
            for (lane, block) in filled(lanes) {
                let at = index * N + lane;
                let frame = &self.frames[at];
                let compliance = &problem.compliance()[problem.blocks()[block].rows()];
                if compliance.iter().any(|r| *r != 0.0) {
                    self.softness.resize(self.blocks.len(), Softness::RIGID);
                    self.softness[index].pack(lane, frame, compliance);
                }
                let matrix = &self.matrices[at * dim * dim..(at + 1) * dim * dim];
                soften(matrix, compliance, work);
                let mut solved = invert_definite(work, dim);
                if !solved {
                    soften(matrix, compliance, work);
                    solved = invert(work, dim);
                }
                regular &= solved;
                if !solved || problem.active_dim(block) == 0 {
                    work.fill(0.0);
                }
                bundle.pack_inverse(lane, frame, work);
            }
        }
        regular
    }

    /// Bytes of one sweep, empty lanes included.
    pub(crate) fn traffic(&self) -> Traffic {
        let read = size_of_val(self.bundles.as_slice()) + size_of_val(self.softness.as_slice());
        Traffic {
            read: read as u64,
            written: (self.bundles.len() * (3 + K) * size_of::<[f32; N]>()) as u64,
            gathered: gathered(self.bundles.iter().map(|bundle| &bundle.bodies)),
        }
    }

    /// Appends the impulses in world axes, which are what is kept; those of the rows are rounded.
    pub(crate) fn state(&self, out: &mut Vec<u64>) {
        for (bundle, lanes) in self.bundles.iter().zip(&self.blocks) {
            for (lane, _) in filled(lanes) {
                let world = bundle.impulse.iter().map(|axis| axis[lane]);
                out.extend(world.map(|x| u64::from(x.to_bits())));
            }
        }
    }

    /// Copies the impulses of all rows out.
    pub(crate) fn read_impulses(&self, first_rows: &[u32], out: &mut [f64]) {
        for (index, (bundle, lanes)) in self.bundles.iter().zip(&self.blocks).enumerate() {
            for (lane, block) in filled(lanes) {
                let row = first_rows[block] as usize;
                let frame = &self.frames[index * N + lane];
                let world = [0, 1, 2].map(|axis| f64::from(bundle.impulse[axis][lane]));
                for (out, direction) in out[row..].iter_mut().zip(frame) {
                    *out = delassus_structure::geometry::dot(*direction, world);
                }
                for (out, impulse) in out[row + 3..].iter_mut().zip(&bundle.impulse_turning) {
                    *out = f64::from(impulse[lane]);
                }
            }
        }
    }
}
