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
//! A manifold of four points takes 296 bytes per lane, 74 per point. What only some scenes need (bias, softness and
//! held rows of tangents, boxes of friction) sits in [`Extra`], which the fast kernel does not read.

use delassus_core::{Activity, Problem, Traffic};

use super::lanes::BodyRow;
use super::velocities::FIXED;

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
    /// First row of every lane; the rows of a manifold follow each other.
    pub(super) rows: Vec<[u32; N]>,
    /// A_st of every point \[1/kg\]: steps of the tangents follow from it when the softness changes.
    pub(super) tangents: Vec<[[f64; N]; P]>,
    /// A_nn of every point \[1/kg\]; one for an empty lane, so that nothing divides by zero.
    pub(super) diagonals: Vec<[[f64; N]; P]>,
    /// True if tangents are bounded one by one.
    pub(crate) boxed: bool,
    /// True if all friction of the problem is held.
    pub(crate) normals_only: bool,
}

/// What packing found.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Packed {
    /// Every block is what the plan says.
    pub(crate) fits: bool,
    /// The fast kernel leaves something out.
    pub(crate) needs_full: bool,
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
    pub(super) const EMPTY: Self = Self {
        bias: [[0.0; N]; 2],
        softness: [[0.0; N]; 2],
        mass: [0.0; N],
        coupling: [0.0; N],
        limit: [0.0; N],
        active: [0.0; N],
    };
}

impl<const N: usize, const P: usize> ManifoldBundle<N, P> {
    pub(crate) fn empty(world: u32) -> Self {
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

    #[inline(always)]
    fn copy_lane(&mut self, to: usize, from: &Self, lane: usize) {
        for side in 0..2 {
            self.bodies[side][to] = from.bodies[side][lane];
            self.mass[side][to] = from.mass[side][lane];
            for entry in 0..6 {
                self.inertia[side][entry][to] = from.inertia[side][entry][lane];
            }
        }
        for axis in 0..3 {
            self.normal[axis][to] = from.normal[axis][lane];
            self.tangent[axis][to] = from.tangent[axis][lane];
            self.between[axis][to] = from.between[axis][lane];
        }
        self.friction[to] = from.friction[lane];
        for (point, from) in self.points.iter_mut().zip(&from.points) {
            for axis in 0..3 {
                point.arm[axis][to] = from.arm[axis][lane];
                point.impulse[axis][to] = from.impulse[axis][lane];
            }
            point.bias[to] = from.bias[lane];
            point.softness[to] = from.softness[lane];
            for row in 0..2 {
                point.mass[row][to] = from.mass[row][lane];
                point.coupling[row][to] = from.coupling[row][lane];
            }
        }
    }
}

impl<const N: usize, const P: usize> Manifolds<N, P> {
    pub(crate) fn new(boxed: bool) -> Self {
        Self {
            bundles: Vec::new(),
            extras: Vec::new(),
            blocks: Vec::new(),
            rows: Vec::new(),
            tangents: Vec::new(),
            diagonals: Vec::new(),
            boxed,
            normals_only: false,
        }
    }

    /// Room for one lane per first block.
    pub(crate) fn assign(&mut self, world: u32, first_blocks: &[u32]) {
        let bundles = first_blocks.len().div_ceil(N);
        self.bundles.clear();
        self.bundles.resize(bundles, ManifoldBundle::empty(world));
        self.blocks.clear();
        self.extras.clear();
        self.tangents.clear();
        self.tangents.resize(bundles, [[0.0; N]; P]);
        self.diagonals.clear();
        self.diagonals.resize(bundles, [[1.0; N]; P]);
        self.rows.clear();
        self.rows.resize(bundles, [0; N]);
        for chunk in first_blocks.chunks(N) {
            let mut lanes = [EMPTY; N];
            lanes[..chunk.len()].copy_from_slice(chunk);
            self.blocks.push(lanes);
        }
    }

    /// Begins a packing: the fast kernel runs unless it finds that this will not do.
    pub(crate) fn begin(&mut self, problem: &Problem) {
        self.extras.clear();
        self.set_activity(problem);
    }

    /// Takes over whether all friction is held; other held rows are for the full kernel.
    pub(crate) fn set_activity(&mut self, problem: &Problem) {
        self.normals_only = problem.uniform_activity() == Some(Activity::NormalsOnly);
    }

    /// Takes one lane of a bundle, with the first row of its manifold and the diagonal of A.
    #[inline(always)]
    pub(crate) fn put(
        &mut self,
        at: usize,
        row: u32,
        diagonal: &[f64],
        (from, tangents): (&ManifoldBundle<N, P>, &[[f64; N]; P]),
        lane: usize,
    ) {
        let (index, to, lane) = (at / N, at % N, lane % N);
        self.rows[index][to] = row;
        self.bundles[index].copy_lane(to, from, lane);
        for (to_point, from) in self.tangents[index].iter_mut().zip(tangents) {
            to_point[to] = from[lane];
        }
        let normals = diagonal[row as usize..].iter().step_by(3);
        for (to_point, from) in self.diagonals[index].iter_mut().zip(normals) {
            to_point[to] = *from;
        }
    }

    /// Bytes of one sweep, empty lanes included: kernels read them too.
    pub(crate) fn traffic(&self) -> Traffic {
        let bodies = self.bundles.iter().map(|bundle| &bundle.bodies);
        Traffic {
            read: (size_of_val(self.bundles.as_slice()) + size_of_val(self.extras.as_slice()))
                as u64,
            written: (self.bundles.len() * P * size_of::<[[f32; N]; 3]>()) as u64,
            gathered: gathered(bodies),
        }
    }

    /// Copies the impulses of all rows out.
    pub(crate) fn read_impulses(&self, out: &mut [f64]) {
        for (index, (bundle, lanes)) in self.bundles.iter().zip(&self.blocks).enumerate() {
            for (lane, _) in filled(lanes) {
                let first = self.rows[index][lane] as usize;
                let rows = out[first..first + 3 * P].as_chunks_mut::<3>().0;
                for (out, point) in rows.iter_mut().zip(&bundle.points) {
                    for axis in 0..3 {
                        out[axis] = f64::from(point.impulse[axis][lane]);
                    }
                }
            }
        }
    }
}

/// Bytes of velocities that bundles gather and scatter: all lanes are read, bodies that move are written.
pub(crate) fn gathered<'a, const N: usize>(
    bundles: impl Iterator<Item = &'a [[u32; N]; 2]>,
) -> u64 {
    let count = |bodies: &[[u32; N]; 2]| {
        let written = bodies.iter().flatten().filter(|body| **body & FIXED == 0);
        2 * N + written.count()
    };
    (bundles.map(count).sum::<usize>() * size_of::<BodyRow>()) as u64
}

/// The lanes that hold something.
pub(crate) fn filled<const N: usize>(lanes: &[u32; N]) -> impl Iterator<Item = (usize, usize)> {
    let lanes = lanes.iter().enumerate();
    lanes
        .filter(|(_, block)| **block != EMPTY)
        .map(|(lane, block)| (lane, *block as usize))
}
