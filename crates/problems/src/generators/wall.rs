//! A wall of boxes in the shape of a pyramid.

use delassus_core::{ParameterError, ProblemError};

use super::boxes::{BoxScene, GROUND, box_parameters};
use super::parameters::{at_least, row_limit};
use super::{Generated, Generator, GeneratorDescriptor, Size};

/// Distance of neighbours in a row, in box sizes.
pub(crate) const PITCH: f64 = 1.1;

box_parameters! {
    /// Rows of base, base − 1, …, 1 boxes with pitch 1.1; a box rests on two below, with 0.45 of its width on each.
    ///
    /// base + base·(base − 1) manifolds of 4 points.
    Wall {
        /// Number of boxes in the bottom row \[-\]; >= 1.
        base: usize = 10,
    }
}

impl Generator for Wall {
    const DESCRIPTOR: GeneratorDescriptor = GeneratorDescriptor {
        id: "wall",
        summary: "pyramid-shaped wall: rows of base, base - 1, ..., 1 boxes, each box resting on two below",
        parameters: Self::PARAMETERS,
        reference: "at rest, rigid, without gap",
    };

    fn validate(&self) -> Result<(), ParameterError> {
        at_least("base", self.base, 1, "there must be at least one box")?;
        let settings = self.settings();
        settings.validate()?;
        let manifolds = self.base.checked_mul(self.base);
        let rows = manifolds.and_then(|m| m.checked_mul(settings.rows_per_manifold()));
        row_limit("base", self.base, rows)
    }

    fn size(&self) -> Size {
        // the base twice, the other layers once per box and support
        let boxes = self.base * (self.base + 1) / 2;
        self.settings().size(boxes, self.base * self.base)
    }

    fn build(&self) -> Result<Generated, ProblemError> {
        let mut scene = BoxScene::new(self.settings(), self.base, 1);
        let pitch = PITCH * self.size;
        let overlap = [self.size - 0.5 * pitch, self.size];
        let mut below: Vec<usize> = Vec::new();
        for layer in 0..self.base {
            let mut row = Vec::with_capacity(self.base - layer);
            for i in 0..self.base - layer {
                let x = pitch * (i as f64 + 0.5 * layer as f64);
                let body = scene.place(x, layer, 0.0);
                if layer == 0 {
                    scene.stand(body, GROUND, [self.size, self.size]);
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
