//! When a solve ends: after a count of sweeps, or when the residual of the frozen problem is within
//! a tolerance (T.30).
//!
//! The residual is the natural map (M.4), or its disc form (M.39) where that is larger, f64, from
//! the problem and the impulses alone, by the evaluator that judges every solver. A solve is judged
//! before its first sweep and after each, beyond 2048 sweeps to a thousandth, so that the number of
//! sweeps is that of the first iterate within the tolerance. Judging costs three to five sweeps of
//! scalar Gauss–Seidel, and the scales of the problem, once per solve, about as much.

use delassus_core::{Choice, ImpulseSolver, Parameters, Problem, Progress};
use delassus_metrics::{Evaluator, EvaluatorMemory, MetricError};

use crate::error::StepError;
use crate::scheme::StepReport;
use crate::stopped_by::StoppedBy;

/// What a tolerance is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Choice)]
pub enum ToleranceKind {
    /// The residual (M.4, M.39) itself, whose scale is that of the problem's data.
    Absolute,
    /// The residual over that of zero impulses (T.31), which no warm start changes.
    Relative,
}

/// What a step does where a solve ends above its tolerance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Choice)]
pub enum OnUnsolved {
    /// It applies the impulses that the solver has reached.
    Apply,
    /// It applies them times one factor from 0 to 1, so that they do no work on the velocities that
    /// they leave (T.56).
    Scale,
    /// It applies the impulses that the solve started from: the last good ones (T.57).
    Hold,
    /// The step is repeated as two steps of half the length, down to a limit (T.58).
    Halve,
    /// The step fails.
    Refuse,
}

/// A solve that ended above its tolerance.
#[derive(Debug, Clone, Copy)]
pub(super) struct Unsolved {
    pub(super) sweeps: u32,
    /// The residual and the bound that it had to meet \[-\].
    pub(super) residual: f64,
    pub(super) bound: f64,
    pub(super) by: StoppedBy,
}

/// When the solves of a step end.
#[derive(Debug, Clone, PartialEq, Parameters)]
pub struct SolveStop {
    /// Residual of the frozen problem at which its solve ends, in place of the counts. relax_sweeps
    /// still says whether there is a relax pass.
    #[parameter(default = None, unit = "-", range = "(0, 1]")]
    pub tolerance: Option<f64>,
    /// What the tolerance is compared with.
    #[parameter(default = ToleranceKind::Absolute)]
    pub tolerance_kind: ToleranceKind,
    /// Work units after which a solve with a tolerance ends in any case.
    #[parameter(default = 10_000, unit = "-", range = "[1, 1000000000]")]
    pub max_sweeps: u32,
    /// What a step does where a solve ends above its tolerance.
    #[parameter(default = OnUnsolved::Apply)]
    pub on_unsolved: OnUnsolved,
    /// Times that a step may be halved. Its shortest parts apply what their solves have reached.
    #[parameter(default = 4, unit = "-", range = "[1, 16]")]
    pub max_halvings: u32,
}

/// Lower bound of relative tolerances \[-\]: where zero impulses solve a problem, or nearly do, a
/// share of their residual is below the rounding of another iterate.
const ROUNDING: f64 = 1e-15;

/// Sweeps up to which every iterate is judged \[-\].
const EVERY: u32 = 1024;

/// The number of sweeps at which a solve is judged next.
fn next_judged(sweeps: u32) -> u32 {
    let step = sweeps.checked_ilog2().map_or(1, |log| (1 << log) / EVERY);
    sweeps.saturating_add(step.max(1))
}

/// Ends solves by their residual, in reused memory.
#[derive(Debug, Default)]
pub(super) struct ResidualMonitor {
    memory: EvaluatorMemory,
    impulses: Vec<f64>,
}

impl ResidualMonitor {
    /// Runs a solve of a prepared problem until its residual is within the tolerance; says how it
    /// ended where it is not.
    pub(super) fn iterate(
        &mut self,
        solver: &mut dyn ImpulseSolver,
        problem: &Problem,
        tolerance: f64,
        stop: &SolveStop,
        report: &mut StepReport,
    ) -> Result<Option<Unsolved>, StepError> {
        let memory = std::mem::take(&mut self.memory);
        let mut evaluator = Evaluator::in_memory_of(memory, problem)?;
        let mut impulses = std::mem::take(&mut self.impulses);
        impulses.resize(problem.rows(), 0.0);
        solver.read_impulses(&mut impulses)?;
        let bound = match stop.tolerance_kind {
            ToleranceKind::Absolute => tolerance,
            ToleranceKind::Relative => {
                let zero = residual_of_zero(&mut evaluator, problem, &mut impulses)?;
                solver.read_impulses(&mut impulses)?;
                (tolerance * zero).max(ROUNDING)
            }
        };
        let limit = stop.max_sweeps;
        let (mut done, mut progress) = (0, Progress::default());
        let end = loop {
            let residual = evaluator.deciding_natural_map(&impulses)?;
            if residual <= bound {
                break (StoppedBy::Tolerance, residual);
            }
            if progress.finished {
                break (StoppedBy::Solver, residual);
            }
            if done >= limit {
                break (StoppedBy::Limit, residual);
            }
            let until = next_judged(done).min(limit);
            progress += solver.iterate(problem, until - done)?;
            solver.read_impulses(&mut impulses)?;
            done = until;
        };
        report.take_solve(progress, end.0, Some(end.1));
        self.memory = evaluator.into_memory();
        self.impulses = impulses;
        let (by, residual) = end;
        Ok((by != StoppedBy::Tolerance).then_some(Unsolved {
            sweeps: progress.sweeps,
            residual,
            bound,
            by,
        }))
    }
}

/// The residual of zero impulses (T.31): inactive rows keep theirs. `impulses` is what a solve
/// starts from.
fn residual_of_zero(
    evaluator: &mut Evaluator<'_>,
    problem: &Problem,
    impulses: &mut [f64],
) -> Result<f64, MetricError> {
    for (index, block) in problem.blocks().iter().enumerate() {
        let solved = block.first_row..block.first_row + problem.active_dim(index);
        impulses[solved].fill(0.0);
    }
    evaluator.deciding_natural_map(impulses)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sweep_is_judged_and_later_to_a_thousandth() {
        let mut sweeps = 0;
        while sweeps < 1_000_000 {
            let next = next_judged(sweeps);
            let exact = next == sweeps + 1;
            assert!(next > sweeps && (exact || sweeps >= 2 * EVERY), "{sweeps}");
            assert!(next - sweeps <= 1 + sweeps / EVERY, "{sweeps}");
            sweeps = next;
        }
        assert_eq!(next_judged(u32::MAX), u32::MAX);
    }
}
