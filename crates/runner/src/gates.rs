//! The gates of a spec, judged by the results of a run.

use std::collections::BTreeSet;

use crate::bundle::Bundle;
use crate::gate::{GateSpec, Judged, judge};
use crate::matrix::CellMatrix;
use crate::spec::Spec;

/// The gates of a spec with what came of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Gates<'m> {
    /// The gates in the order of the spec.
    pub judged: Vec<(&'m GateSpec, Judged)>,
    /// Cells whose records are of another program, or of what the spec was before \[-\].
    pub strangers: usize,
}

/// Judges every gate of `spec` by all records of `bundle`: what a run of this text left, where no
/// cells follow from the spec, as files that it names are gone. `None` for the run of another text,
/// and where a cell has no record.
pub fn judged_as_run(spec: &Spec, bundle: Bundle) -> Option<Gates<'_>> {
    let is_whole = bundle.missing == 0 && bundle.spec == spec.text;
    let gates = spec.gates.iter();
    is_whole.then(|| Gates {
        judged: gates
            .map(|gate| (gate, judge(gate, &bundle, &[])))
            .collect(),
        strangers: 0,
    })
}

/// Judges every gate of the spec of `matrix` by the records of `bundle` that are cells of it, by
/// their names.
pub fn judged(matrix: &CellMatrix, mut bundle: Bundle) -> Gates<'_> {
    let name = |problem: &str, method: &str| (problem.to_owned(), method.to_owned());
    let cells = matrix.cells.iter().map(|cell| {
        let problem = &matrix.experiment.subject(cell).name;
        (name(problem, matrix.method(cell)), cell)
    });
    let cells: Vec<_> = cells.collect();
    let wanted: BTreeSet<&(String, String)> = cells.iter().map(|(name, _)| name).collect();
    bundle
        .records
        .retain(|r| wanted.contains(&name(&r.problem.name, r.method())));
    let there: BTreeSet<(String, String)> = bundle
        .records
        .iter()
        .map(|r| name(&r.problem.name, r.method()))
        .collect();
    let keys: BTreeSet<&str> = matrix.cells.iter().map(|cell| cell.key.as_str()).collect();
    let strange = |key: &str| !keys.contains(key);
    let strangers = bundle.records.iter().filter(|r| strange(&r.key)).count();
    let of_gate = |gate: &GateSpec| {
        let missing = cells.iter().filter(|(name, cell)| {
            let scheme = matrix.experiment.scheme(cell).unwrap_or_default();
            let solver = matrix.solver(cell).label;
            !there.contains(name) && gate.is_about(&name.0, scheme, &solver)
        });
        let missing: Vec<(String, String)> = missing.map(|(name, _)| name.clone()).collect();
        judge(gate, &bundle, &missing)
    };
    let gates = matrix.spec.gates.iter();
    Gates {
        judged: gates.map(|gate| (gate, of_gate(gate))).collect(),
        strangers,
    }
}
