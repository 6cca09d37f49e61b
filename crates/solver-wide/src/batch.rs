//! What a kind of bundle does, and batches: its bundles in one colour of one thread.

use std::fmt::{self, Debug, Formatter};

use delassus_core::{BodyRows, Changes, FrameJoint, FrameMotion, FrameSetup, Problem, Traffic};

use super::bundle::Fill;
use super::frame::HalfStepVisit;
use super::level::Level;
use super::manifolds::staging::Delivery;
use super::velocities::Velocities;

/// One kind of bundle.
#[derive(Debug)]
pub(crate) struct BundleKind {
    /// True if the layout `recompute` alone has it.
    pub(crate) keeps_arms: bool,
    /// True if packing finds out whether a block is still of the kind.
    pub(crate) packing_finds: bool,
    /// What begins with a block, if it is of this kind; the vector is workspace.
    pub(crate) find: fn(&Candidate<'_>, &mut Vec<f64>) -> Option<BundleMatch>,
    /// Bundles for such blocks, not yet packed.
    pub(crate) batch: fn(Level, &BatchOrder<'_>) -> Box<dyn Batch>,
}

/// A block whose kind is asked for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Candidate<'a> {
    pub(crate) problem: &'a Problem,
    pub(crate) bodies: &'a BodyRows,
    pub(crate) block: usize,
    /// Blocks of the unit from this one on: so many may be taken at most.
    pub(crate) left: usize,
    /// False if packing finds out the rest.
    pub(crate) thorough: bool,
}

/// What was found.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BundleMatch {
    pub(crate) size: u8,
    pub(crate) variant: u8,
    /// Blocks that were taken.
    pub(crate) blocks: usize,
    /// True if no further block could be taken in.
    pub(crate) full: bool,
}

impl BundleMatch {
    /// One block of a kind without sizes and variants.
    pub(crate) const ALONE: Self = Self {
        size: 0,
        variant: 0,
        blocks: 1,
        full: true,
    };
}

/// What the lanes of a bundle have in common. Bundles of a colour stand in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct BundleShape {
    /// Place in the list of kinds.
    pub(crate) kind: usize,
    /// Points, rotations or rows, as the kind counts them.
    pub(crate) size: u8,
    /// What else the kind distinguishes, such as laws.
    pub(crate) variant: u8,
}

/// The bundles that are asked for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BatchOrder<'a> {
    pub(crate) shape: BundleShape,
    /// First block of every lane.
    pub(crate) blocks: &'a [u32],
    /// The slot after the last body, which stands still.
    pub(crate) world: u32,
    /// The layout.
    pub(crate) projection: bool,
}

/// What a visit does with a bundle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Visit {
    /// New impulses, and what they change of the velocities.
    Solve,
    /// Adds what the impulses do to the velocities.
    Apply,
}

impl Debug for dyn Batch {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.fill().fmt(f)
    }
}

/// Bundles of one kind.
pub(crate) trait Batch: Send {
    /// Writes everything but manifolds, which only begin, as they are delivered in another order;
    /// false if a block is no longer what the plan says.
    fn pack(&mut self, context: &mut Context<'_>) -> bool;

    /// Takes over what may change; true if the manifolds need the full kernel.
    fn refresh(&mut self, context: &mut Context<'_>, what: Changes) -> bool;

    /// Visits every bundle once.
    fn visit(&mut self, velocities: &mut Velocities<'_>, visit: Visit);

    /// Copies impulses out.
    fn read_impulses(&self, first_rows: &[u32], out: &mut [f64]);

    /// Appends what [`Self::read_impulses`] rounds.
    fn state(&self, _out: &mut Vec<u64>) {}

    /// Bytes of one sweep.
    fn traffic(&self) -> Traffic;

    /// How full the bundles are.
    fn fill(&self) -> Fill;

    /// True if the bundles can be solved in half-steps (T.32), where the first blocks are these
    /// joints.
    fn integrates_frames(&self, _joints: &[FrameJoint]) -> bool {
        false
    }

    /// Takes over the separations and joints of a frame, before its first half-step; false if a
    /// block is singular in f32.
    fn begin_frame(&mut self, _frame: &FrameSetup<'_>) -> bool {
        false
    }

    /// Moves the rows that follow the bodies, and adds what the impulses do to the velocities.
    fn follow_bodies(&mut self, bodies: &mut BodiesOfThread<'_>) {
        self.visit(&mut bodies.velocities, Visit::Apply);
    }

    /// Visits every bundle once, with the separations that the motion of the bodies makes.
    fn visit_half_step(&mut self, _bodies: &mut BodiesOfThread<'_>, _visit: &HalfStepVisit) {}

    /// Copies out what the impulses did in the frame.
    fn read_sums(&self, _out: &mut FrameMotion) {}

    /// The manifolds, if these are some.
    fn manifolds(&mut self) -> Option<&mut dyn Delivery> {
        None
    }
}

/// The bodies of one thread in a half-step.
#[derive(Debug)]
pub(crate) struct BodiesOfThread<'a> {
    pub(crate) velocities: Velocities<'a>,
    pub(crate) motions: Velocities<'a>,
}

/// What packing reads.
#[derive(Debug)]
pub(crate) struct Context<'a> {
    pub(crate) problem: &'a Problem,
    pub(crate) bodies: &'a BodyRows,
    /// The start, one per row.
    pub(crate) impulses: &'a [f64],
    /// True if the manifolds run the full kernel.
    pub(crate) full: bool,
    /// The layout.
    pub(crate) projection: bool,
    /// True if a frame is expected, which needs no W⁻¹ of joints. A refresh of bias and compliance
    /// brings it.
    pub(crate) expects_frame: bool,
    pub(crate) work: Vec<f64>,
}
