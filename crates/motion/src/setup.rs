//! Schemes with parameters and a solver.

use delassus_core::parameter::Map;
use delassus_dynamics::{Scheme, SchemeEntry, SchemeError};
use delassus_registry::SolverEntry;

/// Builds a scheme; `solver` is a registered solver with its parameters, `None` for a scheme that
/// solves by itself.
///
/// # Errors
/// Unknown parameters with the closest one, values of another type or out of range, of the scheme
/// or of the solver; a solver that is missing or not wanted.
pub fn build_scheme(
    entry: &SchemeEntry,
    parameters: &Map,
    solver: Option<(&SolverEntry, &Map)>,
) -> Result<Box<dyn Scheme>, SchemeError> {
    let solver = match solver {
        Some((solver, parameters)) => Some(solver.build(parameters)?),
        None => None,
    };
    entry.build_with(parameters, solver)
}

#[cfg(test)]
mod tests {
    use super::*;
    use delassus_registry::{Registry, scheme};
    use serde_json::Value;

    #[test]
    fn typing_errors_find_what_was_meant() {
        let Err(error) = scheme("soft-stpe") else {
            panic!("a typing error passed");
        };
        assert_eq!(
            error.to_string(),
            "unknown scheme \"soft-stpe\"; did you mean \"soft-step\"?"
        );
        let entry = scheme("soft-step").unwrap();
        let registry = Registry::standard();
        let solver = &registry.find("pgs").unwrap();
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
