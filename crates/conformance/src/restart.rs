//! Laws 13 and 16: other impulses in a prepared problem.

use delassus_core::{ImpulseSolver, Problem, SolveError, SolverUpdate, Start};

use crate::laws::{applicable, deterministic, exact, residual};
use crate::{Case, Make, Verdict, attempt, available, require};

/// Law 13: after the impulses are replaced the sweeps are, bit for bit, those of a solver that is
/// prepared with these impulses.
pub fn restart(make: Make<'_>, case: &Case) -> Verdict {
    attempt!(applicable(make, case));
    attempt!(deterministic(make));
    let (restarted, afresh) = attempt!(sweeps_after(make, &case.problem));
    let same = restarted.iter().map(|x| x.to_bits());
    require!(
        same.eq(afresh.iter().map(|x| x.to_bits())),
        "replaced impulses give {restarted:?}, afresh {afresh:?}"
    );
    Verdict::Holds
}

/// The second part of the law, of the solvers that keep what they packed: replacing the impulses
/// does not allocate.
pub fn restart_allocation(make: Make<'_>, case: &Case) -> Verdict {
    let mut solver = make();
    attempt!(available(solver.facts().device));
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

/// Units of work that law 16 makes \[-\].
const UNITS: u32 = 300;
/// Natural map above which impulses solve nothing \[-\].
const UNSOLVED: f64 = 1e-4;
/// Change of a unit below which impulses stay, as a share of their length \[-\].
const SAME: f64 = 1e-13;

/// Law 16: units of work, each from a new start, stay at solutions alone. It is the law of solvers
/// whose unit is a map ([`delassus_core::SolverDescriptor::unit_is_map`]).
pub fn unit_map(make: Make<'_>, case: &Case) -> Verdict {
    attempt!(exact(make, case));
    let judged = stays(make, &case.problem);
    judged.unwrap_or_else(|error| Verdict::NotApplicable(error.to_string()))
}

/// Repeats units from new starts until the impulses stay.
fn stays(make: Make<'_>, problem: &Problem) -> Result<Verdict, SolveError> {
    let mut solver = make();
    solver.prepare(problem, Start::Cold)?;
    let mut start = read(solver.as_mut(), problem)?;
    for unit in 1..=UNITS {
        solver.update(problem, SolverUpdate::Impulses(&start))?;
        solver.iterate(problem, 1)?;
        let reached = read(solver.as_mut(), problem)?;
        let length = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
        let change: Vec<f64> = reached.iter().zip(&start).map(|(a, b)| a - b).collect();
        if length(&change) <= SAME * length(&reached) {
            let map = residual(problem, &reached);
            if map > UNSOLVED {
                let what = format!("unit {unit} returns its start, whose natural map is {map:e}");
                return Ok(Verdict::Violated(what));
            }
            break;
        }
        start = reached;
    }
    Ok(Verdict::Holds)
}
