//! `as_worlds` of a `[[problem]]`: all problems of the entry, joined into one.
//!
//! The problems must have one structure, so that solvers can pack it once (K.49). Their bodies
//! share no block, so every solver may take the worlds apart again.

use std::collections::BTreeSet;

use delassus_core::Problem;
use delassus_problems::{KnownSolution, NamedProblem};
use delassus_solver_jacobi::worlds::{WorldError, WorldParameters};
use serde_json::{Map, Value};

use super::made::LoadedProblem;
use super::plan::{FILE, ProblemFamily, ProblemSource, WORLDS};
use crate::label::label;
use crate::record::ProblemLabel;

/// Joins the problems of an entry.
///
/// # Errors
/// A problem that is not there, or of another structure; why worlds cannot be joined.
pub(super) fn join(
    entry: &ProblemFamily,
    made: Vec<LoadedProblem>,
) -> Result<LoadedProblem, String> {
    let labels: Vec<ProblemLabel> = made.iter().map(|one| one.label.clone()).collect();
    let mut contents = Vec::with_capacity(made.len());
    for one in made {
        let reason = |reason| format!("as_worlds: {}: {reason}", one.label.name);
        contents.push(*one.content.map_err(reason)?);
    }
    let varied = varied(&labels);
    check(&labels, &contents, &varied)?;
    let reference = joined(&contents, NamedProblem::reference_impulses);
    let warm_start = joined(&contents, |named| named.warm_start.as_deref());
    let problems = contents.into_iter().map(|named| named.problem);
    let problem = Problem::concatenate(problems);
    let problem = problem.map_err(|error| format!("as_worlds: {error}"))?;
    let label = joint_label(entry, &labels, &varied);
    let number = labels.len();
    let provenance = format!("{number} worlds of one structure, as_worlds of a spec");
    let content = NamedProblem {
        reference: reference.map(|impulses| KnownSolution {
            impulses,
            provenance: "the known solutions of all worlds".to_owned(),
            residual: None,
        }),
        warm_start,
        ..NamedProblem::new(label.name.clone(), problem, provenance)
    };
    let own = |label: &ProblemLabel| -> Map<String, Value> {
        let own = label
            .parameters
            .iter()
            .filter(|(key, _)| varied.contains(*key));
        own.map(|(key, value)| (key.clone(), value.clone()))
            .collect()
    };
    Ok(LoadedProblem {
        label,
        content: Ok(Box::new(content)),
        other_law: None,
        worlds: labels.iter().map(own).collect(),
    })
}

/// The parameters that are not the same in all worlds.
fn varied(labels: &[ProblemLabel]) -> BTreeSet<String> {
    let first = labels.first().map(|label| &label.parameters);
    let keys = labels.iter().flat_map(|label| label.parameters.keys());
    let differs = |key: &&String| {
        let value = first.and_then(|first| first.get(*key));
        labels
            .iter()
            .any(|label| label.parameters.get(*key) != value)
    };
    keys.filter(differs).cloned().collect()
}

/// Refuses worlds of different structures, and generators that make worlds themselves.
fn check(
    labels: &[ProblemLabel],
    contents: &[NamedProblem],
    varied: &BTreeSet<String>,
) -> Result<(), String> {
    if let Some(one) = labels
        .iter()
        .find(|one| one.parameters.contains_key(WORLDS))
    {
        return Err(format!(
            "as_worlds: the generator {} makes worlds itself; leave as_worlds out",
            one.source
        ));
    }
    let problems: Vec<&Problem> = contents.iter().map(|named| &named.problem).collect();
    let Err(error) = WorldParameters::of_problems(&problems) else {
        return Ok(());
    };
    let WorldError::Differs { world, difference } = error else {
        return Err(format!("as_worlds: {error}"));
    };
    let (own, first) = (&labels[world], &labels[0]);
    let differs = |key: &&String| own.parameters.get(*key) != first.parameters.get(*key);
    let keys: Vec<&str> = varied.iter().filter(differs).map(String::as_str).collect();
    let mend = match keys.is_empty() {
        true => "leave as_worlds out".to_owned(),
        false => format!(
            "give what changes the structure one value ({} differ), or leave as_worlds out",
            keys.join(", ")
        ),
    };
    Err(format!(
        "as_worlds: world {world}, {:?}, has another structure than world 0: {difference}. Worlds of one structure \
         differ in friction, masses, velocities and bias alone; {mend}",
        own.name
    ))
}

/// The impulses of all worlds, one after the other, where each has some.
fn joined(
    contents: &[NamedProblem],
    impulses: impl Fn(&NamedProblem) -> Option<&[f64]>,
) -> Option<Vec<f64>> {
    let mut all = Vec::new();
    for named in contents {
        all.extend_from_slice(impulses(named)?);
    }
    Some(all)
}

/// Name and origin of the joined problem: what the entry sets for all worlds, and their number.
fn joint_label(
    entry: &ProblemFamily,
    labels: &[ProblemLabel],
    varied: &BTreeSet<String>,
) -> ProblemLabel {
    let number = Value::from(labels.len());
    let mut name = match (&entry.name, &entry.source) {
        (Some(name), _) => name.clone(),
        (None, ProblemSource::Files { .. }) => FILE.to_owned(),
        (None, ProblemSource::Generator { id, axes }) => {
            let set = axes.iter().filter(|axis| !varied.contains(&axis.key));
            let texts = set.map(|axis| format!(" {}", label(&axis.key, &axis.values[0].0)));
            format!("{id}{}", texts.collect::<String>())
        }
    };
    name.push(' ');
    name.push_str(&label(WORLDS, &number));
    let first = labels.first().map(|label| label.parameters.clone());
    let mut parameters = first.unwrap_or_default();
    parameters.retain(|key, _| !varied.contains(key));
    parameters.insert(WORLDS.to_owned(), number);
    ProblemLabel {
        name,
        source: WORLDS.to_owned(),
        parameters,
    }
}
