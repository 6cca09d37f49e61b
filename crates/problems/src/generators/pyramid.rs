//! A square pyramid of boxes.

use delassus_core::{ParameterError, ProblemError};

use super::boxes::{BoxScene, GROUND, box_parameters};
use super::parameters::{at_least, row_limit};
use super::wall::PITCH;
use super::{Generated, Generator, GeneratorDescriptor, Size};

box_parameters! {
    /// Layers of base × base, …, 1 × 1 boxes with pitch 1.1 both ways; a box rests on four below, with 0.45 × 0.45 on each.
    ///
    /// base² + 4 Σ k² manifolds of 4 points, k from 1 to base − 1.
    Pyramid {
        /// Number of boxes along an edge of the bottom layer \[-\]; >= 1.
        base: usize = 5,
    }
}

impl Generator for Pyramid {
    const DESCRIPTOR: GeneratorDescriptor = GeneratorDescriptor {
        id: "pyramid",
        summary: "square pyramid: layers of k x k boxes, k = base, ..., 1, each box resting on four below",
        parameters: Self::PARAMETERS,
        reference: "at rest, rigid, without gap",
    };

    fn validate(&self) -> Result<(), ParameterError> {
        at_least("base", self.base, 1, "there must be at least one box")?;
        let settings = self.settings();
        settings.validate()?;
        // Σ k² below base is less than base³/3
        let cube = self
            .base
            .checked_mul(self.base)
            .and_then(|s| s.checked_mul(self.base));
        let manifolds = cube.and_then(|c| c.checked_mul(2));
        let rows = manifolds.and_then(|m| m.checked_mul(settings.rows_per_manifold()));
        row_limit("base", self.base, rows)
    }

    fn size(&self) -> Size {
        let layers = 1..=self.base as u64;
        let boxes: u64 = layers.map(|edge| edge * edge).sum();
        let base = (self.base * self.base) as u64;
        // one face for a box of the base, four for the others
        let faces = base + 4 * (boxes - base);
        let count = |x: u64| usize::try_from(x).unwrap_or(usize::MAX);
        self.settings().size(count(boxes), count(faces))
    }

    fn build(&self) -> Result<Generated, ProblemError> {
        let mut scene = BoxScene::new(self.settings(), self.base, 1);
        let pitch = PITCH * self.size;
        let width = self.size - 0.5 * pitch;
        // the layer below, by rows
        let mut below: Vec<usize> = Vec::new();
        for layer in 0..self.base {
            let edge = self.base - layer;
            let mut placed = Vec::with_capacity(edge * edge);
            for i in 0..edge {
                for k in 0..edge {
                    let offset = 0.5 * layer as f64;
                    let x = pitch * (k as f64 + offset);
                    let z = pitch * (i as f64 + offset);
                    let body = scene.place(x, layer, z);
                    if layer == 0 {
                        scene.stand(body, GROUND, [self.size, self.size]);
                    } else {
                        for (di, dk) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                            let support = below[(i + di) * (edge + 1) + k + dk];
                            scene.stand(body, support, [width, width]);
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
