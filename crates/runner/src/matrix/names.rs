//! Names of problems and labels of solvers: made, unique, and known to the figures.

use std::collections::BTreeSet;
use std::ops::Range;

use delassus_dynamics::World;

use crate::motion::{Observable, resolved};
use crate::spec::{GridPoint, Plan, Spec, SpecError};
use crate::suggest::{list, nearest};
use crate::view::{CellFilter, named};

/// So many names are listed in an error about one \[-\].
const FEW: usize = 12;

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

/// The names that the cells of a matrix have.
pub(crate) struct CellNames<'n> {
    pub(crate) problems: Vec<&'n str>,
    pub(crate) schemes: Vec<&'n str>,
    pub(crate) solvers: Vec<&'n str>,
    /// Of schemes with their solvers, or of solvers.
    pub(crate) methods: Vec<&'n str>,
}

/// Refuses figures, tables and gates of problems, scenes, schemes, solvers or methods that the
/// matrix does not have; the error has all of them.
pub(crate) fn check_views(spec: &Spec, names: &CellNames<'_>) -> Result<(), SpecError> {
    let what = match spec.plan {
        Plan::Simulate(_) => "scene",
        Plan::Solve(_) | Plan::Time(_) => "problem",
    };
    let CellNames {
        problems, solvers, ..
    } = names;
    let figures = spec.figures.iter().map(|figure| figure.plot.selection());
    let tables = spec.tables.iter().map(|table| table.show.selection());
    let strips = spec.strips.iter().map(CellFilter::selection);
    let gates = spec.gates.iter().map(CellFilter::selection);
    let recorded = spec.plan.recorded();
    let mut errors = Vec::new();
    for selection in figures
        .chain(tables)
        .chain(strips)
        .chain(gates)
        .chain(recorded)
    {
        errors.extend(strange(spec, what, selection.problems, problems));
        errors.extend(strange(spec, "scheme", selection.schemes, &names.schemes));
        errors.extend(strange(spec, "solver", selection.solvers, solvers));
    }
    for table in &spec.tables {
        errors.extend(strange(spec, what, &table.show.scenes_named(), problems));
        errors.extend(inexact(
            spec,
            "method",
            &table.show.methods_named(),
            &names.methods,
        ));
    }
    // one solver, not all whose labels begin so
    let beside = spec.gates.iter().filter_map(|gate| gate.beside.clone());
    errors.extend(inexact(
        spec,
        "solver",
        &beside.collect::<Vec<_>>(),
        solvers,
    ));
    SpecError::of_all(errors).map_or(Ok(()), Err)
}

/// The errors of names that nothing has, nor begins with.
fn strange(spec: &Spec, what: &str, wanted: &[String], names: &[&str]) -> Vec<SpecError> {
    let is_known = |name: &&String| {
        let family = std::slice::from_ref(*name);
        names.iter().any(|known| named(known, family))
    };
    errors(
        spec,
        what,
        wanted.iter().filter(|name| !is_known(name)),
        names,
    )
}

/// The errors of names that nothing has in full.
fn inexact(spec: &Spec, what: &str, wanted: &[String], names: &[&str]) -> Vec<SpecError> {
    let wanted = wanted.iter().filter(|name| !names.contains(&name.as_str()));
    errors(spec, what, wanted, names)
}

fn errors<'n>(
    spec: &Spec,
    what: &str,
    wanted: impl Iterator<Item = &'n String>,
    names: &[&str],
) -> Vec<SpecError> {
    let error = |name: &String| quoted(spec, name, unknown(what, name, names.iter().copied()));
    wanted.map(error).collect()
}

/// An error about a text, where the spec writes it last.
fn quoted(spec: &Spec, name: &str, message: String) -> SpecError {
    match spec.text.rfind(&format!("\"{name}\"")) {
        Some(at) => spec.error(at..at + name.len() + 2, message),
        None => spec.error(0..0, message),
    }
}

/// What is said of a name that nothing has: the nearest, and all where they are few.
fn unknown<'n>(what: &str, name: &str, names: impl Iterator<Item = &'n str> + Clone) -> String {
    let all = match names.clone().count() {
        0..=FEW => format!("there are {}", list(names.clone())),
        _ => "--dry-run lists the names".to_owned(),
    };
    match nearest(name, names) {
        Some(close) => {
            let all = all.replacen("there", "There", 1);
            format!("no {what} is named {name:?}; did you mean {close:?}? {all}")
        }
        None => format!("no {what} is named {name:?}; {all}"),
    }
}
