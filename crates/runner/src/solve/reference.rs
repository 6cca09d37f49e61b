//! The reference solution of a problem: what its velocity errors are measured against.

use delassus_core::{Problem, Solutions, Start, Status};
use delassus_metrics::{Evaluator, Metric};
use delassus_problems::{KnownSolution, NamedProblem};
use delassus_reference::{ReferenceOptions, certify, continuum};

use super::problem::KnownAnswer;
use super::{MatrixProblem, ReferenceSolver, ReferenceSource, Solves};
use crate::driver::{self, Options, SampleSchedule, StopRule};
use crate::judge::Judge;
use crate::matrix::cell::{MatrixCell, Workbench};

/// Rows of a problem whose references are looked at for families of solutions at most \[-\]: a
/// decomposition of all rows.
const FAMILIES: usize = 300;

/// Natural map of solutions that come with a problem at most, where families are looked for \[-\].
const STORED: f64 = 1e-9;

/// What the words for a missing reference begin with.
pub(crate) const NO_REFERENCE: &str = "no reference: ";
/// Why there is none where the problem has none.
const WITHOUT: &str = "the problem comes without a solution";
/// What the words for a certified reference begin with.
const CERTIFIED: &str = "certified by ";

impl Solves {
    /// Finds or computes the reference of a problem.
    pub(super) fn reference(
        &self,
        problem: &MatrixProblem,
        workbench: &Workbench<'_>,
    ) -> KnownAnswer {
        let Ok(content) = &problem.content else {
            return KnownAnswer::NotWanted;
        };
        let content = problem.other_law.as_ref().unwrap_or(content);
        match &self.reference {
            None => KnownAnswer::NotWanted,
            Some(ReferenceSource::Stored) => stored(content),
            Some(ReferenceSource::Certified) => certified(&content.problem, workbench),
            Some(ReferenceSource::Solver(solver)) => {
                let solved = solved(solver, &content.problem, workbench);
                solved.unwrap_or_else(KnownAnswer::Unknown)
            }
        }
    }

    /// What contradicts the spec in where a record says that its reference comes from: one that is
    /// computed has the words of its method, and its numbers are a matter of running that again.
    pub(crate) fn reference_contradiction(
        &self,
        cell: &MatrixCell,
        said: Option<&str>,
    ) -> Option<String> {
        let problem = &self.problems[cell.subject];
        let content = problem.content.as_ref().ok()?;
        let content = problem.other_law.as_ref().unwrap_or(content);
        let begins = |text: &str| {
            let none = said.is_some_and(|said| said.starts_with(NO_REFERENCE));
            none || said.is_some_and(|said| said.starts_with(text))
        };
        let agrees = match &self.reference {
            None => said.is_none(),
            // whether it is one of a family is a matter of a decomposition
            Some(ReferenceSource::Stored) => match &content.reference {
                Some(known) => begins(&from_problem(known)),
                None => said == Some(format!("{NO_REFERENCE}{WITHOUT}").as_str()),
            },
            Some(ReferenceSource::Certified) => begins(CERTIFIED),
            Some(ReferenceSource::Solver(solver)) => begins(&of_solver(solver)),
        };
        (!agrees).then(|| {
            format!(
                "its reference comes from {:?}, which is not what the spec asks for",
                said.unwrap_or("nowhere")
            )
        })
    }
}

/// The solution that comes with a problem.
fn stored(content: &NamedProblem) -> KnownAnswer {
    let Some(known) = &content.reference else {
        return KnownAnswer::Unknown(WITHOUT.to_owned());
    };
    match no_family(&content.problem, &known.impulses, STORED) {
        Err(reason) => KnownAnswer::Unknown(reason),
        Ok(()) => KnownAnswer::Known {
            impulses: vec![known.impulses.clone()],
            source: from_problem(known),
        },
    }
}

/// What is said of a solution that comes with a problem.
fn from_problem(known: &KnownSolution) -> String {
    format!("stored: {}", known.provenance)
}

/// What is said of a reference that a solver computes.
fn of_solver(solver: &ReferenceSolver) -> String {
    format!("{}, natural map within {:e}", solver.id, solver.tolerance)
}

/// The solution that methods of two families agree on.
fn certified(problem: &Problem, workbench: &Workbench<'_>) -> KnownAnswer {
    let options = ReferenceOptions::default();
    let verdict = certify(problem, workbench.registry, options, workbench.cancel);
    let found = match verdict.reference {
        Ok(found) => found,
        Err(reason) => return KnownAnswer::Unknown(reason.to_string()),
    };
    let Some(first) = found.solutions.first() else {
        return KnownAnswer::Unknown("no solution is certified".to_owned());
    };
    let (methods, residual) = (first.methods.join(", "), first.residual);
    let source = format!("{CERTIFIED}{methods}: natural map {residual:.1e}");
    let impulses = found.solutions.into_iter().map(|one| one.impulses);
    known(problem, impulses.collect(), options.tolerance, source)
        .unwrap_or_else(KnownAnswer::Unknown)
}

/// The answer of a solver; why there is none, if it has none.
fn solved(
    reference: &ReferenceSolver,
    problem: &Problem,
    workbench: &Workbench<'_>,
) -> Result<KnownAnswer, String> {
    let ReferenceSolver {
        id,
        parameters,
        tolerance,
        max_sweeps,
    } = reference;
    let entry = workbench.registry.find(id);
    let built = entry.and_then(|entry| entry.build(parameters));
    let mut solver = built.map_err(|error| error.to_string())?;
    let headline = [Metric::HEADLINE.id()];
    let judge = Judge::new(problem, &headline, &headline);
    let mut judge = judge.map_err(|error| error.to_string())?;
    let options = Options {
        stop: StopRule {
            tolerance: *tolerance,
            max_sweeps: *max_sweeps,
            ..StopRule::default()
        },
        // sparse samples: only the end counts
        schedule: SampleSchedule::Geometric(1.5),
        repetitions: 0,
    };
    let (outcome, impulses) = driver::drive(
        solver.as_mut(),
        problem,
        Start::Cold,
        &mut judge,
        &options,
        workbench.cancel,
    );
    if outcome.status == Status::Solved {
        let source = of_solver(reference);
        return several(problem, impulses, outcome.solutions(), *tolerance, source);
    }
    let best = outcome.best(headline[0]);
    let best = best.map_or_else(String::new, |best| format!(", best residual {best:.1e}"));
    Err(format!("{id} ended {}{best}", outcome.status))
}

/// The answer of a method, with the other solutions that it found within the tolerance and how far
/// apart they are (M.31).
fn several(
    problem: &Problem,
    answer: Vec<f64>,
    found: Option<&Solutions>,
    tolerance: f64,
    source: String,
) -> Result<KnownAnswer, String> {
    let mut evaluator = Evaluator::new(problem).map_err(|error| error.to_string())?;
    let mut impulses = vec![answer];
    for solution in found.into_iter().flat_map(|found| &found.list) {
        let own = &solution.impulses;
        let residual = evaluator.natural_map(own);
        if residual.is_ok_and(|r| r <= tolerance) && !impulses.contains(own) {
            impulses.push(own.clone());
        }
    }
    known(problem, impulses, tolerance, source)
}

/// Refuses a solution that is one of a family: errors against it would measure which member a
/// method came to (F.7).
fn no_family(problem: &Problem, impulses: &[f64], tolerance: f64) -> Result<(), String> {
    if problem.rows() > FAMILIES {
        return Ok(());
    }
    match continuum(problem, impulses, tolerance) {
        None => Ok(()),
        Some(family) => Err(format!(
            "the solutions are a family of dimension {}, over velocities that differ by {:.1e} or more: no point of it is a reference",
            family.dimension, family.extent
        )),
    }
}

/// Solutions, with how far apart they are if there are several.
fn known(
    problem: &Problem,
    impulses: Vec<Vec<f64>>,
    tolerance: f64,
    source: String,
) -> Result<KnownAnswer, String> {
    let all: Vec<&[f64]> = impulses.iter().map(Vec::as_slice).collect();
    for one in &all {
        no_family(problem, one, tolerance)?;
    }
    let evaluator = Evaluator::new(problem);
    let apart = evaluator.and_then(|mut evaluator| evaluator.separation(&all));
    let source = match apart.map_err(|error| error.to_string())? {
        Some(apart) => format!(
            "{source}; {} solutions, at least {apart:.1e} apart",
            all.len()
        ),
        None => source,
    };
    Ok(KnownAnswer::Known { impulses, source })
}
