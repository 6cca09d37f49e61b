//! What the sections of a spec need to know of the program, and what they name of it.

use std::path::Path;

use delassus_core::{Category, Entry, EntryError, ProcessFault, is_engine};
use delassus_problems::generators::GeneratorEntry;
use serde_json::{Map, Value};

use super::axes::{self, GridAxis};
use super::keys::{self, Key};
use super::section::SpecSection;
use super::text::SpecError;
use crate::registry::{Registry, SolverEntry};

/// Whether the files that a spec names must be there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NamedFiles {
    /// They are read: a pattern that matches none is an error.
    Needed,
    /// Nobody reads them: the text alone is of interest.
    Unread,
}

/// What a section may name.
pub(crate) struct Context<'c> {
    pub(crate) registry: &'c Registry,
    pub(crate) generators: Vec<GeneratorEntry>,
    pub(crate) folder: &'c Path,
    pub(crate) files: NamedFiles,
}

/// The solver that a section names: one of the registry, or a composition `WRAPPER(SOLVER)`.
pub(crate) fn find_solver(
    section: &SpecSection<'_>,
    key: &str,
    context: &Context<'_>,
) -> Result<SolverEntry, SpecError> {
    let names: Vec<&str> = context.registry.names().collect();
    let name = match section.string(key)? {
        Some(name) if !names.contains(&name) => name,
        _ => section.named(key, "solver", &names)?,
    };
    let found = context.registry.find(name);
    found.map_err(|error| match error {
        EntryError::UnknownId { id, .. } if id == name => {
            match (scheme_named(name), section.get(key)) {
                (Some(message), Some(item)) => section.error_at(item, message),
                // in the words of every other name of a spec
                _ => {
                    let named = section.named(key, "solver", &names);
                    named.err().unwrap_or_else(|| section.error(id))
                }
            }
        }
        _ => match section.get(key) {
            Some(item) => section.error_at(item, error.to_string()),
            None => section.error(error.to_string()),
        },
    })
}

/// What to say of a solver that is a scheme or an engine.
fn scheme_named(name: &str) -> Option<String> {
    if is_engine(name) {
        return Some(format!(
            "{name:?} is an engine, which steps scenes and solves no problem: name it in [[scheme]]"
        ));
    }
    let known = crate::registry::schemes();
    let known = delassus_core::registry::find(&known, name).is_ok();
    known.then(|| format!("{name:?} is a scheme, not a solver: name it in [[scheme]]"))
}

/// The parameters of a solver or an engine with their defaults; a program that is not started
/// cannot say which it has, and has every one that the spec sets. `own` are the keys that are none.
pub(crate) fn known<K: Category>(
    section: &SpecSection<'_>,
    entry: &Entry<K>,
    own: &[Key],
) -> Map<String, Value> {
    let mut known = entry.defaults.clone();
    if entry.open {
        let reserved = |key: &str| own.iter().any(|own| own.name == key);
        let keys = section
            .entries()
            .into_iter()
            .map(|(key, _, _)| key.to_owned());
        for key in keys.filter(|key| !reserved(key)) {
            known.entry(key).or_insert(Value::Null);
        }
    }
    known
}

/// The generator that a `[[problem]]` names, with the parameters that it sets.
pub(crate) fn generator(
    section: &SpecSection<'_>,
    context: &Context<'_>,
) -> Result<(String, Vec<GridAxis>), SpecError> {
    if section.get("use").is_none() {
        let message = "[[problem]] needs use = \"GENERATOR\" or files = [\"GLOB\"]";
        return Err(section.error(message));
    }
    let ids: Vec<&str> = context.generators.iter().map(|g| g.descriptor.id).collect();
    let id = section.named("use", "generator", &ids)?;
    let found = context.generators.iter().find(|g| g.descriptor.id == id);
    let defaults = found.map_or_else(Map::new, |g| g.defaults.clone());
    let axes = axes::read(section, keys::GENERATED, &defaults)?;
    if let Some(entry) = found {
        axes::check_values(section, "generator", id, entry, &axes)?;
    }
    Ok((id.to_owned(), axes))
}

/// A refused parameter in the words of a spec.
pub(crate) fn reason(error: &EntryError) -> String {
    match error {
        EntryError::Parameter { reason, .. } => reason.clone(),
        other => other.to_string(),
    }
}

/// True for a solver whose program is not on this machine.
pub(crate) fn is_absent(error: &EntryError) -> bool {
    let absent = |fault: &ProcessFault| matches!(fault, ProcessFault::Absent(_));
    matches!(error, EntryError::Process { fault, .. } if absent(fault))
}
