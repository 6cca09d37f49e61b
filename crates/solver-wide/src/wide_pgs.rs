//! `wide-pgs`: sequential impulses in f32 lanes, colour by colour, on one thread or several.
//!
//! A colouring (W.1) makes blocks independent, so that as many as the processor has lanes are
//! solved together, and the lanes are those of the machine that runs the program. Velocities are
//! gathered by body and scattered back; impulses, arms and masses lie in bundles, in the order in
//! which they are read:
//!
//! ```text
//! colour 0            colour 1       …   overflow (one lane, serial)
//! ├─ thread 0         ├─ thread 0        └─ …
//! │  ├─ manifolds of 4 points: bundle │ bundle │ …     one bundle: N manifolds,
//! │  ├─ manifolds of 1 point:  bundle │ …              arrays of N numbers one after the other
//! │  ├─ patches of 4 points:   bundle │ …
//! │  ├─ ball joints:           bundle │ …
//! │  └─ blocks of 3 rows:      bundle │ …
//! └─ thread 1                                          one bundle, one field:  x₀ x₁ x₂ … x_{N−1}
//!    └─ …
//! bodies: v_x v_y v_z 0 ω_x ω_y ω_z 0 | …              32 bytes each
//! ```
//!
//! Contact points of one pair of bodies with one frame become a manifold, whose rows exist in
//! registers only (W.3–W.6), and so do patches and frictionless points (W.9). Joints of three to
//! six rows are solved as blocks; those that hold a point keep their arms (W.10). Every other block
//! keeps its rows. Two layouts say what of a row is stored: `recompute` keeps arms, frames and
//! masses, `projection` keeps what turns velocities into impulses and impulses into velocities
//! (W.7, W.8).
//!
//! Budget per sweep: one pass over all rows; read and written 86 bytes per contact point of a
//! manifold of four, 148 per ball joint. The same blocks between the same bodies are prepared again
//! without allocating on one thread, others in new bundles. Nearest siblings: `coloured-pgs` visits
//! the same order in f64; `pgs` the order of the problem.
//!
//! Limitations: f32, so residuals end at about 1e-6, and earlier for large mass ratios; impulses
//! and velocities are accumulated in f32, in units scaled by powers of two where the squares of the
//! caller's would leave it. The order is that of the colours. Problems without bodies are refused.
//! Theory: docs/theory/14-wide.md. Source: \[Catto2006\], \[Harada2011\]; layouts and bundles as in
//! \[Norbeck2022\].

use std::sync::Arc;

use delassus_core::{
    BodyRows, Changes, Checked, Choice, FrameMotion, FrameSetup, FrameSolver, HalfSteps,
    JointImpulse, Method, ParameterError, Parameters, Precision, Prepared, Problem, Progress,
    SolveError, SolverDescriptor, SolverFacts, StateCoverage,
};
use delassus_structure::{Colouring, ColouringCounts, Colours, Groups, Units};
use rayon::ThreadPool;

use crate::batch::Context;
use crate::engine::Engine;
use crate::level::{Level, VectorLevel};
use crate::plan::{ItemPlan, UnitSpread};

/// What of a row is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Choice)]
pub enum Layout {
    /// Arms, frames and masses; rows are rebuilt in registers.
    #[default]
    Recompute,
    /// Velocity-to-impulse and impulse-to-velocity rows, effective mass folded in.
    Projection,
}

/// Parameters of [`WidePgs`].
#[derive(Debug, Clone, PartialEq, Parameters)]
pub struct WidePgsParameters {
    /// What of a row is stored.
    pub layout: Layout,
    /// Vector level. It changes no bit of the answer.
    pub level: VectorLevel,
    /// Threads. They change no bit of the answer.
    #[parameter(default = 1, unit = "-", range = "[1, 256]")]
    pub threads: usize,
    /// Size of the colouring.
    #[parameter(flatten)]
    pub colours: Colours,
}

/// Sequential impulses in lanes of f32 (W.1–W.10).
pub type WidePgs = Checked<WidePgsMethod>;

/// The method of [`WidePgs`].
#[derive(Debug)]
pub struct WidePgsMethod {
    parameters: WidePgsParameters,
    level: VectorLevel,
    lanes: Level,
    pool: Option<Arc<ThreadPool>>,
}

impl WidePgsMethod {
    /// The vector level in use.
    pub fn level(&self) -> VectorLevel {
        self.level
    }
}

/// A problem in bundles, and everything that was made on the way.
#[derive(Debug)]
pub struct Bundles {
    layout: Layout,
    /// Items of a bundle \[-\].
    lanes: usize,
    threads: usize,
    colouring: Colouring,
    units: Units,
    /// Memory for the groups of a problem.
    groups: Groups,
    plan: ItemPlan,
    engine: Engine,
    /// First row of every block, for reading without the problem.
    first_rows: Vec<u32>,
    rows: usize,
    bodies: usize,
    active_rows: usize,
    /// True if rows were found that look like those of a manifold and are not.
    thorough: bool,
    /// True if the bundles hold the separations of an integrated frame in the place of bias and
    /// softness.
    holds_separations: bool,
}

/// How well the lanes of a prepared solver are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BundleCounts {
    /// Lanes of a bundle \[-\].
    pub lanes: usize,
    /// Bundles of all colours \[-\].
    pub bundles: usize,
    /// Lanes that hold something \[-\]; the others compute zeros.
    pub filled: usize,
}

impl Bundles {
    /// What was coloured.
    pub fn colouring(&self) -> ColouringCounts {
        self.colouring.counts()
    }

    /// How full the bundles are.
    pub fn counts(&self) -> BundleCounts {
        let fill = self.engine.fill();
        BundleCounts {
            lanes: self.lanes,
            bundles: fill.bundles,
            filled: fill.filled,
        }
    }

    fn pack(&mut self, problem: &Problem, impulses: &[f64]) -> Result<(), SolveError> {
        let bodies = problem.bodies().ok_or(SolveError::NoBodies)?;
        self.rows = problem.rows();
        self.bodies = bodies.len();
        self.active_rows = problem.active_rows();
        // a frame follows a frame; without one, the first use takes over what it has left out
        self.holds_separations &= self.engine.frame_joints() > 0;
        if self.plan.holds(problem, bodies) {
            let mut context = context(problem, bodies, self.layout, impulses);
            context.expects_frame = self.holds_separations;
            if self.engine.prepare(&mut context, None) {
                self.colouring.repeat();
                return Ok(());
            }
        }
        self.units.update(problem, &mut self.groups);
        self.colouring.update_in(&mut self.groups);
        // a second look only where packing has found that the first was not enough
        while !self.pack_anew(problem, bodies, impulses) && !self.thorough {
            self.thorough = true;
        }
        self.set_first_rows(problem);
        Ok(())
    }

    /// Plans the units and packs them; false if a block is not what the plan took it for.
    fn pack_anew(&mut self, problem: &Problem, bodies: &BodyRows, impulses: &[f64]) -> bool {
        let spread = UnitSpread {
            units: &self.units,
            colouring: &self.colouring,
            lanes: self.lanes,
            threads: self.threads,
            arms: self.layout == Layout::Recompute,
            thorough: self.thorough,
        };
        self.plan.update(problem, bodies, &spread);
        let groups = self.plan.groups(self.lanes, self.threads);
        let mut context = context(problem, bodies, self.layout, impulses);
        context.expects_frame = self.holds_separations;
        self.engine.prepare(&mut context, Some(&groups))
    }

    /// Takes bias and softness of a problem over again after a frame was integrated.
    fn restore_bias(&mut self, problem: &Problem, bodies: &BodyRows) {
        if self.holds_separations {
            self.holds_separations = false;
            let what = Changes {
                bias: true,
                compliance: true,
                ..Changes::default()
            };
            let mut context = context(problem, bodies, self.layout, &[]);
            self.engine.refresh(&mut context, what);
        }
    }

    fn set_first_rows(&mut self, problem: &Problem) {
        // fewer than 2³² rows: every one takes more than that many bits of memory
        let first = |row: usize| u32::try_from(row).unwrap_or(u32::MAX);
        let blocks = problem.blocks().iter();
        self.first_rows.clear();
        self.first_rows
            .extend(blocks.map(|block| first(block.first_row)));
    }
}

fn context<'a>(
    problem: &'a Problem,
    bodies: &'a BodyRows,
    layout: Layout,
    impulses: &'a [f64],
) -> Context<'a> {
    Context {
        problem,
        bodies,
        impulses,
        full: false,
        projection: layout == Layout::Projection,
        expects_frame: false,
        work: Vec::new(),
    }
}

impl Method for WidePgsMethod {
    type Parameters = WidePgsParameters;
    type Prepared = Bundles;

    const DESCRIPTOR: SolverDescriptor = SolverDescriptor {
        id: "wide-pgs",
        aliases: &["simd-pgs"],
        name: "Wide projected Gauss-Seidel",
        summary: "Graph-coloured sequential impulses in f32 lanes and threads; coloured-pgs at the speed of the core.",
        citations: &["Catto2006", "Harada2011", "Norbeck2022", "Welsh1967"],
        theory: &[
            "W.1", "W.2", "W.3", "W.4", "W.5", "W.6", "W.7", "W.8", "W.9", "W.10",
        ],
        precision: Precision::F32,
        cost: "m",
        forms: SolverDescriptor::ALL_FORMS,
        cone_rows: 6,
        supports_inactive_rows: true,
        needs_bodies: true,
        ..SolverDescriptor::BASE
    };

    fn new(parameters: WidePgsParameters) -> Result<Self, ParameterError> {
        let threads = parameters.threads;
        let (level, lanes) = parameters.level.resolve()?;
        let pool = if threads > 1 {
            let builder = rayon::ThreadPoolBuilder::new().num_threads(threads - 1);
            let pool = builder.build();
            let pool = pool.map_err(|_| ParameterError {
                parameter: "threads",
                value: threads.to_string(),
                expected: "a number that the system can start",
            })?;
            Some(Arc::new(pool))
        } else {
            None
        };
        Ok(Self {
            parameters,
            level,
            lanes,
            pool,
        })
    }

    fn prepare(&mut self, problem: &Problem, impulses: Vec<f64>) -> Result<Bundles, SolveError> {
        let (threads, colours) = (self.parameters.threads, self.parameters.colours);
        let mut bundles = Bundles {
            layout: self.parameters.layout,
            lanes: self.level.lanes(),
            threads,
            colouring: Colouring::new(colours.colours),
            units: Units::default(),
            groups: Groups::new(0),
            plan: ItemPlan::default(),
            engine: Engine::new(self.lanes, threads, self.pool.clone()),
            first_rows: Vec::new(),
            rows: 0,
            bodies: 0,
            active_rows: 0,
            thorough: false,
            holds_separations: false,
        };
        bundles.pack(problem, &impulses)?;
        Ok(bundles)
    }

    fn prepare_into(
        &mut self,
        bundles: &mut Bundles,
        problem: &Problem,
        impulses: &[f64],
    ) -> Result<bool, SolveError> {
        bundles.pack(problem, impulses)?;
        Ok(true)
    }
}

impl Prepared for Bundles {
    fn update(&mut self, problem: &Problem, changed: Changes) -> Result<bool, SolveError> {
        let bodies = problem.bodies().ok_or(SolveError::NoBodies)?;
        let moved = self.engine.frame_joints() > 0;
        if moved || changed.bias || changed.compliance || changed.activity {
            self.restore_bias(problem, bodies);
        }
        let mut context = context(problem, bodies, self.layout, &[]);
        self.engine.refresh(&mut context, changed);
        if changed.activity {
            self.active_rows = problem.active_rows();
        }
        Ok(true)
    }

    fn iterate(&mut self, problem: &Problem, sweeps: u32) -> Result<Progress, SolveError> {
        if let Some(bodies) = problem.bodies() {
            self.restore_bias(problem, bodies);
        }
        self.engine.iterate(sweeps);
        Ok(Progress::of_sweeps(sweeps, self.active_rows))
    }

    fn impulses(&self, out: &mut [f64]) -> Result<(), SolveError> {
        self.engine.read_impulses(&self.first_rows, out);
        Ok(())
    }

    fn is_finite(&self) -> bool {
        self.engine.is_finite()
    }

    fn velocities(&self, out: &mut [f64]) -> Result<bool, SolveError> {
        self.engine.read_velocities(out);
        Ok(true)
    }

    fn fingerprint(&self, out: &mut Vec<u64>) -> Result<Option<StateCoverage>, SolveError> {
        let mut numbers = vec![0.0; self.rows.max(6 * self.bodies)];
        self.engine
            .read_impulses(&self.first_rows, &mut numbers[..self.rows]);
        StateCoverage::push(out, numbers[..self.rows].iter().copied());
        self.engine.read_velocities(&mut numbers[..6 * self.bodies]);
        StateCoverage::push(out, numbers[..6 * self.bodies].iter().copied());
        self.engine.state(out);
        Ok(Some(StateCoverage::Complete))
    }

    fn facts(&self) -> SolverFacts {
        self.engine.traffic().into()
    }

    fn as_frame_solver(&mut self) -> Option<&mut dyn FrameSolver> {
        Some(self)
    }
}

impl FrameSolver for Bundles {
    fn integrate(
        &mut self,
        problem: &Problem,
        setup: &FrameSetup<'_>,
        half_steps: HalfSteps,
    ) -> Result<bool, SolveError> {
        // only the first half-step may refuse the frame
        if half_steps.start == 0 && !self.engine.integrates_frames(setup.joints) {
            return Ok(false);
        }
        self.holds_separations = true;
        let integrated = self.engine.integrate_frame(setup, half_steps);
        if let (false, Some(bodies)) = (integrated, problem.bodies()) {
            self.restore_bias(problem, bodies);
        }
        Ok(integrated)
    }

    fn read_motion(&mut self, out: &mut FrameMotion) -> Result<(), SolveError> {
        out.impulses.clear();
        out.impulses.resize(self.rows, 0.0);
        out.joints.clear();
        out.joints
            .resize(self.engine.frame_joints(), JointImpulse::default());
        self.engine.read_frame(out);
        Ok(())
    }
}
