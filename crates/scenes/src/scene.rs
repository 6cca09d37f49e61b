//! What a scene is.

use delassus_core::{Category, Choice, ContactLaw, Described, Entry, EntryError, Parameters};
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

/// One scene that can be built from parameters.
pub type SceneEntry = Entry<Scenes>;

/// The entry of a scene.
pub(crate) fn entry<S: Scene>() -> SceneEntry {
    let make = |scene: S, ()| scene.make();
    let mut entry = SceneEntry::new(S::DESCRIPTOR, &S::default(), make);
    let laws = entry.parameters.iter_mut();
    // generators of frozen problems have the same parameters and one law more
    for law in laws.filter(|doc| doc.choices == ContactLaw::CHOICES) {
        law.choices = ContactLaw::OF_WORLDS;
    }
    entry
}
