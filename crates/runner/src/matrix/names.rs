//! Names of problems and labels of solvers: made, unique, and known to the figures.

use std::collections::BTreeSet;
use std::ops::Range;

use delassus_dynamics::World;

use crate::motion::{Observable, resolved};
use crate::record::SolverLabel;
use crate::spec::{GridPoint, Plan, Spec, SpecError};
use crate::suggest::nearest;
use crate::view::{CellFilter, named};

/// The name of one point of a grid: the author's name with what varies, or the identifier with all
/// that is set.
pub(crate) fn of_point(id: &str, given: Option<&str>, point: &GridPoint) -> String {
    let (base, text) = match given {
        Some(name) => (name, &point.varied),
        None => (id, &point.text),
    };
    if text.is_empty() {
        base.to_owned()
    } else {
        format!("{base} {text}")
    }
}

/// Refuses the second use of a name.
pub(crate) fn unique<'n>(
    spec: &Spec,
    what: &str,
    key: &str,
    names: impl Iterator<Item = (&'n str, Range<usize>)>,
) -> Result<(), SpecError> {
    let mut seen = BTreeSet::new();
    for (name, span) in names {
        if !seen.insert(name) {
            let message = format!("two {what}s are named {name:?}; give this one a {key}");
            return Err(spec.error(span, message));
        }
    }
    Ok(())
}

/// Refuses schemes of scenes that the matrix does not have.
pub(crate) fn check_scenes<'n>(
    spec: &Spec,
    mut wanted: impl Iterator<Item = &'n (String, Range<usize>)>,
    names: impl Iterator<Item = &'n str> + Clone,
) -> Result<(), SpecError> {
    let strange = |(wanted, _): &&(String, Range<usize>)| {
        let wanted = std::slice::from_ref(wanted);
        !names.clone().any(|name| named(name, wanted))
    };
    match wanted.find(strange) {
        None => Ok(()),
        Some((name, span)) => Err(spec.error(span.clone(), unknown("scene", name, names.clone()))),
    }
}

/// Refuses observables of bodies and joints that have such names in no scene.
pub(crate) fn check_observables<'w>(
    spec: &Spec,
    asked: &[String],
    worlds: impl Iterator<Item = &'w World> + Clone,
) -> Result<(), SpecError> {
    let named = asked
        .iter()
        .filter_map(|name| Some((name, Observable::parse(name).ok()?)))
        .filter(|(_, observable)| observable.has_name());
    for (name, observable) in named {
        let mut missing = Vec::new();
        for world in worlds.clone() {
            missing.extend(resolved(world, &observable).err());
        }
        if missing.len() < worlds.clone().count() {
            continue;
        }
        // of several scenes the one that has a name close to it
        let close = missing.iter().find(|text| text.contains("did you mean"));
        if let Some(text) = close.or(missing.first()) {
            return Err(quoted(spec, name, text.clone()));
        }
    }
    Ok(())
}

/// Refuses figures, tables and gates of problems, scenes, schemes or solvers that the matrix does
/// not have.
pub(crate) fn check_views(
    spec: &Spec,
    names: &[&str],
    schemes: &[&str],
    solvers: &[SolverLabel],
) -> Result<(), SpecError> {
    let what = match spec.plan {
        Plan::Simulate(_) => "scene",
        Plan::Solve(_) | Plan::Time(_) => "problem",
    };
    let labels: Vec<&str> = solvers.iter().map(|s| s.label.as_str()).collect();
    let figures = spec.figures.iter().map(|figure| figure.plot.selection());
    let tables = spec.tables.iter().map(|table| table.show.selection());
    let strips = spec.strips.iter().map(CellFilter::selection);
    let gates = spec.gates.iter().map(CellFilter::selection);
    let recorded = spec.plan.recorded();
    for selection in figures
        .chain(tables)
        .chain(strips)
        .chain(gates)
        .chain(recorded)
    {
        check(spec, what, selection.problems, names)?;
        check(spec, "scheme", selection.schemes, schemes)?;
        check(spec, "solver", selection.solvers, &labels)?;
    }
    for table in &spec.tables {
        check(spec, what, &table.show.scenes_named(), names)?;
    }
    for label in spec.gates.iter().filter_map(|gate| gate.beside.as_deref()) {
        // one solver, not all whose labels begin so
        if !labels.contains(&label) {
            return Err(strange(spec, "solver", label, &labels));
        }
    }
    Ok(())
}

fn check(spec: &Spec, what: &str, wanted: &[String], names: &[&str]) -> Result<(), SpecError> {
    for name in wanted {
        let family = std::slice::from_ref(name);
        if names.iter().any(|known| named(known, family)) {
            continue;
        }
        return Err(strange(spec, what, name, names));
    }
    Ok(())
}

/// The error of a name that nothing has, where the spec writes it.
fn strange(spec: &Spec, what: &str, name: &str, names: &[&str]) -> SpecError {
    quoted(spec, name, unknown(what, name, names.iter().copied()))
}

/// An error about a text, where the spec writes it last.
fn quoted(spec: &Spec, name: &str, message: String) -> SpecError {
    match spec.text.rfind(&format!("\"{name}\"")) {
        Some(at) => spec.error(at..at + name.len() + 2, message),
        None => spec.error(0..0, message),
    }
}

fn unknown<'n>(what: &str, name: &str, names: impl Iterator<Item = &'n str> + Clone) -> String {
    match nearest(name, names) {
        Some(found) => format!("no {what} is named {name:?}; did you mean {found:?}?"),
        None => format!("no {what} is named {name:?}; --dry-run lists the names"),
    }
}
