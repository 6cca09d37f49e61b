//! Which panel and which series of a figure against parameters a cell belongs to.

use crate::bundle::Bundle;
use crate::record::CellRecord;
use crate::spec::without;
use crate::view::{DT, Knob, Part};

/// The panel of a cell: the generator of a problem, or the scene without the parameters that the figure varies.
pub(crate) fn panel(record: &CellRecord, knobs: &[Knob<'_>]) -> String {
    if record.scheme.is_none() {
        return record.problem.source.clone();
    }
    let own = knobs.iter().filter(|knob| knob.part == Part::Problem);
    let cut = |name: String, knob: &Knob<'_>| without(&name, &record.problem.parameters, knob.key);
    own.fold(record.problem.name.clone(), cut)
}

/// The series of a cell: its method without the parameters that the figure varies.
pub(crate) fn series(record: &CellRecord, knobs: &[Knob<'_>]) -> String {
    let Some(scheme) = &record.scheme else {
        return record.method().to_owned();
    };
    let (mut label, mut solver) = (scheme.label.clone(), record.solver.label.clone());
    let mut parameters = scheme.parameters.clone();
    parameters.insert(DT.to_owned(), scheme.dt.into());
    for knob in knobs {
        match knob.part {
            Part::Problem => {}
            Part::Scheme => label = without(&label, &parameters, knob.key),
            Part::Solver => solver = without(&solver, &record.solver.parameters, knob.key),
        }
    }
    // a method that names its solver goes on naming it
    if scheme.method == scheme.label {
        label
    } else {
        format!("{label}, {solver}")
    }
}

/// All series of a run, in the order of first appearance: the position of a series fixes its style.
pub(crate) fn all_series(bundle: &Bundle, knobs: &[Knob<'_>]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for record in &bundle.records {
        let name = series(record, knobs);
        if !found.contains(&name) {
            found.push(name);
        }
    }
    found
}
