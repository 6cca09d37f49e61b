//! What a scene is, and the list of all of them.

use delassus_core::parameter::Map;
use delassus_core::{Described, Entry, EntryError, Kind, Parameters, registry};
use delassus_dynamics::{FieldError, World};

use crate::error::SceneError;
use crate::scenes::visit_scenes;

/// What a list needs to know about a scene.
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
    /// What a list needs to know.
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

impl Kind for Scenes {
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

/// One scene that can be built from parameters.
pub type SceneEntry = Entry<Scenes>;

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
pub fn build(id: &str, parameters: &Map) -> Result<World, SceneError> {
    registry::find(&scenes(), id)?.build(parameters)
}

struct Entries(Vec<SceneEntry>);

impl SceneVisitor for Entries {
    fn visit<S: Scene>(&mut self) {
        let make = |scene: S, ()| scene.make();
        self.0
            .push(SceneEntry::new(S::DESCRIPTOR, &S::default(), make));
    }
}
