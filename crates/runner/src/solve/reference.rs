//! The reference solution of a problem: what its velocity errors are measured against.

use delassus_core::{Start, Status};
use delassus_metrics::Metric;

use super::{MatrixProblem, ReferenceSource, Solves};
use crate::driver::{self, Options, Schedule, StopRule};
use crate::judge::Judge;
use crate::matrix::cell::Workbench;

/// The reference of one problem.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Reference {
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
    ) -> Reference {
        let Ok(content) = &problem.content else {
            return Reference::NotWanted;
        };
        match &self.reference {
            None => Reference::NotWanted,
            Some(ReferenceSource::Stored) => match &content.reference {
                Some(known) => Reference::Known {
                    impulses: known.impulses.clone(),
                    source: format!("stored: {}", known.provenance),
                },
                None => Reference::Unknown("the problem comes without a solution".to_owned()),
            },
            Some(ReferenceSource::Solver {
                id,
                parameters,
                tolerance,
                max_sweeps,
            }) => {
                let built = workbench
                    .registry
                    .find(id)
                    .and_then(|entry| entry.build(parameters));
                let mut solver = match built {
                    Ok(solver) => solver,
                    Err(error) => return Reference::Unknown(error.to_string()),
                };
                let headline = [Metric::HEADLINE.id()];
                let mut judge = match Judge::new(&content.problem, &headline, &headline) {
                    Ok(judge) => judge,
                    Err(error) => return Reference::Unknown(error.to_string()),
                };
                let options = Options {
                    stop: StopRule {
                        tolerance: *tolerance,
                        max_sweeps: *max_sweeps,
                        ..StopRule::default()
                    },
                    // sparse samples: only the end counts
                    schedule: Schedule::Geometric(1.5),
                    repetitions: 0,
                };
                let (outcome, impulses) = driver::drive(
                    solver.as_mut(),
                    &content.problem,
                    Start::Cold,
                    &mut judge,
                    &options,
                    workbench.cancel,
                );
                if outcome.status == Status::Solved {
                    return Reference::Known {
                        impulses,
                        source: format!("{id}, natural map within {tolerance:e}"),
                    };
                }
                let best = outcome.best(headline[0]);
                let best =
                    best.map_or_else(String::new, |best| format!(", best residual {best:.1e}"));
                Reference::Unknown(format!("{id} ended {}{best}", outcome.status))
            }
        }
    }
}
