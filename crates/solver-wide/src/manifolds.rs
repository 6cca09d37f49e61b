//! Bundles of contact manifolds: one to four points that share normal, tangents and bodies; one
//! manifold per lane.

mod deliver;
mod find;
mod frame_kernel;
mod kernel;
mod layout;
mod normal_bias;
mod normals_kernel;
mod numbers;
mod refresh;
mod stage;
pub(super) mod staging;

use delassus_core::{Activity, Changes, FrameJoint, FrameMotion, FrameSetup, Problem, Traffic};

pub(super) use self::deliver::{Addresses, PackingResult};
pub(super) use self::find::may_be_point;
use self::layout::{Extra, FramePoint, ManifoldBundle};
use self::staging::Delivery;
use super::batch::{Batch, BatchOrder, BodiesOfThread, BundleKind, Context, Visit};
use super::bundle::{BatchSlots, Fill, filled, gathered, nobody, zeros};
use super::frame::HalfStepVisit;
use super::lanes::{Lanes, vectorized};
use super::level::AtLevel;
use super::velocities::Velocities;

/// Manifolds; their size is the number of points, their variant one where tangents are bounded one
/// by one.
pub(super) const KIND: BundleKind = BundleKind {
    keeps_arms: true,
    packing_finds: true,
    find: find::find,
    batch: |level, order| level.run(New(order)),
};

/// The manifolds of one kind in one colour.
struct Manifolds<V: Lanes<N>, const N: usize, const P: usize> {
    token: V::Token,
    /// The first block of every manifold.
    seats: BatchSlots<N>,
    bundles: Vec<ManifoldBundle<N, P>>,
    /// Empty unless the full kernel runs.
    extras: Vec<[Extra<N>; P]>,
    /// Empty until the first frame that the solver integrates.
    frame_points: Vec<[FramePoint<N>; P]>,
    /// First row of every lane; the rows of a manifold follow each other.
    rows: Vec<[u32; N]>,
    /// A_st of every point \[1/kg\]: steps of the tangents follow from it when the softness
    /// changes.
    tangents: Vec<[[f32; N]; P]>,
    /// A_nn of every point \[1/kg\]; one for an empty lane, so that nothing divides by zero.
    diagonals: Vec<[[f32; N]; P]>,
    /// True if tangents are bounded one by one.
    boxed: bool,
    /// True if all friction of the problem is inactive.
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
        let seats = BatchSlots::new(order.blocks);
        let count = seats.bundles();
        let mut bundles: Vec<ManifoldBundle<N, P>> = zeros(count);
        for bundle in &mut bundles {
            bundle.head.bodies = nobody(order.world);
        }
        Self {
            token,
            bundles,
            extras: Vec::new(),
            frame_points: Vec::new(),
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
        vectorized!(V, self.token, self.visit_all(&mut velocities.lent(), visit));
    }

    fn integrates_frames(&self, joints: &[FrameJoint]) -> bool {
        let mut seats = self.seats.filled();
        !self.boxed && self.extras.is_empty() && seats.all(|seat| seat.block >= joints.len())
    }

    fn begin_frame(&mut self, frame: &FrameSetup<'_>) -> bool {
        self.begin(frame);
        true
    }

    fn visit_half_step(&mut self, bodies: &mut BodiesOfThread<'_>, visit: &HalfStepVisit) {
        vectorized!(V, self.token, self.visit_all_in_half_step(bodies, visit));
    }

    fn read_sums(&self, out: &mut FrameMotion) {
        self.sum_impulses(&mut out.impulses);
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
