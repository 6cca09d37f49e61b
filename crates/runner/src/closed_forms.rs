//! Closed forms of cells: those that generators and scenes have, with what these need to know of
//! solvers and schemes.

use delassus_metrics::ClosedForm;
use delassus_problems::{LinearSweepOrder, RowSweeps, final_velocity, sweep_rate};
use delassus_report::analysis::RATE;
use delassus_report::closed_form::ClosedFormLookup;
use delassus_scenes::{SchemeSteps, closed_forms};
use serde_json::Value;

use crate::record::{CellRecord, ProblemLabel, SolverLabel};

/// The closed forms of the generators and scenes of the workspace.
#[derive(Debug)]
pub struct KnownClosedForms;

impl ClosedFormLookup for KnownClosedForms {
    fn of_quantity(
        &self,
        problem: &ProblemLabel,
        solver: &SolverLabel,
        quantity: &str,
    ) -> Option<f64> {
        let (id, parameters) = (problem.source.as_str(), &problem.parameters);
        let sweeps = row_sweeps(solver);
        match quantity {
            RATE => sweep_rate(id, parameters, sweeps?),
            _ => final_velocity(id, parameters, sweeps, quantity),
        }
    }

    fn over_time(&self, record: &CellRecord, observable: &str) -> Vec<ClosedForm> {
        let problem = &record.problem;
        let steps = scheme_steps(record);
        closed_forms(&problem.source, &problem.parameters, steps, observable)
    }
}

/// Sequential impulses without relaxation.
const PGS: &str = "pgs";
/// The solver that clamps each increment.
const NAIVE_IMPULSES: &str = "naive-impulses";
/// Solvers whose sweeps over single rows are linear iterations until a bound holds a row. A
/// descriptor says nothing of the iteration, so this list names them.
const ROW_SWEEPERS: [&str; 5] = [PGS, "psor", "block-gs", "dense-pgs", NAIVE_IMPULSES];

/// How a configured solver sweeps over rows; `None` for solvers that are not known to do so.
fn row_sweeps(solver: &SolverLabel) -> Option<RowSweeps> {
    if !ROW_SWEEPERS.contains(&solver.id.as_str()) {
        return None;
    }
    let order = solver.parameters.get("order").and_then(Value::as_str);
    Some(RowSweeps {
        order: match order.unwrap_or("natural") {
            "natural" => LinearSweepOrder::Natural,
            "reversed" => LinearSweepOrder::Reversed,
            "simultaneous" => LinearSweepOrder::Simultaneous,
            _ => LinearSweepOrder::Other,
        },
        omega: match solver.parameters.get("omega") {
            Some(value) => value.as_f64()?,
            None => 1.0,
        },
        clamps_increments: solver.id == NAIVE_IMPULSES,
    })
}

/// The substeps of a cell; `None` for schemes that are not velocity-level ones, and where the
/// length of frames changes within the run.
fn scheme_steps(record: &CellRecord) -> Option<SchemeSteps<'_>> {
    let scheme = record.scheme()?;
    // solvers mark the velocity-level scheme: the others solve by themselves
    if record.solver.id.is_empty() {
        return None;
    }
    let substeps = match record.outcome.calibration() {
        Some(calibration) => u64::from(calibration.substeps),
        None => scheme.parameters.get("substeps")?.as_u64()?,
    };
    let frames = record.outcome.frames();
    let covered = frames as f64 * scheme.dt;
    let even = (covered - record.outcome.covered()?).abs() <= 1e-9 * covered;
    let sweeps = row_sweeps(&record.solver);
    let natural = sweeps.is_some_and(|sweeps| sweeps.order == LinearSweepOrder::Natural);
    even.then_some(SchemeSteps {
        h: scheme.dt / substeps as f64,
        count: usize::try_from(frames * substeps).ok()?,
        parameters: &scheme.parameters,
        in_order: natural && record.solver.id == PGS,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::Registry;
    use serde_json::json;

    fn solver(id: &str, parameters: Value) -> SolverLabel {
        let Value::Object(parameters) = parameters else {
            panic!("parameters are an object");
        };
        SolverLabel {
            label: id.to_owned(),
            id: id.to_owned(),
            parameters,
            device: None,
            peer: None,
        }
    }

    #[test]
    fn row_sweepers_are_solvers_of_the_registry() {
        let registry = Registry::standard();
        for id in ROW_SWEEPERS {
            assert_eq!(registry.find(id).expect(id).descriptor.id, id);
            assert!(row_sweeps(&solver(id, json!({}))).is_some());
        }
        assert_eq!(row_sweeps(&solver("dantzig", json!({}))), None);
    }

    #[test]
    fn solvers_with_known_sweeps_have_rates() {
        let Value::Object(parameters) = json!({ "n": 10 }) else {
            panic!("an object");
        };
        let chain = ProblemLabel {
            name: "p".to_owned(),
            source: "chain".to_owned(),
            parameters,
        };
        let rate =
            |id, parameters| KnownClosedForms.of_quantity(&chain, &solver(id, parameters), "rate");
        let close = |found: Option<f64>, value: f64| {
            let found = found.expect("a closed form");
            // values printed with seven digits
            assert!((found - value).abs() < 5e-7, "{found} for {value}");
        };
        close(rate("pgs", json!({})), 0.975_528_3);
        close(rate("dense-pgs", json!({})), 0.975_528_3);
        close(rate("pgs", json!({ "order": "simultaneous" })), 0.987_688_3);
        close(rate("psor", json!({ "omega": 1.9 })), 0.9);
        close(
            rate("block-gs", json!({ "omega": 1.0, "order": "reversed" })),
            0.975_528_3,
        );
        for (id, parameters) in [
            ("pgs", json!({ "order": "symmetric" })),
            ("psor", json!({ "omega": 1.3, "order": "simultaneous" })),
            ("psor", json!({ "omega": "optimal" })),
            ("dantzig", json!({})),
        ] {
            assert_eq!(rate(id, parameters), None, "{id}");
        }
    }

    #[test]
    fn only_increments_leave_the_falling_box_in_motion() {
        let falling = ProblemLabel {
            name: "p".to_owned(),
            source: "falling-box".to_owned(),
            parameters: serde_json::Map::new(),
        };
        let bounce = |id| {
            let solver = solver(id, json!({}));
            KnownClosedForms.of_quantity(&falling, &solver, "v[1].y")
        };
        assert!(bounce(NAIVE_IMPULSES).is_some_and(|v| v > 0.0));
        assert_eq!(bounce(PGS), Some(0.0));
        assert_eq!(bounce("dantzig"), Some(0.0));
    }
}
