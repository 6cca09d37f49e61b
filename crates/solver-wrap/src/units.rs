//! Work units of a wrapper under a limit: a unit that the limit cuts short does not count.

use delassus_core::{
    ImpulseSolver, PeerFacts, Problem, Progress, SolveError, SolverFacts, interrupt,
};

/// Runs `unit` until it has finished, `units` times at most, or fewer where the limit of the caller
/// is reached.
///
/// A unit that returns [`SolveError::Interrupted`] must leave the impulses of the wrapper as they
/// were before it: they are those after the units that count.
///
/// # Errors
/// Those of `unit`; [`SolveError::Interrupted`] if no unit was completed.
pub(crate) fn repeat(
    units: u32,
    mut unit: impl FnMut() -> Result<Progress, SolveError>,
) -> Result<Progress, SolveError> {
    let mut done = Progress::default();
    for _ in 0..units {
        match unit() {
            Ok(more) => done += more,
            Err(SolveError::Interrupted) if done.sweeps > 0 => break,
            Err(error) => return Err(error),
        }
        if done.finished {
            break;
        }
    }
    Ok(done)
}

/// The facts of S in a wrapper whose unit streams more than one unit of S.
pub(crate) fn facts(inner: SolverFacts) -> SolverFacts {
    SolverFacts {
        traffic: None,
        dispatches: None,
        peer: inner.peer.map(PeerFacts::without_answer),
        ..inner
    }
}

/// Runs all of `units` work units of S, or as many as it takes to finish.
///
/// # Errors
/// Those of S; [`SolveError::Interrupted`] if the limit of the caller left no room for all of them.
pub(crate) fn complete(
    solver: &mut dyn ImpulseSolver,
    problem: &Problem,
    units: u32,
) -> Result<Progress, SolveError> {
    let done = solver.iterate(problem, units)?;
    if done.sweeps < units && !done.finished && interrupt::limit().is_some() {
        return Err(SolveError::Interrupted);
    }
    Ok(done)
}
