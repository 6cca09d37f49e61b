//! One box on another.

use delassus_core::parameter::require;
use delassus_core::{ParameterError, Parameters};
use delassus_dynamics::{FieldError, World};

use crate::boxes::{BoxScene, BoxSettings, GROUND};
use crate::random::Random;
use crate::rig::body_limit;
use crate::scene::{Scene, SceneDescriptor};

/// A stack of n boxes on the ground: n manifolds, 4 n points, which stay for the whole run.
#[derive(Debug, Clone, PartialEq, Parameters)]
#[parameters(check = "Self::check")]
pub struct Stack {
    /// Number of boxes.
    #[parameter(default = 10, unit = "-", range = ">= 1")]
    pub n: usize,
    /// Largest distance of a box from the middle line, along x and along z, drawn at random. Below size/2.
    #[parameter(default = 0.0, unit = "m", range = ">= 0")]
    pub jitter: f64,
    /// Seed of the distances.
    #[parameter(default = 1, unit = "-")]
    pub seed: u64,
    /// What all boxes have in common.
    #[parameter(flatten)]
    pub boxes: BoxSettings,
}

impl Stack {
    fn check(&self) -> Result<(), ParameterError> {
        body_limit("n", self.n, self.n.checked_add(1))?;
        let fits = self.jitter < 0.5 * self.boxes.size;
        let expected = "it must lie in [0, size/2): neighbours touch";
        require(fits, "jitter", self.jitter, expected)
    }
}

impl Scene for Stack {
    const DESCRIPTOR: SceneDescriptor = SceneDescriptor {
        id: "stack",
        summary: "n boxes on top of each other on the ground, with contact manifolds",
        citations: &["Catto2024"],
    };

    fn build(&self) -> Result<World, FieldError> {
        let mut scene = BoxScene::new(self.boxes, self.n);
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
