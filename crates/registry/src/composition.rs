//! Names of solvers that wrap solvers: `best-so-far(anderson(block-gs))`.
//!
//! ```text
//! name := IDENTIFIER | WRAPPER "(" name ")"
//! ```
//!
//! Blanks may stand between the parts. A wrapper stands in a name at most once.

use delassus_core::suggest::{Hint, list};
use delassus_core::{CompositionFault, EntryError};

use crate::{Registry, SolverEntry, WrapperEntry};

/// Most names inside each other \[-\].
const LIMIT: usize = 8;

/// The entry of a name.
pub(crate) fn find(registry: &Registry, name: &str) -> Result<SolverEntry, EntryError> {
    let trimmed = name.trim();
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_from_the_inside() {
        let registry = Registry::standard();
        let id = |name: &str| registry.find(name).map(|entry| entry.descriptor.id);
        for name in [
            "best-so-far(anderson(block-gs))",
            " best-so-far ( anderson(block-gs ) ) ",
            "best-so-far(anderson(nsgs))",
        ] {
            assert_eq!(id(name), Ok("best-so-far(anderson(block-gs))"), "{name}");
        }
        let entry = registry.find("anderson(psor)").unwrap();
        let names: Vec<&str> = entry.parameters.iter().map(|doc| doc.name).collect();
        assert_eq!(names[0], "omega");
        assert!(names.contains(&"anderson.depth"), "{names:?}");
        assert!(entry.defaults.contains_key("anderson.growth"));
        assert!(entry.descriptor.citations.contains(&"Walker2011"));
        assert!(entry.descriptor.citations.contains(&"Cryer1971"));
    }

    #[test]
    fn what_names_nothing_is_refused_with_what_was_meant() {
        let registry = Registry::standard();
        let text = |name: &str| registry.find(name).unwrap_err().to_string();
        let deep = format!("{}pgs{}", "anderson(".repeat(9), ")".repeat(9));
        for (name, expected) in [
            (
                "best-so-far",
                "best-so-far wraps a solver; write best-so-far(SOLVER)",
            ),
            ("best-so-far()", "a name is missing"),
            ("(pgs)", "a name is missing"),
            ("best-so-far(pgs", "parentheses do not match"),
            ("best-so-far(pgs))", "parentheses do not match"),
            ("pgs)(", "parentheses do not match"),
            ("best-so-far(pgs) fast", "\"fast\" stands behind"),
            ("pgs(block-gs)", "pgs is a solver and takes none inside"),
            (
                "andreson(pgs)",
                "unknown wrapper \"andreson\"; did you mean \"anderson\"?",
            ),
            (
                "anderson(blok-gs)",
                "unknown solver \"blok-gs\"; did you mean \"block-gs\"?",
            ),
            ("anderson(best-so-far)", "best-so-far wraps a solver"),
            ("anderson(anderson(pgs))", "anderson stands in it twice"),
            (deep.as_str(), "more than 8 names"),
        ] {
            assert!(text(name).contains(expected), "{name}: {}", text(name));
        }
    }

    #[test]
    fn parameters_of_wrappers_carry_their_names() {
        let registry = Registry::standard();
        let entry = registry.find("best-so-far(anderson(psor))").unwrap();
        let build = |key: &str, value: serde_json::Value| {
            let given = delassus_core::parameter::Map::from_iter([(key.to_owned(), value)]);
            entry.build(&given).map(drop)
        };
        assert_eq!(build("anderson.depth", 8.into()), Ok(()));
        assert_eq!(build("omega", 1.0.into()), Ok(()));
        for (key, value, expected) in [
            (
                "anderson.dpeth",
                8.into(),
                "did you mean \"anderson.depth\"?",
            ),
            ("depth", 8.into(), "did you mean \"anderson.depth\"?"),
            ("omgea", 1.0.into(), "did you mean \"omega\"?"),
            (
                "anderson.depth",
                0.into(),
                "anderson.depth = 0 is out of range",
            ),
            (
                "anderson.depth",
                "deep".into(),
                "anderson.depth: invalid type",
            ),
            ("omega", 3.0.into(), "omega = 3 is out of range"),
        ] {
            let error = build(key, value).unwrap_err();
            assert!(error.to_string().contains(expected), "{key}: {error}");
            assert_eq!(error.parameter(), Some(key));
        }
    }
}
