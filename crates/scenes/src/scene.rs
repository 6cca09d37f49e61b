//! What a scene is.

use delassus_core::{Category, Described, EntryError, Parameters};
use delassus_dynamics::{FieldError, World};

use crate::error::SceneError;

/// Declared properties of a scene.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SceneDescriptor {
    /// Identifier, as in specs.
    pub id: &'static str,
    /// What it shows, in one sentence.
    pub summary: &'static str,
    /// Keys of `docs/references.bib`.
    pub citations: &'static [&'static str],
}

/// A parameter struct that makes a world. Equal parameters give equal bits on every CPU.
///
/// The time step is no parameter of a scene: it belongs to the experiment.
pub trait Scene: Parameters {
    /// Its declared properties.
    const DESCRIPTOR: SceneDescriptor;

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
            .map_err(|error| EntryError::of::<Scenes>(scene, error))?;
        self.build()
            .map_err(|source| SceneError::Field { scene, source })
    }
}

/// Collects scenes: a registry implements it.
pub trait SceneVisitor {
    /// Takes one scene.
    fn visit<S: Scene>(&mut self);
}

/// The scenes.
#[derive(Debug)]
pub enum Scenes {}

impl Category for Scenes {
    const NAME: &'static str = "scene";
    type Descriptor = SceneDescriptor;
    type Argument = ();
    type Product = World;
    type Error = SceneError;
}

impl Described for SceneDescriptor {
    fn id(&self) -> &'static str {
        self.id
    }
}
