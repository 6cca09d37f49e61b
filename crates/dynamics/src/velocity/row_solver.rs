//! The solver of a scheme, what it holds, and the motion that its impulses give.

use delassus_core::{Changes, ImpulseSolver, Problem, SolverUpdate, Start};

use super::stop::{ResidualMonitor, SolveStop, Unsolved};
use crate::assembly::Assembly;
use crate::error::StepError;
use crate::scheme::StepReport;
use crate::stopped_by::StoppedBy;

/// A solver, and what it holds.
pub(super) struct RowSolver {
    pub(super) inner: Box<dyn ImpulseSolver>,
    pub(super) held: SolverProblem,
    monitor: ResidualMonitor,
}

/// The problem that a solver holds, and where its bias comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SolverProblem {
    /// Another problem than that of the substep, other impulses, or nothing.
    Other,
    /// That of the substep, with the bias of the scheme.
    Substep,
    /// That of a frame which the solver integrates itself: it computes the bias, the scheme does
    /// not.
    Frame,
}

impl RowSolver {
    /// A solver that holds nothing yet.
    pub(super) fn new(solver: Box<dyn ImpulseSolver>) -> Self {
        Self {
            inner: solver,
            held: SolverProblem::Other,
            monitor: ResidualMonitor::default(),
        }
    }

    /// Makes the solver ready for a problem.
    pub(super) fn prepare(
        &mut self,
        problem: &Problem,
        start: Start<'_>,
        held: SolverProblem,
    ) -> Result<(), StepError> {
        self.inner.prepare(problem, start)?;
        self.held = held;
        Ok(())
    }

    /// Makes the solver ready for other numbers of the problem of the substep, from the impulses
    /// reached.
    pub(super) fn update(
        &mut self,
        problem: &Problem,
        changed: Changes,
        impulses: &[f64],
        held: SolverProblem,
    ) -> Result<(), StepError> {
        if self.held == SolverProblem::Other {
            return self.prepare(problem, Start::Warm(impulses), held);
        }
        self.inner.update(problem, SolverUpdate::Numbers(changed))?;
        self.held = held;
        Ok(())
    }

    /// Lets the next solve start from the impulses that it is given, not from those reached.
    pub(super) fn release(&mut self) {
        self.held = SolverProblem::Other;
    }

    /// Runs a solve of the prepared problem: `sweeps` work units, or until it is within the
    /// tolerance; says how it ended where it misses one.
    pub(super) fn iterate(
        &mut self,
        problem: &Problem,
        sweeps: u32,
        stop: &SolveStop,
        report: &mut StepReport,
    ) -> Result<Option<Unsolved>, StepError> {
        if let Some(tolerance) = stop.tolerance {
            let solver = &mut *self.inner;
            return self
                .monitor
                .iterate(solver, problem, tolerance, stop, report);
        }
        let progress = self.inner.iterate(problem, sweeps)?;
        let end = if progress.finished {
            StoppedBy::Solver
        } else {
            StoppedBy::Count
        };
        report.take_solve(progress, end, None);
        Ok(None)
    }
}

/// The impulses of the last solve, and what they do to the bodies.
#[derive(Debug, Default)]
pub(super) struct SolvedMotion {
    /// One per row \[N·s\].
    pub(super) impulses: Vec<f64>,
    /// Impulses on the bodies, 6 per body \[N·s, N·m·s\].
    pub(super) wrenches: Vec<f64>,
    /// Velocities of the bodies, 6 per body \[m/s, rad/s\].
    pub(super) velocities: Vec<f64>,
}

impl SolvedMotion {
    /// Computes what the impulses do by these rows, for so many `bodies`.
    pub(super) fn compute(&mut self, assembly: &Assembly, bodies: usize) {
        self.resize(bodies);
        let (wrenches, velocities) = (&mut self.wrenches, &mut self.velocities);
        assembly.body_velocities(&self.impulses, &[], wrenches, velocities);
    }

    /// Makes room for so many bodies.
    pub(super) fn resize(&mut self, bodies: usize) {
        self.wrenches.resize(6 * bodies, 0.0);
        self.velocities.resize(6 * bodies, 0.0);
    }
}

/// The second velocity field of split impulses (T.13).
#[derive(Debug, Default)]
pub(super) struct PseudoMotion {
    /// One per row \[N·s\].
    pub(super) impulses: Vec<f64>,
    /// 6 per body \[m/s, rad/s\]; empty where nothing moves.
    pub(super) velocities: Vec<f64>,
}
