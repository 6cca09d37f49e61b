//! Bundles of contact manifolds: one to four points that share normal, tangents and bodies; one manifold per lane.
//!
//! Layout of a bundle of `N` lanes, arrays of `N` numbers in this order:
//!
//! ```text
//! ManifoldBundle<N, P>                              Point<N>, P times
//! ┌──────────────────────────────┐                  ┌───────────────────────────────┐
//! │ bodies[2]   index A, index B │                  │ arm[3]      r_B, local axes   │
//! │ normal[3]   world axes       │                  │ impulse[3]  λ_n, λ_t, λ_s     │
//! │ tangent[3]  world axes       │                  │ bias        normal row        │
//! │ between[3]  c_B − c_A, local │                  │ softness    R of the normal   │
//! │ inertia[2][6]  local, 1/kg m²│                  │ mass[2]     normal, tangents  │
//! │ mass[2]     1/kg             │                  │ coupling[2] A_tn, A_sn        │
//! │ friction    μ                │                  └───────────────────────────────┘
//! └──────────────────────────────┘
//! ```
//!
//! A manifold of four points takes 300 bytes per lane, 75 per point. What only some scenes need (bias, softness and
//! held rows of tangents, boxes of friction) sits in [`Extra`], which the fast kernel does not read.

use delassus_core::{BodyRows, Law, Problem};

use super::numbers::{Numbers, three};
use super::velocities::{FIXED, single};
use delassus_structure::geometry::{Arms, Pair, directions, dot, local_inertia, pair, symmetric};

/// Points of one manifold at most \[-\].
pub(crate) const MAX_POINTS: usize = 4;

/// No row: the lane is empty.
pub(crate) const EMPTY: u32 = u32::MAX;

/// One point of `N` manifolds, in the axes of its manifold.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub(crate) struct Point<const N: usize> {
    pub(crate) arm: [[f32; N]; 3],
    pub(crate) impulse: [[f32; N]; 3],
    pub(crate) bias: [f32; N],
    pub(crate) softness: [f32; N],
    /// Effective mass of the normal, step of the tangents \[kg\].
    pub(crate) mass: [[f32; N]; 2],
    /// Velocity of both tangents per normal impulse \[1/kg\].
    pub(crate) coupling: [[f32; N]; 2],
}

/// `N` manifolds of `P` points.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct ManifoldBundle<const N: usize, const P: usize> {
    pub(crate) bodies: [[u32; N]; 2],
    pub(crate) normal: [[f32; N]; 3],
    pub(crate) tangent: [[f32; N]; 3],
    pub(crate) between: [[f32; N]; 3],
    pub(crate) inertia: [[[f32; N]; 6]; 2],
    pub(crate) mass: [[f32; N]; 2],
    pub(crate) friction: [f32; N],
    pub(crate) points: [Point<N>; P],
}

/// What the fast kernel leaves out.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub(crate) struct Extra<const N: usize> {
    pub(crate) bias: [[f32; N]; 2],
    pub(crate) softness: [[f32; N]; 2],
    /// Effective mass of the second tangent, where each has its own \[kg\].
    pub(crate) mass: [f32; N],
    /// Velocity of the second tangent per impulse of the first \[1/kg\].
    pub(crate) coupling: [f32; N],
    /// Bound of each tangent that does not depend on the normal impulse \[N·s\].
    pub(crate) limit: [f32; N],
    /// Leading rows that are solved for.
    pub(crate) active: [f32; N],
}

/// The manifolds of one kind in one colour.
#[derive(Debug, Clone)]
pub(crate) struct Manifolds<const N: usize, const P: usize> {
    pub(crate) bundles: Vec<ManifoldBundle<N, P>>,
    /// Empty unless the full kernel runs.
    pub(crate) extras: Vec<[Extra<N>; P]>,
    /// First block of every lane; [`EMPTY`] for none.
    pub(crate) blocks: Vec<[u32; N]>,
    /// True if tangents are bounded one by one.
    pub(crate) boxed: bool,
}

impl<const N: usize> Point<N> {
    const EMPTY: Self = Self {
        arm: [[0.0; N]; 3],
        impulse: [[0.0; N]; 3],
        bias: [0.0; N],
        softness: [0.0; N],
        mass: [[0.0; N]; 2],
        coupling: [[0.0; N]; 2],
    };
}

impl<const N: usize> Extra<N> {
    const EMPTY: Self = Self {
        bias: [[0.0; N]; 2],
        softness: [[0.0; N]; 2],
        mass: [0.0; N],
        coupling: [0.0; N],
        limit: [0.0; N],
        active: [0.0; N],
    };
}

impl<const N: usize, const P: usize> ManifoldBundle<N, P> {
    fn empty(world: u32) -> Self {
        Self {
            bodies: [[world | FIXED; N]; 2],
            normal: [[0.0; N]; 3],
            tangent: [[0.0; N]; 3],
            between: [[0.0; N]; 3],
            inertia: [[[0.0; N]; 6]; 2],
            mass: [[0.0; N]; 2],
            friction: [0.0; N],
            points: [Point::EMPTY; P],
        }
    }

    /// Writes everything that a refresh leaves alone; returns A_st of every point.
    fn pack(
        &mut self,
        lane: usize,
        pair: &Pair<'_>,
        frame: &[[f64; 3]; 3],
        arms: &[Arms],
    ) -> [f64; P] {
        let inertia = pair.mass.map(|mass| local_inertia(mass, frame));
        for side in 0..2 {
            self.bodies[side][lane] = pair.slots[side];
            self.mass[side][lane] = single(pair.mass[side].map_or(0.0, |m| m.inverse_mass.x));
            for entry in 0..6 {
                self.inertia[side][entry][lane] = single(inertia[side][entry]);
            }
        }
        for axis in 0..3 {
            self.normal[axis][lane] = single(frame[0][axis]);
            self.tangent[axis][lane] = single(frame[1][axis]);
            self.between[axis][lane] = single(arms[0].between[axis]);
        }
        let mut tangents = [0.0; P];
        for (index, (point, arms)) in self.points.iter_mut().zip(arms).enumerate() {
            let couplings = couplings(arms, &inertia);
            for axis in 0..3 {
                point.arm[axis][lane] = single(arms.arm[axis]);
            }
            point.coupling[0][lane] = single(couplings[0]);
            point.coupling[1][lane] = single(couplings[1]);
            tangents[index] = couplings[2];
        }
        tangents
    }
}

/// A_tn, A_sn and A_st of one point: what its rows do to each other through the turning of both bodies (W.4).
#[inline(always)]
fn couplings(arms: &Arms, inertia: &[[f64; 6]; 2]) -> [f64; 3] {
    let b = arms.arm;
    let d = arms.between;
    let a = [b[0] + d[0], b[1] + d[1], b[2] + d[2]];
    let mut sums = [0.0; 3];
    for (arm, inertia) in [(a, &inertia[0]), (b, &inertia[1])] {
        let [n, t, s] = [
            [0.0, arm[2], -arm[1]],
            [-arm[2], 0.0, arm[0]],
            [arm[1], -arm[0], 0.0],
        ];
        let (moved_n, moved_t) = (symmetric(inertia, n), symmetric(inertia, t));
        sums[0] += dot(t, moved_n);
        sums[1] += dot(s, moved_n);
        sums[2] += dot(s, moved_t);
    }
    sums
}

impl<const N: usize, const P: usize> Manifolds<N, P> {
    pub(crate) fn new(boxed: bool) -> Self {
        Self {
            bundles: Vec::new(),
            extras: Vec::new(),
            blocks: Vec::new(),
            boxed,
        }
    }

    /// Room for one lane per first block.
    pub(crate) fn assign(&mut self, world: u32, first_blocks: &[u32]) {
        let bundles = first_blocks.len().div_ceil(N);
        self.bundles.clear();
        self.bundles.resize(bundles, ManifoldBundle::empty(world));
        self.blocks.clear();
        self.extras.clear();
        for chunk in first_blocks.chunks(N) {
            let mut lanes = [EMPTY; N];
            lanes[..chunk.len()].copy_from_slice(chunk);
            self.blocks.push(lanes);
        }
    }

    /// Writes everything but the impulses; true if the fast kernel leaves something out.
    pub(crate) fn pack(
        &mut self,
        problem: &Problem,
        bodies: &BodyRows,
        arms: &[Arms],
        full: bool,
    ) -> bool {
        self.extras.clear();
        if full {
            self.extras.resize(self.bundles.len(), [Extra::EMPTY; P]);
        }
        let mut needs_full = self.boxed;
        for index in 0..self.bundles.len() {
            let lanes = self.blocks[index];
            for (lane, block) in filled(&lanes) {
                let Some(pair) = pair(bodies, block) else {
                    continue;
                };
                let frame = directions(bodies, block);
                let bundle = &mut self.bundles[index];
                let tangents = bundle.pack(lane, &pair, &frame, &arms[block..block + P]);
                if let Law::Contact(friction) = &problem.blocks()[block].law {
                    bundle.friction[lane] = single(friction.mu());
                }
                needs_full |= self.write_numbers(problem, (index, lane), block, tangents);
            }
        }
        needs_full
    }

    /// Takes over bias, softness and activity; true if the fast kernel leaves something out.
    ///
    /// `arms` are needed for the step of the tangents, which depends on their softness.
    pub(crate) fn refresh(&mut self, problem: &Problem, bodies: &BodyRows, arms: &[Arms]) -> bool {
        self.extras.resize(self.bundles.len(), [Extra::EMPTY; P]);
        let mut needs_full = self.boxed;
        for index in 0..self.bundles.len() {
            let lanes = self.blocks[index];
            for (lane, first) in filled(&lanes) {
                let Some(pair) = pair(bodies, first) else {
                    continue;
                };
                let frame = directions(bodies, first);
                let inertia = pair.mass.map(|mass| local_inertia(mass, &frame));
                let mut tangents = [0.0; P];
                for local in 0..P {
                    tangents[local] = couplings(&arms[first + local], &inertia)[2];
                }
                needs_full |= self.write_numbers(problem, (index, lane), first, tangents);
            }
        }
        needs_full
    }

    /// Writes what a refresh may change in one lane.
    fn write_numbers(
        &mut self,
        problem: &Problem,
        (index, lane): (usize, usize),
        first: usize,
        tangents: [f64; P],
    ) -> bool {
        let mut needs_full = false;
        for local in 0..P {
            let numbers = Numbers::new(problem, first + local, tangents[local]);
            needs_full |= numbers.needs_full();
            let point = &mut self.bundles[index].points[local];
            point.bias[lane] = single(numbers.bias[0]);
            point.softness[lane] = single(numbers.softness[0]);
            point.mass[0][lane] = single(numbers.mass[0]);
            point.mass[1][lane] = single(if self.boxed {
                numbers.mass[1]
            } else {
                numbers.step
            });
            if let Some(extras) = self.extras.get_mut(index) {
                numbers.write(&mut extras[local], lane, self.boxed);
            }
        }
        needs_full
    }

    /// Takes over the bias of the normals, all that changes in most scenes; true if that is not enough.
    pub(crate) fn refresh_bias(&mut self, problem: &Problem) -> bool {
        let (blocks, bias) = (problem.blocks(), problem.bias());
        let mut more = false;
        for (bundle, lanes) in self.bundles.iter_mut().zip(&self.blocks) {
            for (lane, first) in filled(lanes) {
                for (point, block) in bundle.points.iter_mut().zip(&blocks[first..first + P]) {
                    let [normal, one, two] = three(bias, block.first_row);
                    more |= (one != 0.0) | (two != 0.0);
                    point.bias[lane] = single(normal);
                }
            }
        }
        more
    }

    /// Takes over the softness of the normals; true if that is not enough.
    pub(crate) fn refresh_softness(&mut self, problem: &Problem) -> bool {
        let (diagonal, softness) = (problem.diagonal(), problem.compliance());
        let mut more = false;
        for (bundle, lanes) in self.bundles.iter_mut().zip(&self.blocks) {
            for (lane, first) in filled(lanes) {
                let blocks = &problem.blocks()[first..first + P];
                for (point, block) in bundle.points.iter_mut().zip(blocks) {
                    let row = block.first_row;
                    let [normal, one, two] = three(softness, row);
                    more |= (one != 0.0) | (two != 0.0);
                    point.softness[lane] = single(normal);
                    point.mass[0][lane] = single(1.0 / (diagonal[row] + normal));
                }
            }
        }
        more
    }

    /// Takes over the impulses of all rows.
    pub(crate) fn write_impulses(&mut self, problem: &Problem, impulses: &[f64]) {
        for (bundle, lanes) in self.bundles.iter_mut().zip(&self.blocks) {
            for (lane, first) in filled(lanes) {
                for (local, point) in bundle.points.iter_mut().enumerate() {
                    let row = problem.blocks()[first + local].first_row;
                    for axis in 0..3 {
                        point.impulse[axis][lane] = single(impulses[row + axis]);
                    }
                }
            }
        }
    }

    /// Copies the impulses of all rows out.
    pub(crate) fn read_impulses(&self, first_rows: &[u32], out: &mut [f64]) {
        for (bundle, lanes) in self.bundles.iter().zip(&self.blocks) {
            for (lane, first) in filled(lanes) {
                for (local, point) in bundle.points.iter().enumerate() {
                    let row = first_rows[first + local] as usize;
                    for axis in 0..3 {
                        out[row + axis] = f64::from(point.impulse[axis][lane]);
                    }
                }
            }
        }
    }
}

/// The lanes that hold something.
pub(crate) fn filled<const N: usize>(lanes: &[u32; N]) -> impl Iterator<Item = (usize, usize)> {
    let lanes = lanes.iter().enumerate();
    lanes
        .filter(|(_, block)| **block != EMPTY)
        .map(|(lane, block)| (lane, *block as usize))
}
