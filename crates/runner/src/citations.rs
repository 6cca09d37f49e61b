//! What a spec uses comes from somewhere: keys of the bibliography, and its entries.

use std::collections::{BTreeMap, BTreeSet};

use delassus_core::EntryError;
use delassus_metrics::Metric;
use delassus_scenes::scenes;

use crate::registry::{Registry, SolverEntry, scheme};
use crate::spec::Spec;

/// The bibliography, as it was when the program was built.
const BIBLIOGRAPHY: &str = include_str!("../texts/references.bib");

/// Something that cites.
#[derive(Debug, Clone)]
pub struct Source {
    /// Identifier of a solver, scheme, scene or metric.
    pub id: String,
    /// Keys of the bibliography.
    pub citations: &'static [&'static str],
}

impl Source {
    fn new(id: &str, citations: &'static [&'static str]) -> Self {
        let id = id.to_owned();
        Self { id, citations }
    }
}

/// What a name is: a solver, or else a scheme, a scene or a metric.
///
/// # Errors
/// It is none of them.
pub fn of_name(name: &str, registry: &Registry) -> Result<Source, EntryError> {
    let unknown = match registry.find(name) {
        Ok(solver) => return Ok(of_solver(&solver)),
        Err(error) => error,
    };
    if let Ok(found) = scheme(name) {
        let descriptor = &found.descriptor;
        return Ok(Source::new(descriptor.id, descriptor.citations));
    }
    of_scene(name).or_else(|| of_metric(name)).ok_or(unknown)
}

fn of_solver(solver: &SolverEntry) -> Source {
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

/// Solvers, schemes, scenes and metrics of a spec.
///
/// # Errors
/// A solver or scheme that there is not; a spec that was read has none.
pub fn of_spec(spec: &Spec, registry: &Registry) -> Result<Vec<Source>, EntryError> {
    let mut found = Vec::new();
    for name in spec.solver_ids() {
        found.push(of_solver(&registry.find(name)?));
    }
    for name in spec.scheme_ids() {
        let descriptor = scheme(name)?.descriptor;
        found.push(Source::new(descriptor.id, descriptor.citations));
    }
    found.extend(spec.scene_ids().filter_map(of_scene));
    found.extend(spec.metric_ids().iter().filter_map(|name| of_metric(name)));
    Ok(found)
}

/// The BibTeX of everything that a spec uses, sorted by key.
///
/// # Errors
/// As [`of_spec`].
pub fn bibliography(spec: &Spec, registry: &Registry) -> Result<String, EntryError> {
    let mut keys = BTreeSet::new();
    for source in of_spec(spec, registry)? {
        keys.extend(source.citations.iter().copied());
    }
    let entries = entries();
    let texts = keys.into_iter().map(|key| match entries.get(key) {
        Some(text) => format!("{text}\n"),
        // a solver of a program of one's own
        None => format!("% {key} is not in the bibliography of this program\n"),
    });
    Ok(texts.collect::<Vec<_>>().join("\n"))
}

/// The entries of the bibliography by key: from a line that begins with `@` to one that is a brace.
pub fn entries() -> BTreeMap<&'static str, &'static str> {
    let mut found = BTreeMap::new();
    let mut rest = BIBLIOGRAPHY;
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
        let found = entries();
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
