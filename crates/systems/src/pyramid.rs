//! A square pyramid of boxes.

use delassus_core::Parameters;

use crate::boxes::{BoxSink, BoxSystem, Boxes, Counts, GROUND, PITCH};

/// Layers of base × base, …, 1 × 1 boxes with pitch 1.1 both ways; a box rests on four below, with
/// 0.45 × 0.45 on each.
///
/// base² + 4 Σ k² manifolds of 4 points, k from 1 to base − 1.
#[derive(Debug, Clone, PartialEq, Parameters)]
pub struct Pyramid {
    /// Number of boxes along an edge of the bottom layer.
    #[parameter(default = 5, unit = "-", range = ">= 1")]
    pub base: usize,
    /// What all boxes have in common.
    #[parameter(flatten)]
    pub boxes: Boxes,
}

impl BoxSystem for Pyramid {
    const ID: &'static str = "pyramid";
    const SUMMARY: &'static str =
        "square pyramid: layers of k x k boxes, k = base, ..., 1, each box resting on four below";

    fn boxes(&self) -> &Boxes {
        &self.boxes
    }

    fn extent(&self) -> (&'static str, usize) {
        ("base", self.base)
    }

    fn counts(&self) -> Counts {
        let square = self.base.checked_mul(self.base);
        // Σ k² = base (base + 1) (2 base + 1) / 6
        let oblong = square.and_then(|square| square.checked_add(self.base));
        let twice = self.base.checked_mul(2).and_then(|b| b.checked_add(1));
        let product = oblong.zip(twice).and_then(|(a, b)| a.checked_mul(b));
        let boxes = product.map(|product| product / 6);
        // one face for a box of the base, four for the others
        let faces = boxes.zip(square).and_then(|(boxes, base)| {
            let above = (boxes - base).checked_mul(4);
            above.and_then(|above| above.checked_add(base))
        });
        Counts { boxes, faces }
    }

    fn layers(&self) -> (usize, usize) {
        (self.base, 1)
    }

    fn lay(&self, sink: &mut impl BoxSink) {
        let size = self.boxes.size;
        let pitch = PITCH * size;
        let width = size - 0.5 * pitch;
        // the layer below, by rows
        let mut below: Vec<usize> = Vec::new();
        for layer in 0..self.base {
            let edge = self.base - layer;
            let offset = 0.5 * layer as f64;
            let mut placed = Vec::with_capacity(edge * edge);
            for i in 0..edge {
                for k in 0..edge {
                    let (x, z) = (pitch * (k as f64 + offset), pitch * (i as f64 + offset));
                    let body = sink.place(x, layer, z);
                    if layer == 0 {
                        sink.stand(body, GROUND, [size, size]);
                    } else {
                        for (di, dk) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                            let support = below[(i + di) * (edge + 1) + k + dk];
                            sink.stand(body, support, [width, width]);
                        }
                    }
                    placed.push(body);
                }
            }
            below = placed;
        }
    }
}
