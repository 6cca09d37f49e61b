//! What the sections of a spec need to know of each other.

use std::path::Path;

use delassus_core::EntryError;
use delassus_problems::generators::GeneratorEntry;

use super::section::Section;
use super::text::SpecError;
use crate::driver::StopRule;
use crate::registry::{Entry, Registry};

/// What was read before a section, and what it may name.
pub(super) struct Context<'c> {
    pub(super) registry: &'c Registry,
    pub(super) generators: Vec<GeneratorEntry>,
    pub(super) folder: &'c Path,
    pub(super) stop: StopRule,
    pub(super) criteria: Vec<String>,
}

/// The solver that a section names.
pub(super) fn find_solver<'c>(
    section: &Section<'_>,
    key: &str,
    context: &Context<'c>,
) -> Result<&'c Entry, SpecError> {
    let names: Vec<&str> = context.registry.names().collect();
    let name = section.named(key, "solver", &names)?;
    let found = context.registry.find(name);
    found.map_err(|error| section.error(error.to_string()))
}

/// A refused parameter in the words of a spec.
pub(super) fn reason(error: &EntryError) -> String {
    match error {
        EntryError::Parameter { reason, .. } => reason.clone(),
        other => other.to_string(),
    }
}
