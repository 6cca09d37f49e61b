//! A square pyramid of boxes.

use delassus_core::{ParameterError, Parameters, ProblemError};

use super::boxes::{BoxScene, BoxSettings, GROUND};
use super::limit::row_limit;
use super::wall::PITCH;
use super::{Generated, Generator, GeneratorDescriptor, Size};

/// Layers of base × base, …, 1 × 1 boxes with pitch 1.1 both ways; a box rests on four below, with 0.45 × 0.45 on each.
///
/// base² + 4 Σ k² manifolds of 4 points, k from 1 to base − 1.
#[derive(Debug, Clone, PartialEq, Parameters)]
#[parameters(check = "Self::check")]
pub struct Pyramid {
    /// Number of boxes along an edge of the bottom layer.
    #[parameter(default = 5, unit = "-", range = ">= 1")]
    pub base: usize,
    /// What all boxes have in common.
    #[parameter(flatten)]
    pub boxes: BoxSettings,
}

impl Pyramid {
    fn check(&self) -> Result<(), ParameterError> {
        // Σ k² below base is less than base³/3
        let square = self.base.checked_mul(self.base);
        let cube = square.and_then(|square| square.checked_mul(self.base));
        let manifolds = cube.and_then(|cube| cube.checked_mul(2));
        let rows = manifolds.and_then(|m| m.checked_mul(self.boxes.rows_per_manifold()));
        row_limit("base", self.base, rows)
    }
}

impl Generator for Pyramid {
    const DESCRIPTOR: GeneratorDescriptor = GeneratorDescriptor {
        id: "pyramid",
        summary: "square pyramid: layers of k x k boxes, k = base, ..., 1, each box resting on four below",
        reference: "at rest, rigid, without gap",
    };

    fn size(&self) -> Size {
        let layers = 1..=self.base as u64;
        let boxes: u64 = layers.map(|edge| edge * edge).sum();
        let base = (self.base * self.base) as u64;
        // one face for a box of the base, four for the others
        let faces = base + 4 * (boxes - base);
        let count = |x: u64| usize::try_from(x).unwrap_or(usize::MAX);
        self.boxes.size(count(boxes), count(faces))
    }

    fn build(&self) -> Result<Generated, ProblemError> {
        let mut scene = BoxScene::new(self.boxes, self.base, 1);
        let pitch = PITCH * self.boxes.size;
        let width = self.boxes.size - 0.5 * pitch;
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
                        scene.stand(body, GROUND, [self.boxes.size, self.boxes.size]);
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
