//! Which panel and which series of a figure against parameters a cell belongs to.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use crate::bundle::Bundle;
use crate::label::without;
use crate::record::{CellRecord, ProblemLabel};
use crate::view::{CellComponent, DT, ParameterPath};

use super::styles::Member;

/// A problem or scene without the parameters that the figure varies: the panel of its cells.
pub(crate) fn panel(problem: &ProblemLabel, paths: &[ParameterPath<'_>]) -> String {
    let own = paths
        .iter()
        .filter(|path| path.part == CellComponent::Problem);
    let cut =
        |name: String, path: &ParameterPath<'_>| without(&name, &problem.parameters, path.key);
    own.fold(problem.name.clone(), cut)
}

/// The series of a cell: its method without the parameters that the figure varies.
pub(crate) fn series(record: &CellRecord, paths: &[ParameterPath<'_>]) -> String {
    let Some(scheme) = record.scheme() else {
        let own = paths
            .iter()
            .filter(|path| path.part == CellComponent::Solver);
        let solver = &record.solver;
        let cut =
            |label: String, path: &ParameterPath<'_>| without(&label, &solver.parameters, path.key);
        return own.fold(solver.label.clone(), cut);
    };
    let (mut label, mut solver) = (scheme.label.clone(), record.solver.label.clone());
    let mut parameters = scheme.parameters.clone();
    parameters.insert(DT.to_owned(), scheme.dt.into());
    for path in paths {
        match path.part {
            CellComponent::Problem => {}
            CellComponent::Scheme => label = without(&label, &parameters, path.key),
            CellComponent::Solver => solver = without(&solver, &record.solver.parameters, path.key),
        }
    }
    // a method that names its solver goes on naming it
    if scheme.method == scheme.label {
        label
    } else {
        format!("{label}, {solver}")
    }
}

/// Panel and series of a cell.
pub(crate) fn place(record: &CellRecord, paths: &[ParameterPath<'_>]) -> (String, String) {
    (panel(&record.problem, paths), series(record, paths))
}

/// The series of a cell without any parameters: what its names have in common in all figures.
pub(crate) fn family(record: &CellRecord) -> String {
    let bare = |label: &str, parameters: &Map<String, Value>| {
        let keys = parameters.keys();
        keys.fold(label.to_owned(), |label, key| {
            without(&label, parameters, key)
        })
    };
    let solver = bare(&record.solver.label, &record.solver.parameters);
    let Some(scheme) = record.scheme() else {
        return solver;
    };
    let mut parameters = scheme.parameters.clone();
    parameters.insert(DT.to_owned(), scheme.dt.into());
    let label = bare(&scheme.label, &parameters);
    if scheme.method == scheme.label {
        label
    } else {
        format!("{label}, {solver}")
    }
}

/// Series of a figure against parameters, in the order of first appearance.
pub(crate) fn members(
    bundle: &Bundle,
    paths: &[ParameterPath<'_>],
    shows: impl Fn(&CellRecord) -> bool,
) -> Vec<Member> {
    let mut seen: BTreeSet<String> = BTreeSet::new();
    let shown = bundle.records.iter().filter(|record| shows(record));
    let named = shown.filter_map(|record| {
        let name = series(record, paths);
        seen.insert(name.clone()).then(|| Member {
            name,
            family: family(record),
        })
    });
    named.collect()
}

/// Series of a figure with a line per method.
pub(crate) fn methods(bundle: &Bundle, shows: impl Fn(&CellRecord) -> bool) -> Vec<Member> {
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    let shown = bundle.records.iter().filter(|record| shows(record));
    let first = shown.filter(|record| seen.insert(record.method()));
    let named = first.map(|record| Member {
        name: record.method().to_owned(),
        family: family(record),
    });
    named.collect()
}

/// Cells by the position of their series among the names, in their own order.
pub(crate) fn by_series<'r>(
    cells: impl Iterator<Item = &'r CellRecord>,
    paths: &[ParameterPath<'_>],
    names: &[String],
) -> BTreeMap<usize, Vec<&'r CellRecord>> {
    let mut groups: BTreeMap<usize, Vec<&CellRecord>> = BTreeMap::new();
    for record in cells {
        let own = series(record, paths);
        if let Some(position) = names.iter().position(|name| *name == own) {
            groups.entry(position).or_default().push(record);
        }
    }
    groups
}

/// The names of series.
pub(crate) fn names(members: Vec<Member>) -> Vec<String> {
    members.into_iter().map(|member| member.name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::trajectories;

    #[test]
    fn a_family_has_no_parameters() {
        let run = trajectories();
        let families: BTreeSet<String> = run.records.iter().map(family).collect();
        let expected = ["Soft Step, dense-direct", "Soft Step, pgs", "xpbd"];
        assert_eq!(families.into_iter().collect::<Vec<_>>(), expected);
        let all = methods(&run, |_| true);
        assert!(
            all.len() > 3
                && all
                    .iter()
                    .all(|m| m.name.contains("Soft Step") || m.name == "xpbd")
        );
    }
}
