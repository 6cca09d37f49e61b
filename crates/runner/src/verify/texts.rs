//! What a record says of its problem, solver, scheme and columns, made again from the spec.

use delassus_core::{Status, WorkUnit};
use delassus_records::guard::caught;
use serde::Serialize;

use super::recorded::RecordedCell;
use super::start;
use super::versions::is_own;
use super::words::{differ, differs, json_text};
use crate::isolate::ended_at;
use crate::key::Program;
use crate::matrix::cell::MatrixCell;
use crate::matrix::{CellMatrix, Experiment};
use crate::record::ProblemFacts;
use crate::registry::Registry;
use crate::solve::Solves;

/// Numbers of a problem whose last bits may belong to the vector level of the machine may differ by
/// this share \[-\].
const NEAR: f64 = 1e-6;

/// Everything in which the record differs from what follows from the spec.
pub(super) fn differences(of: RecordedCell<'_>, registry: &Registry) -> Vec<String> {
    let RecordedCell {
        matrix,
        cell,
        record,
        ..
    } = of;
    let experiment = &matrix.experiment;
    let mut found = Vec::new();
    // another version may have its parameters in another order
    let is_ordered = is_own(record);
    let (subject, solver) = (experiment.subject(cell), matrix.solver(cell));
    found.extend(label("problem", &record.problem, subject, is_ordered));
    found.extend(label("solver", &record.solver, &solver, is_ordered));
    let scheme = experiment.scheme_label(cell);
    found.extend(label("scheme", &record.scheme(), &scheme, is_ordered));
    if let Some(facts) = experiment.facts_again(cell, matrix.spec.memory())
        && !alike(&record.facts, &facts, of.is_of_here)
    {
        // a cell whose process fell says nothing of a problem that is made when it runs
        let unsaid = record.facts == ProblemFacts::default() && record.outcome.samples.is_empty();
        if !unsaid {
            found.push(differs("facts", &record.facts, &facts));
        }
    }
    let outcome = &record.outcome;
    if !outcome.samples.is_empty() {
        let columns: Vec<String> = experiment.columns(cell);
        differ(&mut found, "metrics", &outcome.metrics, &columns);
    }
    let has_run = outcome.status != Status::Unsupported;
    if has_run && matrix.has_process(cell.method) && !matrix.names_program(cell, record) {
        let status = outcome.status;
        found.push(format!(
            "it says {status}, and names no program that has run"
        ));
    }
    // another version of a peer, or another device, may refuse other problems
    if is_own(record) && !matrix.is_recorded(cell.method) {
        found.extend(of_program(of, registry));
    }
    found
}

/// How a label of a record differs from that of the spec; `is_ordered` compares the order of its
/// parameters, too.
fn label<T: PartialEq + Serialize>(
    what: &str,
    recorded: &T,
    own: &T,
    is_ordered: bool,
) -> Option<String> {
    let is_same = recorded == own && (!is_ordered || json_text(recorded) == json_text(own));
    (!is_same).then(|| differs(what, recorded, own))
}

/// What is said of cells that were skipped because their program was not there, and is not here for
/// another reason: the reason is one of the machine.
pub(super) fn absence(of: RecordedCell<'_>) -> Option<String> {
    let RecordedCell {
        matrix,
        cell,
        record,
        ..
    } = of;
    let here = matrix.absence(cell.method)?;
    if !matrix.has_process(cell.method) {
        return None;
    }
    let outcome = &record.outcome;
    let was_absent = outcome.status == Status::Unsupported && !matrix.names_program(cell, record);
    let said = outcome.message.as_deref().unwrap_or_default();
    let differs = was_absent && cell.skip.as_deref() == Some(here) && said != here;
    differs.then(|| {
        format!("the program was not there, says the record: {said}; nor is it here: {here}")
    })
}

/// The same for what another version of the program may word otherwise: refusals, what a solver or
/// a scheme leaves out, the start of a run, and where a reference comes from.
fn of_program(of: RecordedCell<'_>, registry: &Registry) -> Vec<String> {
    let RecordedCell {
        matrix,
        cell,
        record,
        ..
    } = of;
    let outcome = &record.outcome;
    let mut found = Vec::new();
    match &matrix.experiment {
        Experiment::Simulate(over) => {
            found.extend(start::differences(of, over, registry));
        }
        Experiment::Solve(_) | Experiment::Time(_) if outcome.samples.is_empty() => {}
        experiment => {
            let approximations = caught(|| experiment.approximations(matrix, cell, registry));
            if let Ok(Some(own)) = approximations {
                let recorded = &outcome.approximations;
                differ(&mut found, "approximations", recorded, &own);
            }
        }
    }
    if let (Experiment::Solve(solves), false) = (&matrix.experiment, outcome.samples.is_empty()) {
        found.extend(solves.reference_contradiction(cell, outcome.reference()));
        found.extend(decisions(of, solves, registry));
    }
    if let Some(limit) = outcome.limit {
        differ(
            &mut found,
            "message",
            &outcome.message,
            &Some(ended_at(limit)),
        );
    }
    // a refusal for want of memory is one of this machine
    let refused = matrix.key(cell, Program::here()) != cell.key;
    // nor does the reason for which a program was not there follow from the spec
    let is_absent = cell.skip.as_deref() == matrix.absence(cell.method);
    let (skip, device) = (
        cell.skip.as_ref().filter(|_| !is_absent),
        &record.solver.device,
    );
    if let (Some(_), false, None) = (skip, refused, device) {
        let recorded = (outcome.status.to_string(), outcome.message.as_ref());
        let own = (Status::Unsupported.to_string(), cell.skip.as_ref());
        differ(&mut found, "refusal", &recorded, &own);
    }
    found
}

/// How the decisions of a record begin otherwise than those of its solver, which is prepared and
/// not begun: the first line is its plan.
fn decisions(of: RecordedCell<'_>, solves: &Solves, registry: &Registry) -> Option<String> {
    let RecordedCell {
        matrix,
        cell,
        record,
        ..
    } = of;
    let recorded = record.outcome.decisions();
    let label = matrix.solver(cell);
    let entry = registry.find(&label.id).ok()?;
    let chooses = entry.descriptor.work_unit == WorkUnit::Stage;
    if matrix.has_process(cell.method) || (recorded.is_empty() && !chooses) {
        return None;
    }
    let own = caught(|| solves.first_decisions(cell, &label, registry)).ok()??;
    if own.is_empty() && !recorded.is_empty() {
        return Some("it has decisions, and its solver makes none".to_owned());
    }
    let begins = recorded.get(..own.len());
    (begins != Some(&own[..])).then(|| differs("decisions", &begins, &own))
}

/// True for facts that are equal, on another machine but for the last bits of what is summed up.
fn alike(one: &ProblemFacts, other: &ProblemFacts, is_of_here: bool) -> bool {
    if is_of_here {
        return one == other;
    }
    let near = |a: f64, b: f64| a == b || (a - b).abs() <= NEAR * a.abs().max(b.abs());
    let counts = |facts: &ProblemFacts| (facts.rows, facts.blocks, facts.contacts, facts.bodies);
    counts(one) == counts(other)
        && near(one.energy_scale, other.energy_scale)
        && match (one.asymmetry, other.asymmetry) {
            (Some(a), Some(b)) => near(a, b) || (a - b).abs() <= f64::EPSILON,
            (a, b) => a == b,
        }
}

impl Experiment {
    /// The columns of the samples of a cell.
    fn columns(&self, cell: &MatrixCell) -> Vec<String> {
        match self {
            Self::Solve(solves) => solves.columns().to_vec(),
            Self::Time(timings) => timings.columns().to_vec(),
            Self::Simulate(over) => over.columns(cell),
        }
    }

    /// What the solver of a cell solves in place of its problem; `None` where that cannot be asked
    /// here. What a scheme leaves out of a scene belongs to the start of its run.
    fn approximations(
        &self,
        matrix: &CellMatrix,
        cell: &MatrixCell,
        registry: &Registry,
    ) -> Option<Vec<String>> {
        match self {
            Self::Solve(solves) => solves.approximations(cell, &matrix.solver(cell), registry),
            Self::Time(timings) => {
                let (solver, memory) = (matrix.solver(cell), matrix.spec.memory());
                timings.approximations(cell, &solver, registry, memory)
            }
            Self::Simulate(_) => None,
        }
    }
}
