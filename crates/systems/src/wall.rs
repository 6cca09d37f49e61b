//! A wall of boxes in the shape of a pyramid.

use delassus_core::Parameters;

use crate::boxes::{BoxSink, BoxSystem, Boxes, Counts, GROUND, PITCH};

/// Rows of base, base − 1, …, 1 boxes with pitch 1.1; a box rests on two below, with 0.45 of its
/// width on each.
///
/// base + base·(base − 1) manifolds of 4 points.
#[derive(Debug, Clone, PartialEq, Parameters)]
pub struct Wall {
    /// Number of boxes in the bottom row.
    #[parameter(default = 10, unit = "-", range = ">= 1")]
    pub base: usize,
    /// What all boxes have in common.
    #[parameter(flatten)]
    pub boxes: Boxes,
}

impl BoxSystem for Wall {
    const ID: &'static str = "wall";
    const SUMMARY: &'static str =
        "pyramid-shaped wall: rows of base, base - 1, ..., 1 boxes, each box resting on two below";

    fn boxes(&self) -> &Boxes {
        &self.boxes
    }

    fn extent(&self) -> (&'static str, usize) {
        ("base", self.base)
    }

    fn counts(&self) -> Counts {
        // the base once, the other rows twice
        let faces = self.base.checked_mul(self.base);
        let boxes = faces.and_then(|square| square.checked_add(self.base));
        let boxes = boxes.map(|twice| twice / 2);
        Counts { boxes, faces }
    }

    fn layers(&self) -> (usize, usize) {
        (self.base, 1)
    }

    fn lay(&self, sink: &mut impl BoxSink) {
        let size = self.boxes.size;
        let pitch = PITCH * size;
        let overlap = [size - 0.5 * pitch, size];
        let mut below: Vec<usize> = Vec::new();
        for layer in 0..self.base {
            let mut row = Vec::with_capacity(self.base - layer);
            for i in 0..self.base - layer {
                let x = pitch * (i as f64 + 0.5 * layer as f64);
                let body = sink.place(x, layer, 0.0);
                if layer == 0 {
                    sink.stand(body, GROUND, [size, size]);
                } else {
                    sink.stand(body, below[i], overlap);
                    sink.stand(body, below[i + 1], overlap);
                }
                row.push(body);
            }
            below = row;
        }
    }
}
