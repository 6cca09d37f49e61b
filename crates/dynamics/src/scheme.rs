//! The scheme trait: what advances a world by one frame, and what may watch it.

use delassus_core::{DeviceError, Fidelity, ParameterError, Parameters, Problem, Progress};

use crate::error::{SchemeError, StepError};
use crate::stopped_by::StoppedBy;
use crate::world::{Momentum, World};

/// What a scheme declares about itself.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SchemeDescriptor {
    /// Identifier: file, type and id of a method agree.
    pub id: &'static str,
    /// Other names of the same method in the literature.
    pub aliases: &'static [&'static str],
    /// Human-readable name.
    pub name: &'static str,
    /// One sentence: what it does and how it differs from its nearest sibling.
    pub summary: &'static str,
    /// Keys of `docs/references.bib`: where the scheme comes from.
    pub citations: &'static [&'static str],
    /// Equation numbers of `docs/theory`, as "T.1".
    pub theory: &'static [&'static str],
    /// True if it solves frozen problems with any [`delassus_core::ImpulseSolver`]; otherwise it
    /// solves by itself.
    pub uses_solver: bool,
    /// For a preset, the scheme of whose parameters it is a set of values.
    pub preset_of: Option<&'static str>,
}

/// Advances a world by one frame.
pub trait Scheme: Send {
    /// What the scheme declares about itself.
    fn descriptor(&self) -> &SchemeDescriptor;

    /// Says whether the scheme, with its solver, steps this world or another one in its place.
    ///
    /// # Errors
    /// The reason to refuse.
    fn check(&self, world: &World) -> Result<Fidelity, SchemeError>;

    /// The device that the scheme itself computes on, by name and driver, or the engine that steps
    /// the world, by name and version: it decides the bits of the answer. `None` for schemes of the
    /// processor; that of a solver is the solver's.
    fn device(&self) -> Option<Result<String, DeviceError>> {
        None
    }

    /// False for a scheme that reports no impulses, no work of drives and no momentum from outside,
    /// because it is an engine that says only how the bodies move. Default: true.
    fn has_impulses(&self) -> bool {
        true
    }

    /// As [`SolverFacts::factorizations`](delassus_core::SolverFacts::factorizations), of the
    /// solver that the scheme was given \[-\]. Default: `None`.
    fn factorizations(&self) -> Option<u64> {
        None
    }

    /// Advances the world by `dt` \[s\].
    ///
    /// # Errors
    /// A time step that is not above zero, a world that the scheme refuses, a problem or a solver
    /// that fails, a state that becomes non-finite. The world is then as it was before.
    fn step(
        &mut self,
        world: &mut World,
        dt: f64,
        probe: &mut dyn Probe,
    ) -> Result<StepReport, StepError>;
}

/// Forwards to the scheme in a box.
impl<S: Scheme + ?Sized> Scheme for Box<S> {
    fn descriptor(&self) -> &SchemeDescriptor {
        (**self).descriptor()
    }

    fn check(&self, world: &World) -> Result<Fidelity, SchemeError> {
        (**self).check(world)
    }

    fn device(&self) -> Option<Result<String, DeviceError>> {
        (**self).device()
    }

    fn has_impulses(&self) -> bool {
        (**self).has_impulses()
    }

    fn factorizations(&self) -> Option<u64> {
        (**self).factorizations()
    }

    fn step(
        &mut self,
        world: &mut World,
        dt: f64,
        probe: &mut dyn Probe,
    ) -> Result<StepReport, StepError> {
        (**self).step(world, dt, probe)
    }
}

/// A scheme that solves by itself, with its parameters: what a registry lists and builds.
pub trait PositionScheme: Scheme + Sized + 'static {
    /// Plain data: `#[derive(Parameters)]`, or `()` for none.
    type Parameters: Parameters;

    /// What the scheme declares about itself.
    const DESCRIPTOR: SchemeDescriptor;

    /// Builds the scheme.
    ///
    /// # Errors
    /// A parameter out of its range.
    fn new(parameters: Self::Parameters) -> Result<Self, ParameterError>;
}

/// Where in a step a probe looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// A problem is frozen and not yet solved; the impulses are its warm start.
    Assembled,
    /// The problem with bias is solved.
    Solved,
    /// The poses have moved.
    Integrated,
    /// The problem without bias is solved.
    Relaxed,
    /// The problem with restitution is solved.
    Restituted,
}

impl Stage {
    /// All of them, in their order.
    pub const ALL: [Self; 5] = [
        Self::Assembled,
        Self::Solved,
        Self::Integrated,
        Self::Relaxed,
        Self::Restituted,
    ];
}

/// What a probe sees.
#[derive(Debug, Clone, Copy)]
pub struct StepView<'a> {
    /// The substep, from 0.
    pub substep: u32,
    /// Length of the substep \[s\].
    pub h: f64,
    /// The world as it is at this stage.
    pub world: &'a World,
    /// The frozen problem, for schemes that have one.
    pub problem: Option<&'a Problem>,
    /// Its impulses at this stage, one per row \[N·s\].
    pub impulses: &'a [f64],
}

/// Observes stages of a step; `()` observes nothing.
pub trait Probe {
    /// True if [`Self::at`] should be called for this stage.
    fn wants(&self, stage: Stage) -> bool {
        let _ = stage;
        false
    }

    /// Looks.
    fn at(&mut self, stage: Stage, view: &StepView<'_>) {
        let _ = (stage, view);
    }
}

impl Probe for () {}

/// What a step did.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct StepReport {
    /// Work of all solves of the step.
    pub progress: Progress,
    /// Rows of the last problem \[-\].
    pub rows: usize,
    /// Work of forces from outside other than gravity: applied forces, damping not included \[J\].
    pub applied_work: f64,
    /// Work of drives and of moving kinematic bodies \[J\].
    pub drive_work: f64,
    /// Momentum that came from outside: gravity, applied forces, and impulses of bodies that are
    /// not dynamic; the angular part about the origin of the world. The momentum of the dynamic
    /// bodies changes by this and by damping.
    pub external: Momentum,
    /// How its solves of frozen problems ended; `None` of schemes that have none.
    pub solves: Option<SolveCounts>,
    /// Time of the step by the clock of the program that did it \[s\]; `None` where that is this
    /// program, whose caller reads the clock.
    pub seconds: Option<f64>,
}

/// How the solves of frozen problems ended.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct SolveCounts {
    /// Solves that ended after a count \[-\].
    pub by_count: u32,
    /// Solves that ended within their tolerance \[-\].
    pub by_tolerance: u32,
    /// Solves that hit the limit of sweeps \[-\].
    pub by_limit: u32,
    /// Solves that the solver ended; those with a tolerance missed it \[-\].
    pub by_solver: u32,
    /// Solves that missed a tolerance, those of repeated steps included \[-\].
    pub unsolved: u32,
    /// Steps that were repeated with half the length; their other solves are not counted \[-\].
    pub repeated: u32,
    /// Most work units of one of them \[-\].
    pub most_sweeps: u32,
    /// Largest residual that one of them ended with, the natural map (M.4) \[-\]; `None` if none
    /// was judged.
    pub residual: Option<f64>,
}

impl SolveCounts {
    /// Adds others.
    pub fn add(&mut self, later: &Self) {
        let pairs = [
            (&mut self.by_count, later.by_count),
            (&mut self.by_tolerance, later.by_tolerance),
            (&mut self.by_limit, later.by_limit),
            (&mut self.by_solver, later.by_solver),
            (&mut self.unsolved, later.unsolved),
            (&mut self.repeated, later.repeated),
        ];
        for (sum, more) in pairs {
            *sum = sum.saturating_add(more);
        }
        self.most_sweeps = self.most_sweeps.max(later.most_sweeps);
        self.residual = match (self.residual, later.residual) {
            (Some(a), Some(b)) => Some(a.max(b)),
            (a, b) => a.or(b),
        };
    }
}

impl StepReport {
    /// Takes note of a solve of a frozen problem; `residual` is the natural map that it ended with
    /// \[-\].
    pub fn take_solve(&mut self, progress: Progress, end: StoppedBy, residual: Option<f64>) {
        self.progress += progress;
        // of one solve, and there are others
        self.progress.finished = false;
        let mut solve = SolveCounts {
            most_sweeps: progress.sweeps,
            residual,
            ..SolveCounts::default()
        };
        let count = match end {
            StoppedBy::Count => &mut solve.by_count,
            StoppedBy::Tolerance => &mut solve.by_tolerance,
            StoppedBy::Limit => &mut solve.by_limit,
            StoppedBy::Solver => &mut solve.by_solver,
        };
        *count = 1;
        let judged = residual.is_some();
        let missed = end == StoppedBy::Limit || (end == StoppedBy::Solver && judged);
        solve.unsolved = u32::from(missed);
        self.solves.get_or_insert_default().add(&solve);
    }

    /// Takes note of a step that is repeated in parts: of what it did only the work remains.
    pub fn take_repeated(&mut self, step: &Self) {
        self.progress += step.progress;
        let solves = step.solves.unwrap_or_default();
        self.solves.get_or_insert_default().add(&SolveCounts {
            unsolved: solves.unsolved,
            repeated: 1,
            most_sweeps: solves.most_sweeps,
            ..SolveCounts::default()
        });
    }

    /// Adds another report; the number of rows is that of the later one.
    pub fn add(&mut self, later: &Self) {
        self.progress += later.progress;
        self.rows = later.rows;
        self.applied_work += later.applied_work;
        self.drive_work += later.drive_work;
        self.external.linear += later.external.linear;
        self.external.angular += later.external.angular;
        if let Some(solves) = &later.solves {
            self.solves.get_or_insert_default().add(solves);
        }
        self.seconds = match (self.seconds, later.seconds) {
            (Some(a), Some(b)) => Some(a + b),
            (a, b) => a.or(b),
        };
    }
}
