//! Which panel and which series of a figure against parameters a cell belongs to.

use crate::bundle::Bundle;
use crate::record::CellRecord;
use crate::spec::without;
use crate::view::{DT, Knob, Part};

use super::style::DISTINCT;

/// The panel of a cell: the generator of a problem, the problem itself where solvers are varied, or the scene without
/// the parameters that the figure varies.
pub(crate) fn panel(record: &CellRecord, knobs: &[Knob<'_>]) -> String {
    if record.scheme.is_none() {
        let of_solvers = knobs.iter().any(|knob| knob.part == Part::Solver);
        let problem = &record.problem;
        return if of_solvers {
            problem.name.clone()
        } else {
            problem.source.clone()
        };
    }
    let own = knobs.iter().filter(|knob| knob.part == Part::Problem);
    let cut = |name: String, knob: &Knob<'_>| without(&name, &record.problem.parameters, knob.key);
    own.fold(record.problem.name.clone(), cut)
}

/// The series of a cell: its method without the parameters that the figure varies.
pub(crate) fn series(record: &CellRecord, knobs: &[Knob<'_>]) -> String {
    let Some(scheme) = &record.scheme else {
        let own = knobs.iter().filter(|knob| knob.part == Part::Solver);
        let solver = &record.solver;
        let cut = |label: String, knob: &Knob<'_>| without(&label, &solver.parameters, knob.key);
        return own.fold(solver.label.clone(), cut);
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

/// Series of a figure, in the order of first appearance: the position of a series fixes its style.
///
/// They are all series of the run, so that a style means the same in every figure. Where there are more of them than
/// colours, they are those that the figure shows: two lines of one colour are worse than a line of two.
pub(crate) fn all_series(
    bundle: &Bundle,
    knobs: &[Knob<'_>],
    shows: impl Fn(&CellRecord) -> bool,
) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    let mut shown: Vec<String> = Vec::new();
    for record in &bundle.records {
        let name = series(record, knobs);
        if shows(record) && !shown.contains(&name) {
            shown.push(name.clone());
        }
        if !all.contains(&name) {
            all.push(name);
        }
    }
    if all.len() > DISTINCT { shown } else { all }
}

/// Methods with the positions that fix their styles, by the same rule; `shown` have positions among `total`.
pub(crate) fn styled(shown: Vec<(usize, String)>, total: usize) -> Vec<(usize, String)> {
    if total <= DISTINCT {
        return shown;
    }
    let names = shown.into_iter().map(|(_, name)| name);
    names.enumerate().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::trajectories;

    #[test]
    fn a_crowd_of_series_is_numbered_within_the_figure() {
        let mut run = trajectories();
        let first = run.records[0].clone();
        let few = all_series(&run, &[], |_| false);
        assert!(!few.is_empty() && few.len() <= DISTINCT, "{few:?}");
        for i in 0..=DISTINCT {
            let mut record = first.clone();
            let scheme = record.scheme.as_mut().unwrap();
            (scheme.label, scheme.method) = (format!("other {i}"), format!("other {i}"));
            run.records.push(record);
        }
        let last = |r: &CellRecord| r.method() == format!("other {DISTINCT}");
        assert_eq!(all_series(&run, &[], last), [format!("other {DISTINCT}")]);
    }

    #[test]
    fn positions_are_those_of_the_run_while_there_are_colours() {
        let shown = || vec![(2, "a".to_owned()), (5, "b".to_owned())];
        assert_eq!(styled(shown(), DISTINCT), shown());
        let own = [(0, "a".to_owned()), (1, "b".to_owned())];
        assert_eq!(styled(shown(), DISTINCT + 1), own);
    }
}
