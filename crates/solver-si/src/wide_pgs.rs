//! `wide-pgs`: sequential impulses in f32 lanes, colour by colour, on one thread or several.
//!
//! A colouring (W.1) makes blocks independent, so that as many as the processor has lanes are solved together, and the
//! lanes are those of the machine that runs the program. Velocities are gathered by body and scattered back; impulses,
//! arms and masses lie in bundles, in the order in which they are read:
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
//! Contact points of one pair of bodies with one frame become a manifold, whose rows exist in registers only (W.3–W.6), and
//! so do patches and frictionless points (W.9). Joints of three to six rows are solved as blocks; those that hold a point
//! keep their arms (W.10). Every other block keeps its rows. Two layouts say what of a row is
//! stored: `recompute` keeps arms, frames and masses, `projection` keeps what turns velocities into impulses and
//! impulses into velocities (W.7, W.8).
//!
//! Budget per sweep: one pass over all rows; read and written 86 bytes per contact point of a manifold of four, 148 per
//! ball joint.
//! Nearest siblings: `coloured-pgs` visits the same order in f64; `pgs` the order of the problem.
//!
//! Limitations: f32, so residuals end at about 1e-6, and earlier for large mass ratios; impulses and velocities are
//! accumulated in f32, in units scaled by powers of two where the squares of the caller's would leave it. The order is that of the colours. Problems without bodies are refused.
//! Theory: docs/theory/14-wide.md. Source: \[Catto2006\], \[Harada2011\]; layouts and bundles as in \[Norbeck2022\].

use delassus_core::{
    BodyRows, Choice, Fidelity, ImpulseSolver, Memory, ParameterError, Parameters, PowerScale,
    Precision, Problem, Progress, Refresh, SolveError, Solver, SolverDescriptor, Start, Traffic,
    Unsupported,
};
use delassus_structure::{Colouring, ColouringCounts, Colours, Units};

use crate::parameters;
use crate::wide::batch::Context;
use crate::wide::engine::{Engine, engine};
use crate::wide::level::VectorLevel;
use crate::wide::plan::Plan;

const ID: &str = WidePgs::DESCRIPTOR.id;

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
    pub colouring: Colours,
}

/// Sequential impulses in lanes of f32 (W.1–W.10).
#[derive(Debug)]
pub struct WidePgs {
    parameters: WidePgsParameters,
    level: VectorLevel,
    colouring: Colouring,
    plan: Plan,
    engine: Box<dyn Engine>,
    impulses: Vec<f64>,
    /// First row of every block, for reading without the problem.
    first_rows: Vec<u32>,
    prepared: Option<Prepared>,
    /// Units that the lanes compute in.
    scale: PowerScale,
}

/// What the problem must still be like.
#[derive(Debug, Clone, Copy)]
struct Prepared {
    rows: usize,
    bodies: usize,
    active_rows: usize,
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

impl WidePgs {
    /// The vector level in use.
    pub fn level(&self) -> VectorLevel {
        self.level
    }

    /// What the last `prepare` coloured.
    pub fn colouring(&self) -> ColouringCounts {
        self.colouring.counts()
    }

    /// How full the bundles of the last `prepare` are.
    pub fn bundles(&self) -> BundleCounts {
        let (bundles, filled) = self.engine.fill();
        BundleCounts {
            lanes: self.level.lanes(),
            bundles,
            filled,
        }
    }

    fn pack(
        &mut self,
        problem: &Problem,
        bodies: &BodyRows,
        start: Start<'_>,
    ) -> Result<(), SolveError> {
        self.impulses.resize(problem.rows(), 0.0);
        start.write(&mut self.impulses)?;
        let layout = self.parameters.layout;
        if self.plan.holds(problem, bodies) {
            let mut context = context(problem, bodies, layout, &self.impulses);
            if self.engine.prepare(&mut context, None) {
                self.colouring.repeat();
                return Ok(());
            }
        }
        let (units, groups) = Units::new(problem);
        self.colouring.update(groups);
        self.plan.update(
            problem,
            bodies,
            (&units, &self.colouring),
            (self.level.lanes(), self.parameters.threads),
            layout == Layout::Recompute,
        );
        let groups = self.plan.groups();
        let mut context = context(problem, bodies, layout, &self.impulses);
        self.engine.prepare(&mut context, Some(&groups));
        self.set_first_rows(problem);
        Ok(())
    }

    fn set_first_rows(&mut self, problem: &Problem) {
        // fewer than 2³² rows: every one takes more than that many bits of memory
        let first = |row: usize| u32::try_from(row).unwrap_or(u32::MAX);
        let blocks = problem.blocks().iter();
        self.first_rows.clear();
        self.first_rows
            .extend(blocks.map(|block| first(block.first_row)));
    }

    fn prepared(&self, problem: &Problem) -> Result<&Prepared, SolveError> {
        let prepared = self.prepared.as_ref().ok_or(SolveError::NotPrepared)?;
        let bodies = problem.bodies().ok_or(SolveError::NoBodies)?;
        let blocks = problem.blocks().len();
        let pairs = [
            ("problem", problem.rows(), prepared.rows),
            ("blocks", blocks, self.first_rows.len()),
            ("bodies", bodies.len(), prepared.bodies),
        ];
        for (what, found, expected) in pairs {
            if found != expected {
                return Err(SolveError::Length {
                    what,
                    found,
                    expected,
                });
            }
        }
        Ok(prepared)
    }

    /// An error that names the first impulse that is no number, if a velocity is none.
    fn check_finite(&self, prepared: &Prepared) -> Result<(), SolveError> {
        if self.engine.is_finite() {
            return Ok(());
        }
        let mut impulses = vec![0.0; prepared.rows];
        self.engine.read_impulses(&self.first_rows, &mut impulses);
        // a velocity can overflow before any impulse does
        let row = impulses.iter().position(|x| !x.is_finite()).unwrap_or(0);
        Err(SolveError::NonFinite { row })
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
        work: Vec::new(),
    }
}

impl Solver for WidePgs {
    type Parameters = WidePgsParameters;

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
        laws: parameters::ALL_LAWS_EXACT,
        holds_rows: true,
        ..SolverDescriptor::BASE
    };

    fn new(parameters: WidePgsParameters) -> Result<Self, ParameterError> {
        parameters.validate()?;
        let threads = parameters.threads;
        let (level, token) = parameters.level.resolve()?;
        let pool = if threads > 1 {
            let builder = rayon::ThreadPoolBuilder::new().num_threads(threads - 1);
            let pool = builder.build();
            Some(pool.map_err(|_| ParameterError {
                parameter: "threads",
                value: threads.to_string(),
                expected: "a number that the system can start",
            })?)
        } else {
            None
        };
        Ok(Self {
            level,
            colouring: Colouring::new(parameters.colouring.colours),
            plan: Plan::default(),
            engine: engine(token, threads, pool),
            impulses: Vec::new(),
            first_rows: Vec::new(),
            prepared: None,
            scale: PowerScale::IDENTITY,
            parameters,
        })
    }
}

impl ImpulseSolver for WidePgs {
    fn descriptor(&self) -> &SolverDescriptor {
        &Self::DESCRIPTOR
    }

    fn check(&self, problem: &Problem) -> Result<Fidelity, Unsupported> {
        if problem.bodies().is_none() {
            return Err(Unsupported::Bodies {
                solver: Self::DESCRIPTOR.id,
            });
        }
        Self::DESCRIPTOR.check(problem)
    }

    fn prepare(&mut self, problem: &Problem, start: Start<'_>) -> Result<(), SolveError> {
        self.prepared = None;
        let Some(bodies) = problem.bodies() else {
            // every law is solved, so this is all that can be refused
            self.check(problem)?;
            return Err(SolveError::NoBodies);
        };
        self.scale = PowerScale::of(ID, problem)?;
        if self.scale.is_identity() {
            self.pack(problem, bodies, start)?;
        } else {
            let impulses = self.scale.start(start, problem.rows())?;
            let scaled = self.scale.apply(ID, problem)?;
            let bodies = scaled.bodies().ok_or(SolveError::NoBodies)?;
            self.pack(&scaled, bodies, Start::Warm(&impulses))?;
        }
        let prepared = Prepared {
            rows: problem.rows(),
            bodies: bodies.len(),
            active_rows: problem.active_rows(),
        };
        self.check_finite(&prepared)?;
        self.prepared = Some(prepared);
        Ok(())
    }

    fn refresh(&mut self, problem: &Problem, what: Refresh) -> Result<(), SolveError> {
        self.prepared(problem)?;
        let bodies = problem.bodies().ok_or(SolveError::NoBodies)?;
        if what.compliance {
            self.check(problem)?;
        }
        if PowerScale::of(ID, problem)? != self.scale {
            let mut impulses = vec![0.0; problem.rows()];
            self.read_impulses(&mut impulses)?;
            return self.prepare(problem, Start::Warm(&impulses));
        }
        let scaled = self.scale.apply(ID, problem)?;
        let bodies = scaled.bodies().unwrap_or(bodies);
        let mut context = context(&scaled, bodies, self.parameters.layout, &[]);
        self.engine.refresh(&mut context, what);
        if let Some(prepared) = &mut self.prepared
            && what.activity
        {
            prepared.active_rows = problem.active_rows();
        }
        Ok(())
    }

    fn iterate(&mut self, problem: &Problem, sweeps: u32) -> Result<Progress, SolveError> {
        let rows = self.prepared(problem)?.active_rows;
        self.engine.iterate(sweeps);
        self.check_finite(self.prepared(problem)?)?;
        Ok(Progress::of_sweeps(sweeps, rows))
    }

    fn read_impulses(&mut self, out: &mut [f64]) -> Result<(), SolveError> {
        let prepared = self.prepared.as_ref().ok_or(SolveError::NotPrepared)?;
        if out.len() != prepared.rows {
            return Err(SolveError::Length {
                what: "impulses",
                found: out.len(),
                expected: prepared.rows,
            });
        }
        self.check_finite(prepared)?;
        self.engine.read_impulses(&self.first_rows, out);
        self.scale.unscale_impulses(out);
        Ok(())
    }

    fn read_velocities(&mut self, problem: &Problem, out: &mut [f64]) -> Result<(), SolveError> {
        let prepared = self.prepared(problem)?;
        if out.len() != 6 * prepared.bodies {
            return Err(SolveError::Length {
                what: "velocities",
                found: out.len(),
                expected: 6 * prepared.bodies,
            });
        }
        self.check_finite(prepared)?;
        self.engine.read_velocities(out);
        self.scale.unscale_velocities(out);
        Ok(())
    }

    fn state(&mut self, out: &mut Vec<u64>) -> Result<Option<Memory>, SolveError> {
        let prepared = self.prepared.as_ref().ok_or(SolveError::NotPrepared)?;
        let mut numbers = vec![0.0; prepared.rows.max(6 * prepared.bodies)];
        self.engine
            .read_impulses(&self.first_rows, &mut numbers[..prepared.rows]);
        Memory::push(out, numbers[..prepared.rows].iter().copied());
        self.engine
            .read_velocities(&mut numbers[..6 * prepared.bodies]);
        Memory::push(out, numbers[..6 * prepared.bodies].iter().copied());
        self.engine.state(out);
        Ok(Some(Memory::Whole))
    }

    fn traffic(&self) -> Option<Traffic> {
        self.prepared.as_ref().map(|_| self.engine.traffic())
    }
}
