//! Solvers that a package outside the workspace has linked into the program: what the manifest says
//! of them, and what a program without them knows from there.

use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::registry::{Registry, SolverEntry, process};
use crate::run_metadata;

/// Entry of a manifest for the solvers of other packages; missing where there are none.
const LINKED: &str = "linked_solvers";
/// Solvers that are read from a manifest at most \[-\].
const MOST: usize = 64;
/// Characters of a name and parameters of a solver at most \[-\].
const MOST_CHARACTERS: usize = 200;

/// A solver of another package.
#[derive(Debug, Serialize, Deserialize)]
struct LinkedSolver {
    id: String,
    name: String,
    /// Its parameters with their defaults.
    parameters: Map<String, Value>,
    /// Keys of the works that it follows.
    references: Vec<String>,
}

/// Adds the solvers of other packages to a manifest.
pub(crate) fn note(manifest: &mut Value, registry: &Registry) {
    let solver = |entry: &SolverEntry| LinkedSolver {
        id: entry.descriptor.id.to_owned(),
        name: entry.descriptor.name.to_owned(),
        parameters: entry.defaults.clone(),
        references: entry
            .descriptor
            .citations
            .iter()
            .map(|key| (*key).to_owned())
            .collect(),
    };
    let solvers: Vec<LinkedSolver> = registry.linked().iter().map(solver).collect();
    if let (false, Ok(value)) = (solvers.is_empty(), serde_json::to_value(solvers)) {
        manifest[LINKED] = value;
    }
}

/// The registry with the solvers that the manifest of a results folder names and this program does
/// not have. A folder without a manifest, or with an entry that is none, adds nothing.
pub fn known_in(dir: &Path, registry: Registry) -> Registry {
    let manifest = run_metadata::manifest(dir).unwrap_or_default();
    let listed = manifest.get(LINKED).cloned().unwrap_or_default();
    let listed: Vec<LinkedSolver> = serde_json::from_value(listed).unwrap_or_default();
    let short = |text: &String| text.chars().count() <= MOST_CHARACTERS;
    let fits = |solver: &&LinkedSolver| {
        let mut texts = [&solver.id, &solver.name]
            .into_iter()
            .chain(solver.parameters.keys().chain(&solver.references));
        is_identifier(&solver.id) && solver.parameters.len() <= MOST_CHARACTERS && texts.all(short)
    };
    let entries = listed.iter().filter(fits).take(MOST);
    let entries = entries.map(|solver| {
        process::linked_elsewhere(
            &solver.id,
            &solver.name,
            &solver.references,
            solver.parameters.clone(),
        )
    });
    registry.with_linked_elsewhere(entries.collect())
}

/// True for what identifiers of solvers are made of.
fn is_identifier(text: &str) -> bool {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    text.starts_with(|c: char| c.is_ascii_lowercase()) && text.chars().all(plain)
}
