//! A square pyramid of boxes.

use delassus_core::{ParameterError, Parameters};
use delassus_dynamics::{FieldError, World};

use crate::boxes::{BoxScene, BoxSettings, GROUND, PITCH};
use crate::rig::body_limit;
use crate::scene::{Scene, SceneDescriptor};

/// Layers of base x base, ..., 1 x 1 boxes with pitch 1.1 both ways; a box rests on four below.
#[derive(Debug, Clone, PartialEq, Parameters)]
#[parameters(check = "Self::check")]
pub struct Pyramid {
    /// Number of boxes along an edge of the bottom layer.
    #[parameter(default = 4, unit = "-", range = ">= 1")]
    pub base: usize,
    /// What all boxes have in common.
    #[parameter(flatten)]
    pub boxes: BoxSettings,
}

impl Pyramid {
    fn check(&self) -> Result<(), ParameterError> {
        let square = self.base.checked_mul(self.base);
        let cube = square.and_then(|square| square.checked_mul(self.base));
        body_limit("base", self.base, cube)
    }
}

impl Scene for Pyramid {
    const DESCRIPTOR: SceneDescriptor = SceneDescriptor {
        id: "pyramid",
        summary: "square pyramid: layers of k x k boxes, k = base, ..., 1, each box resting on four below",
        citations: &["Catto2024"],
    };

    fn build(&self) -> Result<World, FieldError> {
        let mut scene = BoxScene::new(self.boxes, self.base);
        let pitch = PITCH * self.boxes.size;
        // the layer below, by rows
        let mut below: Vec<usize> = Vec::new();
        for layer in 0..self.base {
            let edge = self.base - layer;
            let offset = 0.5 * layer as f64;
            let mut placed = Vec::with_capacity(edge * edge);
            for i in 0..edge {
                for k in 0..edge {
                    let (x, z) = (pitch * (k as f64 + offset), pitch * (i as f64 + offset));
                    let body = scene.place(x, layer, z)?;
                    if layer == 0 {
                        scene.stand(body, GROUND);
                    } else {
                        for (di, dk) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                            scene.stand(body, below[(i + di) * (edge + 1) + k + dk]);
                        }
                    }
                    placed.push(body);
                }
            }
            below = placed;
        }
        scene.finish()
    }
}
