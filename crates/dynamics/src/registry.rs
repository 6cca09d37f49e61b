//! The schemes that specs and lists know: the presets of the velocity-level scheme, that scheme itself, and the others.

use delassus_core::parameter::in_words;
use delassus_core::{ImpulseSolver, ParameterError};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::avbd::Avbd;
use crate::error::SchemeError;
use crate::scheme::{Scheme, SchemeDescriptor};
use crate::velocity::{Preset, VelocityParameters, VelocityScheme, presets};
use crate::xpbd::Xpbd;

/// A scheme that solves by itself, with its parameters: what a registry lists and builds.
pub trait PositionScheme: Scheme + Sized + 'static {
    /// Plain data; unknown keys must be errors (`#[serde(deny_unknown_fields, default)]`).
    type Parameters: Default + Serialize + DeserializeOwned;

    /// What the scheme declares about itself.
    const DESCRIPTOR: SchemeDescriptor;

    /// Builds the scheme.
    ///
    /// # Errors
    /// A parameter out of its range.
    fn new(parameters: Self::Parameters) -> Result<Self, ParameterError>;
}

/// One scheme or preset that can be built from serialized parameters.
#[derive(Debug, Clone)]
pub struct SchemeEntry {
    /// Identifier, as in specs.
    pub id: &'static str,
    /// Other names of the same method.
    pub aliases: &'static [&'static str],
    /// One sentence.
    pub summary: &'static str,
    /// Keys of `docs/references.bib`.
    pub citations: &'static [&'static str],
    /// What the scheme declares about itself; a preset has that of the velocity-level scheme.
    pub descriptor: &'static SchemeDescriptor,
    /// True if the entry is a preset of the velocity-level scheme.
    pub preset: bool,
    /// Its parameters with their values.
    pub defaults: Map<String, Value>,
    build: Builder,
}

type Built = Result<Box<dyn Scheme>, SchemeError>;
type Builder = fn(Value, Option<Box<dyn ImpulseSolver>>) -> Built;

impl SchemeEntry {
    /// Builds the scheme; parameters that are not given keep the values of the entry.
    ///
    /// # Errors
    /// An unknown parameter, a value of another type or out of range, no solver for a scheme that needs one, or a
    /// solver for one that solves by itself.
    pub fn build(
        &self,
        parameters: &Map<String, Value>,
        solver: Option<Box<dyn ImpulseSolver>>,
    ) -> Built {
        if self.descriptor.uses_solver != solver.is_some() {
            return Err(SchemeError::SolverChoice {
                scheme: self.id,
                expected: if self.descriptor.uses_solver {
                    "needs a solver"
                } else {
                    "solves by itself: name no solver"
                },
            });
        }
        let mut merged = self.defaults.clone();
        merged.extend(parameters.iter().map(|(k, v)| (k.clone(), v.clone())));
        (self.build)(Value::Object(merged), solver).map_err(|error| match error {
            SchemeError::Parameters { reason, .. } => SchemeError::Parameters {
                scheme: self.id,
                reason,
            },
            other => other,
        })
    }
}

/// Every scheme, presets first, in the order of the documentation.
pub fn schemes() -> Vec<SchemeEntry> {
    let mut list: Vec<SchemeEntry> = presets().iter().map(preset).collect();
    let base = &VelocityScheme::DESCRIPTOR;
    list.push(SchemeEntry {
        id: base.id,
        aliases: base.aliases,
        summary: base.summary,
        citations: base.citations,
        preset: false,
        defaults: object(&VelocityParameters::default()),
        descriptor: base,
        build: build_velocity,
    });
    list.push(entry::<Xpbd>());
    list.push(entry::<Avbd>());
    list
}

/// The scheme with the identifier or alias `id`.
pub fn scheme(id: &str) -> Option<SchemeEntry> {
    let named = |entry: &SchemeEntry| entry.id == id || entry.aliases.contains(&id);
    schemes().into_iter().find(named)
}

fn preset(preset: &Preset) -> SchemeEntry {
    SchemeEntry {
        id: preset.id,
        aliases: preset.aliases,
        summary: preset.summary,
        citations: preset.citations,
        preset: true,
        defaults: object(&(preset.parameters)()),
        descriptor: &VelocityScheme::DESCRIPTOR,
        build: build_velocity,
    }
}

fn build_velocity(parameters: Value, solver: Option<Box<dyn ImpulseSolver>>) -> Built {
    let id = VelocityScheme::DESCRIPTOR.id;
    let solver = solver.ok_or(SchemeError::SolverChoice {
        scheme: id,
        expected: "needs a solver",
    })?;
    let parameters = parse(parameters, id)?;
    Ok(Box::new(VelocityScheme::new(parameters, solver)?))
}

/// The entry of a scheme that solves by itself: what another crate offers beside those of this one.
pub fn entry<S: PositionScheme>() -> SchemeEntry {
    let descriptor = const { &S::DESCRIPTOR };
    SchemeEntry {
        id: descriptor.id,
        aliases: descriptor.aliases,
        summary: descriptor.summary,
        citations: descriptor.citations,
        descriptor,
        preset: false,
        defaults: object(&S::Parameters::default()),
        build: |parameters, _| {
            let parameters = parse(parameters, S::DESCRIPTOR.id)?;
            Ok(Box::new(S::new(parameters)?))
        },
    }
}

fn parse<P: DeserializeOwned>(parameters: Value, scheme: &'static str) -> Result<P, SchemeError> {
    serde_json::from_value(parameters).map_err(|error| SchemeError::Parameters {
        scheme,
        reason: in_words(&error),
    })
}

fn object<T: Serialize>(value: &T) -> Map<String, Value> {
    match serde_json::to_value(value) {
        Ok(Value::Object(map)) => map,
        // parameter structs are objects by construction
        _ => Map::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_scheme_documents_its_parameters_under_one_name() {
        let list = schemes();
        for (index, entry) in list.iter().enumerate() {
            let documented: Vec<&str> =
                entry.descriptor.parameters.iter().map(|p| p.name).collect();
            let keys: Vec<&str> = entry.defaults.keys().map(String::as_str).collect();
            assert_eq!(documented, keys, "{}", entry.id);
            let names = entry.aliases.iter().chain([&entry.id]);
            for name in names {
                let others = list.iter().enumerate().filter(|(other, _)| *other != index);
                let taken = others.filter(|(_, e)| e.id == *name || e.aliases.contains(name));
                assert_eq!(taken.count(), 0, "{name}");
            }
        }
    }

    #[test]
    fn wrong_requests_are_typed_errors() {
        let entry = scheme("soft-step").unwrap();
        let refused = entry.build(&Map::new(), None).err().unwrap();
        assert!(
            matches!(refused, SchemeError::SolverChoice { .. }),
            "{refused}"
        );
        assert!(scheme("soft-stepp").is_none());
    }
}
