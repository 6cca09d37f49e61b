//! Law 12: compliance that rows of a block share is taken over by an update, and given up again.

use delassus_core::{
    Changes, CoupledCompliance, ImpulseSolver, Precision, Problem, SolveError, SolverUpdate, Start,
};

use crate::laws::{applicable, deterministic};
use crate::{Case, Make, Verdict, attempt};

/// Sweeps after each change.
const SWEEPS: u32 = 5;

/// Law 12: after an update the sweeps are those of a solver that is prepared with the new
/// compliance and the impulses reached, to rounding.
pub fn sharing(make: Make<'_>, case: &Case) -> Verdict {
    attempt!(applicable(make, case));
    if case.problem.coupled_compliance().is_empty() {
        return Verdict::NotApplicable("its compliance is diagonal".into());
    }
    attempt!(deterministic(make));
    attempt!(changes(make, case))
}

fn changes(make: Make<'_>, case: &Case) -> Result<Verdict, SolveError> {
    let tolerance = match make().descriptor().precision {
        Precision::F64 => 1e-9,
        Precision::F32 => 1e-4,
    };
    let mut parts = case.problem.clone().into_parts();
    let coupled = std::mem::take(&mut parts.coupled_compliance);
    let Ok(mut problem) = Problem::new(parts) else {
        return Ok(Verdict::Violated("its diagonal is a problem too".into()));
    };
    let mut solver = make();
    solver.prepare(&problem, Start::Cold)?;
    solver.iterate(&problem, SWEEPS)?;
    let compliance = problem.compliance().to_vec();
    for coupled in [&coupled, &CoupledCompliance::new(), &coupled] {
        let mut start = vec![0.0; problem.rows()];
        solver.read_impulses(&mut start)?;
        if let Err(error) = problem.set_block_compliance(&compliance, coupled) {
            return Ok(Verdict::Violated(error.to_string()));
        }
        let what = Changes {
            compliance: true,
            ..Changes::default()
        };
        solver.update(&problem, SolverUpdate::Numbers(what))?;
        let refreshed = swept(solver.as_mut(), &problem)?;
        let mut fresh = make();
        fresh.prepare(&problem, Start::Warm(&start))?;
        let fresh = swept(fresh.as_mut(), &problem)?;
        let largest = fresh.iter().fold(0.0f64, |most, x| most.max(x.abs()));
        for (row, (refreshed, fresh)) in refreshed.iter().zip(&fresh).enumerate() {
            if (refreshed - fresh).abs() <= tolerance * largest {
                continue;
            }
            let blocks = coupled.len();
            return Ok(Verdict::Violated(format!(
                "{blocks} coupled blocks: row {row} gets {refreshed:e}, afresh {fresh:e}"
            )));
        }
    }
    Ok(Verdict::Holds)
}

fn swept(solver: &mut dyn ImpulseSolver, problem: &Problem) -> Result<Vec<f64>, SolveError> {
    solver.iterate(problem, SWEEPS)?;
    let mut impulses = vec![0.0; problem.rows()];
    solver.read_impulses(&mut impulses)?;
    Ok(impulses)
}
