//! Work units of a wrapper under a limit: a unit that the limit cuts short does not count.

use delassus_core::{
    ImpulseSolver, PeerFacts, Problem, Progress, SolveError, SolverDescriptor, SolverFacts,
    WorkUnit, interrupt,
};

/// Runs `unit` until it has finished, `units` times at most, or fewer where the limit of the caller
/// is reached, or leaves less than the last unit took.
///
/// `seconds` is that time, zero at first \[s\]. The caller keeps it from call to call. It says
/// nothing about the next unit if `wrapper` makes stages.
///
/// A unit that returns [`SolveError::Interrupted`] must leave the impulses of the wrapper as they
/// were before it: they are those after the units that count.
///
/// # Errors
/// Those of `unit`; [`SolveError::Interrupted`] if no unit was completed.
pub(crate) fn repeat(
    units: u32,
    wrapper: &SolverDescriptor,
    seconds: &mut f64,
    mut unit: impl FnMut() -> Result<Progress, SolveError>,
) -> Result<Progress, SolveError> {
    let differ = wrapper.work_unit == WorkUnit::Stage;
    let mut done = Progress::default();
    for _ in 0..units {
        let before = interrupt::left();
        let outcome = match before < *seconds && !differ {
            true => Err(SolveError::Interrupted),
            false => unit(),
        };
        match outcome {
            Ok(more) => done += more,
            Err(SolveError::Interrupted) if done.sweeps > 0 => break,
            Err(error) => {
                // one slow unit does not refuse all later calls
                *seconds = 0.0;
                return Err(error);
            }
        }
        *seconds = before - interrupt::left();
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
