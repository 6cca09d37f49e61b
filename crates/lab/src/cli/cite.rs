//! `delassus cite`: the BibTeX of everything that specs and names use.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use delassus_metrics::Metric;
use delassus_scenes::scenes;
use serde_json::json;

use super::args::CiteVerb;
use super::failure::Failure;
use super::output::Output;
use crate::registry::{Registry, scheme};
use crate::run::RunError;
use crate::spec::{self, Spec};

/// The bibliography, as it was when the program was built.
const BIBLIOGRAPHY: &str = include_str!("../../../../docs/references.bib");

/// Who cites each key.
type Cited = BTreeMap<String, BTreeSet<String>>;

/// Runs the verb.
pub(crate) fn run(
    request: &CiteVerb,
    registry: &Registry,
    output: &mut Output,
) -> Result<(), Failure> {
    let mut cited = Cited::new();
    for name in &request.names {
        let path = Path::new(name);
        let found = if path.is_file() || path.is_dir() {
            of_spec(
                &spec::read(path, registry).map_err(RunError::Spec)?,
                registry,
            )?
        } else {
            vec![of_name(name, registry)?]
        };
        for Source { id, citations } in found {
            for key in citations {
                cited
                    .entry((*key).to_owned())
                    .or_default()
                    .insert(id.clone());
            }
        }
    }
    let entries = entries(BIBLIOGRAPHY);
    let mut first = true;
    for (key, by) in &cited {
        let bibtex = entries.get(key.as_str());
        if request.json {
            output.json(&json!({ "key": key, "bibtex": bibtex, "cited_by": by }))?;
            continue;
        }
        if !std::mem::take(&mut first) {
            output.line("")?;
        }
        match bibtex {
            Some(text) => output.line(text)?,
            // a solver of a program of one's own
            None => {
                let by: Vec<&str> = by.iter().map(String::as_str).collect();
                let by = by.join(", ");
                output.line(&format!(
                    "% {key} (cited by {by}) is not in the bibliography of this program"
                ))?;
            }
        }
    }
    Ok(())
}

/// Something that cites.
struct Source {
    id: String,
    citations: &'static [&'static str],
}

impl Source {
    fn new(id: &str, citations: &'static [&'static str]) -> Self {
        let id = id.to_owned();
        Self { id, citations }
    }
}

/// What a name is: a solver, or else a scheme, a scene or a metric.
fn of_name(name: &str, registry: &Registry) -> Result<Source, Failure> {
    let unknown = match registry.find(name) {
        Ok(solver) => return Ok(of_solver(&solver)),
        Err(error) => error,
    };
    if let Ok(found) = scheme(name) {
        let descriptor = &found.descriptor;
        return Ok(Source::new(descriptor.id, descriptor.citations));
    }
    if let Some(source) = of_scene(name).or_else(|| of_metric(name)) {
        return Ok(source);
    }
    Err(Failure::request(format!(
        "{unknown}\n  and no spec, scheme, scene or metric has that name; `delassus list` names them all"
    )))
}

fn of_solver(solver: &crate::registry::SolverEntry) -> Source {
    Source::new(solver.descriptor.id, solver.descriptor.citations)
}

fn of_scene(name: &str) -> Option<Source> {
    let found = scenes().into_iter().find(|scene| scene.is_named(name))?;
    Some(Source::new(found.descriptor.id, found.descriptor.citations))
}

fn of_metric(name: &str) -> Option<Source> {
    let doc = Metric::by_id(name)?.doc();
    Some(Source::new(doc.id, doc.citations))
}

/// The BibTeX of everything that a spec uses, sorted by key.
pub(super) fn bibliography(spec: &Spec, registry: &Registry) -> Result<String, Failure> {
    let mut keys = BTreeSet::new();
    for source in of_spec(spec, registry)? {
        keys.extend(source.citations.iter().copied());
    }
    let entries = entries(BIBLIOGRAPHY);
    let texts = keys.into_iter().map(|key| match entries.get(key) {
        Some(text) => format!("{text}\n"),
        // a solver of a program of one's own
        None => format!("% {key} is not in the bibliography of this program\n"),
    });
    Ok(texts.collect::<Vec<_>>().join("\n"))
}

/// Solvers, schemes, scenes and metrics of a spec.
fn of_spec(spec: &Spec, registry: &Registry) -> Result<Vec<Source>, Failure> {
    let mut found = Vec::new();
    for name in spec.solver_ids() {
        let solver = registry.find(name);
        let solver = solver.map_err(|error| Failure::request(error.to_string()))?;
        found.push(of_solver(&solver));
    }
    for name in spec.scheme_ids() {
        let entry = scheme(name).map_err(|error| Failure::request(error.to_string()))?;
        let descriptor = &entry.descriptor;
        found.push(Source::new(descriptor.id, descriptor.citations));
    }
    found.extend(spec.scene_ids().filter_map(of_scene));
    found.extend(spec.metric_ids().iter().filter_map(|name| of_metric(name)));
    Ok(found)
}

/// The entries of a bibliography by key: from a line that begins with `@` to one that is a brace.
fn entries(text: &str) -> BTreeMap<&str, &str> {
    let mut found = BTreeMap::new();
    let mut rest = text;
    while let Some(at) = rest.find("\n@") {
        rest = &rest[at + 1..];
        let end = rest.find("\n}").map_or(rest.len(), |end| end + 2);
        let entry = &rest[..end];
        if let Some((_, key)) = entry.split_once('{') {
            let key = key.split([',', '\n']).next().unwrap_or_default();
            found.insert(key.trim(), entry);
        }
        rest = &rest[end..];
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_of_the_bibliography_is_found_whole() {
        let found = entries(BIBLIOGRAPHY);
        let count = BIBLIOGRAPHY.lines().filter(|line| line.starts_with('@'));
        assert_eq!(found.len(), count.count());
        for (key, entry) in found {
            assert!(entry.starts_with('@') && entry.ends_with('}'), "{key}");
            assert_eq!(
                entry.matches('{').count(),
                entry.matches('}').count(),
                "{key}"
            );
            assert_eq!(
                entry.lines().filter(|line| line.starts_with('@')).count(),
                1
            );
        }
    }
}
