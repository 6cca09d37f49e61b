//! Bundles of joints that hold a point, with `K` rows of rotation more: ball joint, universal
//! joint, hinge, weld. One joint per lane, solved as a block.
//!
//! Layout of a bundle of `N` lanes, arrays of `N` numbers in this order, all in world axes;
//! `T = K (K + 1) / 2`:
//!
//! ```text
//! JointBundle<N, K, T>
//!   bodies[2]       index A, index B        point[6]       ┐ W⁻¹, symmetric: point with point,
//!   arm[2][3]       r_A, r_B                cross[K][3]    │ rotations with point,
//!   inertia[2][6]   1/(kg·m²)               turning[T]     ┘ rotations with each other
//!   mass[2]         1/kg                    bias[3 + K]
//!   axes[K][3]      rotations               impulse[3 + K]
//! next to it, if some row is soft: Softness<N, K>, R in world axes
//! ```
//!
//! The three rows of the point may have any frame: W⁻¹, b, R and λ are turned into the world's axes
//! when they are packed, λ back when it is read, so that a sweep needs no frame (W.10). Measured on
//! `joint-grid`, n = 100, AVX2, against the rows of the block: 136 bytes per joint against 308, 3.7
//! ns against 6.5; hinges on a lattice 216 against 452 and 4.3 against 10.1, welds 256 against 597
//! and 5.0 against 10.6 (minima, shared machine), so that the arms are what `recompute` stores in a
//! cache and out of it.
//!
//! Theory: docs/theory/14-wide.md.

mod frame;
mod frame_kernel;
mod kernel;
mod pack;

use delassus_core::{Changes, FrameJoint, FrameMotion, FrameSetup, Traffic};
use delassus_solver_si::kernel::{invert, own_block};
use delassus_structure::joints::point_joint;

use super::batch::{
    Batch, BatchOrder, BodiesOfThread, BundleKind, BundleMatch, Candidate, Context, Visit,
};
use super::bundle::{
    BatchSlots, Fill, Interleaved, LaneBodies, filled, gathered, interleaved, nobody, zeros,
};
use super::frame::HalfStepVisit;
use super::lanes::{Lanes, vectorized};
use super::level::AtLevel;
use super::velocities::Velocities;

/// Joints that hold a point; their size is the number of rows of rotation.
pub(super) const KIND: BundleKind = BundleKind {
    keeps_arms: true,
    packing_finds: true,
    find,
    batch: |level, order| level.run(New(order)),
};

fn find(candidate: &Candidate<'_>, work: &mut Vec<f64>) -> Option<BundleMatch> {
    let (problem, block) = (candidate.problem, candidate.block);
    let joint = point_joint(problem, candidate.bodies, block)?;
    own_block(problem, block, work);
    invert(work, problem.blocks()[block].dim).then_some(BundleMatch {
        size: [0, 1, 2, 3][joint.turning],
        variant: 0,
        blocks: 1,
        full: true,
    })
}

/// The rows of the point, and those of the rotations: numbers, one per lane or lanes.
#[derive(Clone, Copy)]
#[repr(C)]
struct JointRows<X, const K: usize> {
    point: [X; 3],
    turning: [X; K],
}

impl<X: Interleaved, const K: usize> Interleaved for JointRows<X, K> {
    type Of<const M: usize> = JointRows<X::Of<M>, K>;
    const ZERO: Self = Self {
        point: Interleaved::ZERO,
        turning: Interleaved::ZERO,
    };
    #[inline(always)]
    fn lane(&self, lane: usize) -> Self::Of<1> {
        JointRows {
            point: self.point.lane(lane),
            turning: self.turning.lane(lane),
        }
    }
    #[inline(always)]
    fn copy_lane<const M: usize>(&mut self, to: usize, from: &Self::Of<M>, lane: usize) {
        self.point.copy_lane(to, &from.point, lane);
        self.turning.copy_lane(to, &from.turning, lane);
    }
    #[inline]
    fn put(&mut self, lane: usize, packed: &Self::Of<1>) {
        self.point.put(lane, &packed.point);
        self.turning.put(lane, &packed.turning);
    }
}

/// W⁻¹ of `N` joints: point with point xx, xy, xz, yy, yz, zz; rotations with point, and with each
/// other.
#[derive(Clone, Copy)]
#[repr(C)]
struct Inverse<const N: usize, const K: usize, const T: usize> {
    point: [[f32; N]; 6],
    cross: [[[f32; N]; 3]; K],
    turning: [[f32; N]; T],
}
interleaved!(Inverse<K, T> { point, cross, turning });

/// `N` joints.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct JointBundle<const N: usize, const K: usize, const T: usize> {
    bodies: LaneBodies<N>,
    arm: [[[f32; N]; 3]; 2],
    inertia: [[[f32; N]; 6]; 2],
    mass: [[f32; N]; 2],
    axes: [[[f32; N]; 3]; K],
    inverse: Inverse<N, K, T>,
    bias: JointRows<[f32; N], K>,
    impulse: JointRows<[f32; N], K>,
}
interleaved!(JointBundle<K, T> { bodies, arm, inertia, mass, axes, inverse, bias, impulse });

/// R of `N` joints: of the point xx, xy, xz, yy, yz, zz; of the rotations.
#[derive(Clone, Copy)]
#[repr(C)]
struct Softness<const N: usize, const K: usize> {
    point: [[f32; N]; 6],
    turning: [[f32; N]; K],
}
interleaved!(Softness<K> { point, turning });

/// `N` joints in a frame, in world axes.
#[derive(Clone, Copy)]
#[repr(C)]
struct FrameRows<const N: usize, const K: usize> {
    /// The rows at the start of the frame.
    arm: [[[f32; N]; 3]; 2],
    axes: [[[f32; N]; 3]; K],
    /// From A's point to B's at the start.
    gap: [[f32; N]; 3],
    /// Direction of A per rotation, and that of B, at the start.
    across: [[[f32; N]; 3]; K],
    axis: [[f32; N]; 3],
    /// Rotation of A, as σ = u/(1 + w), at which the impulses have their axes.
    turn: [[f32; N]; 3],
    /// What the impulses did: on B, and about the centres of both bodies.
    linear: [[f32; N]; 3],
    angular: [[[f32; N]; 3]; 2],
}
interleaved!(FrameRows<K> { arm, axes, gap, across, axis, turn, linear, angular });

/// The joints of one kind in one colour.
struct Joints<V: Lanes<N>, const N: usize, const K: usize, const T: usize> {
    token: V::Token,
    seats: BatchSlots<N>,
    bundles: Vec<JointBundle<N, K, T>>,
    /// Empty if no row is soft.
    softness: Vec<Softness<N, K>>,
    /// Directions of the rows of the point, one per lane.
    frames: Vec<[[f64; 3]; 3]>,
    /// Empty outside of frames that the solver integrates.
    frame_rows: Vec<FrameRows<N, K>>,
    /// A_cc of every lane, row-major, from which W⁻¹ follows when the compliance changes.
    matrices: Vec<f64>,
    /// False if these, W⁻¹, bias and softness are not those of the problem: a frame was expected.
    weighed: bool,
}

/// Where the entry (i, j), i ≤ j, of a symmetric matrix of `n` rows is.
#[inline(always)]
const fn packed(n: usize, i: usize, j: usize) -> usize {
    i * (2 * n - i - 1) / 2 + j
}

struct New<'a>(&'a BatchOrder<'a>);

impl AtLevel for New<'_> {
    type Output = Box<dyn Batch>;

    fn run<V: Lanes<N>, const N: usize>(self, token: V::Token) -> Box<dyn Batch> {
        match self.0.shape.size {
            0 => Box::new(Joints::<V, N, 0, 0>::new(token, self.0)),
            1 => Box::new(Joints::<V, N, 1, 1>::new(token, self.0)),
            2 => Box::new(Joints::<V, N, 2, 3>::new(token, self.0)),
            _ => Box::new(Joints::<V, N, 3, 6>::new(token, self.0)),
        }
    }
}

impl<V: Lanes<N>, const N: usize, const K: usize, const T: usize> Joints<V, N, K, T> {
    fn new(token: V::Token, order: &BatchOrder<'_>) -> Self {
        let seats = BatchSlots::new(order.blocks);
        let lanes = seats.bundles() * N;
        let mut bundles: Vec<JointBundle<N, K, T>> = zeros(seats.bundles());
        for bundle in &mut bundles {
            bundle.bodies = nobody(order.world);
        }
        Self {
            token,
            bundles,
            softness: Vec::new(),
            frame_rows: Vec::new(),
            frames: vec![[[0.0; 3]; 3]; lanes],
            matrices: vec![0.0; lanes * (3 + K) * (3 + K)],
            weighed: false,
            seats,
        }
    }
}

impl<V: Lanes<N>, const N: usize, const K: usize, const T: usize> Batch for Joints<V, N, K, T> {
    fn pack(&mut self, context: &mut Context<'_>) -> bool {
        self.frame_rows.clear();
        self.pack_all(context)
    }

    fn refresh(&mut self, context: &mut Context<'_>, what: Changes) -> bool {
        self.end_frame();
        if what.bias {
            self.refresh_bias(context.problem);
        }
        if what.compliance || what.activity {
            self.refresh_inverse(context.problem, &mut context.work);
        }
        false
    }

    fn visit(&mut self, velocities: &mut Velocities<'_>, visit: Visit) {
        vectorized!(V, self.token, self.visit_all(&mut velocities.lent(), visit));
    }

    fn integrates_frames(&self, joints: &[FrameJoint]) -> bool {
        self.can_follow(joints)
    }

    fn begin_frame(&mut self, frame: &FrameSetup<'_>) -> bool {
        self.begin(frame)
    }

    fn follow_bodies(&mut self, bodies: &mut BodiesOfThread<'_>) {
        vectorized!(V, self.token, self.follow_all(bodies));
    }

    fn visit_half_step(&mut self, bodies: &mut BodiesOfThread<'_>, visit: &HalfStepVisit) {
        vectorized!(V, self.token, self.visit_all_in_half_step(bodies, visit));
    }

    fn read_sums(&self, out: &mut FrameMotion) {
        self.sum_impulses(&mut out.joints);
    }

    fn read_impulses(&self, first_rows: &[u32], out: &mut [f64]) {
        self.unpack_impulses(first_rows, out);
    }

    /// The impulses in world axes, which are what is kept; those of the rows are rounded.
    fn state(&self, out: &mut Vec<u64>) {
        for (bundle, lanes) in self.bundles.iter().zip(self.seats.lanes()) {
            for (lane, _) in filled(lanes) {
                let world = bundle.impulse.point.iter().map(|axis| axis[lane]);
                out.extend(world.map(|x| u64::from(x.to_bits())));
            }
        }
    }

    fn traffic(&self) -> Traffic {
        let gathered = self
            .bundles
            .iter()
            .map(|bundle| gathered(bundle.bodies.as_flattened()));
        Traffic {
            read: (size_of_val(self.bundles.as_slice()) + size_of_val(self.softness.as_slice()))
                as u64,
            written: (self.bundles.len() * (3 + K) * size_of::<[f32; N]>()) as u64,
            gathered: gathered.sum(),
        }
    }

    fn fill(&self) -> Fill {
        self.seats.fill()
    }
}
