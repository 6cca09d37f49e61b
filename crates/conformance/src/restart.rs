//! Law 13: other impulses in a prepared problem.

use delassus_core::{Determinism, ImpulseSolver, Problem, SolveError, SolverUpdate, Start};

use crate::laws::inapplicable;
use crate::{Case, Make, Verdict, require, unavailable};

/// Law 13: after the impulses are replaced the sweeps are, bit for bit, those of a solver that is
/// prepared with these impulses.
pub fn restart(make: Make<'_>, case: &Case) -> Verdict {
    if let Some(verdict) = inapplicable(make, case) {
        return verdict;
    }
    if make().descriptor().determinism == Determinism::None {
        return Verdict::NotApplicable("declares no determinism".into());
    }
    match sweeps_after(make, &case.problem) {
        Ok((restarted, afresh)) => {
            let same = restarted.iter().map(|x| x.to_bits());
            require!(
                same.eq(afresh.iter().map(|x| x.to_bits())),
                "replaced impulses give {restarted:?}, afresh {afresh:?}"
            );
            Verdict::Holds
        }
        Err(error) => Verdict::Violated(error.to_string()),
    }
}

/// The second part of the law, of the solvers that keep what they packed: replacing the impulses
/// does not allocate.
pub fn restart_allocation(make: Make<'_>, case: &Case) -> Verdict {
    let mut solver = make();
    if let Some(verdict) = unavailable(solver.facts().device) {
        return verdict;
    }
    if let Err(error) = solver.prepare(&case.problem, Start::Cold) {
        return Verdict::NotApplicable(error.to_string());
    }
    let impulses = vec![0.5; case.problem.rows()];
    let mut outcome = Ok(());
    let counted = allocation_counter::measure(|| {
        outcome = solver.update(&case.problem, SolverUpdate::Impulses(&impulses));
    });
    require!(outcome.is_ok(), "{outcome:?}");
    let count = counted.count_total;
    require!(count == 0, "replacing the impulses allocates {count} times");
    Verdict::Holds
}

/// Impulses after three sweeps from those of two sweeps: put in after five more, and afresh.
fn sweeps_after(make: Make<'_>, problem: &Problem) -> Result<(Vec<f64>, Vec<f64>), SolveError> {
    let mut solver = make();
    solver.prepare(problem, Start::Cold)?;
    solver.iterate(problem, 2)?;
    let start = read(solver.as_mut(), problem)?;
    solver.iterate(problem, 5)?;
    solver.update(problem, SolverUpdate::Impulses(&start))?;
    solver.iterate(problem, 3)?;
    let restarted = read(solver.as_mut(), problem)?;
    let mut fresh = make();
    fresh.prepare(problem, Start::Warm(&start))?;
    fresh.iterate(problem, 3)?;
    Ok((restarted, read(fresh.as_mut(), problem)?))
}

fn read(solver: &mut dyn ImpulseSolver, problem: &Problem) -> Result<Vec<f64>, SolveError> {
    let mut impulses = vec![0.0; problem.rows()];
    solver.read_impulses(&mut impulses)?;
    Ok(impulses)
}
