//! Newton's method on the convex function of the velocities: regularized problems (Z.13).
//!
//! Where every row has compliance R, the impulses are a function of the velocities, λ = Π(−R⁻¹w) in
//! the metric of R, and the velocities minimize ½‖v − v_f‖²_M + Σ ½‖λ‖²_R: a strictly convex
//! function with a continuous gradient \[Castro2022\], \[Todorov2014\]. Newton's method with an
//! exact search finds the minimum from any start.
//!
//! Budget: one block-sparse Cholesky factorization per sweep, typically 3 to 15; memory that of the
//! factor. With `linear = "cg"` conjugate gradients instead, with block-Jacobi or aggregation over
//! bodies as preconditioner (Z.16)–(Z.19). Differs from [`crate::ProxNewton`], which needs no
//! compliance, by having no outer iteration; from sweeps by steps whose number hardly depends on
//! chains or mass ratios.
//!
//! Departures from \[Castro2022\]: the compliance is the problem's own, not made from a time scale,
//! and the rows of friction of a cone may have different ones (Z.21); the search is Newton's method
//! in a bracket; the start is the velocity of the given impulses. The solver returns the best
//! iterate.
//!
//! # Limitations
//! Rows without compliance are refused. As R goes to zero, the matrix becomes ill-conditioned and
//! steps more.
//!
//! Theory: docs/theory/27-primal-newton.md. Source: \[Castro2022\], \[Todorov2014\].

use delassus_core::{
    Changes, Checked, Factor, LawForm, Method, ParameterError, Parameters, Prepared, Problem,
    Progress, SolveError, SolverDescriptor, StateCoverage, Support, Unsupported,
};

use crate::limit::{self, Sweeps};
use crate::linear;
use crate::linear::krylov::{Linear, LinearSettings, Preconditioner, Smoother};
use crate::memory;
use crate::primal::Primal;
use crate::search;

/// Convex Newton method in the velocities (Z.13).
pub type Sap = Checked<SapParameters>;

/// Parameters of [`Sap`].
#[derive(Debug, Clone, Copy, PartialEq, Parameters)]
pub struct SapParameters {
    /// Sweeps without progress before the method gives up.
    #[parameter(default = 100, unit = "-", range = ">= 1")]
    pub patience: u32,
    /// How symmetric Newton systems are solved.
    pub linear: Linear,
    /// Preconditioner of conjugate gradients.
    pub preconditioner: Preconditioner,
    /// Smoother of multigrid.
    pub smoother: Smoother,
    /// Residual that ends conjugate gradients, of the right-hand side.
    #[parameter(default = 1e-10, unit = "-", range = "[1e-15, 0.1]")]
    pub linear_tolerance: f64,
}

impl SapParameters {
    fn linear(&self) -> LinearSettings {
        LinearSettings {
            linear: self.linear,
            preconditioner: self.preconditioner,
            smoother: self.smoother,
            tolerance: self.linear_tolerance,
        }
    }
}

/// A residual of this part of the numbers that it is computed from is rounding \[-\].
const ROUNDING: f64 = 4.0 * f64::EPSILON;
/// Progress: the best residual falls by this factor at least.
const PROGRESS: f64 = 0.9;
/// Residual of the size of the problem below which [`PATIENCE_AT_END`] counts \[-\].
const NEAR_END: f64 = 1e-12;
/// Sweeps without progress near rounding after which nothing is expected any more.
const PATIENCE_AT_END: u32 = 8;

impl Method for SapParameters {
    type Parameters = Self;
    type Prepared = PreparedSap;

    const DESCRIPTOR: SolverDescriptor = SolverDescriptor {
        id: "sap",
        aliases: &["mujoco-newton"],
        name: "Convex Newton",
        summary: "Newton's method with an exact search on the convex function of the velocities of a problem with compliance \
                  on every row; unlike prox-newton it has no outer iteration.",
        citations: &["Castro2022", "Todorov2014"],
        theory: &[
            "Z.1", "Z.2", "Z.4", "Z.5", "Z.7", "Z.10", "Z.13", "Z.15", "Z.16", "Z.17", "Z.18",
            "Z.19", "Z.21",
        ],
        cost: "sparse factor",
        forms: &[
            (LawForm::Free, Support::Exact),
            (LawForm::Interval, Support::Exact),
            (LawForm::Normal, Support::Exact),
            (LawForm::FixedIntervals, Support::Exact),
            (LawForm::Cone, Support::Exact),
        ],
        cone_rows: 6,
        // a step that lowers its function no further ends it, also at a new start
        unit_is_map: false,
        supports_inactive_rows: true,
        needs_bodies: true,
        needs_positive_diagonal: false,
        ..SolverDescriptor::BASE
    };

    fn new(parameters: Self::Parameters) -> Result<Self, ParameterError> {
        Ok(parameters)
    }

    fn check(&self, problem: &Problem) -> Result<(), Unsupported> {
        let solver = Self::DESCRIPTOR.id;
        let compliance = problem.compliance();
        for (index, block) in problem.blocks().iter().enumerate() {
            let factors = block.law.factors(problem.active_dim(index));
            // rows with one impulse keep it, whatever their velocity
            let has_one = |factor: &&Factor<'_>| {
                let bounds = factor.fixed_set().and_then(|set| set.bounds());
                bounds.is_some_and(|(lower, upper)| lower == upper)
            };
            let still = factors.iter().find(has_one).map(|factor| factor.first);
            let moved = still.unwrap_or(problem.active_dim(index));
            let rows = &compliance[block.first_row..block.first_row + moved];
            if let Some(local) = rows.iter().position(|r| *r <= 0.0) {
                let row = block.first_row + local;
                return Err(Unsupported::Rigid { solver, row });
            }
        }
        Ok(())
    }

    fn footprint(&self, problem: &Problem) -> u64 {
        let extra = match self.linear {
            Linear::Factor => 0,
            Linear::Cg => memory::levels(problem),
        };
        memory::estimate(problem).saturating_add(extra)
    }

    fn prepare(
        &mut self,
        problem: &Problem,
        impulses: Vec<f64>,
    ) -> Result<PreparedSap, SolveError> {
        let bodies = problem.bodies().ok_or(SolveError::NoBodies)?;
        let linear = self.linear();
        let primal = Primal::new(problem, bodies, &impulses, linear, true);
        Ok(PreparedSap::new(primal, impulses, *self))
    }
}

/// A prepared problem.
#[derive(Debug)]
pub struct PreparedSap {
    primal: Primal,
    parameters: SapParameters,
    best: Vec<f64>,
    best_residual: f64,
    /// The best residual and gradient when progress was last seen \[√J\].
    residual_at_progress: f64,
    gradient: f64,
    steps_without_progress: u32,
    started: bool,
    finished: bool,
}

impl PreparedSap {
    fn new(primal: Primal, best: Vec<f64>, parameters: SapParameters) -> Self {
        let mut sap = Self {
            primal,
            parameters,
            best,
            best_residual: f64::INFINITY,
            residual_at_progress: f64::INFINITY,
            gradient: f64::INFINITY,
            steps_without_progress: 0,
            started: false,
            finished: false,
        };
        sap.primal.divide_by_compliance();
        sap
    }

    /// Residual of the returned impulses, before the first sweep infinite \[√J\].
    pub fn residual(&self) -> f64 {
        self.best_residual
    }

    /// Iterations of conjugate gradients in the last sweep; none where factors are used \[-\].
    pub fn linear_iterations(&self) -> Option<u32> {
        self.primal.krylov.as_ref().map(|krylov| krylov.iterations)
    }

    fn sweep(&mut self) {
        if !self.started {
            self.started = true;
            self.primal.clear_step();
            let residual = self.primal.natural_at(0.0, 0.0);
            self.record_residual(residual);
            if self.finished {
                return;
            }
        }
        self.primal.evaluate();
        let moved = self.primal.direction() && search::minimize(&mut self.primal);
        let residual = self.primal.natural_map();
        self.record_residual(residual);
        self.finished |= !moved;
    }

    fn record_residual(&mut self, residual: f64) {
        if residual < self.best_residual {
            self.best_residual = residual;
            self.best.copy_from_slice(&self.primal.impulses);
        }
        self.steps_without_progress += 1;
        if self.best_residual < PROGRESS * self.residual_at_progress {
            self.residual_at_progress = self.best_residual;
            self.steps_without_progress = 0;
        }
        // the map is large until the minimum is near: a smaller gradient is progress too
        let gradient = linear::norm(&self.primal.residual);
        if 0.0 < gradient && gradient < PROGRESS * self.gradient {
            self.gradient = gradient;
            self.steps_without_progress = 0;
        }
        let size = self.primal.size();
        let near = self.best_residual <= NEAR_END * size;
        let patience = if near {
            PATIENCE_AT_END
        } else {
            self.parameters.patience
        };
        self.finished =
            self.best_residual <= ROUNDING * size || self.steps_without_progress >= patience;
    }
}

impl Sweeps for PreparedSap {
    fn sweep(&mut self) {
        Self::sweep(self);
    }

    fn is_finished(&self) -> bool {
        self.finished
    }

    fn best(&mut self) -> &mut [f64] {
        &mut self.best
    }

    fn cut_short(&mut self) -> &mut bool {
        &mut self.primal.matrix.cut_short
    }
}

impl Prepared for PreparedSap {
    fn update(&mut self, problem: &Problem, changed: Changes) -> Result<bool, SolveError> {
        if changed.activity || changed.compliance {
            return Ok(false);
        }
        self.primal.take_velocities(problem, &self.best);
        (self.best_residual, self.residual_at_progress) = (f64::INFINITY, f64::INFINITY);
        self.gradient = f64::INFINITY;
        (self.steps_without_progress, self.started, self.finished) = (0, false, false);
        Ok(true)
    }

    fn iterate(&mut self, problem: &Problem, sweeps: u32) -> Result<Progress, SolveError> {
        limit::iterate(self, problem.rows(), sweeps)
    }

    fn impulses(&self, out: &mut [f64]) -> Result<(), SolveError> {
        out.copy_from_slice(&self.best);
        Ok(())
    }

    fn fingerprint(&self, out: &mut Vec<u64>) -> Result<Option<StateCoverage>, SolveError> {
        self.primal.push_state(out);
        StateCoverage::push(out, self.best.iter().copied());
        let residuals = [self.best_residual, self.residual_at_progress];
        StateCoverage::push(out, residuals.into_iter().chain([self.gradient]));
        out.push(self.steps_without_progress.into());
        out.extend([self.started, self.finished].map(u64::from));
        Ok(Some(StateCoverage::Complete))
    }

    fn factorizations(&self) -> Option<u64> {
        Some(self.primal.factorizations())
    }
}
