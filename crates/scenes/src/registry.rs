//! The list of all scenes.

use delassus_core::parameter::Map;
use delassus_core::{Choice, ContactLaw, Entry, registry};
use delassus_dynamics::World;

use crate::error::SceneError;
use crate::scene::{Scene, SceneVisitor, Scenes};
use crate::scenes::visit_scenes;

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
    registry::find(&scenes(), id)?.build_given(parameters)
}

struct Entries(Vec<SceneEntry>);

impl SceneVisitor for Entries {
    fn visit<S: Scene>(&mut self) {
        let make = |scene: S, ()| scene.make();
        let mut entry = SceneEntry::new(S::DESCRIPTOR, &S::default(), make);
        let laws = entry.parameters.iter_mut();
        // generators of frozen problems have the same parameters and one law more
        for law in laws.filter(|doc| doc.choices == ContactLaw::CHOICES) {
            law.choices = ContactLaw::OF_WORLDS;
        }
        self.0.push(entry);
    }
}
