//! Problems made from a few parameters: structured ones without collision code, and random ones with a planted solution.
//!
//! A generator is a parameter struct that implements [`Generator`]; [`visit_generators`] shows all of them to
//! a registry, and [`generate`] builds one by its identifier. Equal parameters give equal bits on every CPU.

mod boxes;
mod chain;
mod falling_box;
mod grid;
mod joint_graph;
mod joint_grid;
mod mass_ratio_chain;
mod painleve_rod;
mod parameters;
mod planted;
mod pyramid;
mod size;
mod softness;
mod stack;
mod wall;

use delassus_core::parameter::in_words;
use delassus_core::{MemoryLimit, ParameterDoc, ParameterError, Problem, ProblemError};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::error::GenerateError;
use crate::named::{NamedProblem, Reference};

pub use boxes::{ContactLaw, MassOrder};
pub use chain::{Chain, ChainEnds, ChainKind, ChainMasses};
pub use falling_box::FallingBox;
pub use grid::Grid;
pub use joint_graph::{Graph, JointGraph};
pub use joint_grid::{FixedBodies, JointGrid};
pub use mass_ratio_chain::MassRatioChain;
pub use painleve_rod::PainleveRod;
pub use planted::{Form, Planted};
pub use pyramid::Pyramid;
pub use size::Size;
pub use stack::Stack;
pub use wall::Wall;

/// What a list needs to know about a generator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GeneratorDescriptor {
    /// Identifier, as in specs.
    pub id: &'static str,
    /// What it makes, in one sentence.
    pub summary: &'static str,
    /// Its parameters with units and ranges; the keys of the serialized parameters.
    pub parameters: &'static [ParameterDoc],
    /// When the problem comes with a known solution.
    pub reference: &'static str,
}

/// What a generator builds before it is named.
#[derive(Debug, Clone, PartialEq)]
pub struct Generated {
    /// The problem.
    pub problem: Problem,
    /// Its solution, if the parameters are ones for which it is known.
    pub reference: Option<Reference>,
}

/// A parameter struct that makes a problem.
pub trait Generator: Default + Serialize + DeserializeOwned {
    /// What a list needs to know.
    const DESCRIPTOR: GeneratorDescriptor;

    /// Checks the parameters against their ranges.
    ///
    /// # Errors
    /// The first parameter out of its range.
    fn validate(&self) -> Result<(), ParameterError>;

    /// Counts of the problem, for parameters that are valid. Provided: those of a handful of bodies.
    fn size(&self) -> Size {
        Size::default()
    }

    /// Makes the problem; the parameters are valid.
    ///
    /// # Errors
    /// Parameters that are each in range but give no valid problem together (overflow, for example).
    fn build(&self) -> Result<Generated, ProblemError>;

    /// Checks the parameters, makes the problem and names it after the parameters that are not the defaults.
    ///
    /// # Errors
    /// A parameter out of range, or parameters that give no valid problem together, or one that takes more memory than
    /// [`MemoryLimit::default`].
    fn generate(&self) -> Result<NamedProblem, GenerateError> {
        self.generate_within(MemoryLimit::default())
    }

    /// The same within `limit`, which is looked at before anything is allocated.
    ///
    /// # Errors
    /// Those of [`Self::generate`].
    fn generate_within(&self, limit: MemoryLimit) -> Result<NamedProblem, GenerateError> {
        let generator = Self::DESCRIPTOR.id;
        self.validate()
            .map_err(|source| GenerateError::Parameter { generator, source })?;
        let admitted = limit.admit("the problem", self.size().bytes());
        admitted.map_err(|source| GenerateError::Memory { generator, source })?;
        let generated = self
            .build()
            .map_err(|source| GenerateError::Problem { generator, source })?;
        let parameters = object(self);
        Ok(NamedProblem {
            name: name(generator, &parameters, &object(&Self::default())),
            problem: generated.problem,
            reference: generated.reference,
            warm_start: None,
            provenance: format!(
                "generator {generator}, parameters {}",
                Value::Object(parameters)
            ),
        })
    }
}

/// Collects generators: a registry implements it.
pub trait GeneratorVisitor {
    /// Takes one generator.
    fn visit<G: Generator>(&mut self);
}

/// Shows every generator to `visitor`, in the order of the documentation.
pub fn visit_generators<V: GeneratorVisitor>(visitor: &mut V) {
    visitor.visit::<Stack>();
    visitor.visit::<Wall>();
    visitor.visit::<Pyramid>();
    visitor.visit::<Grid>();
    visitor.visit::<Chain>();
    visitor.visit::<MassRatioChain>();
    visitor.visit::<JointGrid>();
    visitor.visit::<JointGraph>();
    visitor.visit::<FallingBox>();
    visitor.visit::<PainleveRod>();
    visitor.visit::<Planted>();
}

/// One generator that can be built from serialized parameters.
#[derive(Debug, Clone)]
pub struct GeneratorEntry {
    /// What a list needs to know.
    pub descriptor: GeneratorDescriptor,
    /// Its parameters with their defaults.
    pub defaults: Map<String, Value>,
    build: fn(&Map<String, Value>, MemoryLimit) -> Result<NamedProblem, GenerateError>,
    size: fn(&Map<String, Value>) -> Result<Size, GenerateError>,
}

impl GeneratorEntry {
    /// Checks parameters without making a problem.
    ///
    /// # Errors
    /// An unknown parameter, a value of another type or out of range.
    pub fn check(&self, parameters: &Map<String, Value>) -> Result<(), GenerateError> {
        self.size(parameters).map(|_| ())
    }

    /// Checks parameters and counts what they give, without making a problem.
    ///
    /// # Errors
    /// Those of [`Self::check`].
    pub fn size(&self, parameters: &Map<String, Value>) -> Result<Size, GenerateError> {
        (self.size)(parameters)
    }

    /// Makes a problem; parameters that are not given keep their defaults.
    ///
    /// # Errors
    /// An unknown parameter, a value of another type or out of range; a problem beyond [`MemoryLimit::default`].
    pub fn generate(&self, parameters: &Map<String, Value>) -> Result<NamedProblem, GenerateError> {
        self.generate_within(parameters, MemoryLimit::default())
    }

    /// The same within `limit`.
    ///
    /// # Errors
    /// Those of [`Self::generate`].
    pub fn generate_within(
        &self,
        parameters: &Map<String, Value>,
        limit: MemoryLimit,
    ) -> Result<NamedProblem, GenerateError> {
        (self.build)(parameters, limit)
    }
}

/// Every generator, in the order of the documentation.
pub fn generators() -> Vec<GeneratorEntry> {
    let mut list = Entries(Vec::new());
    visit_generators(&mut list);
    list.0
}

/// Makes a problem with the generator `id`; parameters that are not given keep their defaults.
///
/// # Errors
/// An unknown generator or parameter, a value of another type or out of range.
pub fn generate(id: &str, parameters: &Map<String, Value>) -> Result<NamedProblem, GenerateError> {
    generate_within(id, parameters, MemoryLimit::default())
}

/// The same within `limit`.
///
/// # Errors
/// Those of [`generate`], and a problem that would take more memory.
pub fn generate_within(
    id: &str,
    parameters: &Map<String, Value>,
    limit: MemoryLimit,
) -> Result<NamedProblem, GenerateError> {
    let entries = generators();
    match entries.iter().find(|entry| entry.descriptor.id == id) {
        Some(entry) => entry.generate_within(parameters, limit),
        None => {
            let known: Vec<&str> = entries.iter().map(|e| e.descriptor.id).collect();
            Err(GenerateError::UnknownGenerator {
                id: id.to_owned(),
                known: known.join(", "),
            })
        }
    }
}

struct Entries(Vec<GeneratorEntry>);

impl GeneratorVisitor for Entries {
    fn visit<G: Generator>(&mut self) {
        self.0.push(GeneratorEntry {
            descriptor: G::DESCRIPTOR,
            defaults: object(&G::default()),
            build: generate_from::<G>,
            size: size_from::<G>,
        });
    }
}

fn generate_from<G: Generator>(
    parameters: &Map<String, Value>,
    limit: MemoryLimit,
) -> Result<NamedProblem, GenerateError> {
    read::<G>(parameters)?.generate_within(limit)
}

fn size_from<G: Generator>(parameters: &Map<String, Value>) -> Result<Size, GenerateError> {
    let generator = read::<G>(parameters)?;
    let validated = generator.validate();
    validated.map_err(|source| GenerateError::Parameter {
        generator: G::DESCRIPTOR.id,
        source,
    })?;
    Ok(generator.size())
}

fn read<G: Generator>(parameters: &Map<String, Value>) -> Result<G, GenerateError> {
    let value = Value::Object(parameters.clone());
    serde_json::from_value(value).map_err(|error| GenerateError::Parameters {
        generator: G::DESCRIPTOR.id,
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

fn name(id: &str, parameters: &Map<String, Value>, defaults: &Map<String, Value>) -> String {
    let changed: Vec<String> = parameters
        .iter()
        .filter(|(key, value)| defaults.get(*key) != Some(value))
        .map(|(key, value)| match value {
            Value::String(text) => format!("{key}={text}"),
            other => format!("{key}={other}"),
        })
        .collect();
    if changed.is_empty() {
        id.to_owned()
    } else {
        format!("{id}({})", changed.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_generator_is_documented_and_builds_with_its_defaults() {
        for entry in generators() {
            let documented: Vec<&str> =
                entry.descriptor.parameters.iter().map(|p| p.name).collect();
            let keys: Vec<&str> = entry.defaults.keys().map(String::as_str).collect();
            assert_eq!(documented, keys, "{}", entry.descriptor.id);
            let problem = entry.generate(&Map::new()).unwrap();
            assert_eq!(problem.name, entry.descriptor.id);
            assert!(problem.problem.rows() > 0);
            assert_eq!(problem, entry.generate(&Map::new()).unwrap());
            entry.check(&Map::new()).unwrap();
        }
    }

    #[test]
    fn names_show_what_differs_from_the_defaults() {
        let parameters = serde_json::json!({ "n": 5, "mass_ratio": 100.0, "law": "patch" });
        let made = generate("stack", parameters.as_object().unwrap()).unwrap();
        assert_eq!(made.name, "stack(n=5, mass_ratio=100.0, law=patch)");
    }

    #[test]
    fn wrong_requests_are_typed_errors() {
        let with = |id: &str, value: Value| generate(id, value.as_object().unwrap()).unwrap_err();
        let unknown = with("stak", serde_json::json!({}));
        assert!(matches!(unknown, GenerateError::UnknownGenerator { .. }));
        assert_eq!(
            with("stack", serde_json::json!({ "m": 5 })).to_string(),
            "generator stack: unknown field `m`, expected one of `n`, `size`, `mass`, `mass_ratio`, \
             `mass_order`, `friction`, `law`, `compliance`, `hertz`, `damping_ratio`, `gap`, `recovery`, \
             `load`, `tilt`, `speed`, `gravity`, `dt`"
        );
        assert_eq!(
            with("stack", serde_json::json!({ "n": 0 })).to_string(),
            "generator stack: n = 0 is out of range: there must be at least one box"
        );
        let huge = with("grid", serde_json::json!({ "nx": 1_000_000_000_000_u64 }));
        assert!(matches!(huge, GenerateError::Parameter { .. }), "{huge}");
        let nan = with("stack", serde_json::json!({ "mass": -1.0 }));
        assert!(matches!(nan, GenerateError::Parameter { .. }), "{nan}");
        let stack = &generators()[0];
        for (wrong, made) in [
            (serde_json::json!({ "mass": -1.0 }), nan),
            (
                serde_json::json!({ "n": 0 }),
                with("stack", serde_json::json!({ "n": 0 })),
            ),
        ] {
            let checked = stack.check(wrong.as_object().unwrap()).unwrap_err();
            assert_eq!(checked.to_string(), made.to_string());
        }
    }
}
