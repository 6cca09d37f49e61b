//! Bundles of contact manifolds: one to four points that share normal, tangents and bodies; one
//! manifold per lane.
//!
//! Layout of a bundle of `N` lanes, arrays of `N` numbers in this order:
//!
//! ```text
//! ManifoldBundle<N, P>: Head<N>, then               ManifoldPoint<N>, P times
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
//! A manifold of four points takes 296 bytes per lane, 74 per point. What only some scenes need
//! (bias, softness and inactive rows of tangents, boxes of friction) sits in [`Extra`], which the
//! fast kernel does not read.

mod carried_kernel;
mod deliver;
mod find;
mod kernel;
mod normals_kernel;
mod numbers;
mod pushes;
mod refresh;
mod stage;
pub(super) mod staging;

use delassus_core::{Activity, Changes, FrameSetup, Problem, Traffic};

use self::carried_kernel::Carried;
pub(super) use self::deliver::{Addresses, Packed};
pub(super) use self::find::may_be_point;
use self::staging::Delivery;
use super::batch::{Batch, BatchOrder, BodiesOfThread, BundleKind, Context, Visit};
use super::bundle::{Fill, LaneBodies, Seats, filled, gathered, interleaved, nobody, zeros};
use super::carry::CarriedVisit;
use super::lanes::Lanes;
use super::level::AtLevel;
use super::velocities::Velocities;

/// Points of one manifold at most \[-\].
const MAX_POINTS: usize = 4;

/// Manifolds; their size is the number of points, their variant one where tangents are bounded one
/// by one.
pub(super) const KIND: BundleKind = BundleKind {
    keeps_arms: true,
    packing_finds: true,
    find: find::find,
    batch: |level, order| level.run(New(order)),
};

/// One point of `N` manifolds, in the axes of its manifold.
#[derive(Clone, Copy)]
#[repr(C)]
struct ManifoldPoint<const N: usize> {
    arm: [[f32; N]; 3],
    impulse: [[f32; N]; 3],
    bias: [f32; N],
    softness: [f32; N],
    /// Effective mass of the normal, step of the tangents \[kg\].
    mass: [[f32; N]; 2],
    /// Velocity of both tangents per normal impulse \[1/kg\].
    coupling: [[f32; N]; 2],
}
interleaved!(ManifoldPoint<> { arm, impulse, bias, softness, mass, coupling });

/// What the points of `N` manifolds have in common.
#[derive(Clone, Copy)]
#[repr(C)]
struct Head<const N: usize> {
    bodies: LaneBodies<N>,
    normal: [[f32; N]; 3],
    tangent: [[f32; N]; 3],
    between: [[f32; N]; 3],
    inertia: [[[f32; N]; 6]; 2],
    mass: [[f32; N]; 2],
    friction: [f32; N],
}
interleaved!(Head<> { bodies, normal, tangent, between, inertia, mass, friction });

/// `N` manifolds of `P` points.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct ManifoldBundle<const N: usize, const P: usize> {
    head: Head<N>,
    points: [ManifoldPoint<N>; P],
}
interleaved!(ManifoldBundle<P> { head, points });

/// What the fast kernel leaves out.
#[derive(Clone, Copy)]
#[repr(C)]
struct Extra<const N: usize> {
    bias: [[f32; N]; 2],
    softness: [[f32; N]; 2],
    /// Effective mass of the second tangent, where each has its own \[kg\].
    mass: [f32; N],
    /// Velocity of the second tangent per impulse of the first \[1/kg\].
    coupling: [f32; N],
    /// Bound of each tangent that does not depend on the normal impulse \[N·s\].
    limit: [f32; N],
    /// Leading rows that are solved for.
    active: [f32; N],
}
interleaved!(Extra<> { bias, softness, mass, coupling, limit, active });

/// The manifolds of one kind in one colour.
struct Manifolds<V: Lanes<N>, const N: usize, const P: usize> {
    token: V::Token,
    /// The first block of every manifold.
    seats: Seats<N>,
    bundles: Vec<ManifoldBundle<N, P>>,
    /// Empty unless the full kernel runs.
    extras: Vec<[Extra<N>; P]>,
    /// Empty until a frame is carried.
    carried: Vec<[Carried<N>; P]>,
    /// First row of every lane; the rows of a manifold follow each other.
    rows: Vec<[u32; N]>,
    /// A_st of every point \[1/kg\]: steps of the tangents follow from it when the softness
    /// changes.
    tangents: Vec<[[f32; N]; P]>,
    /// A_nn of every point \[1/kg\]; one for an empty lane, so that nothing divides by zero.
    diagonals: Vec<[[f32; N]; P]>,
    /// True if tangents are bounded one by one.
    boxed: bool,
    /// True if all friction of the problem is held.
    normals_only: bool,
}

struct New<'a>(&'a BatchOrder<'a>);

impl AtLevel for New<'_> {
    type Output = Box<dyn Batch>;

    fn run<V: Lanes<N>, const N: usize>(self, token: V::Token) -> Box<dyn Batch> {
        match self.0.shape.size {
            1 => Box::new(Manifolds::<V, N, 1>::new(token, self.0)),
            2 => Box::new(Manifolds::<V, N, 2>::new(token, self.0)),
            3 => Box::new(Manifolds::<V, N, 3>::new(token, self.0)),
            _ => Box::new(Manifolds::<V, N, 4>::new(token, self.0)),
        }
    }
}

impl<V: Lanes<N>, const N: usize, const P: usize> Manifolds<V, N, P> {
    fn new(token: V::Token, order: &BatchOrder<'_>) -> Self {
        let seats = Seats::new(order.blocks);
        let count = seats.bundles();
        let mut bundles: Vec<ManifoldBundle<N, P>> = zeros(count);
        for bundle in &mut bundles {
            bundle.head.bodies = nobody(order.world);
        }
        Self {
            token,
            bundles,
            extras: Vec::new(),
            carried: Vec::new(),
            rows: zeros(count),
            tangents: zeros(count),
            diagonals: (0..count).map(|_| [[1.0; N]; P]).collect(),
            boxed: order.shape.variant > 0,
            normals_only: false,
            seats,
        }
    }

    /// Takes over whether all friction is inactive; other inactive rows are for the full kernel.
    fn set_activity(&mut self, problem: &Problem) {
        self.normals_only = problem.uniform_activity() == Some(Activity::NormalsOnly);
    }
}

impl<V: Lanes<N>, const N: usize, const P: usize> Batch for Manifolds<V, N, P> {
    /// Begins a packing: the fast kernel runs unless it finds that this will not do.
    fn pack(&mut self, context: &mut Context<'_>) -> bool {
        self.extras.clear();
        self.set_activity(context.problem);
        true
    }

    fn refresh(&mut self, context: &mut Context<'_>, what: Changes) -> bool {
        let problem = context.problem;
        self.set_activity(problem);
        if context.full {
            self.refresh_all(problem);
            return false;
        }
        (what.bias || what.compliance) && self.refresh_normals(problem, what.compliance)
    }

    fn visit(&mut self, velocities: &mut Velocities<'_>, visit: Visit) {
        V::vectorize(
            self.token,
            #[inline(always)]
            || self.visit_all(&mut velocities.lent(), visit),
        );
    }

    fn carries(&self) -> bool {
        !self.boxed && self.extras.is_empty()
    }

    fn begin_carry(&mut self, frame: &FrameSetup<'_>) {
        self.begin(frame);
    }

    fn carry(&mut self, bodies: &mut BodiesOfThread<'_>, visit: &CarriedVisit) {
        V::vectorize(
            self.token,
            #[inline(always)]
            || self.carry_all(bodies, visit),
        );
    }

    fn read_sums(&self, out: &mut [f64]) {
        self.sum_impulses(out);
    }

    fn read_impulses(&self, _first_rows: &[u32], out: &mut [f64]) {
        for (index, (bundle, lanes)) in self.bundles.iter().zip(self.seats.lanes()).enumerate() {
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

    fn traffic(&self) -> Traffic {
        let gathered = self
            .bundles
            .iter()
            .map(|bundle| gathered(bundle.head.bodies.as_flattened()));
        Traffic {
            read: (size_of_val(self.bundles.as_slice()) + size_of_val(self.extras.as_slice()))
                as u64,
            written: (self.bundles.len() * P * size_of::<[[f32; N]; 3]>()) as u64,
            gathered: gathered.sum(),
        }
    }

    fn fill(&self) -> Fill {
        self.seats.fill()
    }

    fn manifolds(&mut self) -> Option<&mut dyn Delivery> {
        Some(self)
    }
}
