//! A wall of boxes in the shape of a pyramid.

use delassus_core::ParameterError;
use delassus_core::parameter::at_least;
use delassus_dynamics::{FieldError, World};

use crate::boxes::{BoxScene, GROUND, PITCH, box_parameters};
use crate::registry::{Scene, SceneDescriptor};
use crate::rig::body_limit;

box_parameters! {
    /// Rows of base, base - 1, ..., 1 boxes with pitch 1.1; a box rests on two below, with 0.45 of its width on each.
    Wall {
        /// Number of boxes in the bottom row \[-\]; >= 1.
        base: usize = 6,
    }
}

impl Scene for Wall {
    const DESCRIPTOR: SceneDescriptor = SceneDescriptor {
        id: "wall",
        summary: "pyramid-shaped wall: rows of base, base - 1, ..., 1 boxes, each box resting on two below",
        parameters: Self::PARAMETERS,
        citations: &["Catto2024"],
    };

    fn validate(&self) -> Result<(), ParameterError> {
        at_least("base", self.base, 1, "there must be at least one box")?;
        body_limit("base", self.base, self.base.checked_mul(self.base))?;
        self.settings().validate()
    }

    fn build(&self) -> Result<World, FieldError> {
        let mut scene = BoxScene::new(self.settings(), self.base);
        let pitch = PITCH * self.size;
        let mut below: Vec<usize> = Vec::new();
        for layer in 0..self.base {
            let mut row = Vec::with_capacity(self.base - layer);
            for i in 0..self.base - layer {
                let x = pitch * (i as f64 + 0.5 * layer as f64);
                let body = scene.place(x, layer, 0.0)?;
                if layer == 0 {
                    scene.stand(body, GROUND);
                } else {
                    scene.stand(body, below[i]);
                    scene.stand(body, below[i + 1]);
                }
                row.push(body);
            }
            below = row;
        }
        scene.finish()
    }
}
