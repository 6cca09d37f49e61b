//! Schemes by name, with parameters and a solver.

use delassus_dynamics::{Scheme, SchemeEntry, SchemeError};
use serde_json::{Map, Value};
use thiserror::Error;

use delassus_core::suggest::nearest;
use delassus_registry::{self as registry, BuildError, Entry};

/// Why a scheme cannot be built.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum SetupError {
    /// No scheme or preset has that name.
    #[error("unknown scheme {id:?}{}", suggestion(.nearest))]
    UnknownScheme {
        /// What was asked for.
        id: String,
        /// The closest name.
        nearest: Option<String>,
    },
    /// The scheme has no such parameter.
    #[error("scheme {scheme} has no parameter {parameter:?}{}", suggestion(.nearest))]
    UnknownParameter {
        /// The scheme.
        scheme: &'static str,
        /// The key given.
        parameter: String,
        /// The closest parameter.
        nearest: Option<String>,
    },
    /// The scheme refuses its parameters or its solver.
    #[error(transparent)]
    Scheme(#[from] SchemeError),
    /// The solver cannot be built.
    #[error(transparent)]
    Solver(#[from] BuildError),
}

fn suggestion(nearest: &Option<String>) -> String {
    nearest
        .as_ref()
        .map_or_else(String::new, |name| format!("; did you mean {name:?}?"))
}

/// The scheme or preset with this identifier or alias.
///
/// # Errors
/// [`SetupError::UnknownScheme`] with the closest name.
pub fn find_scheme(id: &str) -> Result<SchemeEntry, SetupError> {
    registry::scheme(id).ok_or_else(|| {
        let known = registry::schemes();
        let names = known
            .iter()
            .flat_map(|entry| entry.aliases.iter().copied().chain([entry.id]));
        SetupError::UnknownScheme {
            id: id.to_owned(),
            nearest: nearest(id, names),
        }
    })
}

/// Builds a scheme; `solver` is a registered solver with its parameters, `None` for a scheme that solves by itself.
///
/// # Errors
/// Unknown parameters with the closest one, values of another type or out of range, a solver that is missing or not
/// wanted.
pub fn build_scheme(
    entry: &SchemeEntry,
    parameters: &Map<String, Value>,
    solver: Option<(&Entry, &Map<String, Value>)>,
) -> Result<Box<dyn Scheme>, SetupError> {
    for key in parameters.keys() {
        if !entry.defaults.contains_key(key) {
            let names = entry.defaults.keys().map(String::as_str);
            return Err(SetupError::UnknownParameter {
                scheme: entry.id,
                parameter: key.clone(),
                nearest: nearest(key, names),
            });
        }
    }
    let solver = match solver {
        Some((solver, parameters)) => Some(solver.build(parameters)?),
        None => None,
    };
    Ok(entry.build(parameters, solver)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use delassus_registry::Registry;

    #[test]
    fn typing_errors_find_what_was_meant() {
        let Err(error) = find_scheme("soft-stpe") else {
            panic!("a typing error passed");
        };
        assert_eq!(
            error.to_string(),
            "unknown scheme \"soft-stpe\"; did you mean \"soft-step\"?"
        );
        let entry = find_scheme("soft-step").unwrap();
        let registry = Registry::standard();
        let solver = registry.find("pgs").unwrap();
        let none = Map::new();
        let build = |parameters: Value| {
            let parameters = parameters.as_object().cloned().unwrap_or_default();
            build_scheme(&entry, &parameters, Some((solver, &none)))
        };
        assert!(build(serde_json::json!({ "substeps": 8 })).is_ok());
        let error = build(serde_json::json!({ "substep": 8 })).err().unwrap();
        let text = "scheme soft-step has no parameter \"substep\"; did you mean \"substeps\"?";
        assert_eq!(error.to_string(), text);
        assert!(build(serde_json::json!({ "substeps": 0 })).is_err());
        assert!(build(serde_json::json!({ "substeps": "many" })).is_err());
        assert!(build_scheme(&entry, &none, None).is_err());
    }
}
