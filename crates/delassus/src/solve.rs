//! Solves one problem and computes the residual in f64, outside the solver.

use delassus_core::{
    Fidelity, FieldError, ImpulseSolver, Problem, SolveError, Start, Status, interrupt,
};
use delassus_metrics::{Evaluator, MetricError, Residuals};

use crate::error::Error;

/// A solve has diverged if its residual exceeds this number \[-\], and this number times its
/// residual at the start.
const DIVERGENCE: f64 = 1e12;

/// The residual is computed after each of the first 2 · `JUDGED` sweeps, and then each time the
/// number of sweeps has grown by the fraction 1/`JUDGED` \[-\].
const JUDGED: u64 = 16;

/// When a solve ends.
///
/// ```
/// let limits = delassus::SolveLimits { max_sweeps: 50, ..Default::default() };
/// assert_eq!(limits.tolerance, 1e-8);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SolveLimits {
    /// Largest residual at which the problem counts as solved \[-\]. The residual is the natural
    /// map. It is evaluated with Coulomb's law as a cone and as a disc, and the larger value counts
    /// (docs/theory/02-metrics.md, M.39).
    pub tolerance: f64,
    /// Largest number of sweeps, that is work units of the solver ([`delassus_core::WorkUnit`])
    /// \[-\].
    pub max_sweeps: u64,
}

impl Default for SolveLimits {
    fn default() -> Self {
        Self {
            tolerance: 1e-8,
            max_sweeps: 10_000,
        }
    }
}

/// The result of a solve. The residuals and velocities are computed in f64 from the problem and the
/// impulses, also for an f32 solver.
///
/// ```
/// use delassus::prelude::*;
///
/// let mut step = Problem::builder();
/// let inertia = Inertia::new(1.0, Vector3::repeat(0.4));
/// let a = step.body(Body::dynamic(inertia, Vector3::zeros()))?;
/// let moving = Body::dynamic(inertia, Vector3::x()).moving(Vector3::y(), Vector3::zeros());
/// let b = step.body(moving)?;
/// step.ball_joint(a, b, 0.5 * Vector3::x())?;
/// let solved = solve(&step.build(0.01)?, "pgs", 1e-10)?;
/// assert_eq!(solved.status, Status::Solved);
/// assert_eq!((solved.impulses.len(), solved.velocities.len()), (3, 2));
/// assert!(solved.residual <= 1e-10 && solved.residuals.natural_map <= solved.residual);
/// assert_eq!(solved.history.last().map(|point| point.sweeps), Some(solved.sweeps));
/// # Ok::<(), delassus::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SolveOutcome {
    /// How the solve ended; `Solved` only if `residual` is within the tolerance.
    pub status: Status,
    /// The reason, if the solver ended the solve itself with an error.
    pub message: Option<String>,
    /// λ, one per row \[N·s | N·m·s\].
    pub impulses: Vec<f64>,
    /// v⁺ = v_f + M⁻¹Jᵀλ, one per body: linear \[m/s\], then angular \[rad/s\], in world axes.
    /// Empty for a problem without bodies.
    pub velocities: Vec<[f64; 6]>,
    /// The residual that was compared with the tolerance \[-\]: the natural map, as in
    /// [`SolveLimits::tolerance`].
    pub residual: f64,
    /// All residuals.
    pub residuals: Residuals,
    /// Work units done \[-\].
    pub sweeps: u64,
    /// Updates of scalar rows done \[-\].
    pub row_updates: u64,
    /// The residual at the start, and after each sweep at which it was computed.
    pub history: Vec<ResidualPoint>,
    /// The approximations that the solver makes, one text each; empty if it solves the given
    /// problem.
    pub approximations: Vec<&'static str>,
}

impl SolveOutcome {
    /// True if the residual is within the tolerance.
    pub fn is_solved(&self) -> bool {
        self.status == Status::Solved
    }
}

/// One entry of [`SolveOutcome::history`]: the residual after a number of sweeps.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ResidualPoint {
    /// Work units done \[-\].
    pub sweeps: u64,
    /// The residual that is compared with the tolerance \[-\].
    pub residual: f64,
}

/// Solves a problem with the solver named `solver`, starting from zero impulses, until the residual
/// is at most `tolerance` \[-\].
///
/// ```
/// use delassus::prelude::*;
///
/// let mut step = Problem::builder();
/// let wall = step.body(Body::fixed(Vector3::zeros()))?;
/// let body = Body::dynamic(Inertia::point(3.0), Vector3::zeros());
/// let body = step.body(body.moving(-2.0 * Vector3::x(), Vector3::zeros()))?;
/// step.contact(wall, body, Vector3::zeros(), Vector3::x(), 0.0)?;
/// let solved = solve(&step.build(0.01)?, "pgs", 1e-8)?;
/// assert!(solved.is_solved() && (solved.impulses[0] - 6.0).abs() < 1e-12);
/// # Ok::<(), delassus::Error>(())
/// ```
///
/// # Errors
/// An unknown name, with the closest one; a tolerance that is not finite or negative; a problem
/// that the solver refuses; a solver that fails. If the solver does not converge, this is a status,
/// not an error.
pub fn solve(problem: &Problem, solver: &str, tolerance: f64) -> Result<SolveOutcome, Error> {
    let mut solver = crate::solver(solver)?;
    let limits = SolveLimits {
        tolerance,
        ..SolveLimits::default()
    };
    solve_with(problem, &mut solver, Start::Cold, &limits)
}

/// Solves a problem with the given solver, start and limits. To use your own method as a solver,
/// wrap it in [`Checked`](delassus_core::Checked).
///
/// ```
/// use delassus::prelude::*;
///
/// let mut step = Problem::builder();
/// let body = Body::dynamic(Inertia::point(3.0), Vector3::zeros());
/// let wall = step.body(Body::fixed(Vector3::zeros()))?;
/// let body = step.body(body.moving(-2.0 * Vector3::x(), Vector3::zeros()))?;
/// let problem = step.contact(wall, body, Vector3::zeros(), Vector3::x(), 0.0)?.build(0.01)?;
/// let (mut pgs, limits) = (solver("pgs")?, SolveLimits::default());
/// let warm = solve_with(&problem, &mut pgs, Start::Warm(&[6.0, 0.0, 0.0]), &limits)?;
/// assert_eq!((warm.status, warm.sweeps), (Status::Solved, 0));
/// # Ok::<(), delassus::Error>(())
/// ```
///
/// # Errors
/// Those of [`solve()`], and a start of the wrong length or with an impulse that is not finite.
pub fn solve_with(
    problem: &Problem,
    solver: &mut dyn ImpulseSolver,
    start: Start<'_>,
    limits: &SolveLimits,
) -> Result<SolveOutcome, Error> {
    FieldError::non_negative("tolerance", limits.tolerance)?;
    let approximations = match solver.check(problem)? {
        Fidelity::Exact => Vec::new(),
        Fidelity::Approximate(reasons) => reasons,
    };
    solver.prepare(problem, start)?;
    let mut run = Run {
        problem,
        solver,
        evaluator: Evaluator::new(problem)?,
        impulses: vec![0.0; problem.rows()],
        read: vec![0.0; problem.rows()],
        row_updates: 0,
        history: Vec::new(),
    };
    let (status, message) = match run.iterate(limits) {
        Ok(status) => (status, None),
        Err(error) => ended(error)?,
    };
    let bodies = problem.bodies().map_or(0, |bodies| bodies.len());
    let mut velocities = vec![[0.0; 6]; bodies];
    if bodies > 0 {
        problem.body_velocities(&run.impulses, velocities.as_flattened_mut())?;
    }
    let last = run.last();
    Ok(SolveOutcome {
        status,
        message,
        residuals: run.evaluator.evaluate(&run.impulses)?,
        impulses: run.impulses,
        velocities,
        residual: last.residual,
        sweeps: last.sweeps,
        row_updates: run.row_updates,
        history: run.history,
        approximations,
    })
}

/// A solve under way.
struct Run<'r> {
    problem: &'r Problem,
    solver: &'r mut dyn ImpulseSolver,
    evaluator: Evaluator<'r>,
    /// The impulses whose residual was computed last \[N·s\].
    impulses: Vec<f64>,
    read: Vec<f64>,
    row_updates: u64,
    history: Vec<ResidualPoint>,
}

impl Run<'_> {
    fn last(&self) -> ResidualPoint {
        let start = ResidualPoint {
            sweeps: 0,
            residual: f64::INFINITY,
        };
        self.history.last().copied().unwrap_or(start)
    }

    /// Reads the impulses after `sweeps` sweeps and computes their residual.
    fn judge(&mut self, sweeps: u64) -> Result<f64, Error> {
        self.solver.read_impulses(&mut self.read)?;
        let residual = self.evaluator.deciding_natural_map(&self.read)?;
        std::mem::swap(&mut self.impulses, &mut self.read);
        self.history.push(ResidualPoint { sweeps, residual });
        Ok(residual)
    }

    /// Sweeps until the residual, the solver or a limit ends the solve.
    fn iterate(&mut self, limits: &SolveLimits) -> Result<Status, Error> {
        let first = self.judge(0)?;
        // a start that is a solution may not be the only one
        let searches = self.solver.facts().solutions.is_some();
        if first <= limits.tolerance && !searches {
            return Ok(Status::Solved);
        }
        let mut sweeps = 0;
        while sweeps < limits.max_sweeps {
            let part = next_judged(sweeps).min(limits.max_sweeps) - sweeps;
            let part = u32::try_from(part).unwrap_or(u32::MAX);
            let progress = self.solver.iterate(self.problem, part)?;
            sweeps += u64::from(progress.sweeps);
            self.row_updates += progress.row_updates;
            let residual = self.judge(sweeps)?;
            if residual <= limits.tolerance {
                return Ok(Status::Solved);
            }
            if progress.finished {
                return Ok(Status::Stagnated);
            }
            if residual > DIVERGENCE * first.max(1.0) {
                return Ok(Status::Diverged);
            }
            if progress.sweeps < part {
                // a limit may leave too little for the next unit
                if interrupt::limit().is_some() {
                    return Err(SolveError::Interrupted.into());
                }
                return Ok(Status::Failed);
            }
        }
        Ok(Status::MaxSweeps)
    }
}

/// The next number of sweeps after `sweeps` at which the residual is computed.
fn next_judged(sweeps: u64) -> u64 {
    sweeps + (sweeps / JUDGED).max(1)
}

/// Converts an error of a solver to the status and message of the solve; returns the error itself
/// if no status describes it.
fn ended(error: Error) -> Result<(Status, Option<String>), Error> {
    let status = match &error {
        Error::Solve(SolveError::NonFinite { .. })
        | Error::Metric(MetricError::NonFinite { .. }) => Status::NonFinite,
        Error::Metric(MetricError::Overflow { .. }) => Status::Diverged,
        Error::Solve(SolveError::Infeasible { .. }) => Status::Infeasible,
        Error::Solve(SolveError::Ray(ray)) if ray.is_proof() => Status::Infeasible,
        Error::Solve(SolveError::Ray(_) | SolveError::Unreached { .. }) => Status::Stagnated,
        Error::Solve(SolveError::Interrupted) => Status::MaxTime,
        _ => return Err(error),
    };
    Ok((status, Some(error.to_string())))
}
