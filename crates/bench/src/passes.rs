//! Solves for comparisons of time: a pass that is judged finds the units of work that a solver
//! needs, and passes of these units are timed without a judge.

use std::time::Instant;

use delassus_core::{ImpulseSolver, ParameterError, Problem, Solver, Start};
use delassus_metrics::Evaluator;

use crate::clock::ThreadClock;

/// Makes a solver.
pub type SolverMaker = fn() -> Result<Box<dyn ImpulseSolver>, ParameterError>;

/// A solver with its defaults.
///
/// # Errors
/// Those of [`Solver::new`].
pub fn make<S: Solver + 'static>() -> Result<Box<dyn ImpulseSolver>, ParameterError> {
    Ok(Box::new(S::new(S::Parameters::default())?))
}

/// Units of work to a natural map of `tolerance`, judged after every twentieth of them; `None`
/// where the solver does not reach it within `limit` \[s\].
pub fn units(make: SolverMaker, problem: &Problem, tolerance: f64, limit: f64) -> Option<u32> {
    let mut solver = make().ok()?;
    let mut evaluator = Evaluator::new(problem).ok()?;
    let mut impulses = vec![0.0; problem.rows()];
    let clock = Instant::now();
    solver.prepare(problem, Start::Cold).ok()?;
    let mut units = 0;
    loop {
        solver.read_impulses(&mut impulses).ok()?;
        let map = evaluator.deciding_natural_map(&impulses).ok()?;
        if map <= tolerance {
            return Some(units);
        }
        let chunk = 1 + units / 20;
        let progress = solver.iterate(problem, chunk).ok()?;
        units += chunk;
        if (progress.finished && progress.sweeps == 0) || clock.elapsed().as_secs_f64() > limit {
            return None;
        }
    }
}

/// Processor time of one solve of so many units on this thread, preparation included \[s\]; `None`
/// where it fails.
pub fn pass(make: SolverMaker, problem: &Problem, units: u32) -> Option<f64> {
    let mut solver = make().ok()?;
    let clock = ThreadClock::start();
    solver.prepare(problem, Start::Cold).ok()?;
    solver.iterate(problem, units).ok()?;
    Some(clock.seconds())
}
