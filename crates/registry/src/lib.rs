//! Every solver and scheme that the program knows: what `list` prints, specs name and `run` builds.

use std::collections::BTreeSet;

use delassus_core::parameter::in_words;
use delassus_core::{ImpulseSolver, Solver, SolverDescriptor, SolverVisitor};
use delassus_dynamics::{SchemeEntry, entry};
use delassus_scheme_jacobi::{JacobiSoftStep, PeriDyno2021};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use thiserror::Error;

use delassus_core::suggest::nearest;

/// The solvers of a program, in the order of the documentation.
#[derive(Debug, Clone)]
pub struct Registry {
    entries: Vec<Entry>,
}

/// One solver that can be built from parameters.
#[derive(Debug, Clone)]
pub struct Entry {
    /// What the solver declares about itself.
    pub descriptor: SolverDescriptor,
    /// Its parameters with their defaults.
    pub defaults: Map<String, Value>,
    build: Build,
}

/// Builds a solver from the parameters that differ from the defaults.
type Build = fn(&Map<String, Value>) -> Result<Box<dyn ImpulseSolver>, BuildError>;

/// Why a solver cannot be built.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum BuildError {
    /// No solver has that identifier or alias.
    #[error("unknown solver {id:?}{}", suggestion(.nearest))]
    UnknownSolver {
        /// What was asked for.
        id: String,
        /// The closest identifier.
        nearest: Option<String>,
    },
    /// The solver has no such parameter.
    #[error("solver {solver} has no parameter {parameter:?}{}", suggestion(.nearest))]
    UnknownParameter {
        /// The solver.
        solver: &'static str,
        /// The key given.
        parameter: String,
        /// The closest parameter.
        nearest: Option<String>,
    },
    /// A parameter has the wrong type or an impossible value.
    #[error("solver {solver}: {parameter}: {reason}")]
    Parameter {
        /// The solver.
        solver: &'static str,
        /// The parameter.
        parameter: String,
        /// What is wrong with it.
        reason: String,
    },
    /// An environment variable that the solver reads is set to something impossible.
    #[error("the environment variable {variable} is {value:?}; solver {solver} needs {expected}")]
    Environment {
        /// The solver.
        solver: &'static str,
        /// The variable.
        variable: &'static str,
        /// What it is set to.
        value: String,
        /// What it may be set to.
        expected: &'static str,
    },
}

fn suggestion(nearest: &Option<String>) -> String {
    nearest
        .as_ref()
        .map_or_else(String::new, |name| format!("; did you mean {name:?}?"))
}

impl Registry {
    /// No solvers.
    pub fn empty() -> Self {
        Self {
            entries: Vec::new(),
        }
    }

    /// The solvers of the workspace.
    pub fn standard() -> Self {
        let mut registry = Self::empty();
        delassus_solver_si::visit_solvers(&mut registry);
        delassus_solver_jacobi::visit_solvers(&mut registry);
        delassus_solver_dense::visit_solvers(&mut registry);
        #[cfg(feature = "gpu")]
        delassus_solver_gpu::visit_solvers(&mut registry);
        registry
    }

    /// Adds one solver: how a program outside the workspace registers its own.
    #[must_use]
    pub fn with<S: Solver>(mut self) -> Self {
        self.visit::<S>();
        self
    }

    /// The entries, in the order of registration.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The entry with this identifier or alias.
    ///
    /// # Errors
    /// [`BuildError::UnknownSolver`] with the closest name.
    pub fn find(&self, id: &str) -> Result<&Entry, BuildError> {
        let found = self.entries.iter().find(|entry| {
            let descriptor = &entry.descriptor;
            descriptor.id == id || descriptor.aliases.contains(&id)
        });
        found.ok_or_else(|| BuildError::UnknownSolver {
            id: id.to_owned(),
            nearest: nearest(id, self.names()),
        })
    }

    /// Every identifier and alias.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.entries.iter().flat_map(|entry| {
            let descriptor = &entry.descriptor;
            std::iter::once(descriptor.id).chain(descriptor.aliases.iter().copied())
        })
    }
}

impl SolverVisitor for Registry {
    fn visit<S: Solver>(&mut self) {
        let defaults = match serde_json::to_value(S::Parameters::default()) {
            Ok(Value::Object(defaults)) => defaults,
            // a unit struct: no parameters
            _ => Map::new(),
        };
        self.entries.push(Entry {
            descriptor: S::DESCRIPTOR,
            defaults,
            build: build::<S>,
        });
    }
}

impl Entry {
    /// Builds the solver; parameters that are not given keep their defaults.
    ///
    /// # Errors
    /// An unknown parameter, a value of the wrong type or out of range.
    pub fn build(
        &self,
        parameters: &Map<String, Value>,
    ) -> Result<Box<dyn ImpulseSolver>, BuildError> {
        let solver = self.descriptor.id;
        for key in parameters.keys() {
            if !self.defaults.contains_key(key) {
                let names: BTreeSet<&str> = self.defaults.keys().map(String::as_str).collect();
                return Err(BuildError::UnknownParameter {
                    solver,
                    parameter: key.clone(),
                    nearest: nearest(key, names),
                });
            }
        }
        (self.build)(parameters)
    }

    /// The given parameters over the defaults: what identifies a configured solver.
    pub fn complete(&self, parameters: &Map<String, Value>) -> Map<String, Value> {
        let mut complete = self.defaults.clone();
        complete.extend(parameters.iter().map(|(k, v)| (k.clone(), v.clone())));
        complete
    }
}

/// What the names of the program's environment variables begin with; those of parameters are in small letters.
const VARIABLES: &str = "DELASSUS_";

fn build<S: Solver>(parameters: &Map<String, Value>) -> Result<Box<dyn ImpulseSolver>, BuildError> {
    let solver = S::DESCRIPTOR.id;
    let parsed = parse::<S::Parameters>(solver, parameters)?;
    match S::new(parsed) {
        Ok(solver) => Ok(Box::new(solver)),
        Err(error) if error.parameter.starts_with(VARIABLES) => Err(BuildError::Environment {
            solver,
            variable: error.parameter,
            value: error.value,
            expected: error.expected,
        }),
        Err(error) => Err(BuildError::Parameter {
            solver,
            parameter: error.parameter.to_owned(),
            reason: format!("{} is out of range: {}", error.value, error.expected),
        }),
    }
}

/// Deserializes key by key first, so that an error names the key that it is about.
fn parse<P: DeserializeOwned>(
    solver: &'static str,
    parameters: &Map<String, Value>,
) -> Result<P, BuildError> {
    for (key, value) in parameters {
        let mut single = Map::new();
        single.insert(key.clone(), value.clone());
        if let Err(error) = serde_json::from_value::<P>(Value::Object(single)) {
            return Err(BuildError::Parameter {
                solver,
                parameter: key.clone(),
                reason: in_words(&error),
            });
        }
    }
    // a unit struct deserializes from null only
    let whole = if parameters.is_empty() {
        serde_json::from_value(Value::Object(Map::new()))
            .or_else(|_| serde_json::from_value(Value::Null))
    } else {
        serde_json::from_value(Value::Object(parameters.clone()))
    };
    whole.map_err(|error| BuildError::Parameter {
        solver,
        parameter: "parameters".to_owned(),
        reason: in_words(&error),
    })
}

/// Every scheme of the workspace, presets first, in the order of the documentation.
pub fn schemes() -> Vec<SchemeEntry> {
    let mut list = delassus_dynamics::schemes();
    list.push(entry::<JacobiSoftStep>());
    #[cfg(feature = "gpu")]
    list.push(entry::<delassus_scheme_gpu::GpuSoftStep>());
    list.push(entry::<PeriDyno2021>());
    list
}

/// The scheme with the identifier or alias `id`.
pub fn scheme(id: &str) -> Option<SchemeEntry> {
    let named = |entry: &SchemeEntry| entry.id == id || entry.aliases.contains(&id);
    schemes().into_iter().find(named)
}
