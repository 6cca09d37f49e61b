//! Names of solvers that wrap solvers: `best-so-far(anderson(block-gs))`.
//!
//! ```text
//! name := IDENTIFIER | WRAPPER "(" name ")"
//! ```
//!
//! Blanks may stand between the parts. A wrapper stands in a name at most once.

use delassus_core::suggest::{Hint, list};
use delassus_core::{CompositionFault, EntryError};

use crate::{Registry, SolverEntry, WrapperEntry, process};

/// Most names inside each other \[-\].
const LIMIT: usize = 8;

impl Registry {
    /// The entry with this identifier or alias, or of a composition: `WRAPPER(SOLVER)`, where
    /// SOLVER may be one too. The names `peer:NAME/SOLVER`, `py:MODULE:CLASS` and `cmd:COMMAND` are
    /// those of solvers in processes of their own (docs/peers.md).
    ///
    /// # Errors
    /// [`EntryError::UnknownId`] with the closest name, [`EntryError::Composition`] or
    /// [`EntryError::Process`] with what is wrong.
    pub fn find(&self, name: &str) -> Result<SolverEntry, EntryError> {
        find(self, name)
    }
}

/// The entry of a name.
fn find(registry: &Registry, name: &str) -> Result<SolverEntry, EntryError> {
    let trimmed = name.trim();
    if process::is_process(trimmed) {
        return process::entry(trimmed, registry.commands);
    }
    let refuse = |fault| EntryError::Composition {
        id: name.to_owned(),
        fault,
    };
    if !trimmed.contains(['(', ')']) {
        let wrapper = registry.wrappers().iter();
        let mut wrapper = wrapper.filter(|wrapper| wrapper.descriptor.id == trimmed);
        return match wrapper.next() {
            Some(wrapper) => Err(refuse(CompositionFault::NoInner {
                wrapper: wrapper.descriptor.id,
            })),
            None => registry.plain(name).cloned(),
        };
    }
    let (outer, innermost) = parts(trimmed).map_err(refuse)?;
    let wrappers = wrappers(registry, &outer).map_err(refuse)?;
    let inner = find(registry, innermost)?;
    let around = |inner: SolverEntry, wrapper: &&WrapperEntry| wrapper.around(&inner);
    Ok(wrappers.iter().rev().fold(inner, around))
}

/// The names in front of the parentheses, and the one inside.
fn parts(name: &str) -> Result<(Vec<&str>, &str), CompositionFault> {
    let mut outer = Vec::new();
    let mut rest = name;
    while let Some((wrapper, inside)) = rest.split_once('(') {
        if wrapper.contains(')') {
            return Err(CompositionFault::Parentheses);
        }
        outer.push(wrapper.trim());
        if outer.len() >= LIMIT {
            return Err(CompositionFault::Deep { limit: LIMIT });
        }
        rest = inside;
    }
    let (innermost, closing) = rest.split_at(rest.find(')').unwrap_or(rest.len()));
    let count = closing.chars().filter(|letter| *letter == ')').count();
    if count != outer.len() {
        return Err(CompositionFault::Parentheses);
    }
    let strange: String = closing.split(')').map(str::trim).collect();
    if !strange.is_empty() {
        return Err(CompositionFault::Rest(strange));
    }
    let innermost = innermost.trim();
    if innermost.is_empty() || outer.contains(&"") {
        return Err(CompositionFault::Empty);
    }
    Ok((outer, innermost))
}

/// The wrappers of these names, each once.
fn wrappers<'r>(
    registry: &'r Registry,
    names: &[&str],
) -> Result<Vec<&'r WrapperEntry>, CompositionFault> {
    let known = || {
        registry
            .wrappers()
            .iter()
            .map(|wrapper| wrapper.descriptor.id)
    };
    let mut found: Vec<&WrapperEntry> = Vec::with_capacity(names.len());
    for name in names {
        let mut entries = registry.wrappers().iter();
        let Some(entry) = entries.find(|wrapper| wrapper.descriptor.id == *name) else {
            return Err(match registry.plain(name) {
                Ok(solver) => CompositionFault::NoWrapper {
                    solver: solver.descriptor.id,
                    wrappers: list(known()),
                },
                Err(_) => CompositionFault::UnknownWrapper {
                    name: (*name).to_owned(),
                    hint: Hint::new(name, known()),
                },
            });
        };
        let wrapper = entry.descriptor.id;
        if found.iter().any(|other| other.descriptor.id == wrapper) {
            return Err(CompositionFault::Twice { wrapper });
        }
        found.push(entry);
    }
    Ok(found)
}
