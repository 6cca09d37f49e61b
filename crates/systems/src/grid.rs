//! A block of touching boxes.

use delassus_core::parameter::require;
use delassus_core::{ParameterError, Parameters};

use crate::boxes::{BoxSink, BoxSystem, Boxes, Counts, GROUND};

/// nx × ny × nz boxes without space between them: contacts with the ground and with all six
/// neighbours.
///
/// nx·ny·nz + (nx − 1)·ny·nz + nx·ny·(nz − 1) manifolds of 4 points with lateral contacts.
#[derive(Debug, Clone, PartialEq, Parameters)]
#[parameters(check = "Self::check")]
pub struct Grid {
    /// Number of boxes along x.
    #[parameter(default = 4, unit = "-", range = ">= 1")]
    pub nx: usize,
    /// Number of layers, along y.
    #[parameter(default = 4, unit = "-", range = ">= 1")]
    pub ny: usize,
    /// Number of boxes along z.
    #[parameter(default = 4, unit = "-", range = ">= 1")]
    pub nz: usize,
    /// Whether neighbours within a layer touch; without, the columns stand alone.
    #[parameter(default = true)]
    pub lateral: bool,
    /// What all boxes have in common.
    #[parameter(flatten)]
    pub boxes: Boxes,
}

impl Grid {
    fn check(&self) -> Result<(), ParameterError> {
        let supported = !self.lateral || self.boxes.gap == 0.0;
        let expected = "lateral contacts have none: it must be 0 unless lateral is false";
        require(supported, "gap", self.boxes.gap, expected)
    }
}

impl BoxSystem for Grid {
    const ID: &'static str = "grid";
    const SUMMARY: &'static str =
        "nx x ny x nz touching boxes: contacts with the ground and with all six neighbours";

    fn boxes(&self) -> &Boxes {
        &self.boxes
    }

    fn extent(&self) -> (&'static str, usize) {
        ("nx", self.nx)
    }

    fn counts(&self) -> Counts {
        let product = |a: usize, b: usize, c: usize| a.checked_mul(b)?.checked_mul(c);
        let boxes = product(self.nx, self.ny, self.nz);
        let lateral = || {
            let along_x = product(self.nx - 1, self.ny, self.nz)?;
            along_x.checked_add(product(self.nx, self.ny, self.nz - 1)?)
        };
        let lateral = if self.lateral { lateral() } else { Some(0) };
        let faces = boxes.zip(lateral).and_then(|(a, b)| a.checked_add(b));
        Counts { boxes, faces }
    }

    fn layers(&self) -> (usize, usize) {
        (self.ny, self.nx * self.nz)
    }

    fn lay(&self, sink: &mut impl BoxSink) {
        let size = self.boxes.size;
        let mut below = vec![GROUND; self.nx * self.nz];
        for layer in 0..self.ny {
            let mut placed: Vec<usize> = Vec::with_capacity(self.nx * self.nz);
            for k in 0..self.nz {
                for i in 0..self.nx {
                    let body = sink.place(i as f64 * size, layer, k as f64 * size);
                    sink.stand(body, below[placed.len()], [size, size]);
                    if self.lateral && i > 0 {
                        sink.adjoin(placed[placed.len() - 1], body, 0);
                    }
                    if self.lateral && k > 0 {
                        sink.adjoin(placed[placed.len() - self.nx], body, 2);
                    }
                    placed.push(body);
                }
            }
            below = placed;
        }
    }
}
