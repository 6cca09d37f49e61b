//! What the problems and scenes that hand-made bundles name say of themselves.

use delassus_metrics::ClosedForm;
use delassus_problems::generators::generators;
use delassus_problems::{LinearSweepOrder, RowSweeps, sweep_rate};
use delassus_scenes::scenes;
use serde_json::Value;

use crate::bundle::PartDoc;
use crate::closed_form::ClosedFormLookup;
use crate::record::{CellRecord, ProblemLabel, SolverLabel};
use crate::view::CellComponent;

/// Closed forms of rates, and of motions that depend on no scheme.
#[derive(Debug)]
pub(crate) struct TestClosedForms;

impl ClosedFormLookup for TestClosedForms {
    fn of_quantity(
        &self,
        problem: &ProblemLabel,
        solver: &SolverLabel,
        quantity: &str,
    ) -> Option<f64> {
        let sweeps = matches!(solver.id.as_str(), "pgs" | "psor");
        let order = match solver.parameters.get("order").and_then(Value::as_str) {
            None => LinearSweepOrder::Natural,
            Some("simultaneous") => LinearSweepOrder::Simultaneous,
            Some(_) => LinearSweepOrder::Other,
        };
        let omega = solver.parameters.get("omega").and_then(Value::as_f64);
        let rule = RowSweeps {
            order,
            omega: omega.unwrap_or(1.0),
            clamps_increments: false,
        };
        let known = sweeps && quantity == crate::analysis::RATE;
        let rate = known.then(|| sweep_rate(&problem.source, &problem.parameters, rule));
        rate.flatten()
    }

    fn over_time(&self, record: &CellRecord, observable: &str) -> Vec<ClosedForm> {
        let problem = &record.problem;
        delassus_scenes::closed_forms(&problem.source, &problem.parameters, None, observable)
    }
}

/// The parameters of all generators.
pub(super) fn generator_docs() -> Vec<PartDoc> {
    let all = generators().into_iter().map(|entry| PartDoc {
        part: CellComponent::Problem,
        id: entry.descriptor.id,
        parameters: entry.parameters,
        solver: None,
    });
    all.collect()
}

/// The parameters of all scenes.
pub(super) fn scene_docs() -> Vec<PartDoc> {
    let all = scenes().into_iter().map(|entry| PartDoc {
        part: CellComponent::Problem,
        id: entry.descriptor.id,
        parameters: entry.parameters,
        solver: None,
    });
    all.collect()
}
