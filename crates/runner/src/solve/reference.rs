//! The reference solution of a problem: what its velocity errors are measured against.

use delassus_core::{Problem, Start, Status};
use delassus_metrics::Metric;
use delassus_reference::{ReferenceOptions, certify};

use super::{MatrixProblem, ReferenceSolver, ReferenceSource, Solves};
use crate::driver::{self, Options, SampleSchedule, StopRule};
use crate::judge::Judge;
use crate::matrix::cell::Workbench;

/// The reference of one problem.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum KnownAnswer {
    /// The spec asks for none.
    NotWanted,
    /// Impulses, and where they come from.
    Known {
        /// One per row \[N·s\].
        impulses: Vec<f64>,
        /// Where they come from.
        source: String,
    },
    /// There is none, and why.
    Unknown(String),
}

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
        match &self.reference {
            None => KnownAnswer::NotWanted,
            Some(ReferenceSource::Stored) => match &content.reference {
                Some(known) => KnownAnswer::Known {
                    impulses: known.impulses.clone(),
                    source: format!("stored: {}", known.provenance),
                },
                None => KnownAnswer::Unknown("the problem comes without a solution".to_owned()),
            },
            Some(ReferenceSource::Certified) => certified(&content.problem, workbench),
            Some(ReferenceSource::Solver(solver)) => {
                let solved = solved(solver, &content.problem, workbench);
                solved.unwrap_or_else(KnownAnswer::Unknown)
            }
        }
    }
}

/// The solution that methods of two families agree on.
fn certified(problem: &Problem, workbench: &Workbench<'_>) -> KnownAnswer {
    let options = ReferenceOptions::default();
    let verdict = certify(problem, workbench.registry, options, workbench.cancel);
    let found = match verdict.reference {
        Ok(found) => found,
        Err(reason) => return KnownAnswer::Unknown(reason.to_string()),
    };
    let several = found.solutions.len();
    let Some(first) = found.solutions.into_iter().next() else {
        return KnownAnswer::Unknown("no solution is certified".to_owned());
    };
    let methods = first.methods.join(", ");
    let of_several = match several {
        1 => String::new(),
        several => format!(", the first of {several} solutions"),
    };
    KnownAnswer::Known {
        impulses: first.impulses,
        source: format!(
            "certified by {methods}: natural map {:.1e}{of_several}",
            first.residual
        ),
    }
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
        return Ok(KnownAnswer::Known {
            impulses,
            source: format!("{id}, natural map within {tolerance:e}"),
        });
    }
    let best = outcome.best(headline[0]);
    let best = best.map_or_else(String::new, |best| format!(", best residual {best:.1e}"));
    Err(format!("{id} ended {}{best}", outcome.status))
}
