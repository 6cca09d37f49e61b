//! Bundles of blocks of one to seven rows on two bodies: limits, motors, cones, and all joints,
//! patches and contacts whose rows do not show a point. One block per lane.
//!
//! Two layouts hold the same numbers differently (W.7, W.8), for `N` lanes and `D` rows:
//!
//! ```text
//! RowsBundle<N, D>                 recompute              projection (26 numbers per row and its λ)
//!   bodies[2]                      index A, index B       the same
//!   jacobian[D][12]                J                      Jacobian times effective mass: velocity to impulse
//!   impulse[D], bias[D]            λ, b                   λ, bias times effective mass
//!   softness[D]                    R                      softness times effective mass
//!   mass[D]                        effective masses       unused
//!   own[D][D]                      what rows do to each other, or the inverse of the block
//! next to it, per bundle
//!   Masses<N>                      M⁻¹ of both bodies     –
//!   responses[D][12]               –                      M⁻¹Jᵀ: impulse to velocity
//! ```

mod frame;
mod kernel;
mod pack;
mod scaling;

use delassus_core::{Changes, FrameJoint, FrameMotion, FrameSetup, LawForm, Traffic};
use delassus_solver_si::kernel::{invert, own_block};
use delassus_structure::geometry::pair;

use super::batch::{
    Batch, BatchOrder, BodiesOfThread, BundleKind, BundleMatch, Candidate, Context, Visit,
};
use super::bundle::{BatchSlots, Fill, LaneBodies, gathered, interleaved, nobody, zeros};
use super::frame::HalfStepVisit;
use super::lanes::{Lanes, vectorized};
use super::level::AtLevel;
use super::velocities::Velocities;

/// Blocks of rows; their size is the number of rows, their variant the law.
pub(super) const KIND: BundleKind = BundleKind {
    keeps_arms: false,
    packing_finds: false,
    find,
    batch: |level, order| level.run(New(order)),
};

/// Rows of a block that a bundle can hold \[-\]: the patch of a manifold of four points has seven.
const MAX_ROWS: usize = 7;

/// How the rows of a block are updated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum RowLaw {
    /// Each within bounds; none for joints.
    Bounded,
    /// All at once by the inverse of the block.
    Solved,
    /// A normal; the other rows are zero.
    Frictionless,
    /// A normal, and rows within limit + μ λ_n.
    Box,
    /// A normal, and one or two rows within the disc μ λ_n.
    Disc,
    /// All rows in the convex cone.
    Cone,
    /// Normals, two tangents in a disc, a twist.
    Patch,
}

impl RowLaw {
    /// In the order in which bundles stand.
    const ALL: [Self; 7] = [
        Self::Bounded,
        Self::Solved,
        Self::Frictionless,
        Self::Box,
        Self::Disc,
        Self::Cone,
        Self::Patch,
    ];

    /// True if blocks of so many rows may have the law.
    const fn has(self, dim: usize) -> bool {
        match self {
            Self::Bounded => true,
            Self::Solved => 3 <= dim && dim <= 6,
            Self::Frictionless | Self::Box | Self::Disc | Self::Cone => dim <= 3,
            Self::Patch => 4 <= dim,
        }
    }

    /// `None` for laws that only fallback blocks have.
    fn of(candidate: &Candidate<'_>, own: &mut Vec<f64>) -> Option<Self> {
        let Candidate { problem, block, .. } = *candidate;
        let entry = &problem.blocks()[block];
        Some(match entry.law.form() {
            // what holds a point: ball joint, universal joint, hinge, weld; the others keep the
            // order of their rows
            LawForm::Free if (3..=6).contains(&entry.dim) => {
                own_block(problem, block, own);
                if invert(own, entry.dim) {
                    Self::Solved
                } else {
                    Self::Bounded
                }
            }
            LawForm::Free | LawForm::Interval => Self::Bounded,
            LawForm::Normal => Self::Frictionless,
            LawForm::FixedIntervals | LawForm::Intervals => Self::Box,
            // on a line the polygon is an interval
            LawForm::Polygon if entry.dim == 2 => Self::Box,
            LawForm::Ball | LawForm::CoulombCone => Self::Disc,
            LawForm::Cone if entry.dim <= 3 => Self::Cone,
            LawForm::SharedFriction => Self::Patch,
            LawForm::Cone | LawForm::Polygon | LawForm::SeveralFrictions => return None,
        })
    }
}

fn find(candidate: &Candidate<'_>, work: &mut Vec<f64>) -> Option<BundleMatch> {
    pair(candidate.bodies, candidate.block)?;
    let dim = candidate.problem.blocks()[candidate.block].dim;
    let size = u8::try_from(dim).ok()?;
    if dim > MAX_ROWS {
        return None;
    }
    Some(BundleMatch {
        size,
        variant: RowLaw::of(candidate, work)? as u8,
        blocks: 1,
        full: true,
    })
}

/// `N` blocks of `D` rows.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct RowsBundle<const N: usize, const D: usize> {
    bodies: LaneBodies<N>,
    jacobian: [[[f32; N]; 12]; D],
    impulse: [[f32; N]; D],
    bias: [[f32; N]; D],
    softness: [[f32; N]; D],
    mass: [[f32; N]; D],
    own: [[[f32; N]; D]; D],
    /// Lower bound, or the bound of friction that does not depend on the load \[N·s\]; of a cone,
    /// the effective mass of its normal over its step \[-\].
    lower: [f32; N],
    /// Upper bound \[N·s\], or μ \[-\].
    upper: [f32; N],
    /// Distance of each point from the middle of a patch \[m\].
    levers: [[f32; N]; D],
    /// Leading rows that are solved for.
    active: [f32; N],
}
interleaved!(RowsBundle<D> {
    bodies, jacobian, impulse, bias, softness, mass, own, lower, upper, levers, active,
});

/// M⁻¹ of both bodies.
#[derive(Clone, Copy)]
#[repr(C)]
struct Masses<const N: usize> {
    linear: [[[f32; N]; 3]; 2],
    inertia: [[[f32; N]; 6]; 2],
}
interleaved!(Masses<> { linear, inertia });

/// `N` limits in a frame.
#[derive(Clone, Copy)]
#[repr(C)]
struct FrameLimit<const N: usize, const D: usize> {
    /// Angular parts of the rows on B, effective masses and errors at the start of the frame.
    axes: [[[f32; N]; 3]; D],
    mass: [[f32; N]; D],
    start: [[f32; N]; D],
    /// Angular impulse on B so far, the opposite of that on A.
    angular: [[f32; N]; 3],
}
interleaved!(FrameLimit<D> { axes, mass, start, angular });

/// M⁻¹Jᵀ of `N` blocks.
type Response<const N: usize, const D: usize> = [[[f32; N]; 12]; D];

/// How M⁻¹Jᵀ is had: the layout.
enum Responses<const N: usize, const D: usize> {
    /// From the masses, in every visit.
    Recompute(Vec<Masses<N>>),
    /// Stored.
    Projection(Vec<Response<N, D>>),
}

/// The blocks of one kind in one colour.
struct RowBlocks<V: Lanes<N>, const N: usize, const D: usize> {
    token: V::Token,
    seats: BatchSlots<N>,
    law: RowLaw,
    bundles: Vec<RowsBundle<N, D>>,
    responses: Responses<N, D>,
    /// Empty outside of frames that the solver integrates.
    limits: Vec<FrameLimit<N, D>>,
    /// A_cc of every lane, from which new masses follow when the compliance changes.
    matrices: Vec<[[f64; D]; D]>,
}

struct New<'a>(&'a BatchOrder<'a>);

impl AtLevel for New<'_> {
    type Output = Box<dyn Batch>;

    fn run<V: Lanes<N>, const N: usize>(self, token: V::Token) -> Box<dyn Batch> {
        match self.0.shape.size {
            1 => Box::new(RowBlocks::<V, N, 1>::new(token, self.0)),
            2 => Box::new(RowBlocks::<V, N, 2>::new(token, self.0)),
            3 => Box::new(RowBlocks::<V, N, 3>::new(token, self.0)),
            4 => Box::new(RowBlocks::<V, N, 4>::new(token, self.0)),
            5 => Box::new(RowBlocks::<V, N, 5>::new(token, self.0)),
            6 => Box::new(RowBlocks::<V, N, 6>::new(token, self.0)),
            _ => Box::new(RowBlocks::<V, N, 7>::new(token, self.0)),
        }
    }
}

impl<V: Lanes<N>, const N: usize, const D: usize> RowBlocks<V, N, D> {
    fn new(token: V::Token, order: &BatchOrder<'_>) -> Self {
        let seats = BatchSlots::new(order.blocks);
        let law = RowLaw::ALL.get(usize::from(order.shape.variant));
        let mut bundles: Vec<RowsBundle<N, D>> = zeros(seats.bundles());
        for bundle in &mut bundles {
            bundle.bodies = nobody(order.world);
        }
        Self {
            token,
            law: law.copied().unwrap_or(RowLaw::Bounded),
            bundles,
            responses: if order.projection {
                Responses::Projection(zeros(seats.bundles()))
            } else {
                Responses::Recompute(zeros(seats.bundles()))
            },
            limits: Vec::new(),
            matrices: zeros(seats.bundles() * N),
            seats,
        }
    }
}

impl<V: Lanes<N>, const N: usize, const D: usize> Batch for RowBlocks<V, N, D> {
    fn pack(&mut self, context: &mut Context<'_>) -> bool {
        self.limits.clear();
        self.pack_all(context.problem, context.bodies);
        self.write_impulses(context.problem, context.impulses);
        true
    }

    fn refresh(&mut self, context: &mut Context<'_>, what: Changes) -> bool {
        self.end_frame();
        if what.compliance {
            self.refresh_compliance(context.problem, context.bodies);
        }
        self.refresh_numbers(context.problem);
        false
    }

    fn visit(&mut self, velocities: &mut Velocities<'_>, visit: Visit) {
        vectorized!(V, self.token, self.visit_all(&mut velocities.lent(), visit));
    }

    fn integrates_frames(&self, joints: &[FrameJoint]) -> bool {
        self.can_follow(joints)
    }

    fn begin_frame(&mut self, frame: &FrameSetup<'_>) -> bool {
        self.begin(frame);
        true
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
        for seat in self.seats.filled() {
            let out = &mut out[first_rows[seat.block] as usize..];
            for (out, impulse) in out.iter_mut().zip(&self.bundles[seat.bundle].impulse) {
                *out = f64::from(impulse[seat.lane]);
            }
        }
    }

    /// What the law reads of a bundle.
    fn traffic(&self) -> Traffic {
        let projection = matches!(self.responses, Responses::Projection(_));
        let normals = D.saturating_sub(3);
        // entries of the block's own matrix
        let own = match self.law {
            RowLaw::Solved => D * D,
            RowLaw::Bounded | RowLaw::Box => D * (D - 1) / 2,
            RowLaw::Disc => D - 1,
            RowLaw::Frictionless | RowLaw::Cone => 0,
            // normals reach all rows after them, the tangents the twist
            RowLaw::Patch => (0..normals).map(|row| D - 1 - row).sum::<usize>() + 2,
        };
        let levers = if self.law == RowLaw::Patch {
            normals
        } else {
            0
        };
        let masses = if projection || self.law == RowLaw::Solved {
            0
        } else {
            D
        };
        // two bodies, J, λ, b and R, two bounds, the active rows; then the responses or the masses
        // of two bodies
        let lane = 2 + 12 * D + 3 * D + 3 + own + levers + masses;
        let lane = lane + if projection { 12 * D } else { 18 };
        let lanes = self.bundles.len() * N * size_of::<f32>();
        let gathered = self
            .bundles
            .iter()
            .map(|bundle| gathered(bundle.bodies.as_flattened()));
        Traffic {
            read: (lanes * lane) as u64,
            written: (lanes * D) as u64,
            gathered: gathered.sum(),
        }
    }

    fn fill(&self) -> Fill {
        self.seats.fill()
    }
}
