//! The reference solution of a problem: what its velocity errors are measured against.

use std::sync::atomic::AtomicBool;

use delassus_core::{Start, Status};
use delassus_metrics::Metric;

use crate::driver::{self, Options, Schedule, StopRule};
use crate::judge::Judge;
use crate::matrix::Matrix;
use crate::registry::Registry;
use crate::spec::ReferenceSource;

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

/// Finds or computes the reference of a problem of the matrix.
pub(super) fn of(
    matrix: &Matrix,
    problem: usize,
    registry: &Registry,
    cancel: &AtomicBool,
) -> Reference {
    let Ok(content) = &matrix.problems[problem].content else {
        return Reference::NotWanted;
    };
    match &matrix.spec.reference {
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
            let built = registry.find(id).and_then(|entry| entry.build(parameters));
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
                cancel,
            );
            if outcome.status == Status::Solved {
                return Reference::Known {
                    impulses,
                    source: format!("{id}, natural map within {tolerance:e}"),
                };
            }
            let best = outcome.best(headline[0]);
            let best = best.map_or_else(String::new, |best| format!(", best residual {best:.1e}"));
            Reference::Unknown(format!("{id} ended {}{best}", outcome.status))
        }
    }
}
