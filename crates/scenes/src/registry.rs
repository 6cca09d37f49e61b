//! What a scene is, and the list of all of them.

use delassus_core::parameter::in_words;
use delassus_core::{ParameterDoc, ParameterError};
use delassus_dynamics::{FieldError, World};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::error::SceneError;
use crate::scenes::visit_scenes;

/// What a list needs to know about a scene.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SceneDescriptor {
    /// Identifier, as in specs.
    pub id: &'static str,
    /// What it shows, in one sentence.
    pub summary: &'static str,
    /// Its parameters with units and ranges; the keys of the serialized parameters.
    pub parameters: &'static [ParameterDoc],
    /// Keys of `docs/references.bib`.
    pub citations: &'static [&'static str],
}

/// A parameter struct that makes a world. Equal parameters give equal bits on every CPU.
///
/// The time step is no parameter of a scene: it belongs to the experiment.
pub trait Scene: Default + Serialize + DeserializeOwned {
    /// What a list needs to know.
    const DESCRIPTOR: SceneDescriptor;

    /// Checks the parameters against their ranges.
    ///
    /// # Errors
    /// The first parameter out of its range.
    fn validate(&self) -> Result<(), ParameterError>;

    /// Makes the world; the parameters are valid.
    ///
    /// # Errors
    /// Parameters that are each in range but make no valid world together (overflow, for example).
    fn build(&self) -> Result<World, FieldError>;

    /// Checks the parameters and makes the world.
    ///
    /// # Errors
    /// A parameter out of range, or parameters that make no valid world together.
    fn make(&self) -> Result<World, SceneError> {
        let scene = Self::DESCRIPTOR.id;
        self.validate()
            .map_err(|source| SceneError::Parameter { scene, source })?;
        self.build()
            .map_err(|source| SceneError::Field { scene, source })
    }
}

/// Collects scenes: a registry implements it.
pub trait SceneVisitor {
    /// Takes one scene.
    fn visit<S: Scene>(&mut self);
}

/// One scene that can be built from serialized parameters.
#[derive(Debug, Clone)]
pub struct SceneEntry {
    /// What a list needs to know.
    pub descriptor: SceneDescriptor,
    /// Its parameters with their defaults.
    pub defaults: Map<String, Value>,
    build: fn(&Map<String, Value>) -> Result<World, SceneError>,
}

impl SceneEntry {
    /// Makes the world; parameters that are not given keep their defaults.
    ///
    /// # Errors
    /// An unknown parameter, a value of another type or out of range.
    pub fn build(&self, parameters: &Map<String, Value>) -> Result<World, SceneError> {
        (self.build)(parameters)
    }
}

/// Every scene, in the order of the documentation.
pub fn scenes() -> Vec<SceneEntry> {
    let mut list = Entries(Vec::new());
    visit_scenes(&mut list);
    list.0
}

/// Makes the world of the scene `id`; parameters that are not given keep their defaults.
///
/// # Errors
/// An unknown scene or parameter, a value of another type or out of range.
pub fn build(id: &str, parameters: &Map<String, Value>) -> Result<World, SceneError> {
    let entries = scenes();
    match entries.iter().find(|entry| entry.descriptor.id == id) {
        Some(entry) => entry.build(parameters),
        None => {
            let known: Vec<&str> = entries.iter().map(|e| e.descriptor.id).collect();
            Err(SceneError::UnknownScene {
                id: id.to_owned(),
                known: known.join(", "),
            })
        }
    }
}

struct Entries(Vec<SceneEntry>);

impl SceneVisitor for Entries {
    fn visit<S: Scene>(&mut self) {
        self.0.push(SceneEntry {
            descriptor: S::DESCRIPTOR,
            defaults: object(&S::default()),
            build: build_from::<S>,
        });
    }
}

fn build_from<S: Scene>(parameters: &Map<String, Value>) -> Result<World, SceneError> {
    let scene: S = serde_json::from_value(Value::Object(parameters.clone())).map_err(|error| {
        SceneError::Parameters {
            scene: S::DESCRIPTOR.id,
            reason: blamed::<S>(parameters, &error),
        }
    })?;
    scene.make()
}

/// The error with the name of the parameter that it is about, if one alone is to blame.
fn blamed<S: Scene>(parameters: &Map<String, Value>, error: &serde_json::Error) -> String {
    let wrong = |(key, value): &(&String, &Value)| {
        let single = Map::from_iter([((*key).clone(), (*value).clone())]);
        let known = S::DESCRIPTOR.parameters.iter().any(|p| p.name == *key);
        known && serde_json::from_value::<S>(Value::Object(single)).is_err()
    };
    let name = parameters
        .iter()
        .find(wrong)
        .map(|(key, _)| format!("{key}: "));
    name.unwrap_or_default() + &in_words(error)
}

fn object<T: Serialize>(value: &T) -> Map<String, Value> {
    match serde_json::to_value(value) {
        Ok(Value::Object(map)) => map,
        // parameter structs are objects by construction
        _ => Map::new(),
    }
}
