//! A wall of boxes in the shape of a pyramid.

use delassus_core::{ParameterError, Parameters};
use delassus_dynamics::{FieldError, World};

use crate::boxes::{BoxScene, BoxSettings, GROUND, PITCH};
use crate::rig::body_limit;
use crate::scene::{Scene, SceneDescriptor};

/// Rows of base, base - 1, ..., 1 boxes with pitch 1.1; a box rests on two below, with 0.45 of its width on each.
#[derive(Debug, Clone, PartialEq, Parameters)]
#[parameters(check = "Self::check")]
pub struct Wall {
    /// Number of boxes in the bottom row.
    #[parameter(default = 6, unit = "-", range = ">= 1")]
    pub base: usize,
    /// What all boxes have in common.
    #[parameter(flatten)]
    pub boxes: BoxSettings,
}

impl Wall {
    fn check(&self) -> Result<(), ParameterError> {
        body_limit("base", self.base, self.base.checked_mul(self.base))
    }
}

impl Scene for Wall {
    const DESCRIPTOR: SceneDescriptor = SceneDescriptor {
        id: "wall",
        summary: "pyramid-shaped wall: rows of base, base - 1, ..., 1 boxes, each box resting on two below",
        citations: &["Catto2024"],
    };

    fn build(&self) -> Result<World, FieldError> {
        let mut scene = BoxScene::new(self.boxes, self.base);
        let pitch = PITCH * self.boxes.size;
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
