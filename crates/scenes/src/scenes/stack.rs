//! One box on another.

use delassus_core::ParameterError;
use delassus_core::parameter::{at_least, require};
use delassus_dynamics::{FieldError, World};

use crate::boxes::{BoxScene, GROUND, box_parameters};
use crate::random::Random;
use crate::registry::{Scene, SceneDescriptor};
use crate::rig::body_limit;

box_parameters! {
    /// A stack of n boxes on the ground: n manifolds, 4 n points, which stay for the whole run.
    Stack {
        /// Number of boxes \[-\]; >= 1.
        n: usize = 10,
        /// Largest distance of a box from the middle line, along x and along z, drawn at random \[m\]; in \[0, size/2).
        jitter: f64 = 0.0,
        /// Seed of the distances.
        seed: u64 = 1,
    }
}

impl Scene for Stack {
    const DESCRIPTOR: SceneDescriptor = SceneDescriptor {
        id: "stack",
        summary: "n boxes on top of each other on the ground, with contact manifolds",
        parameters: Self::PARAMETERS,
        citations: &["Catto2024"],
    };

    fn validate(&self) -> Result<(), ParameterError> {
        at_least("n", self.n, 1, "there must be at least one box")?;
        body_limit("n", self.n, self.n.checked_add(1))?;
        self.settings().validate()?;
        let fits = self.jitter >= 0.0 && self.jitter < 0.5 * self.size;
        let expected = "it must lie in [0, size/2): neighbours touch";
        require(fits, "jitter", self.jitter, expected)
    }

    fn build(&self) -> Result<World, FieldError> {
        let mut scene = BoxScene::new(self.settings(), self.n);
        let mut random = Random::new(self.seed);
        let mut below = GROUND;
        for layer in 0..self.n {
            let (x, z) = (random.within(self.jitter), random.within(self.jitter));
            let body = scene.place(x, layer, z)?;
            scene.stand(body, below);
            below = body;
        }
        scene.finish()
    }
}
