//! A wall of boxes in the shape of a pyramid.

use delassus_core::{ParameterError, Parameters, ProblemError};

use super::boxes::{BoxScene, BoxSettings, GROUND};
use super::limit::row_limit;
use super::{Generated, Generator, GeneratorDescriptor, Size};

/// Distance of neighbours in a row, in box sizes.
pub(crate) const PITCH: f64 = 1.1;

/// Rows of base, base − 1, …, 1 boxes with pitch 1.1; a box rests on two below, with 0.45 of its width on each.
///
/// base + base·(base − 1) manifolds of 4 points.
#[derive(Debug, Clone, PartialEq, Parameters)]
#[parameters(check = "Self::check")]
pub struct Wall {
    /// Number of boxes in the bottom row.
    #[parameter(default = 10, unit = "-", range = ">= 1")]
    pub base: usize,
    /// What all boxes have in common.
    #[parameter(flatten)]
    pub boxes: BoxSettings,
}

impl Wall {
    fn check(&self) -> Result<(), ParameterError> {
        let manifolds = self.base.checked_mul(self.base);
        let rows = manifolds.and_then(|m| m.checked_mul(self.boxes.rows_per_manifold()));
        row_limit("base", self.base, rows)
    }
}

impl Generator for Wall {
    const DESCRIPTOR: GeneratorDescriptor = GeneratorDescriptor {
        id: "wall",
        summary: "pyramid-shaped wall: rows of base, base - 1, ..., 1 boxes, each box resting on two below",
        reference: "at rest, rigid, without gap",
    };

    fn size(&self) -> Size {
        // the base twice, the other layers once per box and support
        let boxes = self.base * (self.base + 1) / 2;
        self.boxes.size(boxes, self.base * self.base)
    }

    fn build(&self) -> Result<Generated, ProblemError> {
        let mut scene = BoxScene::new(self.boxes, self.base, 1);
        let pitch = PITCH * self.boxes.size;
        let overlap = [self.boxes.size - 0.5 * pitch, self.boxes.size];
        let mut below: Vec<usize> = Vec::new();
        for layer in 0..self.base {
            let mut row = Vec::with_capacity(self.base - layer);
            for i in 0..self.base - layer {
                let x = pitch * (i as f64 + 0.5 * layer as f64);
                let body = scene.place(x, layer, 0.0);
                if layer == 0 {
                    scene.stand(body, GROUND, [self.boxes.size, self.boxes.size]);
                } else {
                    scene.stand(body, below[i], overlap);
                    scene.stand(body, below[i + 1], overlap);
                }
                row.push(body);
            }
            below = row;
        }
        scene.finish()
    }
}
