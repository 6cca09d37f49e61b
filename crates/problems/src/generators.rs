//! Problems made from a few parameters: structured ones without collision code, and random ones
//! with a planted solution.
//!
//! A generator is a parameter struct that implements [`Generator`]; [`generators()`] lists all of
//! them, and [`generate`] builds one by its identifier. Equal parameters give
//! equal bits on every CPU.

mod boxes;
mod chain;
mod falling_box;
mod joint_graph;
mod joint_grid;
mod limit;
mod many_worlds;
mod mass_ratio_chain;
mod painleve_rod;
mod planted;
mod size;
mod softness;

use delassus_core::parameter::{Map, Value};
use delassus_core::{
    Category, Described, Entry, EntryError, MemoryLimit, Parameters, Problem, ProblemError,
    registry,
};

use crate::error::GenerateError;
use crate::named::{KnownSolution, NamedProblem};

pub use boxes::{BoxProblem, Freezing};
pub use chain::ChainProblem;
pub use delassus_core::ContactLaw;
pub use delassus_systems::{
    Boxes, Chain, Ends, FixedBodies, Grid, JointGrid, LinkKind, MassOrder, Pyramid, SeededRng,
    Stack, Wall,
};
pub use falling_box::FallingBoxProblem;
pub use joint_graph::{Graph, JointGraph};
pub use joint_grid::JointGridProblem;
pub use many_worlds::{ManyWorlds, PileShape};
pub use mass_ratio_chain::MassRatioChain;
pub use painleve_rod::PainleveRodProblem;
pub use planted::coupled::CoupledPlanted;
pub use planted::scaled::ScaledPlanted;
pub use planted::{OperatorForm, Planted};
pub use size::Size;
pub use softness::SoftnessParameters;

/// Declared properties of a generator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GeneratorDescriptor {
    /// Identifier, as in specs.
    pub id: &'static str,
    /// What it makes, in one sentence.
    pub summary: &'static str,
    /// When the problem comes with a known solution.
    pub reference: &'static str,
}

/// What a generator builds before it is named.
#[derive(Debug, Clone, PartialEq)]
pub struct Generated {
    /// The problem.
    pub problem: Problem,
    /// Its solution, if the parameters are ones for which it is known.
    pub reference: Option<KnownSolution>,
}

/// A parameter struct that makes a problem.
pub trait Generator: Parameters {
    /// Its declared properties.
    const DESCRIPTOR: GeneratorDescriptor;

    /// Counts of the problem, for parameters that are valid. Default: those of a handful of
    /// bodies.
    fn size(&self) -> Size {
        Size::default()
    }

    /// Makes the problem; the parameters are valid.
    ///
    /// # Errors
    /// Parameters that are each in range but give no valid problem together (overflow, for
    /// example).
    fn build(&self) -> Result<Generated, ProblemError>;

    /// Checks the parameters, makes the problem and names it after the parameters that are not the
    /// defaults.
    ///
    /// # Errors
    /// A parameter out of range, or parameters that give no valid problem together, or one that
    /// takes more memory than [`MemoryLimit::default`].
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
            .map_err(|error| EntryError::of::<Generators>(generator, error))?;
        let admitted = limit.admit("the problem", self.size().bytes());
        admitted.map_err(|source| GenerateError::Memory { generator, source })?;
        let generated = self
            .build()
            .map_err(|source| GenerateError::Problem { generator, source })?;
        let parameters = self.to_map();
        Ok(NamedProblem {
            name: name(generator, &parameters, &Self::default().to_map()),
            problem: generated.problem,
            reference: generated.reference,
            warm_start: None,
            captured: None,
            provenance: format!(
                "generator {generator}, parameters {}",
                Value::Object(parameters)
            ),
        })
    }
}

/// The generators.
#[derive(Debug)]
pub enum Generators {}

impl Category for Generators {
    const NAME: &'static str = "generator";
    type Descriptor = GeneratorDescriptor;
    type Argument = ();
    type Product = Box<dyn Recipe>;
    type Error = GenerateError;
}

impl Described for GeneratorDescriptor {
    fn id(&self) -> &'static str {
        self.id
    }
}

/// A generator with checked parameters: a problem that can be counted before it is made.
pub trait Recipe {
    /// Counts of the problem.
    fn counts(&self) -> Size;

    /// Makes the problem within `limit`.
    ///
    /// # Errors
    /// Parameters that give no valid problem together; a problem beyond the limit.
    fn make_within(&self, limit: MemoryLimit) -> Result<NamedProblem, GenerateError>;
}

impl<G: Generator> Recipe for G {
    fn counts(&self) -> Size {
        Generator::size(self)
    }

    fn make_within(&self, limit: MemoryLimit) -> Result<NamedProblem, GenerateError> {
        Generator::generate_within(self, limit)
    }
}

/// One generator that can be built from parameters; what it builds is a [`Recipe`].
pub type GeneratorEntry = Entry<Generators>;

/// Every generator, in the order of the documentation.
pub fn generators() -> Vec<GeneratorEntry> {
    vec![
        entry::<BoxProblem<Stack>>(),
        entry::<BoxProblem<Wall>>(),
        entry::<BoxProblem<Pyramid>>(),
        entry::<BoxProblem<Grid>>(),
        entry::<ChainProblem>(),
        entry::<MassRatioChain>(),
        entry::<JointGridProblem>(),
        entry::<JointGraph>(),
        entry::<FallingBoxProblem>(),
        entry::<PainleveRodProblem>(),
        entry::<Planted>(),
        entry::<CoupledPlanted>(),
        entry::<ManyWorlds>(),
    ]
}

/// Makes a problem with the generator `id`; parameters that are not given keep their defaults.
///
/// # Errors
/// An unknown generator or parameter, a value of another type or out of range.
pub fn generate(id: &str, parameters: &Map) -> Result<NamedProblem, GenerateError> {
    generate_within(id, parameters, MemoryLimit::default())
}

/// The same within `limit`.
///
/// # Errors
/// Those of [`generate`], and a problem that would take more memory.
pub fn generate_within(
    id: &str,
    parameters: &Map,
    limit: MemoryLimit,
) -> Result<NamedProblem, GenerateError> {
    let recipe = registry::find(&generators(), id)?.build(parameters)?;
    recipe.make_within(limit)
}

fn entry<G: Generator + 'static>() -> GeneratorEntry {
    let make = |generator: G, ()| -> Result<Box<dyn Recipe>, _> { Ok(Box::new(generator)) };
    GeneratorEntry::new(G::DESCRIPTOR, &G::default(), make)
}

fn name(id: &str, parameters: &Map, defaults: &Map) -> String {
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
            let documented: Vec<&str> = entry.parameters.iter().map(|p| p.name).collect();
            let keys: Vec<&str> = entry.defaults.keys().map(String::as_str).collect();
            assert_eq!(documented, keys, "{}", entry.descriptor.id);
            let generate = || generate(entry.descriptor.id, &Map::new());
            let problem = generate().unwrap();
            assert_eq!(problem.name, entry.descriptor.id);
            assert!(problem.problem.rows() > 0);
            assert_eq!(problem, generate().unwrap());
            entry.build(&Map::new()).map(drop).unwrap();
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
        assert_eq!(
            with("stak", serde_json::json!({})).to_string(),
            "unknown generator \"stak\"; did you mean \"stack\"?"
        );
        assert_eq!(
            with("stack", serde_json::json!({ "masss": 5 })).to_string(),
            "generator stack has no parameter \"masss\"; did you mean \"mass\"?"
        );
        assert_eq!(
            with("stack", serde_json::json!({ "n": 0 })).to_string(),
            "generator stack: n = 0 is out of range: it must be >= 1"
        );
        let huge = with("grid", serde_json::json!({ "nx": 1_000_000_000_000_u64 }));
        assert!(huge.to_string().contains("nx = 1e12 "), "{huge}");
        let nan = with("stack", serde_json::json!({ "mass": -1.0 }));
        assert!(nan.to_string().contains("mass = -1 "), "{nan}");
        let stack = &generators()[0];
        for (wrong, made) in [
            (serde_json::json!({ "mass": -1.0 }), nan),
            (
                serde_json::json!({ "n": 0 }),
                with("stack", serde_json::json!({ "n": 0 })),
            ),
        ] {
            let checked = stack.build(wrong.as_object().unwrap()).err().unwrap();
            assert_eq!(checked.to_string(), made.to_string());
        }
    }

    #[test]
    fn numbers_of_laws_that_no_contact_has_are_refused() {
        let given = |id: &str, value: Value| {
            let known = generators();
            let entry = known
                .iter()
                .find(|entry| entry.descriptor.id == id)
                .unwrap();
            let built = entry.build_given(value.as_object().unwrap());
            built.map(drop).map_err(|error| error.to_string())
        };
        for (id, value, number) in [
            (
                "stack",
                serde_json::json!({ "law": "frictionless", "friction": 0.5 }),
                "friction: 0.5",
            ),
            (
                "many-worlds",
                serde_json::json!({ "law": "frictionless", "friction_most": 0.9 }),
                "friction_most: 0.9",
            ),
        ] {
            let error = given(id, value).unwrap_err();
            assert!(
                error.contains(number) && error.contains("the law frictionless"),
                "{error}"
            );
            assert!(error.contains("(pyramid, disc, coulomb, "), "{error}");
        }
        let error = given("planted", serde_json::json!({ "directions": 6 })).unwrap_err();
        assert!(
            error.contains("directions = 6 is out of range: only the law facets has"),
            "{error}"
        );
        // it has a coefficient for all contacts, whatever they are
        let none = serde_json::json!({ "coulomb": 0, "frictionless": 3, "friction": 0.2 });
        given("planted", none).unwrap();
        given(
            "planted",
            serde_json::json!({ "facets": 2, "directions": 6 }),
        )
        .unwrap();
        given(
            "stack",
            serde_json::json!({ "law": "frictionless", "friction": 0 }),
        )
        .unwrap();
        given(
            "stack",
            serde_json::json!({ "law": "patch", "friction": 0.5 }),
        )
        .unwrap();
    }
}
